"""Batches to which the service gave no answer (docs/design/retries.md, "Outcomes of a batch")."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from extdns.engine.batches import find_names
from extdns.engine.effects import ReadNames
from extdns.engine.health import find_failures
from extdns.engine.inputs import TimePassed
from extdns.errors import RetryableError
from extdns.model.change import Action, Batch, Unknown, WriteConflict
from extdns.model.reason import Reason
from extdns.model.zone import Capabilities
from providers.inmemory.provider import InMemoryProvider
from tests.builders import ZONE, build_claim, host, observe, observe_new, record
from tests.fakes.faulty import NoAnswer
from tests.world import World, start_published, start_world


def test_an_unanswered_batch_that_was_not_applied_is_sent_again() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    world.run(observe_new("api", "blog", "web"), for_s=2.0)
    assert world.calls == ["SubmitBatch", "ReadNames", "SubmitBatch"]
    assert len(world.list_records()) == 3


def test_a_dns_service_that_never_answers_is_retried_with_exponential_backoff() -> None:
    world = start_world()
    world.provider.rule = lambda _: NoAnswer(applied=False)
    world.run(observe_new("web"), for_s=130.0)
    assert len(world.batches) == 10  # at 0, 0.25, 0.75, 1.75 and so on to 31.75, 63.75 and 127.75 seconds


def test_an_unanswered_batch_that_was_applied_is_not_sent_again() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=True))
    world.run(observe_new("api", "blog", "web"), for_s=1.0)
    assert world.calls.count("SubmitBatch") == 1
    assert {tuple(world.list_decisions(name)) for name in ("api", "blog", "web")} == {
        (("A", Action.KEEP, Reason.PUBLISHED),)
    }
    assert find_failures(world.engine) == ()


def test_to_find_the_outcome_of_an_unanswered_batch_only_its_first_and_last_names_are_read_at_first() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    world.feed(observe_new(*(f"n{number}" for number in range(50))))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(world.answer())
    (read,) = world.waiting
    assert read == ReadNames(zone=ZONE, names=(host("a-n0"), host("a-n9"), host("n0"), host("n9")))


def test_nothing_is_sent_to_a_zone_while_a_batch_is_unconfirmed() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    world.provider.failures += [RetryableError("down"), RetryableError("down")]
    world.run(observe_new("web"), for_s=0.5)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ANSWER)]
    world.run(observe_new("api"), for_s=1.0)
    assert world.batches == [["web"]]
    world.run(for_s=5.0)
    assert set(world.list_records()) == {"web A", "api A"}


def test_a_read_requested_before_an_unanswered_batch_was_sent_does_not_show_its_outcome() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(world.answer())  # a conflict; the names of web are to be read
    read = world.waiting.popleft()
    world.provider.answers.append(NoAnswer(applied=False))
    world.feed(observe_new("api"))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(world.answer())  # no answer for api
    world.waiting.append(read)
    world.feed(world.answer())
    unconfirmed = world.engine.zones.find(ZONE).queue.unconfirmed  # type: ignore[union-attr]
    assert unconfirmed.unanswered_batch is not None
    world.run(for_s=5.0)
    assert world.list_records() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.9",)}


def test_a_batch_is_not_sent_a_third_time_if_a_read_finds_that_it_was_applied_late() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    late = [lambda: None, lambda: None, lambda: apply_first_batch(world)]
    world.provider.edits.extend(late)
    world.run(observe_new("api", "blog", "web"), for_s=3.0)
    assert world.calls == ["SubmitBatch", "ReadNames", "SubmitBatch", "ReadNames", "ReadNames"]
    assert {tuple(world.list_decisions(name)) for name in ("api", "blog", "web")} == {
        (("A", Action.KEEP, Reason.PUBLISHED),)
    }


def apply_first_batch(world: World) -> None:
    """Apply the first submitted batch to the zone, as a service does whose answer was lost."""
    batch, _ = world.outcomes[0]
    world.provider.inner.submit(ZONE, batch)


def drop_names(*names: str) -> Callable[[Batch], NoAnswer | None]:
    """Return a rule of a service that never answers a batch with one of *names*, and does not apply it."""
    dropped = {host(name) for name in names}

    def rule(batch: Batch) -> NoAnswer | None:
        return None if dropped.isdisjoint(find_names(batch)) else NoAnswer(applied=False)

    return rule


SERVICES = [
    pytest.param(InMemoryProvider().capabilities, id="conditional"),
    pytest.param(replace(InMemoryProvider().capabilities, names_offending_records=True), id="names-offending-records"),
    pytest.param(
        replace(InMemoryProvider().capabilities, atomic=False, conditional=False, reads_full_zones=True), id="careless"
    ),
]


@pytest.mark.parametrize("capabilities", SERVICES)
def test_two_names_that_a_service_never_answers_are_found_by_halving_and_do_not_block_the_others(
    capabilities: Capabilities,
) -> None:
    world = start_world(capabilities=capabilities)
    names = [f"n{number}" for number in range(100)]
    bad = {"n17", "n71"}
    world.provider.rule = drop_names(*bad)
    world.run(observe_new(*names), for_s=30.0)
    assert set(world.list_records()) == {f"{name} A" for name in names if name not in bad}
    assert {world.list_decisions(name)[0] for name in bad} == {("A", Action.NONE, Reason.NO_ANSWER)}
    assert len(world.batches) <= 2 + 2 * 2 * 7  # the whole twice, then for each bad name two halves for each halving


def test_a_name_that_a_service_never_answers_does_not_delay_later_changes() -> None:
    world = start_world()
    world.provider.rule = drop_names("bad")
    world.run(observe_new("bad", "web"), for_s=3600.0)
    assert sum("bad" in batch for batch in world.batches) <= 3 + 3 + 3600 / 300
    world.run(observe_new("good"), for_s=1.0)
    assert world.list_records() == {"good A": ("192.0.2.1",), "web A": ("192.0.2.1",)}


def test_the_halves_of_an_unanswered_batch_are_read_before_they_are_sent_again() -> None:
    world = start_world()
    world.provider.rule = drop_names("bad")
    world.run(observe_new("api", "bad", "web"), for_s=20.0)
    unanswered = [index for index, (_, outcome) in enumerate(world.outcomes) if isinstance(outcome, Unknown)]
    assert len(unanswered) == 4  # the whole twice, a half, the name
    assert world.calls.count("ReadNames") >= len(unanswered)


def test_after_an_outage_all_names_are_published_within_the_longest_pause_of_a_zone() -> None:
    world = start_world()
    names = [f"n{number}" for number in range(5)]
    world.provider.rule = lambda _: NoAnswer(applied=False)
    world.run(observe_new(*names), for_s=86_400.0)
    assert len(world.batches) <= 86_400 / 300 * len(names) + 20
    world.provider.rule = lambda _: None
    world.run(for_s=301.0)
    assert set(world.list_records()) == {f"{name} A" for name in names}


def test_a_name_with_a_write_conflict_that_is_not_confirmed_is_published_after_other_names_had_no_answer() -> None:
    world = start_world()
    silent, conflict = NoAnswer(applied=False), WriteConflict(message="changed")
    world.provider.answers += [silent, silent, silent, conflict]  # the batch twice, api alone, then web alone
    world.run(observe_new("api", "web"), for_s=0.6)
    world.run(observe_new("blog"), for_s=120.0)
    assert set(world.list_records()) == {"api A", "blog A", "web A"}
