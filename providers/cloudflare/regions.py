"""The region of a name: a call of its own, without undo, beside the batch that changes the records of the name.

A region of a name that has records of ours is changed before the batch, and that of a new name after it. So whatever
fails in between, the name still has, or already has, an ownership record, and a later pass finds the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extdns.model.change import Write
from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from providers.cloudflare.entries import PROXIABLE, REGION, CloudflareValue


class RegionChange(Value, frozen=True, kw_only=True):
    """How the region of a name changes.

    Attributes:
        regions: those that the records ask for, "" for none; () if all records that are written are deleted.
        types: the types of the records that are written.
        is_new: whether none of them existed before.
    """

    name: DnsName
    regions: tuple[str, ...]
    types: frozenset[str]
    is_new: bool

    def find_problem(self, held: str, entries: Iterable[CloudflareValue]) -> str:
        """Return why the region cannot change, "" if it can. *held* is the region of the name, *entries* its values."""
        if len(self.regions) > 1:
            found = " and ".join(repr(region) for region in self.regions)
            return f"{self.name}: its records ask for the regions {found}; allowed: one for a name"
        others = self._find_others(entries)
        if self.regions and others and self.regions != (held,):
            kept = ", ".join(sorted(others))
            return f"{self.name}: its {kept} record, which stays, has the region {held!r}; allowed: one for a name"
        return ""

    def find_region(self, held: str, entries: Iterable[CloudflareValue]) -> str:
        """Return the region that the name gets; it keeps that of records that are not deleted."""
        return held if not self.regions and self._find_others(entries) else "".join(self.regions)

    def _find_others(self, entries: Iterable[CloudflareValue]) -> set[str]:
        return {one.type for one in entries if one.name == self.name and one.type in PROXIABLE - self.types}


def find_region_changes(writes: Iterable[Write]) -> tuple[RegionChange, ...]:
    """Return how *writes* change the regions of their names, without the names whose region stays."""
    by_name: dict[DnsName, list[Write]] = {}
    for write in writes:
        if write.key.type in PROXIABLE:
            by_name.setdefault(write.key.name, []).append(write)
    return tuple(_build_change(name, found) for name, found in by_name.items() if any(map(_changes_region, found)))


def find_regions(writes: Iterable[Write]) -> dict[str, str]:
    """Return the regions that *writes* ask for, by name."""
    return {
        write.key.name: write.new.properties.get(REGION)
        for write in writes
        if write.new is not None and write.key.type in PROXIABLE
    }


def _changes_region(write: Write) -> bool:
    return (write.old.properties.get(REGION) if write.old else "") != (
        write.new.properties.get(REGION) if write.new else ""
    )


def _build_change(name: DnsName, writes: Sequence[Write]) -> RegionChange:
    return RegionChange(
        name=name,
        regions=tuple(sorted({write.new.properties.get(REGION) for write in writes if write.new is not None})),
        types=frozenset(write.key.type for write in writes),
        is_new=not any(write.old for write in writes),
    )
