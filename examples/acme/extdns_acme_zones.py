"""The provider `acme-zones`: one JSON file a zone, in the folder of the environment variable ACME_ZONES."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from extdns.errors import RetryableError, UsageError
from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords, Applied, Batch, Outcome, TryLater
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.common.plain_batches import build_written_records, find_conflict, find_local_refusal
from providers.common.plain_records import adjust_record
from providers.common.provider_spec import DnsService, NoFlags, ProviderContext, ProviderSpec
from providers.common.zone_contents import ZoneContents

_HOLDERS: Final = "Acme's zones"  # what holds the records, for messages
_FIELDS: Final = ("name", "type", "targets", "ttl_s")
_KEY: Final = attrgetter("key")


class AcmeZones:
    """Reads and writes the zones: the ports `ZoneReader` and `ZoneWriter`. Safe from any thread."""

    def __init__(self, folder: Path, *, page_names: int = 1000) -> None:
        """Use the files of *folder*; a page has the records of *page_names* names."""
        self._folder = folder
        self._page_names = page_names

    @property
    def capabilities(self) -> Capabilities:
        """What the service can do: a batch is made completely or not at all, and only if nothing changed meanwhile."""
        return Capabilities(atomic=True, conditional=True)

    def list_zones(self) -> ZoneList:
        """Return a zone for each file."""
        names = sorted(path.stem for path in self._folder.glob("*.json"))
        return ZoneList(zones=tuple(Zone(name=DnsName.parse(name), id=name) for name in names))

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* in the form in which *zone* will hold it, or why it cannot."""
        return AdjustedRecords.from_results(adjust_record(one, zone, holders=_HOLDERS) for one in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the names after *after*.

        Raises:
            ProviderError: the zone cannot be read.
        """
        return self._load(zone).build_page(after, self._page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*.

        Raises:
            ProviderError: the zone cannot be read.
        """
        return self._load(zone).select_records(names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch*, or none."""
        if refusal := find_local_refusal(batch.writes, zone, holders=_HOLDERS):
            return refusal
        try:
            with self._lock():
                contents = self._load(zone)
                current = contents.index_records(write.key.name for write in batch.writes)
                if obstacle := find_conflict(batch.writes, current):
                    return obstacle
                made = build_written_records(batch.writes, 0)
                written = {write.key for write in batch.writes}
                others = (one for one in contents.select_records(contents.names) if one.key not in written)
                self._save(zone, (*others, *made))
                return Applied(records=made)
        except RetryableError as exc:
            return TryLater(message=str(exc))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep other processes and threads from writing."""
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _load(self, zone: Zone) -> ZoneContents:
        try:
            rows: list[dict[str, Any]] = json.loads((self._folder / f"{zone.id}.json").read_text())
        except OSError as exc:
            raise RetryableError(f"zone {zone} cannot be read: {exc.strerror}") from exc
        by_name: dict[DnsName, tuple[Record, ...]] = {}
        for row in rows:
            name = DnsName(row["name"])
            record = Record(name=name, type=row["type"], targets=tuple(row["targets"]), ttl_s=row["ttl_s"])
            by_name[name] = (*by_name.get(name, ()), record)
        return ZoneContents(by_name)

    def _save(self, zone: Zone, records: Iterable[Record]) -> None:
        """Replace the file in one step, so that readers never find a part of it."""
        new = self._folder / f"{zone.id}.new"
        rows = [{field: getattr(record, field) for field in _FIELDS} for record in sorted(records, key=_KEY)]
        new.write_text(json.dumps(rows, indent=1))
        new.replace(self._folder / f"{zone.id}.json")


def build(_context: ProviderContext[NoFlags]) -> DnsService:
    """Build the reader and the writer.

    Raises:
        UsageError: ACME_ZONES is not a folder.
    """
    folder = Path(os.environ.get("ACME_ZONES", ""))
    if not os.environ.get("ACME_ZONES") or not folder.is_dir():
        raise UsageError("--provider=acme-zones needs a folder of zones\n  give it in the variable ACME_ZONES")
    zones = AcmeZones(folder)
    return DnsService(zones, zones)


PROVIDER: Final = ProviderSpec(name="acme-zones", flags=NoFlags, build=build)
