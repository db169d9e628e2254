"""Where a service is neither atomic nor conditional, each name is read, checked and written alone (design 2)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from extdns.engine.health import failures
from extdns.errors import ForbiddenError, RetryableError
from extdns.model.outcome import TryLater
from extdns.model.record import Record
from extdns.model.zone import Traits
from providers.inmemory.provider import InMemoryProvider
from tests.unit.engine.stage import (
    ZONE,
    Stage,
    blaming,
    gone,
    host,
    mark,
    new,
    owned,
    record,
    refusing,
    running,
    seen,
    wants,
)

GUARDING = InMemoryProvider().traits
ATOMIC = replace(GUARDING, conditional=False)
CONDITIONAL = replace(GUARDING, atomic=False)
NEITHER = replace(GUARDING, atomic=False, conditional=False)


def careless(*records: Record, traits: Traits = NEITHER, first: Iterable[str] = ()) -> Stage:
    return running(*records, traits=traits, first=[new(name) for name in first])


@pytest.mark.parametrize("traits", [ATOMIC, CONDITIONAL, NEITHER], ids=["atomic", "conditional", "neither"])
def test_each_name_is_read_and_then_written_alone(traits: Traits) -> None:
    world = careless(traits=traits)
    world.run(new("api", "blog", "web"))
    assert world.calls == ["ReadNames", "Submit"] * 3
    assert world.batches == [["api"], ["blog"], ["web"]]
    assert len(world.holds()) == 3


def test_a_service_that_is_both_is_not_read() -> None:
    world = careless(traits=GUARDING)
    world.run(new("api", "blog", "web"))
    assert world.calls == ["Submit"]


def test_what_somebody_put_there_meanwhile_is_seen_before_the_write() -> None:
    world = careless()
    world.provider.put(ZONE, record("web", "192.0.2.99"))
    world.run(new("web"))
    assert world.calls == ["ReadNames"]
    assert world.holds() == {"web A": ("192.0.2.99",)}
    assert world.endings("web") == ["A keep foreign-record"]


def test_an_edit_of_the_mark_is_seen_before_the_write() -> None:
    world = careless(*owned("web"), first=["web"])
    world.provider.put(ZONE, mark("web", owner="other"))
    world.run(seen("web", wants("web", "web", "192.0.2.7")))
    assert world.batches == []
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_an_edit_of_the_record_is_planned_with_and_written_once() -> None:
    world = careless(*owned("web"), first=["web"])
    world.provider.put(ZONE, record("web", "192.0.2.99"))
    world.run(seen("web", wants("web", "web", "192.0.2.7")))
    assert world.calls == ["ReadNames", "Submit"]
    (submission,) = world.provider.submissions
    (change_set,) = submission.batch.sets
    assert {write.old for write in change_set.writes} == {record("web", "192.0.2.99"), mark("web")}
    assert world.holds() == {"web A": ("192.0.2.7",)}


def test_what_is_wanted_no_more_once_it_was_read_is_not_written() -> None:
    world = careless()
    world.feed(new("web"))
    world.now_s += 1.0
    world.run(for_s=0.0)
    world.feed(gone("web"))
    world.run()
    assert "ReadNames" in world.calls
    assert world.holds() == {}


def test_a_look_counts_for_one_write_alone() -> None:
    world = careless()
    world.provider.answers.append(TryLater(message="busy"))
    world.run(new("web"))
    assert world.calls == ["ReadNames", "Submit", "ReadNames", "Submit"]
    world.calls.clear()
    world.run(seen("web", wants("web", "web", "192.0.2.7")))
    assert world.calls == ["ReadNames", "Submit"]


def test_a_name_that_cannot_be_read_is_not_written_and_is_read_again() -> None:
    world = careless()
    world.provider.failures.extend([ForbiddenError("no"), RetryableError("busy")])
    world.run(new("web"), for_s=0.5)
    assert world.calls == ["ReadNames"]
    assert [text for text in failures(world.engine) if "cannot be read: no" in text]
    world.run(for_s=30.0)
    assert world.calls == ["ReadNames"] * 3 + ["Submit"]
    assert failures(world.engine) == ()


@pytest.mark.parametrize("rule", [refusing("bad"), blaming("bad")], ids=["unnamed", "named"])
def test_what_is_refused_is_set_aside_and_the_rest_is_written(rule: object) -> None:
    world = careless()
    world.provider.rule = rule  # type: ignore[assignment]
    world.run(new("api", "bad", "web"))
    assert sorted(world.holds()) == ["api A", "web A"]
    assert world.batches.count(["bad"]) == 1
    assert world.endings("bad") == ["A none refused"]


def test_marks_are_made_before_records_and_removed_after_them() -> None:
    world = careless(*owned("web"), first=["web"])
    world.run(seen("web", wants("web", "web", "lb.example.net", rtype="CNAME")))
    (submission,) = world.provider.submissions
    order = [(write.key.type, write.key.name, write.new is not None) for write in submission.batch.writes]
    assert order == [
        ("TXT", host("cname-web"), True),
        ("A", host("web"), False),
        ("CNAME", host("web"), True),
        ("TXT", host("a-web"), False),
    ]
