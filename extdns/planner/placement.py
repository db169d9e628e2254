"""Which zones a name belongs to (spec plan 4.8, 5, 7.2; design 4)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from extdns.model.name import DnsName
from extdns.model.zone import Zone

_REMEMBERED_PARENTS = 4096


class Placement:
    """The zones of all accounts, ready for look-ups by name; immutable once built."""

    def __init__(self, zones: Iterable[Zone], *, longest_only: bool = False) -> None:
        """Index *zones* by their names; *longest_only* as in `Traits`."""
        self._longest_only = longest_only
        by_name: dict[str, list[Zone]] = {}
        for zone in sorted(zones):
            by_name.setdefault(zone.name, []).append(zone)
        self._by_name = {name: tuple(found) for name, found in by_name.items()}
        self._above = lru_cache(maxsize=_REMEMBERED_PARENTS)(self._search)

    def zones_of(self, name: DnsName) -> tuple[Zone, ...]:
        """Every private zone that holds *name* at any depth, and the public zones of the longest match.

        If only the longest match counts, its zones whatever they are. Twins, zones of one name, are all
        returned: each holds rows of its own. Sorted.
        """
        return self._search(name) if name in self._by_name else self._above(name[name.find(".") + 1 :])

    def _search(self, name: str) -> tuple[Zone, ...]:
        found: list[Zone] = []
        public = False
        ancestor = name
        while ancestor:
            if zones := self._by_name.get(ancestor):
                found += [zone for zone in zones if zone.private or not public]
                if self._longest_only:
                    break
                public = public or any(not zone.private for zone in zones)
            ancestor = ancestor.partition(".")[2]
        return tuple(sorted(found))
