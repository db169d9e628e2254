"""How many log lines about single names and objects are written.

Three limits apply together: `BURST` and `PER_SECOND` to all such lines, `PER_BATCH` to those about one batch of
decisions, and `MAX_PER_TOPIC` to those about one name or object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Final

BURST: Final = 60
"""How many limited lines may be written at once."""
PER_BATCH: Final = 40
"""How many of them may be about one batch of decisions, so that a large change leaves some for small ones."""
PER_SECOND: Final = 1.0
"""How many further lines become available each second, up to `BURST`."""
MAX_PER_TOPIC: Final = 5
"""How many lines may be about one name or object within `WINDOW_S`."""
WINDOW_S: Final = 60.0
SUMMARY_S: Final = 10.0
"""The shortest time between two summaries of omitted lines."""


class LogLimiter:
    """Limit the log lines about single names and objects: how many for each of them, and how many in total.

    Ten thousand new names, or one Service that changes every second, must not fill a disk. Omitted lines are written
    at the debug level, and a summary says how many there were.
    """

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        """Measure time with *monotonic_s*, in seconds."""
        self._monotonic_s = monotonic_s
        self._lines_left = float(BURST)
        self._batch_left = PER_BATCH
        self._refilled_at = self._window_began_at = monotonic_s()
        self._summarized_at = self._refilled_at - SUMMARY_S
        self._by_topic: Counter[Hashable] = Counter()
        self._omitted: Counter[str] = Counter()

    def start_batch(self) -> None:
        """Start the next batch: the following lines belong together."""
        self._batch_left = PER_BATCH

    def allow(self, topic: Hashable, event: str) -> bool:
        """Return whether a line about *topic* may be written now, and count it either way.

        Args:
            topic: what the line is about, such as a DNS name or an object.
            event: the name under which the line is counted if it is omitted.
        """
        self._refill()
        if self._lines_left >= 1 and self._batch_left and self._by_topic[topic] < MAX_PER_TOPIC:
            self._lines_left -= 1
            self._batch_left -= 1
            self._by_topic[topic] += 1
            return True
        self._omitted[event] += 1
        return False

    def take_omitted(self) -> dict[str, int]:
        """Return how many lines were omitted since the last call, by event; {} if a summary is not due yet."""
        if not self._omitted:
            return {}
        now_s = self._monotonic_s()
        if now_s - self._summarized_at < SUMMARY_S:
            return {}
        self._summarized_at = now_s
        omitted, self._omitted = self._omitted, Counter()
        return dict(sorted(omitted.items()))

    def _refill(self) -> None:
        now_s = self._monotonic_s()
        self._lines_left = min(BURST, self._lines_left + (now_s - self._refilled_at) * PER_SECOND)
        self._refilled_at = now_s
        if now_s - self._window_began_at >= WINDOW_S:
            self._window_began_at = now_s
            self._by_topic.clear()
