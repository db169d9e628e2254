"""Threads for calls of one sort; those that hang keep neither other accounts nor the end of the process waiting."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.ports import Clock

Task = Callable[[], object]


class Lane:
    """Makes calls in the order in which they come, at most so many at a time."""

    def __init__(self, name: str, *, most: int, finishes: bool = False) -> None:
        """Name the threads; none is started before there is a call for it.

        With *finishes*, what came before the end is carried out, begun or not.
        """
        self._name = name
        self._most = most
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._finishes = finishes

    def add(self, task: Task) -> None:
        """Have *task* carried out; it must not raise. Belongs to one thread."""
        self._tasks.put(task)
        if len(self._threads) < self._most:
            # a daemon, because a call that hangs must not keep the interpreter from its end
            thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._threads)}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self, clock: Clock, patience_s: float) -> bool:
        """Take in nothing more, and wait up to *patience_s* for what is under way; returns whether it ended."""
        self._closed = True
        until_s = clock.monotonic_s() + patience_s
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join(max(0.0, until_s - clock.monotonic_s()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        for task in iter(self._tasks.get, None):
            if self._closed and not self._finishes:
                return
            task()


class Lanes:
    """A lane for the calls of each account, made with the first of them: one that is throttled holds up no other."""

    def __init__(self, name: str, *, most: int) -> None:
        """Make at most so many calls of one account at a time."""
        self._name = name
        self._most = most
        self._by_account: dict[str, Lane] = {}

    def add(self, account: str, task: Task) -> None:
        """Have *task* carried out for *account*; as `Lane.add`."""
        lane = self._by_account.get(account)
        if lane is None:
            lane = self._by_account[account] = Lane(f"{self._name} {account}".rstrip(), most=self._most)
        lane.add(task)

    def close(self, clock: Clock, patience_s: float) -> bool:
        """As `Lane.close`; *patience_s* is for all together."""
        until_s = clock.monotonic_s() + patience_s
        lanes = self._by_account.values()
        for lane in lanes:
            lane.close(clock, 0.0)  # none begins anything while another is waited for
        return all(lane.close(clock, max(0.0, until_s - clock.monotonic_s())) for lane in lanes)
