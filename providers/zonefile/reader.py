"""Zone files as a `ZoneReader`."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from extdns.errors import ForbiddenError, ProviderError
from extdns.model.adjusted import Adjusted
from extdns.model.name import DnsName
from extdns.model.record import Endpoint, Record
from extdns.model.zone import AccountFailure, Page, Traits, Zone, ZoneList
from providers.zonefile.adjust import TYPES, adjusted
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.master import Master

_ORDER: Final = attrgetter("order")
_TRAITS: Final = Traits(
    atomic=True,
    conditional=True,
    names_culprits=True,
    ordered=True,
    max_batch_writes=10_000,  # each batch writes the whole file
    max_batch_bytes=10_000_000,
    types=TYPES,
)


class ZoneFileReader:
    """Reads the zones of one folder; every file is an account, so that one that fails fails alone."""

    def __init__(self, folder: ZoneFolder, *, page_names: int = 1000) -> None:
        """Read from *folder*, in pages of *page_names* names."""
        self._folder = folder
        self._page_names = page_names
        self._ordered: dict[str, tuple[Master, tuple[DnsName, ...]]] = {}

    @property
    def traits(self) -> Traits:
        """Conditions hold against everybody who locks the folder, and against others but for a moment."""
        return _TRAITS

    def zones(self) -> ZoneList:
        """A zone for each file whose SOA can be read, even if the file is otherwise wrong.

        Two files of one zone are both failures, since nothing tells which one is served.

        Raises:
            ProviderError: the folder cannot be listed.
        """
        found = [self._listed(name) for name in self._folder.names()]
        times = Counter(entry.name for entry in found if isinstance(entry, Zone))
        entries = [_twin(entry) if isinstance(entry, Zone) and times[entry.name] > 1 else entry for entry in found]
        return ZoneList(
            zones=tuple(sorted(entry for entry in entries if isinstance(entry, Zone))),
            failed=tuple(entry for entry in entries if isinstance(entry, AccountFailure)),
        )

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """Targets in the spelling in which they are read back, properties dropped, TTLs as they are."""
        return Adjusted.of(adjusted(endpoint, zone) for endpoint in wanted)

    def page(self, zone: Zone, after: str | None) -> Page:
        """The records of the next names, sorted by `DnsName.order` and type; the SOA is left out.

        Raises:
            ProviderError: the file cannot be read; wrong lines are named with file and line.
        """
        master = self._folder.zone(zone)
        names = self._names(zone, master)
        start = 0 if after is None else bisect_right(names, DnsName(after).order, key=_ORDER)
        part = names[start : start + self._page_names]
        return Page(
            records=tuple(record for name in part for record in master.records[name]),
            after=part[-1] if start + self._page_names < len(names) else None,
        )

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*, in the order asked for.

        Raises:
            ProviderError: as for `page`.
        """
        records = self._folder.zone(zone).records
        return tuple(record for name in dict.fromkeys(names) for record in records.get(name, ()))

    def _names(self, zone: Zone, master: Master) -> tuple[DnsName, ...]:
        known = self._ordered.get(zone.id)
        if known is not None and known[0] is master:
            return known[1]
        names = tuple(sorted(master.records, key=_ORDER))
        self._ordered[zone.id] = (master, names)
        return names

    def _listed(self, name: str) -> Zone | AccountFailure:
        try:
            master = self._folder.load(name)
        except ProviderError as exc:
            return AccountFailure(account=name, message=str(exc), permanent=isinstance(exc, ForbiddenError))
        if master.zone is None:
            return AccountFailure(account=name, message=master.fault, permanent=True)
        return Zone(name=master.zone, id=name, account=name)


def _twin(zone: Zone) -> AccountFailure:
    message = f"{zone.id}: another file in the folder also holds {zone.name}; allowed: one file a zone"
    return AccountFailure(account=zone.account, message=message, permanent=True)
