"""When to list and watch: the intervals, and the pauses after failures.

Pauses after failures double up to a limit. They and the durations of watches are random, so that many processes do
not send their requests at the same time, for example after a restart of the API server.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from extdns.kube.live.pages import PAGE_SIZE
from extdns.model.value import compute_backoff_s


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchTiming:
    """Intervals of lists and watches in seconds, and the largest number of objects of a page.

    Attributes:
        initial_backoff_s: the longest pause after a first failure.
        max_backoff_s: the longest pause, unless the server requests a longer one. Pauses double up to it.
        idle_timeout_s: a watch without data for so long counts as broken. The API server sends a bookmark about every
            minute. If it sends none, a quiet watch costs one request every two minutes.
        min_watch_s, max_watch_s: each watch requests an end after a random time between these, so that load moves to
            API servers that were added.
        failing_after_s: a synced kind whose requests fail counts as failing after so long. An API server that restarts
            is back by then.
        healthy_after_s: a watch that was open for so long counts as successful even without events.
        initial_relist_s: pause before the second relist while GETs contradict the list.
        max_relist_s: the longest such pause. These pauses double up to it, since a full list is expensive.
    """

    initial_backoff_s: float = 0.1
    max_backoff_s: float = 30.0
    idle_timeout_s: float = 120.0
    min_watch_s: float = 300.0
    max_watch_s: float = 600.0
    failing_after_s: float = 10.0
    healthy_after_s: float = 10.0
    page_size: int = PAGE_SIZE
    initial_relist_s: float = 1.0
    max_relist_s: float = 300.0


class WatchBackoff:
    """Counts consecutive failures and computes pauses, with jitter so that many clients do not act at once.

    Attributes:
        failures: consecutive failures; 0 after an event or a watch of at least `healthy_after_s`.
    """

    def __init__(self, timing: WatchTiming, random: Callable[[], float]) -> None:
        """Use *timing*. *random* returns numbers from 0 up to 1."""
        self._timing = timing
        self._random = random
        self._watch_started_at_s = math.inf  # of the current or last watch
        self.failures = 0

    def start_watch(self, now_s: float) -> None:
        """Store *now_s* as the time at which the current watch was opened."""
        self._watch_started_at_s = now_s

    def reset_if_healthy(self, now_s: float) -> bool:
        """Reset the failures if the last watch was open for long enough. Return whether it was."""
        since_s, self._watch_started_at_s = self._watch_started_at_s, math.inf
        if now_s - since_s < self._timing.healthy_after_s:
            return False
        self.failures = 0
        return True

    def count_failure(self, retry_after_s: float | None) -> float:
        """Count a failure. Return the pause, at least *retry_after_s*."""
        pause_s = compute_backoff_s(self._timing.initial_backoff_s, self.failures, self._timing.max_backoff_s)
        self.failures += 1
        return max(pause_s * (0.5 + self._random() / 2), retry_after_s or 0.0)

    def choose_watch_s(self) -> int:
        """Choose the duration of the next watch at random, in seconds."""
        shortest_s = self._timing.min_watch_s
        return max(1, round(shortest_s + self._random() * (self._timing.max_watch_s - shortest_s)))
