"""Each call that the engine requests results in exactly one input for it; thread pools."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.controller import worker_pool as pool
from extdns.controller.clock import SystemClock
from extdns.controller.inputs import StateCalls
from extdns.controller.worker_pool import AccountThreadPools, CallEffect, ThreadPool, WorkerPool
from extdns.controller.write_gate import WriteGate
from extdns.engine.effects import (
    CheckExistence,
    ListZones,
    LoadState,
    ReadNames,
    ReadPage,
    RequestAdjustments,
    SubmitBatch,
)
from extdns.engine.inputs import (
    AdjustmentsLoaded,
    BatchCompleted,
    Call,
    ExistenceChecked,
    Input,
    NamesRead,
    PageRead,
    ReadFailed,
    StateFailed,
    ZonesListed,
)
from extdns.errors import ApiError, DeniedError, ExtdnsError, ForbiddenError, RetryableError
from extdns.model.change import Applied, Batch, Outcome, Unknown
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey
from extdns.model.record import Record, restate_record
from extdns.model.saved_state import Approval, Saved
from extdns.model.zone import Zone, ZoneList, ZonePage
from extdns.ports import StateStore
from providers.inmemory.provider import InMemoryProvider
from tests.builders import SERVICE, ZONE, host, record
from tests.fakes.adjusting import AdjustingProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.scripted_cluster import ScriptedCluster

KEY = ObjectKey(SERVICE, "shop", "web")
NAMES = (host("web"),)
BATCH = Batch(number=7, zone=ZONE, change_sets=())
PAGE = ReadPage(zone=ZONE, after=None)
ELSEWHERE = Zone(name=ZONE.name, id="elsewhere", account="throttled")
CLOCK = SystemClock()


class BrokenState:
    """A state store whose calls raise *failure*."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def load(self) -> Saved:
        raise self._failure

    def save(self, saved: Saved) -> None:  # noqa: ARG002 - as the port has it
        raise self._failure

    def load_approvals(self) -> tuple[Approval, ...]:
        raise self._failure


class PoolScene:
    """A worker pool, and the queue of engine inputs that it fills."""

    def __init__(
        self, provider: FaultyProvider | None = None, *, writes: bool = True, state: StateStore | None = None
    ) -> None:
        self.provider = provider or FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
        self.cluster = ScriptedCluster()
        self.answers = SimpleQueue[Input]()
        self.defects: list[Exception] = []
        self.workers = WorkerPool(
            self.cluster,
            self.provider,
            self.provider if writes else None,
            StateCalls(state, SystemClock()) if state else None,
            gate=WriteGate(),
            put=self.answers.put,
            report_defect=self.defects.append,
        )

    def answer(self, effect: CallEffect) -> Input:
        self.workers.start(effect)
        found = self.answers.get(timeout=HANGS_S)
        assert self.workers.close(CLOCK, HANGS_S)
        assert self.answers.empty()
        return found


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        pytest.param(ListZones(), ZonesListed(zones=ZoneList(zones=(ZONE,))), id="zones"),
        pytest.param(PAGE, PageRead(zone=ZONE, after=None, page=ZonePage(records=())), id="a page"),
        pytest.param(ReadNames(zone=ZONE, names=NAMES), NamesRead(zone=ZONE, names=NAMES, records=()), id="names"),
        pytest.param(
            SubmitBatch(batch=BATCH), BatchCompleted(number=7, zone=ZONE, outcome=Applied(records=())), id="a batch"
        ),
        pytest.param(CheckExistence(key=KEY), ExistenceChecked(key=KEY, exists=True), id="an object"),
    ],
)
def test_each_call_gives_one_input_with_its_result(effect: CallEffect, expected: Input) -> None:
    scene = PoolScene()
    assert scene.answer(effect) == expected
    assert scene.defects == []


