"""What counts as served: of aliases and members of a routing policy the answer alone does not tell."""

from __future__ import annotations

import pytest

from extdns.commands.authority import Answer, Server
from extdns.commands.verifyfacts import wishes
from extdns.model.decision import Decision, Verdict
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, Endpoint
from tests.unit.engine.stage import ZONE, host, origin

NAME = host("web")
ALIASED = Pairs.of({ALIAS: "true"})
PLAIN = Pairs.of({})


def decision(reason: Reason, target: str, rtype: str = "A", *, member: str = "", properties: Pairs = PLAIN) -> Decision:
    """About a record that is in order, or will be created or updated, or comes to nothing."""
    verdicts = {Reason.PROGRAMMED: Verdict.KEEP, Reason.WANTED: Verdict.CREATE, Reason.CHANGED: Verdict.UPDATE}
    return Decision(
        zone=ZONE,
        name=NAME,
        set_identifier=member,
        type=rtype,
        verdict=verdicts.get(reason, Verdict.NONE),
        reason=reason,
        wanted=Endpoint(name=NAME, type=rtype, targets=(target,), set_identifier=member, properties=properties),
        asked_by=(origin("web"),),
    )


def met(decisions: tuple[Decision, ...], *targets: str) -> list[bool]:
    answer = Answer(Server("", "192.0.2.53"), targets)
    return [wish.met(answer) for wish in wishes(NAME, decisions)]


@pytest.mark.parametrize(
    ("reason", "rtype", "answered", "expected"),
    [
        pytest.param(Reason.PROGRAMMED, "A", ["192.0.2.9"], True, id="any-address"),
        pytest.param(Reason.PROGRAMMED, "A", [], False, id="not-taken-up"),
        pytest.param(Reason.PROGRAMMED, "AAAA", [], True, id="nothing-behind-it-has-IPv6"),
        pytest.param(Reason.CHANGED, "A", ["192.0.2.9"], False, id="of-the-one-before"),
        pytest.param(Reason.CHANGED, "AAAA", ["2001:db8::9"], False, id="of-the-one-before-by-IPv6"),
    ],
)
def test_an_alias_is_served_by_any_address_once_it_stands(
    reason: Reason, rtype: str, answered: list[str], expected: bool
) -> None:
    assert met((decision(reason, "lb.example.net", rtype, properties=ALIASED),), *answered) == [expected]


def test_a_member_of_a_policy_is_served_by_any_member_once_it_stands() -> None:
    blue = decision(Reason.PROGRAMMED, "192.0.2.1", member="blue")
    green = decision(Reason.WANTED, "192.0.2.2", member="green")
    assert met((blue, green), "192.0.2.1") == [True, False]
    assert met((blue, green), "192.0.2.3") == [False, False]


def test_a_member_that_cannot_be_published_does_not_hide_behind_the_others() -> None:
    blue = decision(Reason.PROGRAMMED, "192.0.2.1", member="blue")
    green = decision(Reason.NO_OWNERSHIP_NAME, "192.0.2.2", member="green")
    found = wishes(NAME, (blue, green))
    assert [(wish.set_identifier, wish.wanted, wish.reason) for wish in found] == [
        ("blue", ("192.0.2.1",), Reason.PROGRAMMED),
        ("green", (), Reason.NO_OWNERSHIP_NAME),
    ]


def test_a_plain_record_is_served_as_soon_as_it_is_answered() -> None:
    assert met((decision(Reason.CHANGED, "192.0.2.1"),), "192.0.2.1") == [True]


@pytest.mark.parametrize("reason", [Reason.CONFLICT_LOST, Reason.TYPE_CONFLICT])
def test_what_lost_counts_where_nothing_has_its_place(reason: Reason) -> None:
    lost = decision(reason, "lb.example.net", "CNAME")
    assert [wish.reason for wish in wishes(NAME, (lost,))] == [reason]
    won = decision(Reason.PROGRAMMED, "192.0.2.1")
    assert [wish.type for wish in wishes(NAME, (won, lost))] == ["A"]
