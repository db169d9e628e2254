"""Zones as `extdns owners --output=json` printed them, read in place of the DNS service."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from extdns.app.services import offline
from extdns.commands.ownersfacts import OwnedZone, OwnersFacts, StandingRecord
from extdns.errors import InvalidValueError, shown
from extdns.flags.mistakes import mistake
from extdns.model import ttl
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import Record
from extdns.model.zone import Page, Zone, ZoneList

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.model.adjusted import Adjusted
    from extdns.model.record import Endpoint
    from extdns.model.zone import Traits
    from extdns.ports import ZoneReader

_MAKE: Final = "make one: extdns owners --output=json [flags] > zones.json"


class StoredZones:
    """A `ZoneReader` of what stood when it was stored."""

    def __init__(self, zones: dict[Zone, tuple[Record, ...]], service: ZoneReader) -> None:
        """Hold *zones*; ask *service* for no more than what it makes of endpoints."""
        self._zones = zones
        self._service = service

    @property
    def traits(self) -> Traits:
        """As the service's."""
        return self._service.traits

    def zones(self) -> ZoneList:
        """Every zone that was stored."""
        return ZoneList(zones=tuple(sorted(self._zones)))

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """As the service's."""
        return self._service.adjust(wanted, zone)

    def page(self, zone: Zone, after: str | None) -> Page:  # noqa: ARG002 - one page holds all
        """The whole zone."""
        return Page(records=self._zones[zone])

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*."""
        return tuple(record for record in self._zones[zone] if record.name in names)


def stored_zones(path: str, config: Config) -> StoredZones:
    """What is stored in the file at *path*, for the provider of *config*, of which nothing is asked.

    Raises:
        UsageError: it cannot be read, or is not as `extdns owners` prints it, or not all or not of this provider.
    """
    named = f"--zone-snapshot={shown(path)}"
    try:
        facts = msgspec.json.decode(Path(path).read_bytes(), type=OwnersFacts)
        zones = dict(map(_zone, facts.zones))
    except OSError as exc:
        raise mistake(f"{named} cannot be read: {exc.strerror}", _MAKE) from exc
    except (msgspec.DecodeError, InvalidValueError, ValueError, RecursionError) as exc:
        raise mistake(f"{named} holds no stored zones: {shown(str(exc))}", _MAKE) from exc
    if facts.missing:
        raise mistake(f"{named} does not hold all: {shown(facts.missing[0])}", _MAKE)
    if facts.provider != config.control.provider:
        raise mistake(f"{named} holds zones of another provider", f"give --provider={shown(facts.provider)}")
    return StoredZones(zones, offline(config))


def _zone(stored: OwnedZone) -> tuple[Zone, tuple[Record, ...]]:
    of = stored.zone
    zone = Zone(name=DnsName.parse(of.name), id=of.id, account=of.account, private=of.private)
    return zone, tuple(map(_record, stored.records))


def _record(stored: StandingRecord) -> Record:
    return Record(
        name=DnsName.parse(stored.name),
        type=stored.type,
        targets=tuple(sorted(set(stored.record.targets))),
        ttl_s=stored.record.ttl_seconds or ttl.UNSET,
        set_identifier=stored.set_identifier,
        properties=Pairs.of(stored.record.properties),
    )
