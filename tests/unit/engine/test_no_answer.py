"""What becomes of a batch that gets no answer (design 4, "Outcome of a batch")."""

from __future__ import annotations

from extdns.engine.effects import ReadNames
from extdns.engine.health import failures
from extdns.engine.inputs import Tick
from extdns.errors import RetryableError
from tests.fakes.faulty import Lost
from tests.unit.engine.stage import (
    ZONE,
    Stage,
    host,
    new,
    published,
    record,
    running,
    seen,
    wants,
)


def test_a_batch_without_answer_that_was_not_applied_is_sent_again() -> None:
    world = running()
    world.provider.answers.append(Lost(applied=False))
    world.run(new("api", "blog", "web"), for_s=2.0)
    assert world.calls == ["Submit", "ReadNames", "Submit"]
    assert len(world.holds()) == 3


def test_a_service_that_never_answers_gets_growing_pauses() -> None:
    world = running()
    world.provider.rule = lambda _: Lost(applied=False)
    world.run(new("web"), for_s=130.0)
    assert len(world.batches) == 10  # at 0, 0.25, 0.75, 1.75 and so on to 31.75, 63.75 and 127.75 seconds


def test_a_batch_without_answer_that_was_applied_is_not_sent_again() -> None:
    world = running()
    world.provider.answers.append(Lost(applied=True))
    world.run(new("api", "blog", "web"), for_s=1.0)
    assert world.calls.count("Submit") == 1
    assert {tuple(world.endings(name)) for name in ("api", "blog", "web")} == {("A keep programmed",)}
    assert failures(world.engine) == ()


def test_of_a_batch_without_answer_only_the_first_and_the_last_name_are_read_at_first() -> None:
    world = running()
    world.provider.answers.append(Lost(applied=False))
    world.feed(new(*(f"n{number}" for number in range(50))))
    world.now_s += 1.0
    world.feed(Tick())
    world.feed(world.answer())
    (reading,) = world.waiting
    assert reading == ReadNames(zone=ZONE, names=(host("a-n0"), host("a-n9"), host("n0"), host("n9")))


def test_nothing_is_sent_to_a_zone_while_a_batch_is_in_doubt() -> None:
    world = running()
    world.provider.answers.append(Lost(applied=False))
    world.provider.failures += [RetryableError("down"), RetryableError("down")]
    world.run(new("web"), for_s=0.5)
    assert world.endings("web") == ["A none no-answer"]
    world.run(new("api"), for_s=1.0)
    assert world.batches == [["web"]]
    world.run(for_s=5.0)
    assert set(world.holds()) == {"web A", "api A"}


def test_an_answer_to_an_earlier_reading_does_not_end_the_doubt() -> None:
    world = published()
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    world.feed(seen("web", wants("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(Tick())
    world.feed(world.answer())  # a conflict; the names of web are to be read
    reading = world.waiting.popleft()
    world.provider.answers.append(Lost(applied=False))
    world.feed(new("api"))
    world.now_s += 1.0
    world.feed(Tick())
    world.feed(world.answer())  # no answer for api
    world.waiting.append(reading)
    world.feed(world.answer())
    doubts = world.engine.zones.state(ZONE).writes.doubts  # type: ignore[union-attr]
    assert doubts.batch is not None
    world.run(for_s=5.0)
    assert world.holds() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.9",)}


def test_a_batch_applied_late_is_read_before_it_is_sent_a_third_time() -> None:
    world = running()
    world.provider.answers.append(Lost(applied=False))
    late = [lambda: None, lambda: None, lambda: apply_first_batch(world)]
    world.provider.meddling.extend(late)
    world.run(new("api", "blog", "web"), for_s=3.0)
    assert world.calls == ["Submit", "ReadNames", "Submit", "ReadNames", "ReadNames"]
    assert {tuple(world.endings(name)) for name in ("api", "blog", "web")} == {("A keep programmed",)}


def apply_first_batch(world: Stage) -> None:
    batch, _ = world.outcomes[0]
    world.provider.inner.submit(ZONE, batch)
