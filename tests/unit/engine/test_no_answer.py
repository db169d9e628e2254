"""Batches to which the service gave no answer (docs/design/retries.md, "Lost answers")."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from extdns.engine.batches import find_names
from extdns.engine.health import find_failures
from extdns.engine.inputs import TimePassed
from extdns.errors import RetryableError
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action, Batch, Forbidden, Unknown
from extdns.model.reason import Reason
from providers.inmemory.provider import InMemoryProvider
from tests.builders import ZONE, build_claim, host, observe, observe_gone, observe_new, record
from tests.fakes.faulty import NoAnswer
from tests.world import World, start_published, start_world

PUBLISHED = [("A", Action.KEEP, Reason.PUBLISHED)]


def test_sent_again_after_a_quarter_of_a_second_without_answer() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    world.run(observe_new("web"), for_s=0.2)
    assert world.calls == ["SubmitBatch"]
    world.run(for_s=0.1)
    assert world.calls == ["SubmitBatch", "SubmitBatch"]


def test_names_are_read_if_an_unanswered_batch_was_applied() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=True))
    world.run(observe_new("api", "blog", "web"), for_s=1.0)
    assert world.calls == ["SubmitBatch", "SubmitBatch", "ReadNames"]
    assert [world.list_decisions(name) for name in ("api", "blog", "web")] == [PUBLISHED] * 3
    assert find_failures(world.engine) == ()


def test_not_sent_a_third_time_if_the_first_attempt_was_applied_late() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    world.provider.edits.extend([lambda: None, lambda: apply_first_batch(world)])
    world.run(observe_new("api", "blog", "web"), for_s=3.0)
    assert world.calls == ["SubmitBatch", "SubmitBatch", "ReadNames"]
    assert [world.list_decisions(name) for name in ("api", "blog", "web")] == [PUBLISHED] * 3


def apply_first_batch(world: World) -> None:
    """Apply the first submitted batch to the zone, as a service does whose answer was lost."""
    batch, _ = world.outcomes[0]
    world.provider.inner.submit(ZONE, batch)


def test_new_names_do_not_wait_while_a_batch_is_unanswered() -> None:
    world = start_world()
    world.provider.answers.append(NoAnswer(applied=False))
    world.run(observe_new("web"), for_s=0.1)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ANSWER)]
    world.run(observe_new("api"), for_s=1.0)
    assert world.batches == [["web"], ["api"], ["web"]]


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("is_delete", [True, False], ids=["delete", "create"])
def test_name_is_read_first_if_its_claims_change_after_a_lost_answer(*, is_delete: bool, applied: bool) -> None:
    world = start_published() if is_delete else start_world()
    world.provider.answers.append(NoAnswer(applied=applied))
    steps = [observe_gone("web"), observe_new("web")]
    first, second = steps if is_delete else steps[::-1]
    world.run(first, for_s=0.1)
    world.run(second, for_s=5.0)
    assert world.calls[:2] == ["SubmitBatch", "ReadNames"]
    assert world.list_records() == ({"web A": ("192.0.2.1",)} if is_delete else {})


def test_change_that_may_overwrite_the_unseen_is_read_before_it_is_sent_again() -> None:
    world = start_published()
    world.provider.answers.append(Unknown(message="no answer", unconditional=True))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=2.0)
    assert world.calls == ["SubmitBatch", "ReadNames", "SubmitBatch"]


def test_read_requested_before_a_write_does_not_show_whether_it_was_applied() -> None:
    world = start_published()
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(world.answer())  # a conflict; the names of web are to be read
    read = world.waiting.popleft()
    world.provider.answers.append(NoAnswer(applied=True))
    world.feed(observe_new("api"))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(world.answer())  # no answer for api
    world.waiting.append(read)
    world.feed(world.answer())
    assert world.engine.zones.find(ZONE).queue.is_unsure(host("api"))  # type: ignore[union-attr]
    world.run(for_s=5.0)
    assert world.list_records() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.9",)}


def test_tried_twice_and_then_with_backoff_if_the_service_never_answers() -> None:
    world = start_world()
    world.provider.rule = lambda _: NoAnswer(applied=False)
    world.run(observe_new("web"), for_s=160.0)
    assert len(world.batches) == 7  # at 0, 0.25, 5.25, 15.25, 35.25, 75.25 and 155.25 seconds


def drop_names(*names: str) -> Callable[[Batch], NoAnswer | None]:
    """Return a rule of a service that never answers a batch with one of *names*, and does not apply it."""
    dropped = {host(name) for name in names}

    def rule(batch: Batch) -> NoAnswer | None:
        return None if dropped.isdisjoint(find_names(batch)) else NoAnswer(applied=False)

    return rule


SERVICES = [
    pytest.param(InMemoryProvider().capabilities, id="conditional"),
    pytest.param(
        replace(InMemoryProvider().capabilities, atomic=False, conditional=False, reads_full_zones=True), id="careless"
    ),
]


@pytest.mark.parametrize("capabilities", SERVICES)
def test_two_names_never_answered_are_found_by_halving(capabilities: Capabilities) -> None:
    world = start_world(capabilities=capabilities)
    names = [f"n{number}" for number in range(100)]
    bad = {"n17", "n71"}
    world.provider.rule = drop_names(*bad)
    world.run(observe_new(*names), for_s=5.0)
    assert set(world.list_records()) == {f"{name} A" for name in names if name not in bad}
    assert {world.list_decisions(name)[0] for name in bad} == {("A", Action.NONE, Reason.NO_ANSWER)}
    assert len(world.batches) <= 2 + 2 * 2 * 7  # the whole twice, then for each bad name two halves for each halving


def test_name_never_answered_does_not_delay_later_changes() -> None:
    world = start_world()
    world.provider.rule = drop_names("bad")
    world.run(observe_new("bad", "web"), for_s=3600.0)
    assert sum("bad" in batch for batch in world.batches) <= 3 + 6 + 3600 / 300
    world.run(observe_new("good"), for_s=1.0)
    assert world.list_records() == {"good A": ("192.0.2.1",), "web A": ("192.0.2.1",)}


def test_names_are_published_within_the_longest_pause_after_an_outage() -> None:
    world = start_world()
    names = [f"n{number}" for number in range(5)]
    world.provider.rule = lambda _: NoAnswer(applied=False)
    world.run(observe_new(*names), for_s=7200.0)
    assert len(world.batches) <= 7200 / 60 + 20
    world.provider.rule = lambda _: None
    world.run(for_s=301.0)
    assert set(world.list_records()) == {f"{name} A" for name in names}


@pytest.mark.parametrize("failure", [RetryableError("busy"), None], ids=["read-fails", "read"])
def test_read_shows_if_applied_when_an_unanswered_name_is_refused_alone(failure: RetryableError | None) -> None:
    world = start_world()
    world.provider.answers += [NoAnswer(applied=True), Forbidden(message="no right")]
    world.provider.failures.append(failure)
    world.run(observe_new("web"), for_s=3.0)
    assert world.list_decisions("web") == PUBLISHED
