"""Changes become writes, marks included (spec plan 3.2.6 to 3.2.8, design 2 laws 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from msgspec.structs import replace

from extdns.model import rrtype, ttl
from extdns.model.change import Blocked, Change, ChangeSet, Create, Delete, Update, Write
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import OWNER, Endpoint, Record, RecordKey, restated
from registry.txt.heritage import CARRIED, NONCE, OWNED_RECORD
from registry.txt.ledger import Ledger, Mark
from registry.txt.naming import Form
from registry.txt.terms import Terms


class Completion:
    """Collects what must stand before and what shall stand after, by key; good for one change set.

    Attributes:
        held: all records of the change set's name and of its kin, and what the marks among them prove.
        stating: whether marks say which record they are for, because their names alone would not do.
        marked: keys of the records whose mark in today's naming is written.
    """

    __slots__ = ("change_set", "held", "ledger", "marked", "new", "old", "stating", "terms")

    def __init__(
        self, *, terms: Terms, change_set: ChangeSet, held: Sequence[Record], ledger: Ledger, stating: bool
    ) -> None:
        """Start with nothing to write."""
        self.terms = terms
        self.change_set = change_set
        self.held = held
        self.ledger = ledger
        self.stating = stating
        self.old: dict[RecordKey, Record] = {}
        self.new: dict[RecordKey, Endpoint] = {}
        self.marked: set[RecordKey] = set()

    def writes(self) -> tuple[Write, ...] | Blocked:
        """The writes of the change set, sorted by key, each key once."""
        for change in self.change_set.changes:
            if blocked := self._take(change):
                return blocked
        old, new = self.old, self.new
        return tuple([Write(old=old.get(key), new=new.get(key)) for key in sorted(old.keys() | new.keys())])

    def _take(self, change: Change) -> Blocked | None:
        match change:
            case Delete():
                return self._delete(change.held)
            case Update():
                return self._update(change.held, change.wanted)
            case Create():
                return self._create(change.wanted)
            case _:
                assert_never(change)

    def _delete(self, held: Owned) -> Blocked | None:
        if not held.ours:
            return _not_ours(held)
        self.old[held.key] = held.record
        for mark in held.marks:
            self._carry(mark)
        return None

    def _update(self, held: Owned, wanted: Endpoint) -> Blocked | None:
        if not held.ours:
            return _not_ours(held)
        self.old[held.key] = held.record
        self.new[wanted.key] = wanted
        own = self._mark_key(wanted.key)
        for mark in held.marks:
            if mark.key == own:
                self.old[mark.key] = mark
            else:
                self._carry(mark)
        if own is None:  # the mark by which it is ours must do
            return None
        if own not in self.old and (blocked := self._make_room(own, self.held)):
            return blocked
        # The members of a weighted set must have one TTL: one that changes alone keeps that of the others.
        return self._mark(wanted, own, self.old.get(own) if own.set_identifier else None)

    def _create(self, wanted: Endpoint) -> Blocked | None:
        key = wanted.key
        # The planner knows the records at the name, but not the marks.
        if blocked := self._make_room(key, [mark.record for mark in self.ledger.marks.values()]):
            return blocked
        self.new[key] = wanted
        own = self._mark_key(key)
        if own is None:
            return None if self.terms.unmarked_creates else self._nameless(key)
        if blocked := self._make_room(own, self.held):
            others = blocked.reason is Reason.OWNED_BY_OTHER
            return None if others and self.terms.unmarked_creates else blocked
        if own in self.old and self.terms.unmarked_creates and not self.stating:
            self.new[own] = restated(self.old[own])
            self.marked.add(key)
            return None
        return self._mark(wanted, own, self.old.get(own))

    def _mark_key(self, key: RecordKey) -> RecordKey | None:
        """The key of the mark of *key* in today's naming, None if none can be there."""
        name = self.terms.naming.today(key.name, key.type)
        if name is None or not name.within(self.change_set.zone.name):
            return None
        return RecordKey(name, key.set_identifier, rrtype.TXT)

    def _mark(self, wanted: Endpoint, own: RecordKey, like: Record | None) -> Blocked | None:
        """Write the mark of *wanted*, with the TTL of *like* or else that of the service."""
        labels = wanted.labels.without(OWNED_RECORD, NONCE).set(OWNER, self.terms.owner)
        if self.stating or self.terms.states(wanted.name):
            labels = labels.set(OWNED_RECORD, wanted.name)
        text = self.terms.codec.encode(labels)
        if text is None:
            return Blocked(
                reason=Reason.INVALID_ENDPOINT,
                detail=f"the labels of {_named(wanted.key)} do not fit into an ownership mark; allowed: {CARRIED}",
            )
        self.new[own] = Endpoint(
            name=own.name,
            type=own.type,
            targets=(text,),
            ttl_s=ttl.UNSET if like is None else like.ttl_s,
            set_identifier=own.set_identifier,
            properties=wanted.properties,
        )
        self.marked.add(wanted.key)
        return None

    def _carry(self, record: Record) -> None:
        """Keep the mark *record* as long as it is needed, else remove it, in the form it was read."""
        self.old[record.key] = record
        mark = self.ledger.marks.get(record.key)
        remaining = self._remaining(record.key)
        if mark is None or not any(self._needs(key, mark) for key in remaining):
            return
        updated = {change.key for change in self.change_set.changes if isinstance(change, Update)}
        self.new[record.key] = restated(record)
        if mark.owner != self.terms.owner and updated.issuperset(remaining):
            text = self.terms.codec.encode(mark.labels.set(OWNER, self.terms.owner))
            if text is not None:
                self.new[record.key] = replace(restated(record), targets=(text,))

    def _needs(self, key: RecordKey, mark: Mark) -> bool:
        """Tell whether the record *key* keeps *mark* alive.

        Once a record has a mark of its own, an old one whose name also fits another record goes:
        nothing would tell any more that it is not the other's.
        """
        form = next(proof.form for proof in self.ledger.proofs[key] if proof.mark is mark)
        if form is not Form.UNTYPED or not self.terms.naming.may_be_typed(mark.record.name, self.terms.types):
            return True
        if self.ledger.proofs[key][0].form is Form.TODAY:
            return False
        return not any(isinstance(change, Update) and change.key == key for change in self.change_set.changes) or (
            self._mark_key(key) is None
        )

    def _remaining(self, mark: RecordKey) -> set[RecordKey]:
        """The records that this change set leaves and that are ours by *mark*, maybe among others."""
        gone = {change.key for change in self.change_set.changes if isinstance(change, Delete)}
        return {key for key in self.ledger.proved.get(mark, ()) if key not in gone and self._is_ours(key)}

    def _is_ours(self, key: RecordKey) -> bool:
        return any(self.terms.mine(proof.mark.owner) for proof in self.ledger.proofs.get(key, ())[:1])

    def _make_room(self, key: RecordKey, held: Iterable[Record]) -> Blocked | None:
        """Clear the place of *key* of marks of ours that prove nothing; whatever else is there blocks."""
        for record in held:
            if record.name != key.name or _coexist(record.key, key):
                continue
            mark = self.ledger.marks.get(record.key)
            if mark is None or not self.terms.mine(mark.owner) or self._remaining(record.key):
                return self._occupied(key, record, mark)
            self.old[record.key] = record
        return None

    def _occupied(self, key: RecordKey, record: Record, mark: Mark | None) -> Blocked:
        if mark is None:
            reason = Reason.MARK_CLASH if self._is_ours(record.key) else Reason.NO_OWNERSHIP_NAME
            return Blocked(reason=reason, detail=f"{_named(record.key)} stands where {_named(key)} must be")
        if not self.terms.mine(mark.owner):
            detail = f"{_named(record.key)} is a mark of owner {mark.owner!r}"
            return Blocked(reason=Reason.OWNED_BY_OTHER, detail=detail)
        proved = ", ".join(_named(other) for other in sorted(self._remaining(record.key)))
        return Blocked(reason=Reason.MARK_CLASH, detail=f"{_named(record.key)} is the mark of {proved}")

    def _nameless(self, key: RecordKey) -> Blocked:
        name = self.terms.naming.today(key.name, key.type)
        why = f"{name} lies outside the zone {self.change_set.zone}" if name else "it would be longer than DNS allows"
        return Blocked(reason=Reason.NO_OWNERSHIP_NAME, detail=f"no name for the mark of {_named(key)}: {why}")


def _coexist(one: RecordKey, other: RecordKey) -> bool:
    """Tell whether two record sets can stand at one name (RFC 1034 section 3.6.2; routed beside routed only)."""
    if one.type == other.type:
        return bool(one.set_identifier and other.set_identifier) and one.set_identifier != other.set_identifier
    return rrtype.CNAME not in {one.type, other.type}


def _not_ours(held: Owned) -> Blocked:
    """The planner does not ask for this; law 1 holds all the same."""
    reason = Reason.FOREIGN_RECORD if held.owner is None else Reason.OWNED_BY_OTHER
    return Blocked(reason=reason, detail=f"{_named(held.key)} is not marked as ours")


def _named(key: RecordKey) -> str:
    routed = f" ({key.set_identifier})" if key.set_identifier else ""
    return f"{key.type} {key.name}{routed}"
