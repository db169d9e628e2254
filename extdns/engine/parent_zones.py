"""Find and read the zones in which the ownership records of a name are (docs/design/zone-names.md).

That of the name of a zone itself is in the parent zone, if that is managed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.claim import ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.value import group_by

if TYPE_CHECKING:
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.change import Decision
    from extdns.model.claim import NameClaim
    from extdns.model.record import DesiredRecord, OwnedRecord, Record
    from extdns.model.zone import Zone
    from extdns.planner.settings import PlanSettings
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
    """Return whether external-dns would keep the ownership records of *name* nowhere: outside *zone*, or too long."""
    ownership_name = registry.ownership_name(name)
    if ownership_name is None:
        return bool(registry.owner)
    return name == zone.name and not ownership_name.within(name)


def find_sharing_zones(zones: Zones, home: ZoneState, name: DnsName, registry: Registry) -> list[ZoneState]:
    """Return the zones other than *home* whose records at *name* have ownership records in common with those in *home*.

    These are all zones of the name if ownership records cover all. Else only the name of a zone itself has such zones:
    the parent zone, and other zones of the name below it.
    """
    found = zones.containing(name) if registry.covers_all_zones else []
    if below := zones.find_by_name(name):
        parent_or_home = find_parent_zone(zones, home, name, registry) or home
        found = [parent_or_home, *found]
        found += [one for one in below if find_parent_zone(zones, one, name, registry) is parent_or_home]
    return [zone_state for zone_state in dict.fromkeys(found) if zone_state is not home]


def shares_ownership(zones: Zones, name: DnsName, registry: Registry) -> bool:
    """Return whether records at *name* of several zones may have ownership records in common."""
    return bool(zones.find_by_name(name)) or (registry.covers_all_zones and len(zones.containing(name)) > 1)


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
    if not records:
        return ()
    found = [owned for owned in registry.read(records, zone) if owned.record.name == name]
    return tuple([owned if owned.is_unambiguous else replace(owned, is_ours=False) for owned in found])


def check_shared(
    found: Sequence[tuple[ZoneState, tuple[OwnedRecord, ...]]],
    name: DnsName,
    claims: Iterable[NameClaim],
    former: Iterable[Decision],
    settings: PlanSettings,
) -> list[tuple[OwnedRecord, ...]]:
    """Return the records of *found*, as foreign where an ownership record in another zone proves nothing.

    It may have been written for the record of another zone only, or for one that was not created. *found* are the
    records of *name* in each of the zones that have ownership records in common, and *former* the last decisions.
    """
    resolved = group_by([one for one in claims if isinstance(one, ResolvedClaim)], lambda one: one.desired.key)
    last = {(one.zone, one.current.key): one.current for one in former if one.current}
    ours = group_by([one for _, records in found for one in records if one.is_ours], lambda one: one.key)
    is_of_zone = any(zone_state.zone.name == name for zone_state, _ in found)

    def is_as_requested(owned: OwnedRecord) -> bool:
        own = [
            one.desired
            for one in resolved.get(owned.key, ())
            if settings.is_requested_by(owned, (one.provenance.ref.key.namespace,))
        ]
        return {*owned.record.targets} == {target for one in own for target in one.targets}

    def is_proven(zone_state: ZoneState, owned: OwnedRecord, created: Iterable[DesiredRecord]) -> bool:
        targets, seen = owned.record.targets, zone_state.seen.get(name)
        texts = [text for text in owned.ownership_records if not rrtype.is_row(text.type)]
        if any(text.name.within(name if is_of_zone else zone_state.zone.name) for text in texts):
            return True  # inside the zone, it is shared with no other
        before = last.get((zone_state.zone, owned.key))
        if before and seen is not None and not before.is_ours and before.owner == owned.owner:
            return False  # foreign, whoever requests it now
        if (before and before.is_ours) or is_as_requested(owned):
            return True
        if seen is not None and not before and owned.key not in seen:  # some services create each target by itself
            return any({*targets} <= {*desired.targets} for desired in created)
        return all(other.record.targets == targets for other in ours[owned.key])  # with this one

    checked: list[tuple[OwnedRecord, ...]] = []
    for zone_state, records in found:
        created = group_by(zone_state.queue.list_created(name), lambda one: one.key)
        checked.append(
            tuple(
                [
                    one
                    if not one.is_ours or is_proven(zone_state, one, created.get(one.key, ()))
                    else replace(one, is_ours=False, is_unambiguous=False)
                    for one in records
                ]
            )
        )
    return checked
