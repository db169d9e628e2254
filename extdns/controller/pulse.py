"""Whether a thread still gets on with its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_STUCK_AFTER_S: Final = 120.0
_BROKEN_AFTER: Final = 5


@dataclass(slots=True)
class Pulse:
    """Written by the thread itself, read by any.

    Attributes:
        beat_s: monotonic time at which it last did something to its end.
        failures: defects in a row.
    """

    beat_s: float
    failures: int = 0

    def beat(self, now_s: float) -> None:
        """Something was done. What is broken stays so: nobody knows what was lost meanwhile."""
        if not self.broken:
            self.beat_s, self.failures = now_s, 0

    def miss(self) -> None:
        """A defect kept something from being done."""
        self.failures += 1

    @property
    def broken(self) -> bool:
        """Whether nothing goes any more, whatever is tried."""
        return self.failures >= _BROKEN_AFTER

    def healthy(self, now_s: float) -> bool:
        """Tell whether it is neither broken nor stuck."""
        return not self.broken and now_s - self.beat_s < _STUCK_AFTER_S
