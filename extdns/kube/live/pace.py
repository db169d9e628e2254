"""When to try again, and for how long to watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from extdns.model.pauses import doubled_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Times of lists and watches, in seconds, and the size of a page.

    Attributes:
        first_pause_s: at most this long after a first failure.
        longest_pause_s: pauses double up to this one.
        silence_s: a watch that says nothing for so long is dead. The server sends a bookmark every
            minute, give or take a quarter; where it sends none, a quiet watch costs a request every
            two minutes.
        shortest_watch_s: the server is asked to end each watch after some time between this and
            longest_watch_s, so that load moves to servers that were added.
        longest_watch_s: see shortest_watch_s.
        alive_s: a watch that stood for so long was no failure, though nothing came.
        page_size: objects a page of a list.
    """

    first_pause_s: float = 0.1
    longest_pause_s: float = 30.0
    silence_s: float = 120.0
    shortest_watch_s: float = 300.0
    longest_watch_s: float = 600.0
    alive_s: float = 10.0
    page_size: int = 500


class Pace:
    """Counts failures in a row; every time it gives is different, so that many clients spread out.

    Attributes:
        failures: in a row.
    """

    def __init__(self, rhythm: Rhythm, random: Callable[[], float]) -> None:
        """Keep to *rhythm*; *random* gives numbers from 0 up to 1."""
        self._rhythm = rhythm
        self._random = random
        self.failures = 0

    def succeed(self) -> None:
        """Forget the failures."""
        self.failures = 0

    def fail(self, retry_after_s: float | None) -> float:
        """Count a failure; returns the pause, at least what the server asked for."""
        pause_s = doubled_s(self._rhythm.first_pause_s, self.failures, self._rhythm.longest_pause_s)
        self.failures += 1
        return max(self._spread(pause_s), retry_after_s or 0.0)

    def watch_s(self) -> int:
        """For how long the next watch shall stand."""
        shortest_s = self._rhythm.shortest_watch_s
        return max(1, round(shortest_s + self._random() * (self._rhythm.longest_watch_s - shortest_s)))

    def _spread(self, most_s: float) -> float:
        """Between half of *most_s* and all of it."""
        return most_s * (0.5 + self._random() / 2)
