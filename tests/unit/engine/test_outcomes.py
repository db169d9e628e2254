"""Outcomes of a batch: refused, forbidden, write conflict, try later (law 3).

See docs/design/retries.md, "Outcomes of a batch", "The retry table" and "What is sent next".
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from extdns.controller.exit_codes import compute_exit_code
from extdns.engine.effects import SubmitBatch
from extdns.errors import RetryableError
from extdns.model.change import Action, Forbidden, Outcome, Refused, TryLater, Unknown, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from tests.builders import (
    REFUSED,
    ZONE,
    build_claim,
    build_codec,
    build_registry,
    change_before_each_batch,
    host,
    observe,
    observe_gone,
    observe_new,
    record,
    refuse_names,
    refuse_with_names,
)
from tests.fakes.faulty import NoAnswer
from tests.unit.engine.forty_services import run_up_to
from tests.world import World, start_published, start_world

FORBIDDEN = Forbidden(message="no right to change the zone")


# refused


def test_three_refused_names_among_a_thousand_are_found_in_few_batches() -> None:
    world = start_world()
    names = [f"n{number}" for number in range(1000)]
    bad = {"n17", "n500", "n999"}
    world.provider.rule = refuse_names(*bad)
    world.run(observe_new(*names), for_s=2.0)
    assert set(world.list_records()) == {f"{name} A" for name in names if name not in bad}
    assert {world.list_decisions(name)[0] for name in bad} == {("A", Action.NONE, Reason.REFUSED)}
    # Two batches take 1,000 names; each halving of 500 costs at most 9 refusals and 9 halves that go through.
    assert len(world.batches) <= 2 + 3 * 18


def test_refused_name_is_found_by_halving_while_other_names_keep_changing() -> None:
    world = start_world()
    world.provider.rule = refuse_names("bad")
    world.run(observe_new("bad", *(f"n{number}" for number in range(31))), for_s=0.021)
    for number in range(20):
        world.feed(observe_new(f"late{number}"))
        world.run(for_s=0.021)
    world.run(for_s=1.0)
    assert set(world.list_records()) == {f"n{number} A" for number in range(31)} | {
        f"late{number} A" for number in range(20)
    }
    assert sum("bad" in batch for batch in world.batches) == 6


def test_blamed_names_are_taken_out_of_the_batch_at_once() -> None:
    world = start_world()
    names = [f"n{number}" for number in range(40)]
    world.provider.rule = refuse_with_names("n3", "n20", "n39")
    world.run(observe_new(*names), for_s=2.0)
    assert [len(batch) for batch in world.batches] == [40, 37]
    assert len(world.list_records()) == 37


def test_refused_ownership_record_blocks_only_its_own_name() -> None:
    world = start_world()
    world.provider.rule = lambda batch: (
        Refused(message="too long", offending_names=(DnsName("a-bad.example.org"),))
        if len(batch.change_sets) == 3
        else None
    )
    world.run(observe_new("bad", "good", "fine"), for_s=1.0)
    assert world.batches == [["bad", "fine", "good"], ["fine", "good"]]
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]


def test_refused_names_are_retried_alone_with_exponential_backoff() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names("bad", "worse")
    world.run(observe_new("bad", "worse"), for_s=59.0)
    assert world.batches == [["bad", "worse"]]
    world.run(observe_new("good"), for_s=2.0)
    assert world.batches[1:] == [["good"], ["bad", "worse"]]
    world.run(for_s=118.0)
    assert len(world.batches) == 3
    world.run(for_s=5.0)
    assert world.batches[3:] == [["bad", "worse"]]


def test_refused_names_are_published_at_once_when_their_claims_change() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names(*GOOD)
    world.run(observe_new(*GOOD), for_s=1.0)
    world.provider.rule = lambda _: None
    world.run(observe_new(*GOOD, target="192.0.2.9"), for_s=2.0)
    assert list_published(world, GOOD) == GOOD


def test_all_refused_names_are_retried_when_one_is_accepted() -> None:
    world = start_world()
    world.provider.rule = refuse_names("bad", "worse")
    for name in ("bad", "worse"):
        world.run(observe_new(name), for_s=1000.0)
    world.provider.rule = lambda _: None
    while not world.list_records():
        world.run(for_s=1.0)
    assert list_published(world, ["bad", "worse"]) == ["bad", "worse"]


def test_change_sets_of_a_refused_name_are_tried_alone_and_then_wait() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names("web")
    world.run(
        observe(
            "web", build_claim("web", "web", set_identifier="blue"), build_claim("web", "web", set_identifier="green")
        ),
        for_s=30.0,
    )
    assert [len(batch) for batch in world.batches] == [2, 1, 1]
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.REFUSED), ("A", Action.NONE, Reason.REFUSED)]


def test_backoff_of_refused_name_continues_when_its_object_is_unchanged() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names("bad")
    for _ in range(3):
        world.run(observe_new("bad"), for_s=5.0)
    assert len(world.batches) == 1


# conflict


def test_names_are_read_and_planned_again_after_a_write_conflict() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.5)
    assert world.calls == ["SubmitBatch", "ReadNames", "SubmitBatch"]
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_only_blamed_names_are_read_after_a_write_conflict() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("api", "192.0.2.66"))
    world.run(observe_new("api", "blog", "shop"), for_s=0.5)
    assert world.batches == [["api", "blog", "shop"], ["blog", "shop"]]
    assert world.list_decisions("api") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    assert not world.engine.zones.find(ZONE).queue.retries.by_name  # type: ignore[union-attr]


def test_repeated_conflicts_of_one_name_do_not_delay_other_names() -> None:
    world = start_published()
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=60.0)
    tries = len(world.batches)
    assert 5 <= tries <= 8
    world.run(observe_new("api"), for_s=0.5)
    assert "api A" in world.list_records()


def test_claim_that_changes_during_the_read_is_written_afterwards() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.provider.failures.append(RetryableError("down"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.5)
    assert world.calls == ["SubmitBatch", "ReadNames"]
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.WRITE_CONFLICT)]
    world.run(observe("web", build_claim("web", "web", "192.0.2.10")), for_s=0.1)
    assert world.calls == ["SubmitBatch", "ReadNames"]
    world.run(for_s=2.0)
    assert world.calls == ["SubmitBatch", "ReadNames", "ReadNames", "SubmitBatch"]
    assert world.list_records() == {"web A": ("192.0.2.10",)}


# try later


def test_throttled_batch_is_retried_after_the_stated_time() -> None:
    world = start_world()
    world.provider.answers.append(TryLater(message="throttled", retry_after_s=17.0))
    world.run(observe_new("web"), for_s=16.9)
    assert len(world.batches) == 1
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.TRY_LATER)]
    world.run(for_s=0.2)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_queued_change_is_not_sent_after_its_object_was_deleted() -> None:
    world = start_world()
    world.provider.answers.append(TryLater(message="throttled", retry_after_s=5.0))
    world.run(observe_new("web"), for_s=4.99)  # to be sent again after 5 seconds
    world.run(observe_gone("web"), for_s=1.0)
    assert world.batches == [["web"]]


def test_throttled_batch_is_retried_with_exponential_backoff() -> None:
    world = start_world()
    world.provider.rule = lambda _: TryLater(message="throttled")
    world.run(observe_new("web"), for_s=130.0)
    assert len(world.batches) == 11  # at 0, 0.25, 0.75, 1.75 and so on to 31.75, then every 30 seconds


GOOD = [f"n{number}" for number in range(50)]


# conflicts at names that are unchanged


@pytest.mark.parametrize(
    "offending", [pytest.param((), id="nobody"), pytest.param((host("nobody"),), id="unrelated-name")]
)
def test_unconfirmed_conflict_of_a_name_delays_no_other_name(offending: tuple[DnsName, ...]) -> None:
    world = start_world()
    world.provider.rule = refuse_names(
        "n17", outcome=WriteConflict(message="already exists", offending_names=offending)
    )
    world.run(observe_new(*GOOD), for_s=1.0)
    assert set(world.list_records()) == {f"{name} A" for name in GOOD if name != "n17"}
    assert world.list_decisions("n17") == [("A", Action.NONE, Reason.REFUSED)]
    assert len(world.batches) <= 14
    world.run(observe_new("late"), for_s=1.0)
    assert world.batches[-1] == ["late"]


def test_only_conflicting_name_is_not_written_if_the_wrong_one_is_blamed() -> None:
    world = start_world()
    world.provider.rule = refuse_names(
        "bad", outcome=WriteConflict(message="already exists", offending_names=(host("n17"),))
    )
    world.run(observe_new("bad", *GOOD), for_s=1.0)
    assert set(world.list_records()) == {f"{name} A" for name in GOOD}
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]
    world.run(observe_new("n17", "n18", target="192.0.2.9"), for_s=100.0)
    assert world.list_records()["n17 A"] == world.list_records()["n18 A"] == ("192.0.2.9",)


def test_changed_name_is_found_by_reading_if_a_conflict_lists_no_names() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    rule = refuse_names("web", outcome=WriteConflict(message="does not match"))
    world.provider.rule = lambda batch: rule(batch) if world.calls.count("ReadNames") == 0 else None
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), observe_new(*GOOD), for_s=2.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)} | {f"{name} A": ("192.0.2.1",) for name in GOOD}
    assert world.calls.count("ReadNames") == 1


def test_name_with_unconfirmed_conflict_is_retried_when_its_claim_changes() -> None:
    world = start_world()
    world.provider.rule = refuse_names("web", outcome=WriteConflict(message="already exists"))
    world.run(observe_new("web"), for_s=59.0)
    assert world.batches == [["web"]] * 2
    world.provider.rule = lambda _: None
    world.run(observe_new("web", target="192.0.2.9"), for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def mix(bad: int, good: int, order: str) -> tuple[list[str], list[str]]:
    """Return the names of *bad* and of *good* records, such that the bad ones sort first, last or anywhere."""
    names = [f"n{number:03}" for number in range(bad + good)]
    if order == "shuffled":
        random.Random(1).shuffle(names)
    return (names[good:], names[:good]) if order == "last" else (names[:bad], names[bad:])


def list_published(world: World, names: Sequence[str]) -> list[str]:
    records = world.list_records()
    return [name for name in names if f"{name} A" in records]


# names that the service never accepts


@pytest.mark.parametrize("order", ["first", "last", "shuffled"])
@pytest.mark.parametrize(("bad_count", "good_count"), [(3, 50), (30, 50), (190, 10)])
def test_names_forbidden_for_ever_delay_others_by_at_most_a_second_each(
    bad_count: int, good_count: int, order: str
) -> None:
    world = start_world()
    bad, good = mix(bad_count, good_count, order)
    world.provider.rule = refuse_names(*bad, outcome=FORBIDDEN)
    world.run(observe_new(*bad, *good), for_s=bad_count + good_count)
    assert list_published(world, good) == good
    world.run(for_s=3600.0)
    world.run(observe_new("late"), for_s=1.0)
    assert list_published(world, ["late"])
    assert {world.list_decisions(name)[0][2] for name in bad} == {Reason.ZONE_FORBIDDEN}


NAMES = [f"n{number:03}" for number in range(300)]


def forbid_all(world: World, for_s: float) -> None:
    """Request three hundred names in a zone that allows no change, and let *for_s* seconds pass."""
    world.provider.rule = lambda _: FORBIDDEN
    world.run(observe_new(*NAMES), for_s=for_s)


def test_forbidden_zone_costs_a_call_a_minute_after_each_name_was_tried() -> None:
    world = start_world()
    forbid_all(world, 300.0)
    assert {name for batch in world.batches if len(batch) == 1 for name in batch} == set(NAMES)
    world.provider.submissions.clear()
    world.run(for_s=1800.0)
    assert 28 <= len(world.batches) <= 30
    assert {decision.reason for decision in world.engine.decisions} == {Reason.ZONE_FORBIDDEN}


@pytest.mark.parametrize("after_s", [30.0, 150.0, 400.0])
def test_names_are_published_two_minutes_after_a_zone_allows_changes_again(after_s: float) -> None:
    world = start_world()
    forbid_all(world, after_s)
    world.provider.rule = lambda _: None
    world.run(for_s=120.0)
    assert list_published(world, NAMES) == NAMES


def test_single_pass_sends_each_batch_once_if_zone_allows_no_change() -> None:
    world = start_world(once=True)
    forbid_all(world, 0.1)
    assert world.engine.is_idle
    batches = [tuple(batch) for batch in world.batches]
    assert len(set(batches)) == len(batches)
    assert {batch[0] for batch in batches if len(batch) == 1} == set(NAMES)
    assert {decision.reason for decision in world.engine.decisions} == {Reason.ZONE_FORBIDDEN}


def test_single_pass_ends_after_a_dozen_calls_without_answer() -> None:
    world = start_world(once=True)
    world.provider.rule = lambda _: Unknown(message="no answer")
    world.run(observe_new(*NAMES), for_s=600.0)
    assert world.engine.is_idle
    assert len(world.batches) == 12
    assert compute_exit_code(world.engine) == 1


# others change names of theirs all the time


def request_names_during_batches(world: World, count: int) -> None:
    """Request a new name now, and one while each of the next *count* batches is in flight."""
    world.feed(observe_new("first"))
    for number in range(count):
        run_up_to(world, SubmitBatch)
        answer = world.answer()
        world.feed(observe_new(f"new{number}"))
        world.feed(answer)


def test_halves_of_a_refused_batch_are_sent_while_new_names_come_all_the_time() -> None:
    world = start_world()
    world.provider.rule = refuse_names("bad")
    world.feed(observe_new("bad", "web"))
    request_names_during_batches(world, 6)
    assert list_published(world, ["web"])


def test_name_that_was_refused_is_retried_while_new_names_come_all_the_time() -> None:
    world = start_world()
    world.provider.answers.append(REFUSED)
    world.run(observe_new("web"), for_s=59.0)
    world.now_s += 2.0
    request_names_during_batches(world, 6)
    assert list_published(world, ["web"])


def test_names_are_retried_while_names_that_are_never_accepted_come_all_the_time() -> None:
    world = start_world()
    world.provider.rule = lambda _: FORBIDDEN
    world.run(observe_new(*GOOD), for_s=60.0)
    world.provider.rule = refuse_names(*(bad := [f"bad{number}" for number in range(160)]))
    for name in bad:
        world.run(observe_new(name), for_s=0.75)
    assert list_published(world, GOOD) == GOOD


# ownership records whose text differs each time it is encrypted


def test_encrypted_refused_name_is_sent_again_only_when_its_claim_changes() -> None:
    world = start_world(registry=build_registry(codec=build_codec()))
    world.provider.rule = refuse_with_names("bad")
    world.run(observe_new("bad", "good"), for_s=30.0)
    assert world.batches == [["bad", "good"], ["good"]]
    world.run(observe_new("bad", target="192.0.2.9"), for_s=1.0)
    assert world.batches[2:] == [["bad"]]


FOUR = ("api", "blog", "shop", "web")
EXISTS = WriteConflict(message="exists", offending_names=tuple(map(host, FOUR)))


# a single pass (docs/design/delete-safety.md, "One pass and dry runs")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        pytest.param(REFUSED, Reason.REFUSED, id="refused"),
        pytest.param(FORBIDDEN, Reason.ZONE_FORBIDDEN, id="forbidden"),
        pytest.param(TryLater(message="busy"), Reason.TRY_LATER, id="try-later"),
        pytest.param(EXISTS, Reason.REFUSED, id="conflict"),
        pytest.param(NoAnswer(applied=False), Reason.NO_ANSWER, id="no-answer"),
    ],
)
def test_single_pass_ends_whatever_the_outcome(outcome: Outcome | NoAnswer, reason: Reason) -> None:
    world = start_world(once=True)
    world.provider.rule = lambda _: outcome
    world.run(observe_new(*FOUR), for_s=300.0)
    assert world.engine.is_idle
    assert Counter(decision.reason for decision in world.engine.decisions) == {reason: 4}


def test_single_pass_waits_for_the_retry_of_a_throttled_batch() -> None:
    world = start_world(once=True)
    world.provider.answers.append(TryLater(message="busy"))
    world.run(observe_new("web"), for_s=0.2)
    assert not world.engine.is_idle
    world.run(for_s=1.0)
    assert world.engine.is_idle
