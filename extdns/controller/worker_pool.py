"""Make the engine's calls on worker threads, so that a slow call or a throttled account delays no other."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, assert_never

from extdns.controller.inputs import StateCalls
from extdns.controller.state_dump import TaskCounts
from extdns.engine.effects import (
    CheckExistence,
    ListZones,
    LoadState,
    ReadApprovals,
    ReadNames,
    ReadPage,
    RequestAdjustments,
    SaveState,
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
from extdns.errors import (
    ApiError,
    DeniedError,
    ExtdnsError,
    ProviderError,
    RetryableError,
    describe_error,
)
from extdns.model.change import TryLater, Unknown
from extdns.ports import AdjustingReader

if TYPE_CHECKING:
    from extdns.controller.write_gate import WriteGate
    from extdns.model.change import Batch, Outcome
    from extdns.model.kind import ObjectKey
    from extdns.model.record import DesiredRecord
    from extdns.model.zone import Zone
    from extdns.ports import Clock, Cluster, ZoneReader, ZoneWriter

_MAX_CALLS: Final = 8  # of one account: of first reads, of later reads, and of writes
_MAX_EXISTENCE_CHECKS: Final = 2
_MAX_EXTRA_CHECKS: Final = 8
_MAX_EXTRA_THREADS: Final = 56  # so 64 calls of one account may hang before the next call has to wait
_SAVE_TIMEOUT_S: Final = 2.0
_JOIN_TIMEOUT_S: Final = 0.5

_STUCK_AFTER_S: Final = 1.0
"""A thread whose task takes longer counts as stuck. A call usually takes a tenth of it.

