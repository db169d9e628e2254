"""A store of rows in memory, and a process that can end before or after any call of a store or a DNS service."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from extdns.errors import ProviderError
from extdns.model.record import RecordKey
from registry.rows.row import Row, RowChange, RowsChangedError


@dataclass
class RowStoreInMemory:
    """Keeps rows. *failures* are the errors that the next calls raise; None lets a call succeed."""

    rows: dict[RecordKey, Row] = field(default_factory=dict)
    failures: list[ProviderError | None] = field(default_factory=list)
    scans: int = 0
    name: str = "rows in memory"
    max_changes: int = 2

    def _fail(self) -> None:
        if self.failures and (failure := self.failures.pop(0)):
            raise failure

    def build_id(self, key: RecordKey) -> str:
        return f"{key.name}#{key.type}#{key.set_identifier}"

    def read_all(self) -> Iterable[Row]:
        self._fail()
        self.scans += 1
        return list(self.rows.values())

    def read(self, ids: Collection[str]) -> Iterable[Row]:
        self._fail()
        return [row for row in self.rows.values() if row.id in ids]

    def write(self, changes: Sequence[RowChange]) -> None:
        self._fail()
        assert len(changes) <= self.max_changes
        changed = {one.key: row for one in changes if (row := self.rows.get(one.key)) not in one.allowed}
        if changed:
            raise RowsChangedError(self.name, changed)
        for one in changes:
            if one.new:
                self.rows[one.key] = one.new
            else:
                self.rows.pop(one.key, None)


class Killed(BaseException):
    """The process ended."""


@dataclass
class Lifetime:
    """Ends the process at the call number *left*, before or after it has its effect; 0 for never."""

    left: int = 0
    after: bool = False

    def watch(self, inner: Any, *calls: str) -> Any:  # noqa: ANN401 - of any class
        """Return *inner* with its *calls* counted."""
        return _Watched(inner, calls, self)

    def count(self) -> bool:
        """Count a call, and return whether the process ends with it."""
        self.left -= 1
        return self.left == 0


class _Watched:
    def __init__(self, inner: object, calls: Sequence[str], lifetime: Lifetime) -> None:
        self._inner, self._calls, self._lifetime = inner, calls, lifetime

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of any class
        found = getattr(self._inner, name)
        if name not in self._calls:
            return found

        def call(*arguments: object) -> object:
            ends = self._lifetime.count()
            if ends and not self._lifetime.after:
                raise Killed
            answer = found(*arguments)
            if ends:
                raise Killed
            return answer

        return call
