"""Choose what is written first if ownership records are in the parent zone (docs/design/zone-names.md).

That is so for the name of a zone itself if the parent zone is managed. One call cannot write two zones, so the first
write is made, and the name is planned again::

    create, update   the ownership record, if it has to change; then the record
    delete           the record; then the ownership record, which covers no record any more
"""

from __future__ import annotations

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked, ChangeSet, Create, Write
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, Record, restate_record


def select_writes(complete: ChangeSet, elsewhere: tuple[OwnedRecord, ...]) -> ChangeSet | Blocked:
    """Return the change set with those writes of *complete* that are made now, all in one zone.

    An ownership record is not deleted if a record *elsewhere*, in the zones that share ownership records with this one,
    needs it. A change set whose ownership record would make a foreign record there ours is blocked.
    """
    parent = complete.parent
    if not (elsewhere or parent):
        return complete
    changed = {change.key for change in complete.changes}
    covered = changed & {owned.key for owned in elsewhere if not owned.is_ours}
    is_created = any(isinstance(one, Create) and one.key in covered for one in complete.changes)
    texts = [one for one in complete.writes if one.new and one.key not in changed] if covered else []
    if any(one.old is None or (is_created and rrtype.is_row(one.key.type)) for one in texts):
        detail = f"its ownership record would also cover the record {min(covered).type} of another zone"
        return Blocked(reason=Reason.NO_OWNERSHIP_NAME, detail=detail)

    def needs(owned: OwnedRecord, text: Record) -> bool:
        return owned.is_ours if rrtype.is_row(text.type) else parent is None

    needed = {one.key for owned in elsewhere for one in owned.ownership_records if needs(owned, one)} - changed
    kept = [_keep(one) if one.key in needed and not one.new else one for one in complete.writes]
    complete = replace(complete, writes=tuple([one for one in kept if one]))
    if parent is None:
        return complete
    inside = tuple([write for write in complete.writes if write.key.name.within(complete.zone.name)])
    first = [write for write in complete.writes if write not in inside and write.new and not _is_restated(write)]
    if first:
        return ChangeSet(zone=parent, name=complete.name, changes=(), writes=tuple(first))
    return replace(complete, writes=inside)


def _keep(write: Write) -> Write | None:
    """Return what is written instead of deleting an ownership record. That a row stays is checked by writing it."""
    return Write(old=write.old, new=restate_record(write.old)) if write.old and rrtype.is_row(write.key.type) else None


def _is_restated(write: Write) -> bool:
    return write.old is not None and write.new == restate_record(write.old)
