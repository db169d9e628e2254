"""Reads only the zones that a name may stand in: an answer about one name must not cost the reading of all zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.model.adjusted import Adjusted
    from extdns.model.name import DnsName
    from extdns.model.record import Endpoint, Record
    from extdns.model.zone import Page, Traits, Zone, ZoneList
    from extdns.ports import ZoneReader


class NarrowReader:
    """A `ZoneReader` in which no zones are but those that hold *name*, or whose parts may.

    Attributes:
        zones_known: how many zones are in reach.
    """

    def __init__(self, reader: ZoneReader, name: DnsName) -> None:
        """Ask *reader*."""
        self._reader = reader
        self._name = name
        self.zones_known = 0

    @property
    def traits(self) -> Traits:
        """As the service's."""
        return self._reader.traits

    def zones(self) -> ZoneList:
        """The zones that the name lies in."""
        found = self._reader.zones()
        self.zones_known = len(found.zones)
        return replace(found, zones=tuple(zone for zone in found.zones if self._name.within(zone.name)))

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """As the service's."""
        return self._reader.adjust(wanted, zone)

    def page(self, zone: Zone, after: str | None) -> Page:
        """As the service's."""
        return self._reader.page(zone, after)

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """As the service's."""
        return self._reader.names(zone, names)
