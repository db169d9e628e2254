"""Outcomes of a batch: refused, forbidden, write conflict, try later.

See docs/design/retries.md, "Outcomes of a batch" and docs/design/retries.md, "The retry table".
"""

from __future__ import annotations

from extdns.engine.inputs import TimePassed
from extdns.errors import RetryableError
from extdns.model.change import Action, Forbidden, Refused, TryLater
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from tests.builders import (
    ZONE,
    build_claim,
    change_before_each_batch,
    observe,
    observe_gone,
    observe_new,
    ownership_record,
    record,
    refuse_names,
    refuse_with_names,
)
from tests.world import start_published, start_world

FORBIDDEN = Forbidden(message="no right to change the zone")


# refused


def test_three_refused_names_among_a_thousand_are_found_in_few_batches_and_do_not_delay_the_others() -> None:
    world = start_world()
    names = [f"n{number}" for number in range(1000)]
    bad = {"n17", "n500", "n999"}
    world.provider.rule = refuse_names(*bad)
    world.run(observe_new(*names), for_s=2.0)
    assert set(world.list_records()) == {f"{name} A" for name in names if name not in bad}
    assert {world.list_decisions(name)[0] for name in bad} == {("A", Action.NONE, Reason.REFUSED)}
    # Two batches take 1,000 names; each halving of 500 costs at most 9 refusals and 9 halves that go through.
    assert len(world.batches) <= 2 + 3 * 18


def test_a_refused_name_is_found_by_halving_the_batch_although_other_names_keep_changing() -> None:
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


def test_a_refused_name_is_found_by_halving_although_another_name_changes_before_the_refusal() -> None:
    world = start_world()
    world.provider.rule = refuse_names("bad")
    world.feed(observe_new("bad", *(f"n{number}" for number in range(7))))
    world.now_s += 1.0
    world.feed(TimePassed())
    refusal = world.answer()
    world.feed(observe_new("late"))
    world.feed(refusal)
    world.run(for_s=1.0)
    assert [len(batch) for batch in world.batches if "bad" in batch] == [8, 4, 2, 1]


def test_all_names_that_an_error_blames_are_taken_out_of_the_batch_at_once() -> None:
    world = start_world()
    names = [f"n{number}" for number in range(40)]
    world.provider.rule = refuse_with_names("n3", "n20", "n39")
    world.run(observe_new(*names), for_s=2.0)
    assert [len(batch) for batch in world.batches] == [40, 37]
    assert len(world.list_records()) == 37


def test_a_refused_ownership_record_blocks_only_its_own_name() -> None:
    world = start_world()
    world.provider.rule = lambda batch: (
        Refused(message="too long", offending_names=(DnsName("a-bad.example.org"),))
        if len(batch.change_sets) == 3
        else None
    )
    world.run(observe_new("bad", "good", "fine"), for_s=1.0)
    assert world.batches == [["bad", "fine", "good"], ["fine", "good"]]
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]


def test_refused_names_are_retried_without_other_names_and_with_exponential_backoff() -> None:
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


def test_a_refused_name_is_retried_at_once_when_its_claim_changes() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names("bad")
    world.run(observe_new("bad"), for_s=1.0)
    world.provider.rule = lambda _: None
    world.run(observe_new("bad", target="192.0.2.9"), for_s=1.0)
    assert world.list_records() == {"bad A": ("192.0.2.9",)}


def test_a_refused_name_with_records_of_several_set_identifiers_is_not_retried_at_once() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names("web")
    world.run(
        observe(
            "web", build_claim("web", "web", set_identifier="blue"), build_claim("web", "web", set_identifier="green")
        ),
        for_s=30.0,
    )
    assert len(world.batches) == 1
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.REFUSED), ("A", Action.NONE, Reason.REFUSED)]


def test_observing_an_unchanged_object_does_not_end_the_backoff_of_its_refused_name() -> None:
    world = start_world()
    world.provider.rule = refuse_with_names("bad")
    for _ in range(3):
        world.run(observe_new("bad"), for_s=5.0)
    assert len(world.batches) == 1


# forbidden


