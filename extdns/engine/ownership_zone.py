"""Plan ownership records that lie in the zone above that of their records (docs/design/zone-names.md).

That is so for the name of a zone itself. One call cannot write two zones, so such a name is planned in two parts::

    create, update   the ownership record above, if it has to change;   then, planned again, the record
    delete           the record;                                        then, planned again, the ownership record
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record, restate_record
from extdns.model.value import Value
from extdns.model.wait import ZONES, Awaited, Wait

if TYPE_CHECKING:
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.ports import Registry


class SharingZones(NamedTuple):
    """The zones in which the ownership records of a name matter, without the zone in which the name is planned.

    Only the name of a zone itself has such zones.

    Attributes:
        above: the zone that holds the ownership records, None if the name's own zone does.
        all: the zones whose records at the name have ownership records in common with those of its own zone: the zone
            above, and other zones of the name below it.
    """

    above: ZoneState | None = None
    all: tuple[ZoneState, ...] = ()


NO_SHARING: Final = SharingZones()


def find_zone_above(zones: Zones, home: ZoneState, name: DnsName, registry: Registry) -> ZoneState | None:
    """Return the zone other than *home* that holds the ownership records of *name*; None if there is none.

    Only the ownership records of the name of a zone itself can be in another zone.
    """
    if name != home.zone.name:
        return None
    ownership_name = registry.ownership_name(name)
    if ownership_name is None or ownership_name.within(home.zone.name):
        return None
    found = [state for state in zones.containing(ownership_name) if home.zone.name != state.zone.name]
    return next((state for state in found if state.zone.private is home.zone.private), next(iter(found), None))


def find_sharing_zones(zones: Zones, home: ZoneState, name: DnsName, registry: Registry) -> SharingZones:
    """Return the zones other than *home* in which the ownership records of *name* matter."""
    above = find_zone_above(zones, home, name, registry)
    holder = above or home
    below = [state for state in zones.find_by_name(name) if find_zone_above(zones, state, name, registry) is holder]
    return SharingZones(above, tuple(state for state in (holder, *below) if state is not home))


class Parts(Value, frozen=True, kw_only=True):
    """The change sets of one name, by the zone in which they are written.

    Attributes:
        home: change sets of the zone that holds the records.
        above: change sets of the zone that holds their ownership records.
        waiting: complete change sets that wait until *above* was written.
        leftovers: ownership records whose records no longer exist once *home* is written.
    """

    home: tuple[ChangeSet, ...]
    above: tuple[ChangeSet, ...] = ()
    waiting: tuple[ChangeSet, ...] = ()
    leftovers: tuple[Record, ...] = ()


def read_above(above: ZoneState, zone: ZoneState, related: Iterable[str]) -> list[Record]:
    """Return the records of the zone *above* at those *related* names that do not end with the name of *zone*."""
    outside = [name for name in map(DnsName, sorted(related)) if not name.within(zone.zone.name)]
    return [record for name in outside for record in above.cache.records(name)]


def read_ours(zones: Zones, name: DnsName, registry: Registry) -> Iterator[OwnedRecord]:
    """Yield our records of *name* in its zones."""
    related = registry.related_names(name)
    for zone in zones.containing(name):
        records = zone.cache.records_around(name, related)
        if above := find_zone_above(zones, zone, name, registry):
            records += read_above(above, zone, related)
        yield from (one for one in registry.read(records) if one.is_ours and one.record.name == name)


def find_unread(zones: Zones, names: Iterable[DnsName]) -> tuple[Blocked, Wait] | None:
    """Return why our records at one of *names* are unknown, and what would change that; None if they are known.

    A zone of the name was not fully read, or its zone may be of an account whose zones are unknown.
    """
    unknown = ", ".join(account or "the account" for account in zones.unknown_accounts)
    for name in names:
        found = zones.containing(name)
        if unknown and not found:
            return Blocked(reason=Reason.ZONES_UNKNOWN, detail=f"{name} may be in one of the zones of {unknown}"), ZONES
        for zone in found:
            if not zone.cache.is_complete:
                block = Blocked(reason=Reason.ZONE_UNREAD, detail=f"zone {zone.zone} of {name} was not read")
                return block, Wait(Awaited.ZONE, zone.zone.id)
    return None


def respect_elsewhere(
    sets: Iterable[ChangeSet], elsewhere: Iterable[OwnedRecord]
) -> tuple[list[ChangeSet], dict[RecordKey, Blocked]]:
    """Return *sets* without the writes that would change the owner of a record in another zone.

    An ownership record that another zone's record needs is not deleted; `split_sets` deletes it after that record. A
    change set whose ownership record would make a foreign record of another zone ours is blocked.

    Args:
        sets: complete change sets of one name.
        elsewhere: the records of the name in the zones that have ownership records in common with this one.

    Returns:
        The change sets that can be made, and, by record key, why the others cannot.
    """
    needed = {one.key for owned in elsewhere for one in owned.ownership_records}
    foreign = {owned.key for owned in elsewhere if not owned.is_ours}
    possible: list[ChangeSet] = []
    blocks: dict[RecordKey, Blocked] = {}
    for one in sets:
        changed = {change.key for change in one.changes}
        creates_owner = any(write.old is None and write.key not in changed for write in one.writes)
        if creates_owner and (covered := changed & foreign):
            detail = f"its ownership record would also cover the record {min(covered).type} of another zone"
            blocks |= dict.fromkeys(changed, Blocked(reason=Reason.NO_OWNERSHIP_NAME, detail=detail))
        else:
            writes = [write for write in one.writes if write.new or write.key in changed or write.key not in needed]
            possible.append(replace(one, writes=tuple(writes)) if one.ownership_zone is None else one)
    return possible, blocks


def split_sets(sets: Sequence[ChangeSet], above: ZoneState, name: DnsName, proved: Iterable[OwnedRecord]) -> Parts:
    """Select the part of *sets* that is written now, and split it by zone.

    If *sets* is empty, return change sets that delete the leftover ownership records of *name* (`Parts.leftovers`).

    Args:
        sets: all change sets of *name*, with ownership records.
        above: the zone that holds the ownership records.
        name: the planned name, which is also that of a zone.
        proved: the records of *name* in all zones that use the same ownership records; those that one of
            these still uses are not deleted.
    """
    if not sets:
        return Parts(home=(), above=_clean_up(above, name, proved), leftovers=_find_leftovers(above, name))
    home: list[ChangeSet] = []
    waiting: list[ChangeSet] = []
    first: list[Write] = []
    leftovers: list[Record] = []
    for one in sets:
        inside = tuple(write for write in one.writes if write.key.name.within(one.zone.name))
        outside = [write for write in one.writes if write not in inside]
        if missing := [write for write in outside if write.new and not _is_restated(write)]:
            first += missing
            waiting.append(one)
        else:
            home.append(replace(one, writes=inside))
            leftovers += [write.old for write in outside if write.old and write.new is None]
    made = (ChangeSet(zone=above.zone, name=name, changes=(), writes=tuple(first)),) if first else ()
    return Parts(home=tuple(home), above=made, waiting=tuple(waiting), leftovers=tuple(leftovers))


def _is_restated(write: Write) -> bool:
    return write.old is not None and write.new == restate_record(write.old)


def _find_leftovers(above: ZoneState, name: DnsName) -> tuple[Record, ...]:
    """Return the ownership records of *name* that still exist although their records were deleted."""
    return tuple(record for record in above.leftovers.get(name, ()) if record in above.cache.records(record.name))


def _clean_up(above: ZoneState, name: DnsName, proved: Iterable[OwnedRecord]) -> tuple[ChangeSet, ...]:
    """Return change sets that delete the ownership records of *name* whose records were deleted."""
    proving = {one.key for owned in proved for one in owned.ownership_records}
    left = [record for record in _find_leftovers(above, name) if record.key not in proving]
    return tuple(
        ChangeSet(zone=above.zone, name=name, changes=(), writes=(Write(old=record, new=None),))
        for record in sorted(left, key=lambda record: record.key)
    )
