"""Thread pools in which a task that hangs does not hold up those behind it, one for each account."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from extdns.controller.state_dump import TaskCounts

if TYPE_CHECKING:
    from extdns.ports import Clock

_STUCK_AFTER_S: Final = 1.0
"""A thread whose task takes longer counts as stuck. A call usually takes a tenth of it.

Waiting for the API rate limit may take longer; the extra thread that then starts has to wait for the rate limit, too.
"""

Task = Callable[[], object]


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
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare the pool. Threads are started with the first tasks.

        Args:
            name: prefix of the thread names.
            max_threads: how many tasks run at a time.
            finishes_queue: whether `close` lets queued tasks run, too.
            max_extra: how many more threads may run while others are stuck.
            stuck_after_s: run time after which a thread counts as stuck.
            monotonic_s: the clock.
        """
        self.name = name
        self._max_threads = max_threads
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._is_closed = False
        self._finishes_queue = finishes_queue
        self._max_extra = max_extra
        self._stuck_after_s = stuck_after_s
        self._monotonic_s = monotonic_s
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
        """Start no more tasks. Return whether the running ones ended within *timeout_s* seconds."""
        self._is_closed = True
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
            if self._is_closed and not self._finishes_queue:
                return
            self._execute(task)

    def _execute(self, task: Task) -> None:
        thread = threading.current_thread()
        self._started_at[thread] = self._monotonic_s()
        task()
        del self._started_at[thread]

    def _prepare_extra_thread(self) -> None:
        """Start a thread that waits until it is needed, unless one waits already. Requires the lock."""
        if self._idle_extra is None and len(self._extra_threads) < self._max_extra and not self._is_closed:
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
            while not self._is_closed and (task := self._tasks.get_nowait()):
                self._execute(task)
        with self._lock:
            self._extra_threads.discard(thread)

    def _count_stuck(self) -> int:
        now_s = self._monotonic_s()
        return sum(now_s - started_at >= self._stuck_after_s for started_at in tuple(self._started_at.values()))


class AccountThreadPools:
    """One `ThreadPool` for each account, created with its first task, so that a throttled account delays no other."""

    def __init__(
        self, name: str, *, max_threads: int, max_extra: int = 0, stuck_after_s: float = _STUCK_AFTER_S
    ) -> None:
        """Use these arguments for the `ThreadPool` of each account."""
        self._name = name
        self._max_threads = max_threads
        self._max_extra = max_extra
        self._stuck_after_s = stuck_after_s
        self._by_account: dict[str, ThreadPool] = {}

    def __iter__(self) -> Iterator[ThreadPool]:
        return iter(tuple(self._by_account.values()))

    def submit(self, account: str, task: Task) -> None:
        """Queue *task* in the pool of *account*, as `ThreadPool.submit` does."""
        pool = self._by_account.get(account)
        if pool is None:
            pool = self._by_account[account] = ThreadPool(
                f"{self._name} {account}".rstrip(),
                max_threads=self._max_threads,
                max_extra=self._max_extra,
                stuck_after_s=self._stuck_after_s,
            )
        pool.submit(task)

    def close(self, clock: Clock, timeout_s: float) -> bool:
        """Close all pools, as `ThreadPool.close` does, within *timeout_s* seconds in total."""
        deadline_s = clock.monotonic_s() + timeout_s
        pools = self._by_account.values()
        for pool in pools:
            pool.close(clock, 0.0)  # first all pools, so that none starts a task while `close` waits for another
        return all(pool.close(clock, max(0.0, deadline_s - clock.monotonic_s())) for pool in pools)
