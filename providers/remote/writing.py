"""What bounds a write to a service that others may write to in our place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from providers.remote.failure import CallFailedError, Trouble

SLOW_S: Final = (5.0, 30.0)
QUICK_S: Final = (3.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How long a write may take, and whether one may begin.

    Attributes:
        timeouts_s: to connect, and to answer.
        may_begin: asked from any thread, as late before the request as can be.
    """

    timeouts_s: tuple[float, float] = SLOW_S
    may_begin: Callable[[], bool] = lambda: True

    def check(self, call: str, about: str = "") -> None:
        """Raise `CallFailedError` if no write may begin now; *call* and *about* are for its text."""
        if not self.may_begin():
            words = "this process does not lead, or not for long enough"
            raise CallFailedError(Trouble.LATER, call, about, "NotLeading", words)
