"""How often one name is written (docs/design/retries.md, "The retry table")."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from extdns.engine.retries import RetryTable
from extdns.engine.write_history import WriteHistory
from extdns.model.change import Action, ChangeSet, Delete, Write
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from tests.builders import ZONE, build_claim, host, observe, observe_gone, observe_new, owned, ownership_record, record
from tests.world import World, start_published, start_world

MINUTE_S = 60.0
THEIRS = record("web", "192.0.2.66")


def edit(world: World) -> None:
    world.provider.put_records(ZONE, THEIRS)


def remove(world: World) -> None:
    world.provider.remove_records(ZONE, THEIRS.key, ownership_record("web").key)


def restore(world: World) -> None:
    world.provider.put_records(ZONE, *owned("web"))


def repeat_edit(world: World, change: Callable[[World], None], minutes: int) -> list[int]:
    """Apply *change* to the zone once a minute. Return the minutes in which the engine sent a batch after it."""
    answered = []
    for minute in range(minutes):
        change(world)
        before = len(world.batches)
        world.run(for_s=MINUTE_S)
        if len(world.batches) > before:
            answered.append(minute)
    return answered


# contended records


@pytest.mark.parametrize("change", [pytest.param(edit, id="changed"), pytest.param(remove, id="removed")])
def test_not_written_for_five_then_ten_minutes_after_three_foreign_changes(change: Callable[[World], None]) -> None:
    world = start_published(interval_s=MINUTE_S)
    first, *later = repeat_edit(world, change, 40)
    assert [minute - first for minute in later] == [1, 2, 8, 19]
    assert world.decision("web").reason is Reason.CONTENDED


def test_decision_on_contended_record_counts_as_a_failure() -> None:
    world = start_published(interval_s=MINUTE_S)
    repeat_edit(world, edit, 5)
    decision = world.decision("web")
    assert (decision.action, decision.reason) == (Action.KEEP, "contended")
    assert decision.detail == (
        "another writer changed it back each time, or the DNS service does not keep it; "
        "it is not written again for 5 minutes"
    )
    assert world.engine.decisions.failing == 1
    assert [zone_state.queue.backing_off for zone_state in world.engine.zones] == [1]


def test_delete_is_paused_after_another_writer_restored_the_record() -> None:
    world = start_published(interval_s=MINUTE_S)
    world.run(observe_gone("web"))
    assert world.list_records() == {}
    assert repeat_edit(world, restore, 7) == [0, 1]
    assert world.decision("web").reason is Reason.CONTENDED


def test_contended_record_is_written_at_once_when_its_claim_changes() -> None:
    world = start_published(interval_s=MINUTE_S)
    repeat_edit(world, edit, 5)
    for target in ("192.0.2.9", "192.0.2.1"):
        world.run(observe("web", build_claim("web", "web", target)), for_s=1.0)
        assert world.list_records() == {"web A": (target,)}


def test_not_contended_after_the_other_writer_stopped() -> None:
    world = start_published(interval_s=MINUTE_S)
    repeat_edit(world, edit, 5)
    world.run(for_s=6 * MINUTE_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.run(for_s=20 * MINUTE_S)
    assert len(repeat_edit(world, edit, 8)) == 3, "all is forgotten"


def test_not_contended_if_only_its_claim_changes_often() -> None:
    world = start_world(max_refresh_interval_s=MINUTE_S)
    for number in range(60):
        world.run(observe("web", build_claim("web", "web", f"192.0.2.{number % 2 + 1}")), for_s=6.0)
    edit(world)
    world.run(for_s=2 * MINUTE_S)
    assert world.list_records() == {"web A": ("192.0.2.2",)}


def test_edits_every_four_minutes_are_repaired_without_pause() -> None:
    world = start_published(interval_s=MINUTE_S, max_refresh_interval_s=MINUTE_S)
    for _ in range(10):
        edit(world)
        world.run(for_s=4 * MINUTE_S)
        assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_contended_record_does_not_delay_other_names() -> None:
    world = start_published(interval_s=MINUTE_S)
    repeat_edit(world, edit, 5)
    world.run(observe("api", build_claim("api", "api")), for_s=1.0)
    assert world.list_records()["api A"] == ("192.0.2.1",)


def build_delete(number: int) -> tuple[ChangeSet, ...]:
    """Build the change sets that delete the record of ours with this *number*."""
    owned_record = OwnedRecord(record=record(f"n{number}"), owner="me", is_ours=True)
    delete = Delete(current=owned_record, evidence=Evidence.OBJECT_DELETED)
    return (ChangeSet(zone=ZONE, name=host(f"n{number}"), changes=(delete,)),)


def test_change_set_without_changes_of_records_is_not_delayed() -> None:
    history, name, delete = WriteHistory(RetryTable()), host("n1"), build_delete(1)
    own = (replace(delete[0], changes=(), writes=(Write(old=record("n1"), new=None),)),)
    for now_s in (0.0, 1.0, 2.0):
        history.record_writes(delete, now_s)
    assert history.postpone(name, delete, 3.0) == ()
    assert history.postpone(name, own, 3.0) == own
    assert history.postpone(name, own, 400.0) == own


def test_history_stores_only_the_last_20000_records() -> None:
    history = WriteHistory(RetryTable())
    for number in range(20_010):
        history.record_writes(build_delete(number), 1.0)
    assert len(history) == 20_000


def test_history_forgets_writes_after_ten_minutes() -> None:
    history = WriteHistory(RetryTable())
    for number in range(100):
        history.record_writes(build_delete(number), 0.0)
    history.record_writes(build_delete(100), 601.0)
    assert len(history) == 1


# the rate of a name


def test_written_every_five_seconds_after_three_writes_within_a_minute() -> None:
    world = start_world()
    for number in range(40):
        world.run(observe_new("web", target=f"192.0.2.{number + 1}"), observe_new("api"), for_s=0.5)
    # Three at once, then one at 6, 11 and 16 seconds.
    assert sum("web" in batch for batch in world.batches) == 6
    world.run(for_s=5.0)
    assert world.list_records()["web A"] == ("192.0.2.40",)


def test_written_at_once_after_a_minute_without_a_write() -> None:
    world = start_world()
    for number in range(4):
        world.run(observe_new("web", target=f"192.0.2.{number + 1}"), for_s=1.0)
    world.run(for_s=120.0)
    world.run(observe_new("web", target="192.0.2.99"), for_s=0.1)
    assert world.list_records() == {"web A": ("192.0.2.99",)}
