"""Plan ownership records that lie in the parent zone, above that of their records (docs/design/zone-names.md).

That is so for the name of a zone itself if the parent zone is managed. One call cannot write two zones, so such a name
is planned in two parts::

    create, update   the ownership record above, if it has to change;   then, planned again, the record
    delete           the record;                                        then, planned again, the ownership record
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, Record, RecordKey, restate_record
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.planner.view import NameView


class Parts(Value, frozen=True, kw_only=True):
    """The change sets of one name, by the zone in which they are written.

    Attributes:
        home: change sets of the zone that holds the records.
        parent: change sets of the zone that holds their ownership records.
        waiting: complete change sets that wait until *parent* was written.
        leftovers: ownership records whose records no longer exist once *home* is written.
    """

    home: tuple[ChangeSet, ...]
    parent: tuple[ChangeSet, ...] = ()
    waiting: tuple[ChangeSet, ...] = ()
    leftovers: tuple[Record, ...] = ()


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


def split_sets(sets: Sequence[ChangeSet], parent: Zone, view: NameView) -> Parts:
    """Select the part of *sets* that is written now, and split it by zone.

    If *sets* is empty, return change sets that delete the leftover ownership records of the name (`Parts.leftovers`).

    Args:
        sets: all change sets of the name, with ownership records.
        parent: the zone that holds the ownership records.
        view: the name, which is also that of a zone.
    """
    if not sets:
        return Parts(home=(), parent=_clean_up(parent, view), leftovers=view.leftovers)
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
    made = (ChangeSet(zone=parent, name=view.name, changes=(), writes=tuple(first)),) if first else ()
    return Parts(home=tuple(home), parent=made, waiting=tuple(waiting), leftovers=tuple(leftovers))


def _is_restated(write: Write) -> bool:
    return write.old is not None and write.new == restate_record(write.old)


def _clean_up(parent: Zone, view: NameView) -> tuple[ChangeSet, ...]:
    """Return change sets that delete the ownership records of the name whose records were deleted.

    Those that a record in any zone still uses are not deleted.
    """
    proving = {one.key for owned in (*view.current, *view.elsewhere) for one in owned.ownership_records}
    left = [record for record in view.leftovers if record.key not in proving]
    return tuple(
        ChangeSet(zone=parent, name=view.name, changes=(), writes=(Write(old=record, new=None),))
        for record in sorted(left, key=lambda record: record.key)
    )
