"""The registry that proves nothing: every record in scope counts as ours (spec plan 3.1, design 2 law 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from extdns.model.change import Change, ChangeSet, Create, Delete, Update, Write
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.record import Record


class NoopRegistry:
    """Adds no marks and reads none; TXT records are records like all others."""

    @property
    def owner(self) -> str:
        """Nobody."""
        return ""

    def related(self, name: DnsName) -> tuple[DnsName, ...]:  # noqa: ARG002 - the port asks by name
        """None: no record decides about another."""
        return ()

    def read(self, records: Iterable[Record]) -> tuple[Owned, ...]:
        """All *records*, as ours, sorted by key."""
        return tuple(Owned(record=record, ours=True) for record in sorted(records, key=lambda record: record.key))

    def complete(self, change_set: ChangeSet, held: Iterable[Record]) -> ChangeSet:  # noqa: ARG002 - nothing to mark
        """*change_set* with a write for each change, sorted by key."""
        writes = sorted((_write(change) for change in change_set.changes), key=lambda write: write.key)
        return replace(change_set, writes=tuple(writes))


def _write(change: Change) -> Write:
    match change:
        case Create():
            return Write(old=None, new=change.wanted)
        case Update():
            return Write(old=change.held.record, new=change.wanted)
        case Delete():
            return Write(old=change.held.record, new=None)
        case _:
            assert_never(change)