def test_if_one_name_is_forbidden_the_other_names_of_the_zone_are_written() -> None:
    world = start_world()
    world.provider.rule = refuse_names("bad", outcome=FORBIDDEN)
    world.run(observe_new("bad", "good", "fine"), for_s=5.0)
    assert set(world.list_records()) == {"good A", "fine A"}
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.ZONE_FORBIDDEN)]


def test_all_changes_are_sent_when_a_zone_is_no_longer_forbidden() -> None:
    world = start_world()
    world.provider.rule = lambda _: FORBIDDEN
    names = [f"n{number}" for number in range(8)]
    world.run(observe_new(*names), for_s=100.0)
    world.provider.rule = lambda _: None
    world.run(for_s=400.0)
    assert set(world.list_records()) == {f"{name} A" for name in names}
    assert {tuple(world.list_decisions(name)) for name in names} == {(("A", Action.KEEP, Reason.PUBLISHED),)}


# conflict


def test_names_are_read_and_planned_again_after_a_write_conflict() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.5)
    assert world.calls == ["SubmitBatch", "ReadNames", "SubmitBatch"]
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_an_ownership_record_that_another_writer_removed_is_not_created_again() -> None:
    world = start_published()
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]


def test_an_ownership_record_that_another_writer_replaced_is_not_changed() -> None:
    world = start_published()
    world.provider.put_records(ZONE, ownership_record("web", owner="other"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OWNED_BY_OTHER)]
    assert world.provider.contents(ZONE)[ownership_record("web").key] == ownership_record("web", owner="other")


def test_after_a_write_conflict_only_the_names_that_it_blames_are_read_again() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("api", "192.0.2.66"))
    world.run(observe_new("api", "blog", "shop"), for_s=0.5)
    assert world.batches == [["api", "blog", "shop"], ["blog", "shop"]]
    assert world.list_decisions("api") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    assert not world.engine.zones.find(ZONE).queue.retries.by_name  # type: ignore[union-attr]


def test_repeated_write_conflicts_of_one_name_do_not_delay_other_names() -> None:
    world = start_published()
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=60.0)
    tries = len(world.batches)
    assert 5 <= tries <= 8
    world.run(observe_new("api"), for_s=0.5)
    assert "api A" in world.list_records()


def test_a_claim_that_changes_during_the_read_after_a_write_conflict_is_written_afterwards() -> None:
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


def test_a_throttled_batch_is_retried_after_the_time_that_the_dns_service_states() -> None:
    world = start_world()
    world.provider.answers.append(TryLater(message="throttled", retry_after_s=17.0))
    world.run(observe_new("web"), for_s=16.9)
    assert len(world.batches) == 1
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.TRY_LATER)]
    world.run(for_s=0.2)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_a_queued_change_is_not_sent_after_its_object_was_deleted() -> None:
    world = start_world()
    world.provider.answers.append(TryLater(message="throttled", retry_after_s=5.0))
    world.run(observe_new("web"), for_s=4.99)  # to be sent again after 5 seconds
    world.run(observe_gone("web"), for_s=1.0)
    assert world.batches == [["web"]]


def test_a_throttled_batch_is_retried_with_exponential_backoff() -> None:
    world = start_world()
    world.provider.rule = lambda _: TryLater(message="throttled")
    world.run(observe_new("web"), for_s=130.0)
    assert len(world.batches) == 10  # at 0, 0.25, 0.75, 1.75 and so on to 31.75, 63.75 and 127.75 seconds


def test_a_batch_throttled_five_times_is_applied_within_ten_seconds() -> None:
    world = start_world()
    world.provider.answers += [TryLater(message="throttled")] * 5
    world.run(observe_new("web"), for_s=10.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert len(world.batches) == 6


def test_a_claim_that_changes_during_the_backoff_replaces_the_queued_change() -> None:
    world = start_world()
    world.provider.answers.append(TryLater(message="throttled"))
    world.run(observe_new("web"), for_s=0.2)
    world.run(observe_new("web", target="192.0.2.9"), for_s=2.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert len(world.batches) == 2
