"""Growing pauses."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.pauses import doubled_s

_MOST_ASKED_S = 3600.0


@dataclass(slots=True)
class Backoff:
    """A pause that doubles with every failure in a row.

    Attributes:
        first_s: the pause after the first failure, in seconds.
        most_s: the longest pause.
        failures: failures in a row.
        since_s: monotonic time of the first of them.
        until_s: monotonic time before which nothing is tried.
        message: what the last of them was, "" if it said nothing or there is none.
        refused: whether the last of them was a lack of rights, which does not pass by itself.
    """

    first_s: float = 1.0
    most_s: float = 300.0
    failures: int = 0
    since_s: float = 0.0
    until_s: float = 0.0
    message: str = ""
    refused: bool = False

    def fail(self, now_s: float, at_least_s: float | None = None, *, message: str = "", refused: bool = False) -> None:
        """Count a failure; *at_least_s* is what the service asked for, of which an hour is believed."""
        pause_s = doubled_s(self.first_s, self.failures, self.most_s)
        if not self.failures:
            self.since_s = now_s
        self.failures += 1
        self.until_s = now_s + max(pause_s, min(at_least_s or 0.0, _MOST_ASKED_S))
        self.message, self.refused = message, refused

    def succeed(self) -> None:
        """Forget the failures."""
        self.failures, self.until_s = 0, 0.0
        self.message, self.refused = "", False

    def over(self, now_s: float) -> bool:
        """Tell whether the pause has ended."""
        return now_s >= self.until_s
