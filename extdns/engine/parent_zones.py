"""Find and read the zones in which the ownership records of a name are (docs/design/zone-names.md).

That of the name of a zone itself is in the parent zone, if that is managed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.model.dns_name import DnsName

if TYPE_CHECKING:
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.record import OwnedRecord, Record
    from extdns.model.zone import Zone
    from extdns.ports import Registry


def find_parent_zone(zones: Zones, home: ZoneState, name: DnsName, registry: Registry) -> ZoneState | None:
    """Return the parent zone of *home* that holds the ownership records of *name*; None if *home* does, or no zone.

    Only the ownership records of the name of a zone itself can be in another zone.
    """
    if name != home.zone.name:
        return None
    ownership_name = registry.ownership_name(name)
    if ownership_name is None or ownership_name.within(home.zone.name):
        return None
    found = [zone_state for zone_state in zones.containing(ownership_name) if home.zone.name != zone_state.zone.name]
    return next(
        (zone_state for zone_state in found if zone_state.zone.private is home.zone.private), next(iter(found), None)
    )


def lacks_ownership_name(zone: Zone, name: DnsName, registry: Registry) -> bool:
    """Return whether *name* is that of *zone*, and its ownership record would be outside with external-dns."""
    ownership_name = registry.ownership_name(name) if name == zone.name else None
    return ownership_name is not None and not ownership_name.within(name)


def find_sharing_zones(zones: Zones, home: ZoneState, name: DnsName, registry: Registry) -> list[ZoneState]:
    """Return the zones other than *home* whose records at *name* have ownership records in common with those in *home*.

    Only the name of a zone itself has such zones: the parent zone, and other zones of the name below it.
    """
    below = zones.find_by_name(name)
    if not below:
        return []
    parent_or_home = find_parent_zone(zones, home, name, registry) or home
    found = [
        zone_state for zone_state in below if find_parent_zone(zones, zone_state, name, registry) is parent_or_home
    ]
    return [zone_state for zone_state in (parent_or_home, *found) if zone_state is not home]


def read_parent_zone(parent: ZoneState, zone_state: ZoneState, related: Iterable[str]) -> list[Record]:
    """Return the records of the zone *parent* at those *related* names that are outside the zone of *zone_state*."""
    outside = [name for name in map(DnsName, sorted(related)) if not name.within(zone_state.zone.name)]
    return [record for name in outside for record in parent.cache.records(name)]


def read_records(zones: Zones, zone_state: ZoneState, name: DnsName, registry: Registry) -> list[Record]:
    """Return the records of *name* in *zone_state* and those of its related names, also in the parent zone."""
    related = registry.related_names(name, zone_state.zone)
    records = zone_state.cache.records_around(name, related)
    if parent := find_parent_zone(zones, zone_state, name, registry):
        records += read_parent_zone(parent, zone_state, related)
    return records


def read_owned(registry: Registry, records: Sequence[Record], name: DnsName, zone: Zone) -> tuple[OwnedRecord, ...]:
    """Return those of *records* that are at *name* of *zone*, with their ownership.

    A record is foreign if its ownership record may belong to another record: external-dns counts such an ownership
    record for the other record only.
    """
    read = registry.read(records, zone) if records else ()
    found = [owned for owned in read if owned.record.name == name]
    return tuple([owned if owned.is_unambiguous else replace(owned, is_ours=False) for owned in found])