@pytest.mark.parametrize(
    ("failure", "expected", "defects"),
    [
        pytest.param(None, AdjustmentsLoaded(), 0, id="loaded"),
        pytest.param(
            RetryableError("busy", retry_after_s=7.0),
            AdjustmentsLoaded(failure="busy", retry_after_s=7.0),
            0,
            id="failed",
        ),
        pytest.param(KeyError("x"), AdjustmentsLoaded(failure="KeyError: 'x'"), 1, id="a defect"),
    ],
)
def test_failure_to_adjust_records_is_returned_as_an_input(
    failure: Exception | None, expected: Input, defects: int
) -> None:
    provider = AdjustingProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    provider.request_failures.extend([failure] if failure else [])
    scene = PoolScene(provider)
    assert scene.answer(RequestAdjustments(records=(restate_record(record("web")),))) == expected
    assert provider.requests == [(restate_record(record("web")),)]
    assert len(scene.defects) == defects


def _build_six_pages() -> PoolScene:
    held = [record(f"n{number}") for number in range(6)]
    return PoolScene(FaultyProvider(inner=InMemoryProvider(seed={ZONE: held}, page_size=1)))


def test_first_read_reads_all_pages_one_after_the_other() -> None:
    scene = _build_six_pages()
    scene.workers.start(replace(PAGE, reads_to_end=True))
    found = [scene.answers.get(timeout=HANGS_S) for _ in range(6)]
    assert scene.workers.close(CLOCK, HANGS_S)
    assert scene.answers.empty()
    pages = [item for item in found if isinstance(item, PageRead)]
    assert [page.after for page in pages] == [None, *(page.page.after for page in pages[:-1])]
    assert pages[-1].page.after is None


def test_reading_pages_ends_with_the_first_failure() -> None:
    scene = _build_six_pages()
    scene.provider.failures.extend([None, None, RetryableError("busy")])
    scene.workers.start(replace(PAGE, reads_to_end=True))
    found = [scene.answers.get(timeout=HANGS_S) for _ in range(3)]
    assert scene.workers.close(CLOCK, HANGS_S)
    assert scene.answers.empty()
    assert [type(item) for item in found] == [PageRead, PageRead, ReadFailed]


def test_reading_pages_ends_when_the_pool_closes() -> None:
    others = set(threading.enumerate())
    scene = _build_six_pages()
    reached, released = threading.Event(), threading.Event()

    def wait() -> None:
        reached.set()
        released.wait(HANGS_S)

    scene.provider.edits.append(wait)
    scene.workers.start(replace(PAGE, reads_to_end=True))
    assert reached.wait(HANGS_S)
    assert scene.workers.close(CLOCK, HANGS_S)
    released.set()
    assert isinstance(scene.answers.get(timeout=HANGS_S), PageRead)
    while any(thread.name.startswith("first-read") for thread in {*threading.enumerate()} - others):
        released.wait(0.01)
    assert scene.answers.empty()


@pytest.mark.parametrize(
    ("raised", "particulars"),
    [
        pytest.param(RetryableError("busy", retry_after_s=7.0), {"retry_after_s": 7.0}, id="later"),
        pytest.param(RetryableError("busy"), {}, id="without a time"),
        pytest.param(ForbiddenError("busy"), {"forbidden": True}, id="forbidden"),
    ],
)
def test_throttled_or_forbidden_read_is_not_a_defect(
    raised: RetryableError | ForbiddenError, particulars: dict[str, Any]
) -> None:
    scene = PoolScene()
    scene.provider.failures.append(raised)
    assert scene.answer(PAGE) == ReadFailed(call=Call.PAGE, zone=ZONE, message="busy", **particulars)
    assert scene.defects == []


class Broken(FaultyProvider):
    """A provider that raises an unexpected error."""

    def list_zones(self) -> ZoneList:
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
            SubmitBatch(batch=BATCH),
            BatchCompleted(number=7, zone=ZONE, outcome=Unknown(message="KeyError: 'planted'")),
            id="unknown outcome of a write",
        ),
        pytest.param(
            CheckExistence(key=KEY),
            ExistenceChecked(key=KEY, exists=None, detail="KeyError: 'planted'"),
            id="a question",
        ),
    ],
)
def test_call_that_raises_is_a_defect_and_gives_an_input_with_the_error(effect: CallEffect, expected: Input) -> None:
    scene = PoolScene(Broken(inner=InMemoryProvider(seed={ZONE: ()})))
    scene.cluster.answer = _broken
    assert scene.answer(effect) == expected
    assert [type(exc) for exc in scene.defects] == [KeyError]


