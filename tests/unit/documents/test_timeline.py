"""The timeline of a name."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from extdns.documents.document import build_zone_reference
from extdns.documents.name import TimelineEvent, build_timeline
from extdns.documents.records import ChangeAction, ChangeDocument
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.model.change import OutcomeWord
from extdns.model.dns_name import DnsName
from tests.builders import ZONE
from tests.cluster_world import start_cluster
from tests.fakes.clocks import BEGINNING
from tests.objects import service
from tests.unit.web.page_process import process
from tests.world import start_world

WEB = DnsName("web.example.org")


def build_sent_change(
    action: ChangeAction, reason: str, outcome: OutcomeWord = "applied", minutes: int = 0
) -> ChangeDocument:
    """Return a change of the A record of web.example.org, *minutes* after the beginning."""
    return ChangeDocument(
        at=BEGINNING + timedelta(minutes=minutes),
        zone=build_zone_reference(ZONE),
        name=WEB,
        type="A",
        set_identifier="",
        action=action,
        targets=("192.0.2.1",),
        object="",
        outcome=outcome,
        detail="",
        reason=reason,
    )


@pytest.mark.parametrize(
    ("change", "event"),
    [
        pytest.param(build_sent_change("create", "requested"), "created", id="created"),
        pytest.param(build_sent_change("update", "changed"), "updated", id="updated"),
        pytest.param(build_sent_change("update", "drift-repaired"), "repaired", id="repaired"),
        pytest.param(build_sent_change("delete", "object-deleted"), "deleted", id="deleted"),
        pytest.param(build_sent_change("update", "drift-repaired", "refused"), "not-written", id="refused"),
    ],
)
def test_a_sent_change_is_shown_in_the_timeline_as_an_event_for_its_action_reason_and_outcome(
    change: ChangeDocument, event: TimelineEvent
) -> None:
    live = ProcessSnapshot(
        EngineSnapshot(start_world().engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(change,), synced=True
    )
    (entry,) = build_timeline(live, WEB, (), (change,))
    assert (entry.event, entry.at, entry.reason) == (event, change.at, change.reason)


def test_the_events_of_a_timeline_are_sorted_from_oldest_to_newest() -> None:
    changes = (build_sent_change("delete", "absent", minutes=9), build_sent_change("create", "requested", minutes=1))
    live = ProcessSnapshot(
        EngineSnapshot(start_world().engine), at=BEGINNING, at_s=0.0, kinds=(), changes=changes, synced=True
    )
    assert [one.event for one in build_timeline(live, WEB, (), changes)] == ["created", "deleted"]


def test_the_timeline_shows_since_when_a_delete_is_held_and_when_an_object_was_created(tmp_path: Path) -> None:
    shop = process(tmp_path, service("web", "web.example.org"), orphans=20)
    (held,) = shop.get("/api/v1/names/old1.example.org").json["timeline"]
    assert (held["event"], held["reason"]) == ("held", "orphan-gone")
    assert held["text"].startswith("the delete of A waits for approval: the deletes by absence in namespace shop ")
    requested, written = shop.get("/api/v1/names/web.example.org").json["timeline"]
    assert (requested["event"], requested["at"]) == ("requested", "2026-01-01T00:00:00Z")
    assert requested["text"] == "Service shop/web, which requests the name, was created"
    assert (written["event"], written["text"]) == ("created", "A 192.0.2.1 in example.net")
    page = shop.get("/name", of="old1.example.org").text
    assert '<span class="state waiting">held</span> the delete of A waits for approval' in page


def test_the_timeline_shows_when_the_grace_period_of_a_delete_ends() -> None:
    world = start_cluster(service("web", address="192.0.2.1"), flags=["--delete-grace-period=60s"])
    world.delete(service("web"), for_s=20.0)
    live = ProcessSnapshot(
        EngineSnapshot(world.engine), at=BEGINNING, at_s=world.now_s, kinds=(), changes=(), synced=True
    )
    (entry,) = build_timeline(live, WEB, (), ())
    left = entry.at - BEGINNING
    assert (entry.event, left // timedelta(seconds=1), entry.reason) == ("due", 40, "object-deleted")
    assert entry.text == "the grace period ends; then the delete of A may be made, unless it is held"
