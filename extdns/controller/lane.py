"""Threads for calls of one sort; one that hangs keeps neither the others nor the end of the process waiting."""

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