def test_submitting_a_batch_without_a_writer_raises() -> None:
    with pytest.raises(RuntimeError, match="without a writer"):
        PoolScene(writes=False).workers.start(SubmitBatch(batch=BATCH))


@pytest.fixture
def release_tasks() -> Iterator[threading.Event]:
    """Return an event that tasks wait for. It is set at the end of the test, so that all threads end."""
    event = threading.Event()
    yield event
    event.set()


class HangingProvider(FaultyProvider):
    """A provider whose calls about some zones (None: the list of zones) wait for an event."""

    def __init__(self, released: threading.Event, hangs: Callable[[Zone | None], bool]) -> None:
        super().__init__(inner=InMemoryProvider(seed={ZONE: (), ELSEWHERE: ()}))
        self._released, self._hangs = released, hangs

    def _wait(self, zone: Zone | None) -> None:
        if self._hangs(zone):
            self._released.wait(HANGS_S)

    def list_zones(self) -> ZoneList:
        self._wait(None)
        return super().list_zones()

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._wait(zone)
        return super().submit(zone, batch)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        self._wait(zone)
        return super().read_names(zone, names)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        self._wait(zone)
        return super().read_page(zone, after)


def test_reads_that_hang_do_not_delay_writes(release_tasks: threading.Event) -> None:
    scene = PoolScene(HangingProvider(release_tasks, lambda zone: zone is None))
    for _ in range(20):
        scene.workers.start(ListZones())
    scene.workers.start(SubmitBatch(batch=BATCH))
    assert isinstance(scene.answers.get(timeout=HANGS_S), BatchCompleted)
    assert scene.workers.close(CLOCK, HANGS_S)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda zone: SubmitBatch(batch=replace(BATCH, zone=zone)), id="a batch"),
        pytest.param(lambda zone: ReadNames(zone=zone, names=NAMES), id="names"),
        pytest.param(lambda zone: ReadPage(zone=zone, after=None), id="a page"),
        pytest.param(lambda zone: ReadPage(zone=zone, after=None, reads_to_end=True), id="a first page"),
    ],
)
def test_account_that_waits_for_its_rate_limit_does_not_delay_others(
    call: Callable[[Zone], CallEffect], release_tasks: threading.Event
) -> None:
    scene = PoolScene(HangingProvider(release_tasks, lambda zone: zone == ELSEWHERE))
    for zone in (*[ELSEWHERE] * 20, ZONE):
        scene.workers.start(call(zone))
    found = scene.answers.get(timeout=HANGS_S)
    assert isinstance(found, BatchCompleted | NamesRead | PageRead)
    assert found.zone == ZONE
    release_tasks.set()
    assert scene.workers.close(CLOCK, HANGS_S)


