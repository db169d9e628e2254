"""SIGTERM and SIGINT: the first one asks for a clean end, a second one does not wait for it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_NUMBERS: Final = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """Takes both signals while it is open, in the main thread alone.

    It opens before anything is set up, since a process that is the first of its container ignores
    signals that it has not asked for.
    """

    def __init__(self) -> None:
        """Take nothing yet."""
        self._received = ""
        self._stop: Callable[[str], None] | None = None
        self._former: dict[signal.Signals, Any] = {}

    def deliver_to(self, stop: Callable[[str], None]) -> None:
        """Call *stop* with the name of a signal that was or will be received.

        It is called between any two steps of the main thread, so it must not wait for a lock.
        """
        self._stop = stop
        if self._received:
            stop(self._received)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        for other in _NUMBERS:
            signal.signal(other, signal.SIG_DFL)
        self._received = signal.Signals(number).name
        if self._stop:
            self._stop(self._received)

    def __enter__(self) -> Self:
        self._former = {number: signal.signal(number, self._receive) for number in _NUMBERS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
