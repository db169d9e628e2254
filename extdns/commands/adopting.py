"""Ownership taken of records that stand already, and nothing else: a registry around the registry."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Update, Write
from extdns.model.reason import Reason
from extdns.model.record import restated

if TYPE_CHECKING:
    from extdns.model.name import DnsName
    from extdns.model.ownership import Owned
    from extdns.model.record import Record, RecordKey
    from extdns.ports import Registry


class Adopting:
    """A `Registry` to which chosen records of nobody are ours but for their mark; it writes no more than that."""

    def __init__(self, registry: Registry, chosen: Collection[RecordKey]) -> None:
        """Take those of *chosen* that nothing proves to be anybody's; all else is as *registry* says."""
        self._registry = registry
        self._chosen = frozenset(chosen)

    @property
    def owner(self) -> str:
        """Our owner id."""
        return self._registry.owner

    def related(self, name: DnsName) -> tuple[DnsName, ...]:
        """As the registry says."""
        return self._registry.related(name)

    def read(self, records: Iterable[Record]) -> tuple[Owned, ...]:
        """As the registry says, but that what is chosen lacks only its mark."""
        return tuple(
            replace(owned, ours=True, marked=False)
            if owned.key in self._chosen and owned.owner is None and not (owned.ours or owned.sealed)
            else owned
            for owned in self._registry.read(records)
        )

    def complete(self, change_set: ChangeSet, held: Iterable[Record]) -> ChangeSet | Blocked:
        """The marks that *change_set* adds to what is chosen; the records are restated as they stand."""
        marking = tuple(
            change
            for change in change_set.changes
            if isinstance(change, Update) and change.key in self._chosen and change.differences == ("mark",)
        )
        if not marking:
            return Blocked(reason=Reason.POLICY_KEEPS, detail="extdns adopt writes ownership records alone")
        made = self._registry.complete(replace(change_set, changes=marking), held)
        if isinstance(made, Blocked):
            return made
        return replace(made, writes=tuple(map(self._as_it_stands, made.writes)))

    def _as_it_stands(self, write: Write) -> Write:
        if write.old is None or write.key not in self._chosen:
            return write
        return Write(old=write.old, new=restated(write.old))
