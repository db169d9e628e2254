"""Each call of the engine answers with exactly one input, whatever becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Event
from threading import enumerate as enumerate_threads
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.controller import workers as room
from extdns.controller.clock import SystemClock
from extdns.controller.workers import CallEffect, Workers
from extdns.engine.effects import Confirm, ListZones, ReadNames, ReadPage, Submit
from extdns.engine.inputs import Call, Existence, Input, NamesRead, PageRead, ReadFailed, Submitted, ZonesListed
from extdns.errors import ForbiddenError, RetryableError
from extdns.model.change import Batch
from extdns.model.cluster import ObjectKey
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Outcome, Unknown
from extdns.model.record import Record
from extdns.model.zone import Page, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.scene import HANGS_S, ScriptedCluster
from tests.unit.engine.stage import SERVICE, ZONE, host, record

KEY = ObjectKey(SERVICE, "shop", "web")
NAMES = (host("web"),)
BATCH = Batch(number=7, zone=ZONE, sets=())
PAGE = ReadPage(zone=ZONE, after=None)


class Desk:
    """Workers, and what they answer."""

    def __init__(self, provider: FaultyProvider | None = None, *, writes: bool = True) -> None:
        self.provider = provider or FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
        self.cluster = ScriptedCluster()
        self.answers = SimpleQueue[Input]()
        self.defects: list[Exception] = []
        self.workers = Workers(
            self.cluster,
            self.provider,
            self.provider if writes else None,
            None,
            answer=self.answers.put,
            defect=self.defects.append,
        )

    def answer(self, effect: CallEffect) -> Input:
        self.workers.carry_out(effect)
        found = self.answers.get(timeout=HANGS_S)
        assert self.workers.close(SystemClock(), HANGS_S)
        assert self.answers.empty()
        return found


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        pytest.param(ListZones(), ZonesListed(zones=ZoneList(zones=(ZONE,))), id="zones"),
        pytest.param(PAGE, PageRead(zone=ZONE, asked=None, page=Page(records=())), id="a page"),
        pytest.param(ReadNames(zone=ZONE, names=NAMES), NamesRead(zone=ZONE, names=NAMES, records=()), id="names"),
        pytest.param(Submit(batch=BATCH), Submitted(number=7, zone=ZONE, outcome=Applied(records=())), id="a batch"),
        pytest.param(Confirm(key=KEY), Existence(key=KEY, exists=True), id="an object"),
    ],
)
def test_a_call_answers_with_its_result(effect: CallEffect, expected: Input) -> None:
    desk = Desk()
    assert desk.answer(effect) == expected
    assert desk.defects == []


def _long() -> Desk:
    """A zone of six pages."""
    held = [record(f"n{number}") for number in range(6)]
    return Desk(FaultyProvider(inner=InMemoryProvider(seed={ZONE: held}, page_size=1)))


def test_a_zone_is_read_onward_page_by_page_to_its_end() -> None:
    desk = _long()
    desk.workers.carry_out(replace(PAGE, onward=True))
    found = [desk.answers.get(timeout=HANGS_S) for _ in range(6)]
    assert desk.workers.close(SystemClock(), HANGS_S)
    assert desk.answers.empty()
    pages = [item for item in found if isinstance(item, PageRead)]
    assert [page.asked for page in pages] == [None, *(page.page.after for page in pages[:-1])]
    assert pages[-1].page.after is None


def test_reading_onward_ends_with_the_first_page_that_fails() -> None:
    desk = _long()
    desk.provider.failures.extend([None, None, RetryableError("busy")])
    desk.workers.carry_out(replace(PAGE, onward=True))
    found = [desk.answers.get(timeout=HANGS_S) for _ in range(3)]
    assert desk.workers.close(SystemClock(), HANGS_S)
    assert desk.answers.empty()
    assert [type(item) for item in found] == [PageRead, PageRead, ReadFailed]


def test_reading_onward_ends_when_the_process_does() -> None:
    desk = _long()
    reached, released = Event(), Event()

    def wait() -> None:
        reached.set()
        released.wait(HANGS_S)

    desk.provider.meddling.append(wait)
    desk.workers.carry_out(replace(PAGE, onward=True))
    assert reached.wait(HANGS_S)
    assert desk.workers.close(SystemClock(), HANGS_S)
    released.set()
    assert isinstance(desk.answers.get(timeout=HANGS_S), PageRead)
    while any(thread.name.startswith("first-read") for thread in enumerate_threads()):
        released.wait(0.01)
    assert desk.answers.empty()


@pytest.mark.parametrize(
    ("raised", "particulars"),
    [
        pytest.param(RetryableError("busy", retry_after_s=7.0), {"retry_after_s": 7.0}, id="later"),
        pytest.param(RetryableError("busy"), {}, id="later, nobody knows when"),
        pytest.param(ForbiddenError("busy"), {"forbidden": True}, id="forbidden"),
    ],
)
def test_a_read_that_the_service_denies_is_a_fact_and_no_defect(
    raised: RetryableError | ForbiddenError, particulars: dict[str, Any]
) -> None:
    desk = Desk()
    desk.provider.failures.append(raised)
    assert desk.answer(PAGE) == ReadFailed(call=Call.PAGE, zone=ZONE, message="busy", **particulars)
    assert desk.defects == []


class Broken(FaultyProvider):
    """Raises what no provider may."""

    def zones(self) -> ZoneList:
        raise KeyError("planted")

    def submit(self, zone: Zone, batch: Batch) -> Outcome:  # noqa: ARG002 - as the port has it
        raise KeyError("planted")


def _broken(_: object) -> bool | None:
    raise KeyError("planted")


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        pytest.param(ListZones(), ReadFailed(call=Call.ZONES, zone=None, message="KeyError: 'planted'"), id="a read"),
        pytest.param(
            Submit(batch=BATCH),
            Submitted(number=7, zone=ZONE, outcome=Unknown(message="KeyError: 'planted'")),
            id="a write, of which nobody knows whether it was made",
        ),
        pytest.param(Confirm(key=KEY), Existence(key=KEY, exists=None), id="a question"),
    ],
)
def test_a_defect_is_told_and_the_call_answers_all_the_same(effect: CallEffect, expected: Input) -> None:
    desk = Desk(Broken(inner=InMemoryProvider(seed={ZONE: ()})))
    desk.cluster.answer = _broken
    assert desk.answer(effect) == expected
    assert [type(exc) for exc in desk.defects] == [KeyError]


def test_without_a_writer_no_batch_is_submitted() -> None:
    with pytest.raises(RuntimeError, match="without a writer"):
        Desk(writes=False).workers.carry_out(Submit(batch=BATCH))


def test_reads_that_hang_hold_up_no_write() -> None:
    hanging: list[Callable[[], None]] = []
    closed = SimpleQueue[None]()

    class Hanging(FaultyProvider):
        def zones(self) -> ZoneList:
            hanging.append(lambda: closed.put(None))
            closed.get(timeout=HANGS_S)
            return ZoneList(zones=())

    desk = Desk(Hanging(inner=InMemoryProvider(seed={ZONE: ()})))
    for _ in range(20):
        desk.workers.carry_out(ListZones())
    desk.workers.carry_out(Submit(batch=BATCH))
    assert isinstance(desk.answers.get(timeout=HANGS_S), Submitted)
    assert desk.workers.close(SystemClock(), HANGS_S)
    for release in tuple(hanging):
        release()


ELSEWHERE = Zone(name=ZONE.name, id="elsewhere", account="throttled")


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda zone: Submit(batch=replace(BATCH, zone=zone)), id="a batch"),
        pytest.param(lambda zone: ReadNames(zone=zone, names=NAMES), id="names"),
        pytest.param(lambda zone: ReadPage(zone=zone, after=None), id="a page"),
        pytest.param(lambda zone: ReadPage(zone=zone, after=None, onward=True), id="a first page"),
    ],
)
def test_an_account_that_has_to_wait_holds_up_no_other(call: Callable[[Zone], CallEffect]) -> None:
    ending = Event()

    class Throttled(FaultyProvider):
        def submit(self, zone: Zone, batch: Batch) -> Outcome:
            self._wait(zone)
            return super().submit(zone, batch)

        def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
            self._wait(zone)
            return super().names(zone, names)

        def page(self, zone: Zone, after: str | None) -> Page:
            self._wait(zone)
            return super().page(zone, after)

        def _wait(self, zone: Zone) -> None:
            if zone == ELSEWHERE:
                ending.wait(HANGS_S)

    desk = Desk(Throttled(inner=InMemoryProvider(seed={ZONE: (), ELSEWHERE: ()})))
    for zone in (*[ELSEWHERE] * 20, ZONE):
        desk.workers.carry_out(call(zone))
    found = desk.answers.get(timeout=HANGS_S)
    assert isinstance(found, Submitted | NamesRead | PageRead)
    assert found.zone == ZONE
    ending.set()
    assert desk.workers.close(SystemClock(), HANGS_S)


def test_the_end_waits_a_moment_for_reads_that_do_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOMENT_S", HANGS_S)
    ending = Event()

    class Slow(FaultyProvider):
        def zones(self) -> ZoneList:
            ending.wait(HANGS_S)
            return ZoneList(zones=())

    class Watched(SystemClock):
        def monotonic_s(self) -> float:
            if not any(thread.name.startswith("write") for thread in enumerate_threads()):
                ending.set()
            return super().monotonic_s()

    before = set(enumerate_threads())
    desk = Desk(Slow(inner=InMemoryProvider(seed={ZONE: ()})))
    for effect in (ListZones(), Submit(batch=BATCH)):
        desk.workers.carry_out(effect)
    assert desk.workers.close(Watched(), HANGS_S)
    assert set(enumerate_threads()) <= before
