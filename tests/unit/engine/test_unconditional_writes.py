"""Services without atomic or conditional batches: each name is read, checked and written alone.

See docs/design/laws.md.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from extdns.engine.health import find_failures
from extdns.errors import ForbiddenError, RetryableError
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action, TryLater
from extdns.model.reason import Reason
from extdns.model.record import Record
from providers.inmemory.provider import InMemoryProvider
from tests.builders import (
    ZONE,
    build_claim,
    host,
    observe,
    observe_gone,
    observe_new,
    owned,
    ownership_record,
    record,
    refuse_names,
    refuse_with_names,
)
from tests.fakes.faulty import NoAnswer
from tests.world import World, start_world

GUARDING = InMemoryProvider().capabilities
ATOMIC = replace(GUARDING, conditional=False)
CONDITIONAL = replace(GUARDING, atomic=False)
NEITHER = replace(GUARDING, atomic=False, conditional=False)
FULL = replace(NEITHER, reads_full_zones=True)


def start_unconditional(*records: Record, capabilities: Capabilities = NEITHER, first: Iterable[str] = ()) -> World:
    """Start an engine over a service without conditional batches that observed the Services *first*."""
    return start_world(*records, capabilities=capabilities, first=[observe_new(name) for name in first])


@pytest.mark.parametrize("capabilities", [ATOMIC, CONDITIONAL, NEITHER], ids=["atomic", "conditional", "neither"])
def test_each_name_is_read_and_then_written_alone(capabilities: Capabilities) -> None:
    world = start_unconditional(capabilities=capabilities)
    world.run(observe_new("api", "blog", "web"))
    assert world.calls == ["ReadNames", "SubmitBatch"] * 3
    assert world.batches == [["api"], ["blog"], ["web"]]
    assert len(world.list_records()) == 3


def test_one_read_and_one_write_serve_all_names_if_reads_are_full() -> None:
    world = start_unconditional(capabilities=FULL)
    world.run(observe_new("api", "blog", "web"))
    assert world.calls == ["ReadNames", "SubmitBatch"]
    assert world.batches == [["api", "blog", "web"]]
    assert len(world.list_records()) == 3


def test_changed_name_is_taken_out_of_the_batch_after_the_read() -> None:
    world = start_unconditional(capabilities=FULL)
    world.provider.put_records(ZONE, record("blog", "192.0.2.99"))
    world.run(observe_new("api", "blog", "web"))
    assert world.batches == [["api", "web"]]
    assert world.list_records()["blog A"] == ("192.0.2.99",)


def test_all_names_are_read_again_after_a_lost_answer_to_a_partial_batch() -> None:
    world = start_unconditional(capabilities=FULL)
    world.feed(observe_new("api", "blog", "web"))
    world.feed(world.answer())  # the names of the batch were read
    world.provider.answers.append(NoAnswer(applied=False))
    world.feed(world.answer())
    world.provider.put_records(ZONE, *owned("blog"))  # the part that was applied
    world.calls.clear()
    world.run(for_s=60.0)
    assert world.calls[:2] == ["ReadNames", "SubmitBatch"]
    assert world.batches[1:] == [["api", "web"]]
    assert len(world.list_records()) == 3


def test_refused_name_that_is_not_reported_is_found_by_halving() -> None:
    world = start_unconditional(capabilities=FULL)
    world.provider.rule = refuse_names("bad")
    world.run(observe_new("api", "bad", "blog", "web"))
    assert sorted(world.list_records()) == ["api A", "blog A", "web A"]
    assert world.batches[1:] == [["api", "bad"], ["blog", "web"], ["api"], ["bad"]]
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]


def test_foreign_record_is_found_by_the_read_before_the_write() -> None:
    world = start_unconditional()
    world.provider.put_records(ZONE, record("web", "192.0.2.99"))
    world.run(observe_new("web"))
    assert world.calls == ["ReadNames"]
    assert world.list_records() == {"web A": ("192.0.2.99",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]


def test_edited_ownership_record_is_found_by_the_read_before_the_write() -> None:
    world = start_unconditional(*owned("web"), first=["web"])
    world.provider.put_records(ZONE, ownership_record("web", owner="other"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.7")))
    assert world.batches == []
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_edited_record_of_ours_is_replaced_in_one_write() -> None:
    world = start_unconditional(*owned("web"), first=["web"])
    world.provider.put_records(ZONE, record("web", "192.0.2.99"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.7")))
    assert world.calls == ["ReadNames", "SubmitBatch"]
    (submission,) = world.provider.submissions
    (change_set,) = submission.batch.change_sets
    assert {write.old for write in change_set.writes} == {record("web", "192.0.2.99"), ownership_record("web")}
    assert world.list_records() == {"web A": ("192.0.2.7",)}


def test_not_written_if_no_longer_requested_after_the_read() -> None:
    world = start_unconditional()
    world.feed(observe_new("web"))
    world.now_s += 1.0
    world.run(for_s=0.0)
    world.feed(observe_gone("web"))
    world.run()
    assert "ReadNames" in world.calls
    assert world.list_records() == {}


def test_name_is_read_before_each_write_and_each_retry() -> None:
    world = start_unconditional()
    world.provider.answers.append(TryLater(message="busy"))
    world.run(observe_new("web"))
    assert world.calls == ["ReadNames", "SubmitBatch", "ReadNames", "SubmitBatch"]
    world.calls.clear()
    world.run(observe("web", build_claim("web", "web", "192.0.2.7")))
    assert world.calls == ["ReadNames", "SubmitBatch"]


def test_name_is_not_written_while_it_cannot_be_read() -> None:
    world = start_unconditional()
    world.provider.failures.extend([ForbiddenError("no"), RetryableError("busy")])
    world.run(observe_new("web"), for_s=0.5)
    assert world.calls == ["ReadNames"]
    assert [text for text in find_failures(world.engine) if "cannot be read: no" in text]
    world.run(for_s=30.0)
    assert world.calls == ["ReadNames"] * 3 + ["SubmitBatch"]
    assert find_failures(world.engine) == ()


@pytest.mark.parametrize("rule", [refuse_names("bad"), refuse_with_names("bad")], ids=["unnamed", "named"])
def test_refused_name_does_not_delay_other_names(rule: object) -> None:
    world = start_unconditional()
    world.provider.rule = rule  # type: ignore[assignment]
    world.run(observe_new("api", "bad", "web"))
    assert sorted(world.list_records()) == ["api A", "web A"]
    assert world.batches.count(["bad"]) == 1
    assert world.list_decisions("bad") == [("A", Action.NONE, Reason.REFUSED)]


def test_ownership_records_are_created_first_and_deleted_last() -> None:
    world = start_unconditional(*owned("web", "lb.example.net", rtype="CNAME"), first=["web"])
    (submission,) = world.provider.submissions
    order = [(write.key.type, write.key.name, write.new is not None) for write in submission.batch.writes]
    assert order == [
        ("TXT", host("a-web"), True),
        ("CNAME", host("web"), False),
        ("A", host("web"), True),
        ("TXT", host("cname-web"), False),
    ]
