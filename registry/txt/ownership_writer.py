"""Build the writes of one change set: its records, and the ownership records that cover them.

See docs/spec/plan.md 3.2.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.change import Blocked, Change, ChangeSet, Create, Delete, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OWNED_RECORD, OWNER, DesiredRecord, OwnedRecord, Record, RecordKey, restate_record
from registry.txt.naming import NamingFormat, build_apex_name
from registry.txt.ownership_index import (
    ENCODABLE_LABELS,
    NONCE_LABEL,
    OwnershipIndex,
    OwnershipRecord,
    TxtSettings,
)


class OwnershipWriter:
    """Builds the writes of one change set: collects the records before and after the changes, by key.

    Attributes:
        current: all records of the change set's name and of its related names.
        index: which ownership record among them covers which record.
        states_record: whether the texts of ownership records state the record, because their names would be ambiguous.
        matched: keys of the records for which an ownership record in the newest format is written.
    """

    __slots__ = ("change_set", "current", "index", "matched", "new", "old", "settings", "states_record")

    def __init__(
        self,
        *,
        settings: TxtSettings,
        change_set: ChangeSet,
        current: Sequence[Record],
        index: OwnershipIndex,
        states_record: bool,
    ) -> None:
        """Create a writer for *change_set*, without writes."""
        self.settings = settings
        self.change_set = change_set
        self.current = current
        self.index = index
        self.states_record = states_record
        self.old: dict[RecordKey, Record] = {}
        self.new: dict[RecordKey, DesiredRecord] = {}
        self.matched: set[RecordKey] = set()

    def build_writes(self) -> tuple[Write, ...] | Blocked:
        """Return the writes of the change set, sorted by key, each key once; or why it is blocked."""
        for change in self.change_set.changes:
            if blocked := self._add_change(change):
                return blocked
        old, new = self.old, self.new
        return tuple([Write(old=old.get(key), new=new.get(key)) for key in sorted(old.keys() | new.keys())])

    def _add_change(self, change: Change) -> Blocked | None:
        match change:
            case Delete():
                return self._add_delete(change.current)
            case Update():
                return self._add_update(change.current, change.desired)
            case Create():
                return self._add_create(change.desired)
            case _:
                assert_never(change)

    def _add_delete(self, current: OwnedRecord) -> Blocked | None:
        if not current.is_ours:
            return _block_foreign(current)
        self.old[current.key] = current.record
        for ownership in current.ownership_records:
            self._keep_or_remove(ownership)
        return None

    def _add_update(self, current: OwnedRecord, desired: DesiredRecord) -> Blocked | None:
        if not current.is_ours:
            return _block_foreign(current)
        self.old[current.key] = current.record
        self.new[desired.key] = desired
        own = self._find_ownership_key(desired.key)
        for ownership in current.ownership_records:
            if ownership.key == own:
                self.old[ownership.key] = ownership
            else:
                self._keep_or_remove(ownership)
        if own is None:  # the existing ownership record is enough
            return None
        if own not in self.old and (blocked := self._free_key(own, self.current)):
            return blocked
        # The members of a weighted set must have one TTL: one that changes alone keeps that of the others.
        return self._write_ownership_record(desired, own, self.old.get(own) if own.set_identifier else None)

    def _add_create(self, desired: DesiredRecord) -> Blocked | None:
        key = desired.key
        # The planner checks the records at the name for coexistence, but not the ownership records.
        if blocked := self._free_key(key, [ownership.record for ownership in self.index.ownership_records.values()]):
            return blocked
        self.new[key] = desired
        own = self._find_ownership_key(key)
        if own is None:
            return None if self.settings.creates_without_ownership else self._block_nameless(key)
        if blocked := self._free_key(own, self.current):
            others = blocked.reason is Reason.OWNED_BY_OTHER
            return None if others and self.settings.creates_without_ownership else blocked
        if own in self.old and self.settings.creates_without_ownership and not self.states_record:
            self.new[own] = restate_record(self.old[own])
            self.matched.add(key)
            return None
        return self._write_ownership_record(desired, own, self.old.get(own))

    def _find_ownership_key(self, key: RecordKey) -> RecordKey | None:
        """Return the key of the ownership record of *key*, None if there is no name for one.

        At the name of a zone, it is inside the zone if it is there already, or if the usual name is in no managed zone
        and no ownership record in an older format covers the record.
        """
        name = self.settings.naming.build_name(key.name, key.type)
        above = self.change_set.ownership_zone
        if name and not (self._is_inside(name) or (above and name.within(above.name))):
            name = None
        if key.name == self.change_set.zone.name:
            inside = build_apex_name(key.name, key.type)
            covering = [match.ownership_record.record.name for match in self.index.matches.get(key, ())]
            creates = not (name or covering or self.settings.creates_without_ownership)
            if inside in covering or creates:
                name = inside
        return RecordKey(name, key.set_identifier, rrtype.TXT) if name else None

    def _is_inside(self, name: DnsName) -> bool:
        return name.within(self.change_set.zone.name)

    def _write_ownership_record(self, desired: DesiredRecord, own: RecordKey, like: Record | None) -> Blocked | None:
        """Write the ownership record of *desired*, with the TTL of *like*, or the default TTL if *like* is None.

        Return `Blocked` if no text can hold the labels of *desired*.
        """
        labels = desired.labels.without(OWNED_RECORD, NONCE_LABEL).set(OWNER, self.settings.owner)
        is_inside_apex = own.name == build_apex_name(self.change_set.zone.name, desired.type)
        if self.states_record or is_inside_apex or self.settings.should_state_record(desired.name):
            labels = labels.set(OWNED_RECORD, desired.name)
        if own in self.old and not self._is_inside(own.name) and self.index.ownership_records[own].labels == labels:
            # The parent zone wrote it already; a newly encrypted text would differ, although its labels are equal.
            self.new[own] = restate_record(self.old[own])
            self.matched.add(desired.key)
            return None
        text = self.settings.codec.encode(labels)
        if text is None:
            return Blocked(
                reason=Reason.INVALID_ENDPOINT,
                detail=f"the labels of {_format_key(desired.key)} do not fit into an ownership record; "
                f"allowed: {ENCODABLE_LABELS}",
            )
        self.new[own] = DesiredRecord(
            name=own.name,
            type=own.type,
            targets=(text,),
            ttl_s=ttl.UNSET if like is None else like.ttl_s,
            set_identifier=own.set_identifier,
            properties=desired.properties,
        )
        self.matched.add(desired.key)
        return None

    def _keep_or_remove(self, record: Record) -> None:
        """Plan to keep the ownership record *record* if a record that remains still needs it, else to remove it."""
        self.old[record.key] = record
        ownership = self.index.ownership_records.get(record.key)
        remaining = self._find_remaining(record.key)
        if ownership is None or not any(self._is_needed_by(key, ownership) for key in remaining):
            return
        updated = {change.key for change in self.change_set.changes if isinstance(change, Update)}
        self.new[record.key] = restate_record(record)
        if ownership.owner != self.settings.owner and updated.issuperset(remaining):
            text = self.settings.codec.encode(ownership.labels.set(OWNER, self.settings.owner))
            if text is not None:
                self.new[record.key] = replace(restate_record(record), targets=(text,))

    def _is_needed_by(self, key: RecordKey, ownership_record: OwnershipRecord) -> bool:
        """Return whether the record *key* still needs *ownership_record*.

        A record that has an ownership record in the newest format, or gets one by its update, does not need one in an
        older format whose name can also be an ownership name of another record: that record would seem to be ours.
        """
        matches = self.index.matches[key]
        naming_format = next(match.format for match in matches if match.ownership_record is ownership_record)
        if naming_format is not NamingFormat.UNTYPED or not self.settings.naming.can_hold_type(
            ownership_record.record.name, self.settings.managed_types
        ):
            return True
        if self.index.matches[key][0].format is NamingFormat.CURRENT:
            return False
        return not any(isinstance(change, Update) and change.key == key for change in self.change_set.changes) or (
            self._find_ownership_key(key) is None
        )

    def _find_remaining(self, ownership_record: RecordKey) -> set[RecordKey]:
        """Return the keys of our records that *ownership_record* covers and that this change set does not delete."""
        gone = {change.key for change in self.change_set.changes if isinstance(change, Delete)}
        return {
            key
            for key in self.index.matched_records.get(ownership_record, ())
            if key not in gone and self._is_ours(key)
        }

    def _is_ours(self, key: RecordKey) -> bool:
        return any(
            self.settings.is_our_owner(match.ownership_record.owner) for match in self.index.matches.get(key, ())[:1]
        )

    def _free_key(self, key: RecordKey, current: Iterable[Record]) -> Blocked | None:
        """Plan to remove the ownership records of ours that cover nothing and cannot coexist with a record at *key*.

        Return `Blocked` if any other record cannot coexist with the record at *key*.
        """
        for record in current:
            if record.name != key.name or _can_coexist(record.key, key):
                continue
            ownership = self.index.ownership_records.get(record.key)
            if ownership is None or not self.settings.is_our_owner(ownership.owner) or self._find_remaining(record.key):
                return self._block_occupied(key, record, ownership)
            self.old[record.key] = record
        return None

    def _block_occupied(self, key: RecordKey, record: Record, ownership_record: OwnershipRecord | None) -> Blocked:
        if ownership_record is None:
            reason = Reason.DUPLICATE_OWNERSHIP_NAME if self._is_ours(record.key) else Reason.NO_OWNERSHIP_NAME
            return Blocked(
                reason=reason,
                detail=f"{_format_key(record.key)} already exists, so {_format_key(key)} cannot be written",
            )
        if not self.settings.is_our_owner(ownership_record.owner):
            detail = f"{_format_key(record.key)} is an ownership record of owner {ownership_record.owner!r}"
            return Blocked(reason=Reason.OWNED_BY_OTHER, detail=detail)
        proved = ", ".join(_format_key(other) for other in sorted(self._find_remaining(record.key)))
        return Blocked(
            reason=Reason.DUPLICATE_OWNERSHIP_NAME,
            detail=f"{_format_key(record.key)} is the ownership record of {proved}",
        )

    def _block_nameless(self, key: RecordKey) -> Blocked:
        return Blocked(
            reason=Reason.NO_OWNERSHIP_NAME,
            detail=f"no name for the ownership record of {_format_key(key)}: the name would be longer than DNS allows",
        )


def _can_coexist(one: RecordKey, other: RecordKey) -> bool:
    """Return whether two record sets can exist at one name (RFC 1034 section 3.6.2).

    Record sets of one type coexist only if both are routed, with different set identifiers.
    """
    if one.type == other.type:
        return bool(one.set_identifier and other.set_identifier) and one.set_identifier != other.set_identifier
    return rrtype.CNAME not in {one.type, other.type}


def _block_foreign(current: OwnedRecord) -> Blocked:
    """Return `Blocked` for a change to a record that is not ours. The planner never plans such a change."""
    reason = Reason.FOREIGN_RECORD if current.owner is None else Reason.OWNED_BY_OTHER
    return Blocked(reason=reason, detail=f"{_format_key(current.key)} has no ownership record of ours")


def _format_key(key: RecordKey) -> str:
    routed = f" ({key.set_identifier})" if key.set_identifier else ""
    return f"{key.type} {key.name}{routed}"
