"""Record the calls that a fake DNS service received, in order, with their results."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import Generic, Protocol, TypeVar


class LoggedCall(Protocol):
    @property
    def action(self) -> str: ...


C = TypeVar("C", bound=LoggedCall)


class Log(Generic[C]):
    """All calls received so far. It can be read while the server runs."""

    def __init__(self) -> None:
        self._calls: list[C] = []
        self._lock = Lock()

    def add(self, call: C) -> None:
        with self._lock:
            self._calls.append(call)

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()

    def calls(self, action: str | None = None) -> tuple[C, ...]:
        with self._lock:
            return tuple(call for call in self._calls if action in {None, call.action})

    def count_calls(self) -> Counter[str]:
        return Counter(call.action for call in self.calls())