def test_closing_waits_briefly_for_running_reads(
    release_tasks: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_JOIN_TIMEOUT_S", HANGS_S)

    class Watched(SystemClock):
        def monotonic_s(self) -> float:
            if not any(thread.name.startswith("write") for thread in threading.enumerate()):
                release_tasks.set()
            return super().monotonic_s()

    before = set(threading.enumerate())
    scene = PoolScene(HangingProvider(release_tasks, lambda zone: zone is None))
    for effect in (ListZones(), SubmitBatch(batch=BATCH)):
        scene.workers.start(effect)
    assert scene.workers.close(Watched(), HANGS_S)
    assert set(threading.enumerate()) <= before


def test_existence_check_that_failed_returns_its_error() -> None:
    scene = PoolScene()

    def refuse(_: ObjectKey) -> bool:
        raise ApiError("GET /api/v1/services/web: 404 Not Found")

    scene.cluster.answer = refuse
    expected = ExistenceChecked(key=KEY, exists=None, detail="GET /api/v1/services/web: 404 Not Found")
    assert scene.answer(CheckExistence(key=KEY)) == expected
    assert scene.defects == []


@pytest.mark.parametrize(
    ("failure", "denied"),
    [
        pytest.param(DeniedError("403", code=403), {"forbidden": True}, id="a person must grant a permission"),
        pytest.param(DeniedError("401", code=401), {"unauthorized": True}, id="new credentials may help"),
        pytest.param(ApiError("500", code=500), {}, id="the server fails"),
        pytest.param(ExtdnsError("no space left on device"), {}, id="the disk is full"),
    ],
)
def test_failed_state_call_says_whether_a_permission_or_credentials_are_missing(
    failure: ExtdnsError, denied: dict[str, bool]
) -> None:
    scene = PoolScene(state=BrokenState(failure))
    assert scene.answer(LoadState()) == StateFailed(message=str(failure), **denied)


def test_zones_without_answer_do_not_delay_others_of_their_account(release_tasks: threading.Event) -> None:
    scene = PoolScene(HangingProvider(release_tasks, lambda zone: zone != ZONE))
    for number in range(11):
        scene.workers.start(ReadPage(zone=replace(ZONE, id=f"Z{number}"), after=None, reads_to_end=True))
    scene.workers.start(ReadPage(zone=ZONE, after=None, reads_to_end=True))
    answer = scene.answers.get(timeout=HANGS_S / 2)
    assert isinstance(answer, PageRead)
    assert answer.zone == ZONE


# thread pools


def test_tasks_start_in_the_order_of_their_submission() -> None:
    pool, made = ThreadPool("test", max_threads=1), SimpleQueue[int]()
    for number in range(5):
        pool.submit(lambda number=number: made.put(number))  # type: ignore[misc]
    assert [made.get(timeout=HANGS_S) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert pool.close(CLOCK, HANGS_S)


def test_threads_are_limited_in_number_and_daemons(release_tasks: threading.Event) -> None:
    before = threading.active_count()
    pool = ThreadPool("crowd", max_threads=3)
    assert threading.active_count() == before
    for _ in range(10):
        pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("crowd-")]
    assert len(ours) == 3
    assert all(thread.daemon for thread in ours)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)


def test_closing_waits_for_queued_tasks_if_the_pool_finishes_its_queue(release_tasks: threading.Event) -> None:
    pool, made = ThreadPool("test", max_threads=1, finishes_queue=True), list[str]()
    pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    pool.submit(lambda: made.append("later"))
    assert not pool.close(CLOCK, 0.0)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)
    assert made == ["later"]


def test_closing_all_accounts_waits_for_running_tasks_and_starts_no_more(release_tasks: threading.Event) -> None:
    lanes = AccountThreadPools("test", partial(ThreadPool, max_threads=1))
    begun, made = threading.Barrier(3), list[str]()

    def slow(account: str) -> None:
        begun.wait(HANGS_S)
        release_tasks.wait(HANGS_S)
        made.append(account)

    for account in ("one", "two"):
        lanes.submit(account, partial(slow, account))
        lanes.submit(account, lambda: made.append("later"))
    begun.wait(HANGS_S)
    assert not lanes.close(CLOCK, 0.0)
    assert made == []
    release_tasks.set()
    assert lanes.close(CLOCK, HANGS_S)
    assert sorted(made) == ["one", "two"]


def test_extra_threads_are_limited_and_end_when_the_queue_is_empty(release_tasks: threading.Event) -> None:
    pool, begun = ThreadPool("stuck", max_threads=2, max_extra=3, stuck_after_s=0.001), threading.Semaphore(0)

    def hang() -> None:
        begun.release()
        release_tasks.wait(HANGS_S)

    for _ in range(10):
        pool.submit(hang)
    for _ in range(5):
        assert begun.acquire(timeout=HANGS_S)
    assert not begun.acquire(timeout=0.05)
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("stuck-")]
    assert len(ours) == 5
    release_tasks.set()
    for thread in ours:
        if thread.name == "stuck-extra":
            thread.join(HANGS_S)
            assert not thread.is_alive()
    assert pool.close(CLOCK, HANGS_S)


def test_closing_does_not_wait_for_an_idle_extra_thread(release_tasks: threading.Event) -> None:
    pool = ThreadPool("idle", max_threads=1, max_extra=1, stuck_after_s=HANGS_S)
    pool.submit(lambda: _drop_result(release_tasks.wait(HANGS_S)))
    pool.submit(lambda: None)
    release_tasks.set()
    assert pool.close(CLOCK, HANGS_S)
    for thread in threading.enumerate():
        if thread.name == "idle-extra":
            thread.join(HANGS_S)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("idle")]


def _drop_result(_: bool) -> None:
    """Drop the result of a call, because tasks return None."""
