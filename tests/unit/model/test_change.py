"""Writes, change sets, the identity of a decision and when it is relevant, and blind writes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from extdns.model.change import Action, Change, ChangeSet, Decision, Delete, Update, Write, are_equivalent
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import restate_record
from tests.builders import ZONE, build_claim, build_owned, create, host, origin, record

OURS = build_owned("web")
FOREIGN = replace(OURS, owner="other", is_ours=False)


def build_decision(**fields: Any) -> Decision:  # noqa: ANN401 - any field of Decision
    """Build a decision about a foreign record that no object requests, with other *fields*."""
    chosen: dict[str, Any] = {
        "zone": ZONE,
        "name": host("web"),
        "set_identifier": "one",
        "type": "A",
        "action": Action.KEEP,
        "reason": Reason.OWNED_BY_OTHER,
        "current": FOREIGN,
    }
    return Decision(**chosen | fields)


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        pytest.param(build_decision(), False, id="foreign-record"),
        pytest.param(build_decision(requested_by=(origin("web"),)), True, id="requested"),
        pytest.param(build_decision(current=OURS), True, id="ours"),
        pytest.param(build_decision(current=None), True, id="no-record"),
        pytest.param(build_decision(reason=Reason.RECORD_UNREADABLE), True, id="unreadable"),
    ],
)
def test_every_decision_is_relevant_unless_it_is_about_a_foreign_record_that_no_object_requests(
    decision: Decision, expected: bool
) -> None:
    assert decision.is_relevant is expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param((create(build_claim("web", "web", namespace="new").desired),), "new", id="create"),
        pytest.param((Update(current=OURS, desired=restate_record(OURS.record), differences=()),), "", id="update"),
        pytest.param((Delete(current=OURS, evidence=Evidence.OBJECT_DELETED),), "shop", id="delete"),
        pytest.param((), "", id="ownership-records-alone"),
    ],
)
def test_a_change_set_is_of_the_namespace_that_requests_it_or_did(change: tuple[Change, ...], expected: str) -> None:
    assert ChangeSet(zone=ZONE, name=host("web"), changes=change).namespace == expected


def test_change_sets_are_equivalent_if_only_the_new_data_of_their_writes_differ() -> None:
    old, desired = record("web"), restate_record(record("web"))
    write = Write(old=old, new=desired)
    one = ChangeSet(zone=ZONE, name=host("web"), changes=(create(desired),), writes=(write,))
    assert are_equivalent([one], [replace(one, writes=(replace(write, new=replace(desired, ttl_s=60)),))])
    assert not are_equivalent([one], [replace(one, writes=(replace(write, old=replace(old, ttl_s=60)),))])
    assert not are_equivalent([one], [replace(one, changes=())])
    assert not are_equivalent([one], [])
