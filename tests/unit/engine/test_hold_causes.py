"""Why a delete is held, without an engine (docs/design/delete-safety.md, "Holds and approval")."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from tests.unit.engine.guarded_zones import GRACE_S, ZONE, GuardedZones, record, records, start_guard


def find_detail(scene: GuardedZones, evidence: Evidence, *, number: int = 1, zone: Zone = ZONE) -> str:
    """Return the detail of the held delete of a record."""
    block = scene.find_block(PendingDelete(owned=record(number, zone=zone), evidence=evidence), zone)
    assert block is not None
    assert block.reason is Reason.HELD
    return block.detail


def test_the_decision_about_a_delete_held_by_a_budget_says_which_scope_holds_it() -> None:
    scene = start_guard(*records(100), *records(100, "other", first=100))
    scene.observe_evidence(records(31))
    scene.pass_time(GRACE_S)
    assert find_detail(scene, Evidence.OBJECT_DELETED) == (
        "the deletes in namespace shop in zone acme.test within ten minutes exceeded --max-delete-count and "
        "--max-delete-percent"
    )


def test_a_delete_by_absence_held_over_all_zones_names_all_zones_and_half_of_the_limits() -> None:
    zones = [Zone(name=DnsName(f"z{number}.test"), id=f"Z{number}") for number in range(6)]
    scene = start_guard()
    for zone in zones:
        scene.add_records(records(5, zone=zone), zone)
        scene.observe_evidence([record(1, zone=zone)], Evidence.ABSENT, zone)
    scene.pass_time()
    assert find_detail(scene, Evidence.ABSENT, zone=zones[0]) == (
        "the deletes by absence in all zones within ten minutes exceeded half of --max-delete-count and "
        "--max-delete-percent, or, with --manifests, no object requested a name"
    )


@pytest.mark.parametrize("is_restarted", [False, True])
def test_the_decision_about_a_delete_held_for_insufficient_evidence_still_says_so_after_evidence_improves(
    *,
    is_restarted: bool,
) -> None:
    scene = start_guard(*records(100))
    scene.observe_evidence([record(1)], Evidence.ORPHAN_UNCLAIMED)
    scene.pass_time()
    scene.observe_evidence([record(1)], Evidence.OBJECT_DELETED)
    scene = scene.restart() if is_restarted else scene
    assert find_detail(scene, Evidence.OBJECT_DELETED) == "the evidence was insufficient when the hold began"


@pytest.mark.parametrize(
    ("owner", "evidence", "cause"),
    [
        pytest.param("", Evidence.ABSENT, "the evidence was insufficient when the hold began", id="without-owner"),
        pytest.param(
            "me",
            Evidence.ORPHAN_UNCLAIMED,
            "the deletes by absence in namespace shop in zone acme.test within ten minutes exceeded half of "
            "--max-delete-count and --max-delete-percent",
            id="accepted-settings",
        ),
    ],
)
def test_a_held_delete_shows_the_cause_for_which_its_hold_began(owner: str, evidence: Evidence, cause: str) -> None:
    scene = start_guard(*records(30), owner=owner)
    if owner:
        scene.guard.accept_settings(ZONE.id)
    scene.observe_evidence(records(20), evidence)
    scene.pass_time(GRACE_S)
    assert {one.cause for found in scene.guard.held_sets() for one in found.held} == {cause}