Waiting for the API rate limit may take longer; the extra thread that then starts has to wait for the rate limit, too.
"""

_GATE_CLOSED: Final = TryLater(message="this process may not write: it does not lead, or its lease ends too soon")

CallEffect = (
    ListZones
    | ReadPage
    | ReadNames
    | RequestAdjustments
    | SubmitBatch
    | CheckExistence
    | LoadState
    | SaveState
    | ReadApprovals
)


Task = Callable[[], object]


class WorkerPool:
    """Start reads, writes, existence checks and state store calls. Each call ends in one input for the engine."""

    def __init__(
        self,
        cluster: Cluster,
        reader: ZoneReader,
        writer: ZoneWriter | None,
        state: StateCalls | None,
        *,
        gate: WriteGate,
        put: Callable[[Input], None],
        report_defect: Callable[[Exception], None],
    ) -> None:
        """Pass results to *put* and unexpected errors to *report_defect*, both from any thread."""
        self._cluster = cluster
        self._reader = reader
        self._writer = writer
        self._state = state
        self._gate = gate
        self._put = put
        self._report_defect = report_defect
        self._lists = ThreadPool("list", max_threads=1)
        make_pool = partial(ThreadPool, max_threads=_MAX_CALLS, max_extra=_MAX_EXTRA_THREADS)
        self._reads = AccountThreadPools("read", make_pool)
        self._first_reads = AccountThreadPools("first-read", make_pool)
        self._writes = AccountThreadPools("write", make_pool)
        self._existence_checks = ThreadPool("exists", max_threads=_MAX_EXISTENCE_CHECKS, max_extra=_MAX_EXTRA_CHECKS)
        self._is_closing = False
        self._state_calls = ThreadPool("state", max_threads=1, finishes_queue=True)

    def start(self, effect: CallEffect) -> None:
        """Start the call that *effect* requests on a thread."""
        match effect:
            case ListZones():
                self._lists.submit(partial(self._read, Call.ZONES, None, self._list_zones))
            case ReadPage(zone=zone, reads_to_end=reads_to_end):
                pools = self._first_reads if reads_to_end else self._reads
                pools.submit(zone.account, partial(self._read_pages, effect))
            case ReadNames(zone=zone):
                read = partial(self._read_names, effect)
                self._reads.submit(zone.account, partial(self._read, Call.NAMES, zone, read))
            case RequestAdjustments(records=records):
                self._lists.submit(partial(self._load_adjustments, records))
            case SubmitBatch(batch=batch) if self._writer is not None:
                self._writes.submit(batch.zone.account, partial(self._submit, self._writer, batch))
            case SubmitBatch():
                raise RuntimeError("a batch without a writer")
            case CheckExistence(key=key):
                self._existence_checks.submit(partial(self._check_existence, key))
            case LoadState() | SaveState() | ReadApprovals() if self._state is not None:
                self._state_calls.submit(partial(self._call_state_store, self._state, effect))
            case LoadState() | SaveState() | ReadApprovals():
                raise RuntimeError("a call of the state store without a state store")
            case _:
                assert_never(effect)

    def close(self, clock: Clock, timeout_s: float) -> bool:
        """Start no more calls. Return whether all running writes ended within *timeout_s* seconds.

        Running reads and existence checks are abandoned. A running save of the state gets two more seconds: without
        it, the next process would not count deletes made just now.
        """
        self._is_closing = True
        abandoned = (self._lists, self._reads, self._first_reads, self._existence_checks)
        for pool in abandoned:
            pool.close(clock, 0.0)
        is_written = self._writes.close(clock, timeout_s)
        self._state_calls.close(clock, _SAVE_TIMEOUT_S)
        for pool in abandoned:
            pool.close(clock, _JOIN_TIMEOUT_S)
        return is_written

    def count_tasks(self) -> dict[str, TaskCounts]:
        """Return the tasks of each thread pool by name. Safe from any thread and from a signal handler."""
        by_account = (self._reads, self._first_reads, self._writes)
        pools = (
            self._lists,
            self._existence_checks,
            self._state_calls,
            *(pool for pools in by_account for pool in pools),
        )
        return {pool.name: pool.count_tasks() for pool in pools}

    def _list_zones(self) -> Input:
        return ZonesListed(zones=self._reader.list_zones())

    def _read_pages(self, effect: ReadPage) -> None:
        """Read a page and, if the effect reads to the end, the pages after it."""
        after = effect.after
        while True:
            found = self._read(Call.PAGE, effect.zone, partial(self._read_page, effect.zone, after))
            if self._is_closing or not (effect.reads_to_end and isinstance(found, PageRead) and found.page.after):
                return
            after = found.page.after

    def _read_page(self, zone: Zone, after: str | None) -> Input:
        return PageRead(zone=zone, after=after, page=self._reader.read_page(zone, after))

    def _read_names(self, effect: ReadNames) -> Input:
        zone, names = effect.zone, effect.names
        return NamesRead(zone=zone, names=names, records=self._reader.read_names(zone, names))

    def _read(self, call: Call, zone: Zone | None, read: Callable[[], Input]) -> Input:
        try:
            result = read()
        except ProviderError as exc:
            result = ReadFailed.from_error(call, zone, exc)
        except Exception as exc:  # noqa: BLE001 - law 3: a defect in one provider must not end the process
            self._report_defect(exc)
            result = ReadFailed(call=call, zone=zone, message=describe_error(exc))
        self._put(result)
        return result

    def _load_adjustments(self, records: tuple[DesiredRecord, ...]) -> None:
        failure, retry_after_s = "", None
        failed: Mapping[DesiredRecord, str] = {}
        try:
            if not isinstance(self._reader, AdjustingReader):
                raise TypeError("a reader with unknown adjustments that cannot load them")  # noqa: TRY301 - reported as a defect
            failed = self._reader.load_adjustments(records)
        except ProviderError as exc:
            failure = str(exc)
            retry_after_s = exc.retry_after_s if isinstance(exc, RetryableError) else None
        except Exception as exc:  # noqa: BLE001 - law 3: a defect in one provider must not end the process
            self._report_defect(exc)
            failure = describe_error(exc)
        self._put(AdjustmentsLoaded(failed=tuple(failed.items()), failure=failure, retry_after_s=retry_after_s))

    def _submit(self, writer: ZoneWriter, batch: Batch) -> None:
        """Submit *batch* if the write gate is still open: another process may have become the leader meanwhile."""
        outcome: Outcome
        try:
            outcome = writer.submit(batch.zone, batch) if self._gate.is_open() else _GATE_CLOSED
        except Exception as exc:  # noqa: BLE001 - law 3; the batch may have been applied
            self._report_defect(exc)
            outcome = Unknown(message=describe_error(exc))
        self._put(BatchCompleted(number=batch.number, zone=batch.zone, outcome=outcome))

    def _call_state_store(self, calls: StateCalls, effect: LoadState | SaveState | ReadApprovals) -> None:
        try:
            result: Input = calls.execute(effect)
        except ExtdnsError as exc:
            is_denied, forbidden = isinstance(exc, DeniedError), getattr(exc, "code", 0) == HTTPStatus.FORBIDDEN
            result = StateFailed(
                message=str(exc), forbidden=is_denied and forbidden, unauthorized=is_denied and not forbidden
            )
        except Exception as exc:  # noqa: BLE001 - law 3; the engine retries the call
            self._report_defect(exc)
            result = StateFailed(message=describe_error(exc))
        self._put(result)

    def _check_existence(self, key: ObjectKey) -> None:
        exists, detail = None, ""
        try:
            exists = self._cluster.exists(key)
        except ApiError as exc:
            detail = str(exc)
        except Exception as exc:  # noqa: BLE001 - law 3; the engine retries the check
            self._report_defect(exc)
            detail = describe_error(exc)
        self._put(ExistenceChecked(key=key, exists=exists, detail=detail))


class ThreadPool:
    """Execute tasks in order on up to *max_threads* threads.

    Threads whose task hangs do not count: up to *max_extra* further threads execute the tasks that wait behind them.
    """

    def __init__(
        self,
        name: str,
        *,
        max_threads: int,
        finishes_queue: bool = False,
        max_extra: int = 0,
        stuck_after_s: float = _STUCK_AFTER_S,
    ) -> None:
        """Prepare the pool. Threads, whose names begin with *name*, are started with the first tasks.

        With *finishes_queue*, `close` lets queued tasks run, too. A thread is stuck once a task takes *stuck_after_s*.
        """
        self.name = name
        self._max_threads = max_threads
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._finishes_queue = finishes_queue
        self._max_extra = max_extra
        self._stuck_after_s = stuck_after_s
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._started_at: dict[threading.Thread, float] = {}  # of the task that each thread executes
        self._extra_threads: set[threading.Thread] = set()
        self._idle_extra: threading.Thread | None = None  # an extra thread that waits until it is needed

    def submit(self, task: Task) -> None:
        """Queue *task*, which must not raise. Call this from one thread only."""
        self._tasks.put(task)
        if len(self._threads) < self._max_threads:
            # a daemon thread, because a call that hangs must not keep the interpreter from exiting
            thread = threading.Thread(target=self._work, name=f"{self.name}-{len(self._threads)}", daemon=True)
            thread.start()
            self._threads.append(thread)
        elif self._max_extra:
            with self._lock:
                self._prepare_extra_thread()

    def count_tasks(self) -> TaskCounts:
        """Return how many tasks wait and run."""
        return TaskCounts(waiting=self._tasks.qsize(), running=len(self._started_at))

    def close(self, clock: Clock, timeout_s: float) -> bool:
        """Start no more tasks, but with `finishes_queue` those that are queued.

        Return whether all running ones ended within *timeout_s* seconds.
        """
        self._closed.set()
        deadline_s = clock.monotonic_s() + timeout_s
        with self._lock:
            threads = (*self._threads, *self._extra_threads)
        for _ in threads:
            self._tasks.put(None)
        for thread in threads:
            thread.join(max(0.0, deadline_s - clock.monotonic_s()))
        return not any(thread.is_alive() for thread in threads)

    def _work(self) -> None:
        for task in iter(self._tasks.get, None):
            if self._closed.is_set() and not self._finishes_queue:
                return
            self._execute(task)

    def _execute(self, task: Task) -> None:
        thread = threading.current_thread()
        self._started_at[thread] = time.monotonic()
        task()
        del self._started_at[thread]

    def _prepare_extra_thread(self) -> None:
        """Start a thread that waits until it is needed, unless one waits already. Requires the lock."""
        if self._idle_extra is None and len(self._extra_threads) < self._max_extra and not self._closed.is_set():
            self._idle_extra = threading.Thread(target=self._run_extra, name=f"{self.name}-extra", daemon=True)
            self._idle_extra.start()

    def _run_extra(self) -> None:
        """Wait until tasks are queued behind stuck threads, then execute tasks until the queue is empty."""
        thread = threading.current_thread()
        while True:
            is_closed = self._closed.wait(self._stuck_after_s)
            with self._lock:
                if is_closed or self._tasks.empty():
                    self._idle_extra = None
                    return
                if len(self._threads) + len(self._extra_threads) - self._count_stuck() < self._max_threads:
                    self._idle_extra = None
                    self._extra_threads.add(thread)
                    self._prepare_extra_thread()
                    break
        with suppress(queue.Empty):
            while not self._closed.is_set() and (task := self._tasks.get_nowait()):
                self._execute(task)
        with self._lock:
            self._extra_threads.discard(thread)

    def _count_stuck(self) -> int:
        now_s = time.monotonic()
        return sum(now_s - started_at >= self._stuck_after_s for started_at in tuple(self._started_at.values()))


class AccountThreadPools:
    """One `ThreadPool` for each account, created with its first task, so that a throttled account delays no other."""

    def __init__(self, name: str, make_pool: Callable[[str], ThreadPool]) -> None:
        """Make the pool of each account with *make_pool*, and begin its name with *name*."""
        self._name = name
        self._make_pool = make_pool
        self._by_account: dict[str, ThreadPool] = {}

    def __iter__(self) -> Iterator[ThreadPool]:
        return iter(tuple(self._by_account.values()))

    def submit(self, account: str, task: Task) -> None:
        """Queue *task* in the pool of *account*, as `ThreadPool.submit` does."""
        pool = self._by_account.get(account)
        if pool is None:
            pool = self._by_account[account] = self._make_pool(f"{self._name} {account}".rstrip())
        pool.submit(task)

    def close(self, clock: Clock, timeout_s: float) -> bool:
        """Close all pools, as `ThreadPool.close` does, within *timeout_s* seconds in total."""
        deadline_s = clock.monotonic_s() + timeout_s
        pools = self._by_account.values()
        for pool in pools:
            pool.close(clock, 0.0)  # first all pools, so that none starts a task while `close` waits for another
        return all(pool.close(clock, max(0.0, deadline_s - clock.monotonic_s())) for pool in pools)
