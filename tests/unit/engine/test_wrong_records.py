"""What stands in a zone and cannot be read: it costs its name, is told once, and nothing is changed around it."""

from __future__ import annotations

import pytest

from extdns.model import rrtype
from extdns.model.decision import Verdict
from extdns.model.reason import Reason
from extdns.model.record import Record
from tests.unit.engine.stage import ZONE, gone, host, mark, owned, record, running, seen, wants

WORDS = "example.org.zone:12: '192.0.2.999' is not valid; allowed: an IPv4 address"


def wrong(at: str) -> Record:
    return record(at, WORDS, rtype=rrtype.UNREADABLE, ttl_s=0)


@pytest.mark.parametrize(
    ("standing", "asked"),
    [
        pytest.param((), True, id="new"),
        pytest.param(owned("web", "192.0.2.9"), True, id="changed"),
        pytest.param(owned("web"), False, id="gone"),
        pytest.param((mark("web"),), True, id="record-that-was-ours"),
        pytest.param((record("web", "192.0.2.9"),), True, id="foreign"),
    ],
)
@pytest.mark.parametrize("at", ["web", "a-web"], ids=["beside-the-record", "beside-the-mark"])
def test_nothing_is_changed_at_a_name_that_holds_what_cannot_be_read(
    standing: tuple[Record, ...], at: str, *, asked: bool
) -> None:
    asks = seen("web", wants("web", "web"))
    world = running(*standing, wrong(at), first=[asks, seen("good", wants("good", "good"))])
    if not asked:
        world.run(gone("web"), for_s=60.0)
    assert world.batches == [["good"]]
    reasons = {one.reason for one in world.engine.decisions.of(host("web"))}
    assert Reason.RECORD_UNREADABLE in reasons
    assert {one.verdict for one in world.engine.decisions.of(host("web"))} <= {Verdict.KEEP, Verdict.NONE}


def test_it_is_told_with_its_place_even_if_nobody_asks() -> None:
    world = running(wrong("web"))
    decision = world.decision("web")
    assert (decision.verdict, decision.reason, decision.detail) == (Verdict.NONE, Reason.RECORD_UNREADABLE, WORDS)
    assert decision.concerns_us
    assert world.engine.decisions.failing == 1


def test_it_is_told_once() -> None:
    world = running(wrong("web"))
    world.run(for_s=600.0)
    assert world.told == []


def test_a_name_that_is_asked_for_is_told_of_with_the_object() -> None:
    world = running(wrong("web"), first=[seen("web", wants("web", "web"))])
    decision = world.decision("web")
    assert (decision.type, decision.detail) == ("A", WORDS)
    assert [asked.ref.key.name for asked in decision.asked_by] == ["web"]


def test_once_it_is_set_right_the_name_and_those_around_it_are_planned() -> None:
    world = running(wrong("a-web"), first=[seen("web", wants("web", "web"))])
    assert world.holds() == {"a-web ?": (WORDS,)}
    world.provider.remove(ZONE, wrong("a-web").key)
    world.run(for_s=120.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
