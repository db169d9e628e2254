"""Each cell of the table in docs/design/delete-safety.md, "States of a delete"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.engine.delete_guard import APPROVAL_S
from extdns.model.evidence import Evidence, PendingDelete
from tests.unit.engine.guarded_zones import (
    GONE,
    GRACE_S,
    ZONE,
    GuardedZones,
    hold_deletes,
    record,
    records,
    start_guard,
)

PAGE: Final = Path(__file__).parents[3] / "docs/design/delete-safety.md"
ONE: Final = record(1)
NAME: Final = ONE.record.name


def start_waiting() -> GuardedZones:
    scene = start_guard(*records(100))
    scene.observe_evidence([ONE])
    return scene


def start_granted() -> GuardedZones:
    scene = start_waiting()
    scene.pass_time(GRACE_S, makes_deletes=False)
    return scene


def start_approved() -> GuardedZones:
    scene = hold_deletes()
    scene.approve(*scene.find_codes().values())
    return scene


def start_loaded() -> GuardedZones:
    before = hold_deletes()
    scene = start_guard(*records(100), now_s=before.now_s)
    scene.evidence = before.evidence
    scene.guard.load(before.guard.save(before.now_s), before.now_s)
    return scene


STARTS: Final[dict[str, Callable[[], GuardedZones]]] = {
    "waiting": start_waiting,
    "granted": start_granted,
    "held": hold_deletes,
    "approved": start_approved,
    "loaded": start_loaded,
}


def pass_to_another_namespace(scene: GuardedZones) -> None:
    delete = PendingDelete(owned=ONE, evidence=GONE, is_transfer=True)
    scene.guard.observe(ZONE, NAME, (delete,), scene.now_s, current=(ONE,), requested={ONE.key})


def lose(scene: GuardedZones) -> None:
    foreign = ONE.__class__(record=ONE.record)
    scene.guard.observe(ZONE, NAME, (), scene.now_s, current=(foreign,))


def edit(scene: GuardedZones) -> None:
    scene.zones[ZONE.id][str(NAME)] = ZONE, record(1, target="192.0.2.99")
    scene.plan(ONE)


def exceed(scene: GuardedZones) -> None:
    scene.observe_evidence(records(40, first=50))
    scene.pass_time(GRACE_S, makes_deletes=False)


def expire(scene: GuardedZones) -> None:
    scene.pass_time(APPROVAL_S, makes_deletes=False)


EVENTS: Final[dict[str, Callable[[GuardedZones], object]]] = {
    "the same evidence is found again": lambda scene: scene.plan(ONE),
    "other evidence, of the same budget": lambda scene: scene.observe_evidence([ONE], Evidence.HOSTNAME_REMOVED),
    "other evidence, of another budget": lambda scene: scene.observe_evidence([ONE], Evidence.ABSENT),
    "the evidence ends, and no object of its namespace requests the record": lambda scene: scene.end_evidence([ONE]),
    "an object of its namespace requests the record": lambda scene: scene.request([ONE]),
    "the name passes to another namespace": pass_to_another_namespace,
    "the record is gone, or no longer ours": lose,
    "another writer edits the record": edit,
    "the grace period ends, within the budgets": lambda scene: scene.pass_time(GRACE_S, makes_deletes=False),
    "the scope goes over budget": exceed,
    "a person approves the code": lambda scene: scene.approve(*hold_deletes().find_codes().values()),
    "the approval expires": expire,
    "planning the name fails": lambda scene: scene.guard.drop_evidence(ZONE, NAME, scene.now_s, is_known=True),
    "another process leads": lambda scene: scene.guard.demote(scene.now_s),
    "the zone leaves the list of zones": lambda scene: scene.guard.retain_zones({}, scene.now_s),
    "the name moves to another zone": lambda scene: scene.guard.retain_zones({ZONE.id: lambda _: False}, scene.now_s),
    "every name of the zone was planned": lambda scene: scene.guard.drop_unread(ZONE.id, scene.now_s),
}


def read_cells() -> Iterator[tuple[str, str, str]]:
    """Yield event, state before and state after, as the page has them."""
    page = PAGE.read_text().partition("## States of a delete")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]
    states = rows[0][1:]
    for event, *cells in rows[2:]:
        yield from ((event, state, after) for state, after in zip(states, cells, strict=True) if after)


def find_state(scene: GuardedZones) -> str:
    record_id = next(entry.record_id for entry in hold_deletes().guard.entries if entry.owned == ONE)
    entry = scene.guard.entries.by_record.get(record_id)
    return entry.state if entry else "ended"


@pytest.mark.parametrize(("event", "before", "after"), tuple(read_cells()))
def test_event_leads_from_one_state_to_the_next_as_the_page_says(event: str, before: str, after: str) -> None:
    scene = STARTS[before]()
    assert find_state(scene) == before
    EVENTS[event](scene)
    assert find_state(scene) == after


def test_page_has_every_event() -> None:
    assert {event for event, _, _ in read_cells()} == set(EVENTS)
