"""Build the writes of one change set: its records, and the ownership records that cover them.

See docs/spec/plan.md 3.2.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.change import Blocked, ChangeSet, Create, Delete, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import (
    OWNED_RECORD,
    OWNER,
    DesiredRecord,
    OwnedRecord,
    Record,
    RecordKey,
    project_record,
    restate_record,
)
from extdns.model.value import StringMap
from registry.txt.naming import NamingFormat, build_apex_name
from registry.txt.ownership_index import (
    ENCODABLE_LABELS,
    NONCE_LABEL,
    OwnershipIndex,
    OwnershipRecord,
    build_index,
)


@dataclass(slots=True)
class DraftWrites:
    """The records before and after the changes of a change set, ownership records included.

    Attributes:
        deleted, updated: keys of the records that the change set deletes or updates.
        covered: keys of the records for which an ownership record in the newest format is written.
    """

    deleted: frozenset[RecordKey]
    updated: frozenset[RecordKey]
    old: dict[RecordKey, Record] = field(default_factory=dict[RecordKey, Record])
    new: dict[RecordKey, DesiredRecord] = field(default_factory=dict[RecordKey, DesiredRecord])
    covered: set[RecordKey] = field(default_factory=set[RecordKey])

    def list_writes(self) -> tuple[Write, ...]:
        """Return the writes, sorted by key, each key once."""
        keys = sorted(self.old.keys() | self.new.keys())
        return tuple([Write(old=self.old.get(key), new=self.new.get(key)) for key in keys])


def build_writes(change_set: ChangeSet, index: OwnershipIndex, *, states_record: bool) -> DraftWrites | Blocked:
    """Return the records before and after *change_set*, or why it is blocked.

    With *states_record*, the texts of ownership records state the record, because their names would be ambiguous.
    """
    draft = DraftWrites(
        deleted=frozenset(change.key for change in change_set.changes if isinstance(change, Delete)),
        updated=frozenset(change.key for change in change_set.changes if isinstance(change, Update)),
    )
    for change in change_set.changes:
        own = None if isinstance(change, Delete) else _choose_ownership_key(change.key, change_set, index)
        blocked = None if isinstance(change, Create) else _add_current(draft, change.current, own, change_set, index)
        if not blocked and not isinstance(change, Delete):
            blocked = _add_desired(draft, change, own, change_set, index, states_record=states_record)
        if blocked:
            return blocked
    return draft


def _add_current(
    draft: DraftWrites, current: OwnedRecord, own: RecordKey | None, change_set: ChangeSet, index: OwnershipIndex
) -> Blocked | None:
    """Remove *current*, and those of its ownership records but *own* that no record needs any more."""
    if not current.is_ours:
        return _block_foreign(current)
    draft.old[current.key] = current.record
    for record in current.ownership_records:
        draft.old[record.key] = record
        if record.key != own and (kept := _restate_needed(record, draft, change_set, index)):
            draft.new[record.key] = kept
    return None


def _add_desired(
    draft: DraftWrites,
    change: Create | Update,
    own: RecordKey | None,
    change_set: ChangeSet,
    index: OwnershipIndex,
    *,
    states_record: bool,
) -> Blocked | None:
    """Write the desired record of *change* and its ownership record *own*, in the place of leftover ones."""
    desired, key, creates = change.desired, change.key, isinstance(change, Create)
    lenient = index.settings.creates_without_ownership
    # The planner checks the records at the name for coexistence, but not the ownership records.
    texts = [one for one in index.list_rivals(key) if one.key in index.ownership_records] if creates else []
    if blocked := _free_key(draft, key, texts, index, for_name=key.name):
        return blocked
    draft.new[key] = desired
    if own is None:  # for an update, the existing ownership record is enough
        if lenient or not creates:
            return None
        detail = f"no name for the ownership record of {key}: the name would be longer than DNS allows"
        return Blocked(reason=Reason.NO_OWNERSHIP_NAME, detail=detail)
    rivals = index.list_rivals(own) if creates or own not in draft.old else ()
    if blocked := _free_key(draft, own, rivals, index, for_name=key.name):
        return None if creates and lenient and blocked.reason is Reason.OWNED_BY_OTHER else blocked
    old = draft.old.get(own)
    labels = _choose_labels(desired, own, change_set, index, states_record=states_record)
    if old and ((creates and lenient and not states_record) or _is_written_in_parent(own, labels, change_set, index)):
        draft.new[own] = restate_record(old)
    else:
        # The members of a weighted set must have one TTL: one that changes alone keeps that of the others.
        like = old if creates or own.set_identifier else None
        text = index.settings.codec.encode(labels)
        if text is None:
            return block_labels(key)
        draft.new[own] = DesiredRecord(
            name=own.name,
            type=own.type,
            targets=(text,),
            ttl_s=like.ttl_s if like else ttl.UNSET,
            set_identifier=own.set_identifier,
            properties=desired.properties,
        )
    draft.covered.add(key)
    return None


def _choose_ownership_key(key: RecordKey, change_set: ChangeSet, index: OwnershipIndex) -> RecordKey | None:
    """Return the key of the ownership record of *key*, None if there is no name for one.

    At the name of a zone, it is inside the zone if it is there already, or if the usual name is in no managed zone
    and no ownership record in an older format covers the record.
    """
    zone, parent = change_set.zone, change_set.parent
    name = index.settings.naming.build_name(key.name, key.type)
    if name and not (name.within(zone.name) or (parent and name.within(parent.name))):
        name = None
    if key.name == zone.name:
        inside = build_apex_name(key.name, key.type)
        covering = [match.ownership_record.record.name for match in index.matches.get(key, ())]
        creates = not (name or covering or index.settings.creates_without_ownership)
        if inside in covering or creates:
            name = inside
    return RecordKey(name, key.set_identifier, rrtype.TXT) if name else None


def _choose_labels(
    desired: DesiredRecord, own: RecordKey, change_set: ChangeSet, index: OwnershipIndex, *, states_record: bool
) -> StringMap:
    labels = desired.labels.without(OWNED_RECORD, NONCE_LABEL).set(OWNER, index.settings.owner)
    zone = change_set.zone.name
    is_inside_apex = desired.name == zone and own.name == build_apex_name(zone, desired.type)
    if states_record or is_inside_apex or index.settings.should_state_record(desired.name):
        return labels.set(OWNED_RECORD, desired.name)
    return labels


def _is_written_in_parent(own: RecordKey, labels: StringMap, change_set: ChangeSet, index: OwnershipIndex) -> bool:
    """Return whether the parent zone has the ownership record already, in plain text or encrypted as a new one.

    A newly encrypted text would differ, although its labels are equal.
    """
    if own.name.within(change_set.zone.name):
        return False
    found = index.ownership_records[own]
    return found.labels == labels and index.settings.codec.is_current(found.record.targets[0])


def _restate_needed(
    record: Record, draft: DraftWrites, change_set: ChangeSet, index: OwnershipIndex
) -> DesiredRecord | None:
    """Return the ownership record *record* as it stays if a record that remains needs it, else None."""
    ownership = index.ownership_records.get(record.key)
    remaining = _list_remaining(record.key, draft, index)
    if ownership is None or not any(_is_needed_by(key, ownership, draft, change_set, index) for key in remaining):
        return None
    owner, codec = index.settings.owner, index.settings.codec
    is_current = ownership.owner == owner and codec.is_current(record.targets[0])
    if not is_current and remaining <= draft.updated:
        text = codec.encode(ownership.labels.set(OWNER, owner))
        if text is not None:
            return replace(restate_record(record), targets=(text,))
    return restate_record(record)


def _is_needed_by(
    key: RecordKey, ownership: OwnershipRecord, draft: DraftWrites, change_set: ChangeSet, index: OwnershipIndex
) -> bool:
    """Return whether the record *key* still needs *ownership*.

    A record that has an ownership record in the newest format, or gets one by its update, does not need one in an
    older format whose name can also be an ownership name of another record: that record would seem to be ours.
    """
    matches, settings = index.matches[key], index.settings
    naming_format = next(match.format for match in matches if match.ownership_record is ownership)
    if naming_format is not NamingFormat.UNTYPED or not settings.naming.can_hold_type(
        ownership.record.name, settings.managed_types
    ):
        return True
    if matches[0].format is NamingFormat.CURRENT:
        return False
    return key not in draft.updated or _choose_ownership_key(key, change_set, index) is None


def _list_remaining(ownership_record: RecordKey, draft: DraftWrites, index: OwnershipIndex) -> set[RecordKey]:
    """Return the keys of our records that *ownership_record* covers and that the change set does not delete."""
    matched = index.matched_records.get(ownership_record, ())
    return {key for key in matched if key not in draft.deleted and index.is_ours(key)}


def _free_key(
    draft: DraftWrites, key: RecordKey, current: Iterable[Record], index: OwnershipIndex, *, for_name: DnsName
) -> Blocked | None:
    """Remove the ownership records of *for_name* that cover nothing and cannot coexist with a record at *key*.

    Return `Blocked` if any other record cannot coexist with the record at *key*. The ownership record of another name
    is not removed: what it covers may be in another zone, of a type that is not managed now, or unreadable.
    """
    for record in current:
        if record.name != key.name or _can_coexist(record, key):
            continue
        ownership = index.ownership_records.get(record.key)
        if ownership is None:
            reason = Reason.DUPLICATE_OWNERSHIP_NAME if index.is_ours(record.key) else Reason.NO_OWNERSHIP_NAME
            return Blocked(reason=reason, detail=f"{record.key} already exists, so {key} cannot be written")
        if not index.settings.is_our_owner(ownership.owner):
            detail = f"{record.key} is an ownership record of owner {ownership.owner!r}"
            return Blocked(reason=Reason.OWNED_BY_OTHER, detail=detail)
        names = _list_covered_names(ownership, index)
        remaining = _list_remaining(record.key, draft, index)
        if remaining or for_name not in names:
            covered = ", ".join(map(str, sorted(remaining))) or min(names, default="another name")
            hint = "" if remaining else "; delete it if that name has no record in any zone"
            detail = f"{record.key} is the ownership record of {covered}{hint}"
            return Blocked(reason=Reason.DUPLICATE_OWNERSHIP_NAME, detail=detail)
        draft.old[record.key] = record
    return None


def _list_covered_names(ownership: OwnershipRecord, index: OwnershipIndex) -> set[str]:
    """Return the names whose records *ownership* can cover: the stated one, else that after the type in its name."""
    if ownership.labels.has(OWNED_RECORD):
        return {ownership.labels.get(OWNED_RECORD)}
    types = (*rrtype.OWNABLE, *index.settings.managed_types)
    found = index.settings.naming.find_references(ownership.record.name, types)
    return {one.name for one in [one for one in found if one.type] or found}


def _can_coexist(one: Record, other: RecordKey) -> bool:
    """Return whether two record sets can exist at one name (RFC 1034 section 3.6.2).

    Record sets of one type coexist only if both are routed, with different set identifiers.
    """
    if one.type == other.type:
        return bool(one.set_identifier and other.set_identifier) and one.set_identifier != other.set_identifier
    return rrtype.CNAME not in {one.type, other.type}


def _block_foreign(current: OwnedRecord) -> Blocked:
    """Return `Blocked` for a change to a record that is not ours. The planner never plans such a change."""
    reason = Reason.FOREIGN_RECORD if current.owner is None else Reason.OWNED_BY_OTHER
    return Blocked(reason=reason, detail=f"{current.key} has no ownership record of ours")


def block_labels(key: RecordKey) -> Blocked:
    """Return `Blocked` for a record whose labels no ownership record can have."""
    return Blocked(
        reason=Reason.INVALID_ENDPOINT,
        detail=f"the labels of {key} do not fit into an ownership record; "
        f"allowed: {ENCODABLE_LABELS}, and no = in a key",
    )


def is_consistent(change_set: ChangeSet, index: OwnershipIndex, draft: DraftWrites) -> bool:
    """Return whether, after the writes, the desired records are ours and all other records keep their owner."""
    if not index.current:
        return True  # all writes are at one name without related records
    # An ownership record covers only records with its own set identifier.
    written = {key.set_identifier for key in (*draft.old, *draft.new)}
    before = [one for identifier in written for one in index.by_identifier.get(identifier, ())]
    records = [one for one in before if one.key not in draft.old]
    records += map(project_record, draft.new.values())
    after = build_index(records, change_set.zone.name, index.settings)
    if not all(map(after.is_ours, draft.updated | draft.covered)):
        return False
    if any(after.matches[key][0].format is not NamingFormat.CURRENT for key in draft.covered):
        return False
    changed = {change.key for change in change_set.changes}
    others = [one.key for one in before if one.key not in changed and one.key not in index.ownership_records]
    return all(after.get_owner(key) == index.get_owner(key) for key in others)
