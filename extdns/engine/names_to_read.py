"""The names of one zone to read before they are written again: their records may differ from the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.model.change import ChangeSet
    from extdns.model.dns_name import DnsName


class NamesToRead:
    """Names to read before they are written again.

    Attributes:
        names: those to read, and those being read.
    """

    def __init__(self) -> None:
        """Start without names."""
        self.names: frozenset[DnsName] = frozenset()
        self._being_read: frozenset[DnsName] = frozenset()
        self._due: frozenset[DnsName] = frozenset()

    def require(self, sets: Iterable[ChangeSet]) -> None:
        """Schedule a read of all names that *sets* change or write."""
        self._due |= find_written_names(sets)
        self.names = self._due | self._being_read

    def start(self) -> tuple[DnsName, ...]:
        """Return the names to read now, sorted; () if there are none or an answer is awaited."""
        if self._being_read or not self._due:
            return ()
        self._being_read, self._due = self._due, frozenset()
        return tuple(sorted(self._being_read))

    def record_failure(self) -> None:
        """Schedule another read of the same names, because the last one failed."""
        self._due, self._being_read = self.names, frozenset()

    def finish(self) -> frozenset[DnsName]:
        """End the read under way. Return the names that were not scheduled again since it was started."""
        read, self._being_read = self._being_read - self._due, frozenset()
        self.names = self._due
        return read


def find_written_names(sets: Iterable[ChangeSet]) -> frozenset[DnsName]:
    """Return the names that *sets* change, and all that they write; ownership names included."""
    return frozenset(name for one in sets for name in (one.name, *(write.key.name for write in one.writes)))
