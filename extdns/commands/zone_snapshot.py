"""Zone readers that do not call the DNS service: they serve records from a file (`--zone-snapshot`) or from an engine.

The file is what `extdns owners --output=json` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from extdns.app.provider import build_offline_reader
from extdns.config import Config
from extdns.documents.owners import OwnedZoneDocument, OwnersDocument, ZoneRecordDocument
from extdns.engine.engine import Engine
from extdns.engine.retries import Retry
from extdns.engine.zones import ZoneState
from extdns.errors import ForbiddenError, InvalidValueError, escape_unprintable, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.model import ttl
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.value import StringMap
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from extdns.ports import AdjustingReader, ZoneReader

_INTERRUPTED: Final = "the pass was interrupted before everything was read"
_MAKE: Final = "to make a zone snapshot: extdns owners --output=json [flags] > zones.json"


class StoredZonesReader:
    """A `ZoneReader` of stored records. A zone that could not be read when they were stored cannot be read here."""

    def __init__(
        self,
        zones: Mapping[Zone, tuple[Record, ...]],
        service: ZoneReader,
        *,
        unread: Mapping[Zone, str] = {},
        failed: tuple[AccountFailure, ...] = (),
    ) -> None:
        """Serve *zones*, and let *service* adjust desired records.

        The zones in *unread* could not be read, for the reasons there; those of the accounts in *failed* not be listed.
        """
        self._zones = zones
        self._unread = unread
        self._failed = failed
        self.capabilities = service.capabilities
        self.adjust = service.adjust
        if isinstance(service, AdjustingReader):
            self.load_adjustments = service.load_adjustments

    def list_zones(self) -> ZoneList:
        """List all zones, including those that cannot be read."""
        return ZoneList(zones=tuple(sorted((*self._zones, *self._unread))), failed=self._failed)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:  # noqa: ARG002 - there is only one page
        """Return all records of *zone*.

        Raises:
            ForbiddenError: the zone could not be read when it was stored, so a retry is useless.
        """
        if zone in self._unread:
            raise ForbiddenError(self._unread[zone])
        return ZonePage(records=self._zones[zone])

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records at *names*."""
        return tuple(record for record in self._zones[zone] if record.name in names)


def read_zone_snapshot(path: str, config: Config) -> StoredZonesReader:
    """Read the zones that are stored in the file at *path*."""
    flag = f"--zone-snapshot={escape_unprintable(path)}"
    try:
        document = msgspec.json.decode(Path(path).read_bytes(), type=OwnersDocument)
        zones = dict(map(_parse_zone, document.zones))
    except OSError as exc:
        raise usage_error(f"{flag} cannot be read: {exc.strerror}", _MAKE) from exc
    except (msgspec.DecodeError, InvalidValueError, ValueError, RecursionError) as exc:
        raise usage_error(f"{flag} is not a zone snapshot: {sanitize(str(exc))}", _MAKE) from exc
    if document.missing:
        raise usage_error(f"{flag} is incomplete: {sanitize(document.missing[0])}", _MAKE)
    if document.provider != config.control.provider:
        raise usage_error(f"{flag} holds zones of another provider", f"give --provider={sanitize(document.provider)}")
    return StoredZonesReader(zones, build_offline_reader(config))


def build_engine_reader(
    engine: Engine, list_records: Callable[[ZoneState], Iterable[Record]], config: Config
) -> StoredZonesReader:
    """Return a reader of the zones that *engine* has read, for another pass with *config*.

    Zones that *engine* could not read cannot be read here, either. *list_records* returns the records for this pass.
    """
    zones = engine.zones
    return StoredZonesReader(
        {zone_state.zone: tuple(list_records(zone_state)) for zone_state in zones if zone_state.cache.is_complete},
        build_offline_reader(config),
        unread={
            zone_state.zone: zone_state.refresh.retry.message or _INTERRUPTED
            for zone_state in zones
            if not zone_state.cache.is_complete
        },
        failed=zones.failed_accounts if zones.is_listed else (_build_failure(zones.retry),),
    )


def _build_failure(retry: Retry) -> AccountFailure:
    return AccountFailure(account="", message=retry.message or _INTERRUPTED, permanent=retry.is_forbidden)


def _parse_zone(stored: OwnedZoneDocument) -> tuple[Zone, tuple[Record, ...]]:
    of = stored.zone
    zone = Zone(name=DnsName.parse(of.name), id=of.id, account=of.account, private=of.private)
    return zone, tuple(map(_parse_record, stored.records))


def _parse_record(stored: ZoneRecordDocument) -> Record:
    return Record(
        name=DnsName.parse(stored.name),
        type=stored.type,
        targets=tuple(sorted(set(stored.record.targets))),
        ttl_s=stored.record.ttl_seconds or ttl.UNSET,
        has_ttl=stored.record.ttl_seconds is not None,
        set_identifier=stored.set_identifier,
        properties=StringMap.from_items(stored.record.properties),
    )
