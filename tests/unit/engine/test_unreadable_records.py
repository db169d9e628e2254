"""Records that cannot be parsed are reported once, and nothing is changed at their names."""

from __future__ import annotations

import pytest

from extdns.model import rrtype
from extdns.model.change import Action
from extdns.model.reason import Reason
from extdns.model.record import Record
from tests.builders import ZONE, build_claim, host, observe, observe_gone, owned, ownership_record, record
from tests.world import start_world

WORDS = "example.org.zone:12: '192.0.2.999' is not valid; allowed: an IPv4 address"


def unreadable(at: str, rtype: str = "") -> Record:
    """Build a record at *at* that cannot be parsed, of the type *rtype* if that is known."""
    return record(at, WORDS, rtype=rrtype.UNREADABLE + rtype, ttl_s=0)


@pytest.mark.parametrize(
    ("current", "requested"),
    [
        pytest.param((), True, id="new"),
        pytest.param(owned("web", "192.0.2.9"), True, id="changed"),
        pytest.param(owned("web"), False, id="gone"),
        pytest.param((ownership_record("web"),), True, id="ownership-record-only"),
        pytest.param((record("web", "192.0.2.9"),), True, id="foreign"),
    ],
)
@pytest.mark.parametrize(
    "bad",
    [unreadable("web"), unreadable("web", "MX"), unreadable("a-web"), unreadable("a-web", "TXT")],
    ids=["at-the-record", "MX-at-the-record", "at-the-ownership-record", "TXT-at-the-ownership-record"],
)
def test_nothing_changes_while_a_record_at_either_name_cannot_be_parsed(
    current: tuple[Record, ...], bad: Record, *, requested: bool
) -> None:
    observation = observe("web", build_claim("web", "web"))
    world = start_world(*current, bad, first=[observation, observe("good", build_claim("good", "good"))])
    if not requested:
        world.run(observe_gone("web"), for_s=60.0)
    assert world.batches == [["good"]]
    reasons = {one.reason for one in world.engine.decisions.decisions(host("web"))}
    assert Reason.RECORD_UNREADABLE in reasons
    assert {one.action for one in world.engine.decisions.decisions(host("web"))} <= {Action.KEEP, Action.NONE}


def test_a_record_that_cannot_be_parsed_and_is_no_text_keeps_no_other_name_from_changing() -> None:
    bad = unreadable("a-web", "MX")
    world = start_world(*owned("web", "192.0.2.9"), bad, first=[observe("web", build_claim("web", "web"))])
    assert world.list_records() == {"web A": ("192.0.2.1",), "a-web ?MX": (WORDS,)}
    assert world.decision("a-web").reason is Reason.RECORD_UNREADABLE
    world.run(observe_gone("web"), for_s=60.0)
    assert world.list_records() == {"a-web ?MX": (WORDS,)}


def test_reported_once_with_its_location_if_nobody_requests_the_name() -> None:
    world = start_world(unreadable("web"))
    decision = world.decision("web")
    assert (decision.action, decision.reason, decision.detail) == (Action.KEEP, Reason.RECORD_UNREADABLE, WORDS)
    assert decision.is_relevant
    assert world.engine.decisions.failing == 1
    world.run(for_s=600.0)
    assert world.reported == []


def test_decision_at_a_requested_name_lists_the_requester() -> None:
    world = start_world(unreadable("web"), first=[observe("web", build_claim("web", "web"))])
    decision = world.decision("web")
    assert (decision.type, decision.detail) == ("A", WORDS)
    assert [requested.ref.key.name for requested in decision.requested_by] == ["web"]


def test_published_after_unparsable_record_at_ownership_name_was_removed() -> None:
    world = start_world(unreadable("a-web"), first=[observe("web", build_claim("web", "web"))])
    assert world.list_records() == {"a-web ?": (WORDS,)}
    world.provider.remove_records(ZONE, unreadable("a-web").key)
    world.run(for_s=120.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
