"""SIGTERM and SIGINT: the first one stops the process cleanly, the second one ends it at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """Handle SIGTERM and SIGINT while this context manager is open, in the main thread only.

    Open it before anything else is set up: the first process of a container ignores signals without a handler.
    """

    def __init__(self) -> None:
        self._received = ""
        self._stop: Callable[[str], None] | None = None
        self._previous: dict[signal.Signals, Any] = {}

    def deliver_to(self, stop: Callable[[str], None]) -> None:
        """Call *stop* with the name of the signal, also if it was received before this call.

        *stop* interrupts the main thread anywhere, so it must not wait for a lock.
        """
        self._stop = stop
        if self._received:
            stop(self._received)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        for other in _SIGNALS:
            signal.signal(other, signal.SIG_DFL)
        self._received = signal.Signals(number).name
        if self._stop:
            self._stop(self._received)

    def __enter__(self) -> Self:
        self._previous = {number: signal.signal(number, self._receive) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
