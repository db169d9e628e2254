"""Which answers count as served, also for aliases and routed records, whose targets the answer does not show."""

from __future__ import annotations

import pytest

from extdns.commands.name_servers import Answer, Server
from extdns.commands.verify import is_served
from extdns.documents.verification import list_expected
from extdns.model.change import Action, Decision
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, DesiredRecord
from extdns.model.value import StringMap
from tests.builders import ZONE, host, origin

NAME = host("web")
ALIASED = StringMap.from_items({ALIAS: "true"})
PLAIN = StringMap.from_items({})


def decision(
    reason: Reason, target: str, rtype: str = "A", *, member: str = "", properties: StringMap = PLAIN
) -> Decision:
    """Build a decision with the action that belongs to *reason*: keep, create, update or none."""
    actions = {Reason.PUBLISHED: Action.KEEP, Reason.REQUESTED: Action.CREATE, Reason.CHANGED: Action.UPDATE}
    return Decision(
        zone=ZONE,
        name=NAME,
        set_identifier=member,
        type=rtype,
        action=actions.get(reason, Action.NONE),
        reason=reason,
        desired=DesiredRecord(name=NAME, type=rtype, targets=(target,), set_identifier=member, properties=properties),
        requested_by=(origin("web"),),
    )


def find_served(decisions: tuple[Decision, ...], *targets: str) -> list[bool]:
    answer = Answer(Server("", "192.0.2.53"), targets)
    return [is_served(expected, answer) for expected in list_expected(NAME, decisions)]


@pytest.mark.parametrize(
    ("reason", "rtype", "answered", "expected"),
    [
        pytest.param(Reason.PUBLISHED, "A", ["192.0.2.9"], True, id="any-address"),
        pytest.param(Reason.PUBLISHED, "A", [], False, id="no-address-answered"),
        pytest.param(Reason.PUBLISHED, "AAAA", [], True, id="alias-target-without-IPv6"),
        pytest.param(Reason.CHANGED, "A", ["192.0.2.9"], False, id="old-address"),
        pytest.param(Reason.CHANGED, "AAAA", ["2001:db8::9"], False, id="old-IPv6-address"),
    ],
)
def test_an_alias_counts_as_served_if_the_zone_holds_it_and_any_address_or_for_aaaa_none_is_answered(
    reason: Reason, rtype: str, answered: list[str], expected: bool
) -> None:
    assert find_served((decision(reason, "lb.example.net", rtype, properties=ALIASED),), *answered) == [expected]


def test_a_routed_record_in_the_zone_counts_as_served_if_a_record_of_its_policy_is_answered() -> None:
    blue = decision(Reason.PUBLISHED, "192.0.2.1", member="blue")
    green = decision(Reason.REQUESTED, "192.0.2.2", member="green")
    assert find_served((blue, green), "192.0.2.1") == [True, False]
    assert find_served((blue, green), "192.0.2.3") == [False, False]


def test_verify_lists_each_set_identifier_separately_with_its_reason() -> None:
    blue = decision(Reason.PUBLISHED, "192.0.2.1", member="blue")
    green = decision(Reason.NO_OWNERSHIP_NAME, "192.0.2.2", member="green")
    found = list_expected(NAME, (blue, green))
    assert [(expectation.set_identifier, expectation.requested, expectation.reason) for expectation in found] == [
        ("blue", ("192.0.2.1",), Reason.PUBLISHED),
        ("green", (), Reason.NO_OWNERSHIP_NAME),
    ]


def test_a_simple_record_counts_as_served_if_it_is_answered_even_if_the_zone_was_read_before_the_change() -> None:
    assert find_served((decision(Reason.CHANGED, "192.0.2.1"),), "192.0.2.1") == [True]


@pytest.mark.parametrize("reason", [Reason.REQUESTED_BY_OTHER, Reason.INCOMPATIBLE_TYPE])
def test_verify_checks_a_rejected_claim_only_if_no_other_claim_to_the_name_was_accepted(reason: Reason) -> None:
    rejected = decision(reason, "lb.example.net", "CNAME")
    assert [expectation.reason for expectation in list_expected(NAME, (rejected,))] == [reason]
    accepted = decision(Reason.PUBLISHED, "192.0.2.1")
    assert [expectation.type for expectation in list_expected(NAME, (accepted, rejected))] == ["A"]
