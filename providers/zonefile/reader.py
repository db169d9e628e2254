"""Read zone files: the `ZoneReader` port."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from extdns.errors import ForbiddenError, ProviderError
from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from providers.common.plain_records import adjust_record
from providers.zonefile.folder import ZoneFolder


class ZoneFileReader:
    """Reads the zones of one folder. Each file is reported as an account, so that an invalid file affects no other."""

    capabilities = Capabilities(
        atomic=True,
        conditional=True,  # except against programs that do not lock the folder
        max_batch_writes=10_000,  # large, because each batch writes the whole file
        max_batch_size=10_000_000,
    )

    def __init__(self, folder: ZoneFolder, *, ids: tuple[str, ...] = (), page_names: int = 1000) -> None:
        """Create a reader of the files whose names have one of the suffixes *ids*; () reads all."""
        self._folder = folder
        self._ids = ids
        self._page_names = page_names

    def list_zones(self) -> ZoneList:
        """Return a zone for each file whose SOA can be read, even if the rest of the file is invalid.

        If two files hold one zone, both are reported as failures, because the folder does not show which one is served.
        """
        found = [
            self._find_zone(name) for name in self._folder.list_files() if not self._ids or name.endswith(self._ids)
        ]
        counts = Counter(entry.name for entry in found if isinstance(entry, Zone))
        entries = [
            _build_duplicate_failure(entry) if isinstance(entry, Zone) and counts[entry.name] > 1 else entry
            for entry in found
        ]
        return ZoneList(
            zones=tuple(sorted(entry for entry in entries if isinstance(entry, Zone))),
            failed=tuple(entry for entry in entries if isinstance(entry, AccountFailure)),
        )

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* with normalized targets and without properties, or why a zone file cannot hold it."""
        return AdjustedRecords.from_results(adjust_record(record, zone) for record in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next names, sorted by `DnsName.order` and type, without the SOA."""
        return self._folder.load_zone(zone).records.build_page(after, self._page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, in the order of *names*."""
        return self._folder.load_zone(zone).records.select_records(names)

    def _find_zone(self, name: str) -> Zone | AccountFailure:
        try:
            master = self._folder.load(name)
        except ProviderError as exc:
            return AccountFailure(account=name, message=str(exc), permanent=isinstance(exc, ForbiddenError))
        if master.zone is None:
            return AccountFailure(account=name, message=master.problem, permanent=True)
        return Zone(name=master.zone, id=name, account=name)


def _build_duplicate_failure(zone: Zone) -> AccountFailure:
    message = f"{zone.id}: another file in the folder also holds {zone.name}; allowed: one file for each zone"
    return AccountFailure(account=zone.account, message=message, permanent=True)
