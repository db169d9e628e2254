"""Which zones a name belongs to (spec plan 4.8, 7.2; design 4)."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.model.name import DnsName
from extdns.model.zone import Zone


class Placement:
    """The zones of all accounts, ready for look-ups by name; immutable once built."""

    def __init__(self, zones: Iterable[Zone]) -> None:
        """Index *zones* by their names."""
        by_name: dict[str, list[Zone]] = {}
        for zone in sorted(zones):
            by_name.setdefault(zone.name, []).append(zone)
        self._by_name = {name: tuple(found) for name, found in by_name.items()}

    def zones_of(self, name: DnsName) -> tuple[Zone, ...]:
        """Every private zone that holds *name* at any depth, and the public zones of the longest match.

        Twins, public zones of one name, are all returned: each holds rows of its own. Sorted.
        """
        found: list[Zone] = []
        public = False
        ancestor: str = name
        while ancestor:
            if zones := self._by_name.get(ancestor):
                found += [zone for zone in zones if zone.private or not public]
                public = public or any(not zone.private for zone in zones)
            ancestor = ancestor.partition(".")[2]
        return tuple(found) if len(found) < 2 else tuple(sorted(found))  # noqa: PLR2004 - nothing to sort
