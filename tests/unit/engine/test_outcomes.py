"""What becomes of a batch (design 4, "Outcome of a batch" and "Quarantine")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Tick
from extdns.errors import RetryableError
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Forbidden, Refused, TryLater
from providers.inmemory.provider import InMemoryProvider
from tests.unit.engine.stage import (
    ZONE,
    blaming,
    gone,
    host,
    mark,
    new,
    published,
    record,
    refusing,
    running,
    seen,
    wants,
)

FORBIDDEN = Forbidden(message="no right to change the zone")


# refused


def test_three_names_refused_among_a_thousand_cost_a_few_batches_and_only_themselves() -> None:
    world = running()
    names = [f"n{number}" for number in range(1000)]
    bad = {"n17", "n500", "n999"}
    world.provider.rule = refusing(*bad)
    world.run(new(*names), for_s=2.0)
    assert set(world.holds()) == {f"{name} A" for name in names if name not in bad}
    assert {world.endings(name)[0] for name in bad} == {"A none refused"}
    # Two batches take 1,000 names; each halving of 500 costs at most 9 refusals and 9 halves that go through.
    assert len(world.batches) <= 2 + 3 * 18


def test_a_culprit_is_found_although_other_names_keep_coming() -> None:
    world = running()
    world.provider.rule = refusing("bad")
    world.run(new("bad", *(f"n{number}" for number in range(31))), for_s=0.021)
    for number in range(20):
        world.feed(new(f"late{number}"))
        world.run(for_s=0.021)
    world.run(for_s=1.0)
    assert set(world.holds()) == {f"n{number} A" for number in range(31)} | {f"late{number} A" for number in range(20)}
    assert sum("bad" in batch for batch in world.batches) == 6


def test_a_culprit_is_found_although_an_event_comes_with_the_refusal() -> None:
    world = running()
    world.provider.rule = refusing("bad")
    world.feed(new("bad", *(f"n{number}" for number in range(7))))
    world.now_s += 1.0
    world.feed(Tick())
    refusal = world.answer()
    world.feed(new("late"))
    world.feed(refusal)
    world.run(for_s=1.0)
    assert [len(batch) for batch in world.batches if "bad" in batch] == [8, 4, 2, 1]


def test_culprits_that_are_named_are_set_aside_in_one_go() -> None:
    world = running()
    names = [f"n{number}" for number in range(40)]
    world.provider.rule = blaming("n3", "n20", "n39")
    world.run(new(*names), for_s=2.0)
    assert [len(batch) for batch in world.batches] == [40, 37]
    assert len(world.holds()) == 37


def test_a_culprit_may_be_the_name_of_a_mark() -> None:
    world = running()
    world.provider.rule = lambda batch: (
        Refused(message="too long", culprits=(DnsName("a-bad.example.org"),)) if len(batch.sets) == 3 else None
    )
    world.run(new("bad", "good", "fine"), for_s=1.0)
    assert world.batches == [["bad", "fine", "good"], ["fine", "good"]]
    assert world.endings("bad") == ["A none refused"]


@pytest.mark.parametrize(
    ("named", "tries"), [(True, [["bad", "worse"]]), (False, [["bad"], ["worse"]])], ids=["named", "unnamed"]
)
def test_refused_names_are_tried_again_by_themselves_after_growing_pauses(named: bool, tries: list[list[str]]) -> None:
    world = running(traits=replace(InMemoryProvider().traits, names_culprits=named))
    world.provider.rule = blaming("bad", "worse")
    world.run(new("bad", "worse"), for_s=59.0)
    assert world.batches == [["bad", "worse"]]
    world.run(new("good"), for_s=2.0)
    assert world.batches[1:] == [["good"], *tries]
    world.run(for_s=118.0)
    assert len(world.batches) == 2 + len(tries)
    world.run(for_s=5.0)
    assert world.batches[2 + len(tries) :] == tries


def test_names_refused_within_a_few_seconds_are_tried_again_together() -> None:
    world = running()
    world.provider.rule = blaming("bad", "worse", "late")
    world.run(new("bad"), for_s=4.0)
    world.run(new("worse"), for_s=16.0)
    world.run(new("late"), for_s=120.0)
    assert world.batches[3:] == [["bad", "worse"], ["late"]]


def test_a_refused_name_is_tried_at_once_when_its_claim_changes() -> None:
    world = running()
    world.provider.rule = blaming("bad")
    world.run(new("bad"), for_s=1.0)
    world.provider.rule = lambda _: None
    world.run(new("bad", target="192.0.2.9"), for_s=1.0)
    assert world.holds() == {"bad A": ("192.0.2.9",)}


def test_a_refused_name_with_several_sets_is_not_sent_again_at_once() -> None:
    world = running()
    world.provider.rule = blaming("web")
    world.run(
        seen("web", wants("web", "web", set_identifier="blue"), wants("web", "web", set_identifier="green")), for_s=30.0
    )
    assert len(world.batches) == 1
    assert world.endings("web") == ["A none refused", "A none refused"]


def test_an_object_seen_again_unchanged_does_not_end_the_quarantine() -> None:
    world = running()
    world.provider.rule = blaming("bad")
    for _ in range(3):
        world.run(new("bad"), for_s=5.0)
    assert len(world.batches) == 1


# forbidden


def test_after_three_single_names_the_zone_is_forbidden_and_each_try_takes_another_name() -> None:
    world = running()
    world.provider.rule = lambda _: FORBIDDEN
    names = [f"n{number}" for number in range(8)]
    world.run(new(*names), for_s=25.0)
    assert [len(batch) for batch in world.batches] == [8, 4, 2, 1, 1, 2, 1]
    assert {tuple(world.endings(name)) for name in names} == {("A none zone-forbidden",)}
    world.run(for_s=200.0)
    tries = [batch[0] for batch in world.batches[7:]]
    assert len(set(tries)) == len(tries) > 4


def test_a_right_that_is_missing_for_one_name_costs_that_name() -> None:
    world = running()
    world.provider.rule = refusing("bad", outcome=FORBIDDEN)
    world.run(new("bad", "good", "fine"), for_s=5.0)
    assert set(world.holds()) == {"good A", "fine A"}
    assert world.endings("bad") == ["A none zone-forbidden"]


def test_a_zone_that_is_forbidden_no_more_gets_everything() -> None:
    world = running()
    world.provider.rule = lambda _: FORBIDDEN
    names = [f"n{number}" for number in range(8)]
    world.run(new(*names), for_s=100.0)
    world.provider.rule = lambda _: None
    world.run(for_s=400.0)
    assert set(world.holds()) == {f"{name} A" for name in names}
    assert {tuple(world.endings(name)) for name in names} == {("A keep programmed",)}


# conflict


def test_after_a_conflict_the_names_are_read_and_planned_afresh() -> None:
    world = published()
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=0.5)
    assert world.calls == ["Submit", "ReadNames", "Submit"]
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_a_mark_that_somebody_removed_survives_as_it_is() -> None:
    world = published()
    world.provider.remove(ZONE, mark("web").key)
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=60.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.endings("web") == ["A keep foreign-record"]


def test_a_mark_that_somebody_replaced_survives_as_it_is() -> None:
    world = published()
    world.provider.put(ZONE, mark("web", owner="other"))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=60.0)
    assert world.endings("web") == ["A keep owned-by-other"]
    assert world.provider.contents(ZONE)[mark("web").key] == mark("web", owner="other")


def test_a_conflict_costs_the_culprits_a_reading_and_the_others_nothing() -> None:
    world = published()
    world.provider.put(ZONE, record("api", "192.0.2.66"))
    world.run(new("api", "blog", "shop"), for_s=0.5)
    assert world.batches == [["api", "blog", "shop"], ["blog", "shop"]]
    assert world.endings("api") == ["A keep foreign-record"]
    assert not world.engine.zones.state(ZONE).writes.quarantine  # type: ignore[union-attr]


def test_conflicts_in_a_row_slow_one_name_down_and_no_other() -> None:
    world = running()
    world.provider.rule = refusing("web", outcome=Conflict(message="exists", culprits=(host("web"),)))
    world.run(new("web"), for_s=60.0)
    tries = len(world.batches)
    assert 5 <= tries <= 8
    world.run(new("api"), for_s=0.5)
    assert "api A" in world.holds()


def test_while_names_are_read_after_a_conflict_their_events_wait() -> None:
    world = published()
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.provider.failures.append(RetryableError("down"))
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=0.5)
    assert world.calls == ["Submit", "ReadNames"]
    assert world.endings("web") == ["A keep changed-meanwhile"]
    world.run(seen("web", wants("web", "web", "192.0.2.10")), for_s=0.1)
    assert world.calls == ["Submit", "ReadNames"]
    world.run(for_s=2.0)
    assert world.calls == ["Submit", "ReadNames", "ReadNames", "Submit"]
    assert world.holds() == {"web A": ("192.0.2.10",)}


# try later


def test_a_busy_service_gets_the_pause_it_asks_for() -> None:
    world = running()
    world.provider.answers.append(TryLater(message="throttled", retry_after_s=17.0))
    world.run(new("web"), for_s=16.9)
    assert len(world.batches) == 1
    assert world.endings("web") == ["A none try-later"]
    world.run(for_s=0.2)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.endings("web") == ["A keep programmed"]


def test_what_was_planned_before_an_event_is_not_sent_after_it() -> None:
    world = running()
    world.provider.answers.append(TryLater(message="throttled", retry_after_s=5.0))
    world.run(new("web"), for_s=5.01)  # sent at 0.02 seconds, to be sent again at 5.02
    world.run(gone("web"), for_s=1.0)
    assert world.batches == [["web"]]


def test_a_busy_service_gets_growing_pauses() -> None:
    world = running()
    world.provider.rule = lambda _: TryLater(message="throttled")
    world.run(new("web"), for_s=130.0)
    assert len(world.batches) == 10  # at 0, 0.25, 0.75, 1.75 and so on to 31.75, 63.75 and 127.75 seconds


def test_five_throttlings_cost_five_calls_and_less_than_ten_seconds() -> None:
    world = running()
    world.provider.answers += [TryLater(message="throttled")] * 5
    world.run(new("web"), for_s=10.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert len(world.batches) == 6


def test_a_change_made_while_the_service_is_busy_is_sent_instead() -> None:
    world = running()
    world.provider.answers.append(TryLater(message="throttled"))
    world.run(new("web"), for_s=0.2)
    world.run(new("web", target="192.0.2.9"), for_s=2.0)
    assert world.holds() == {"web A": ("192.0.2.9",)}
    assert len(world.batches) == 2
