"""The port: reading, completing and the names around a name (spec plan 3.2, design 4 "Registry")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from extdns.errors import UsageError, shown
from extdns.model.change import Blocked, ChangeSet, Update, Write
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import OWNER, RESOURCE, Record, RecordKey, foreseen_record
from extdns.model.rrtype import TXT
from registry.txt.completion import Completion
from registry.txt.heritage import CARRIED, OWNED_RECORD, MarkText, PlainText, is_sealed
from registry.txt.kinship import Kinship
from registry.txt.ledger import Ledger, Proof, survey
from registry.txt.naming import Form, Naming
from registry.txt.terms import Terms

_REMEMBERED_NAMES = 64  # names that change together; a full pass would not profit from more
_MARKS_ONLY = {"mark", "owner"}
_NOT_OF_OBJECTS = (OWNER, OWNED_RECORD)
_OF_NO_OBJECT = (*_NOT_OF_OBJECTS, RESOURCE)


class TxtRegistry:
    """Proves ownership by TXT records beside the records they are for."""

    def __init__(
        self,
        *,
        owner: str,
        naming: Naming,
        managed_types: frozenset[str],
        migrate_from: str = "",
        unmarked_creates: bool = False,
        codec: MarkText | None = None,
    ) -> None:
        """Take the settings.

        Args:
            owner: our owner id.
            naming: how marks are named.
            managed_types: types whose records may be ours.
            migrate_from: owner whose records count as ours until they carry our id, "" for none.
            unmarked_creates: as `Terms.unmarked_creates`.
            codec: how marks are written, None for plain text.

        Raises:
            UsageError: *owner* is empty or cannot be read back from a mark.
        """
        codec = codec or PlainText()
        if not owner or codec.encode(Pairs.of({OWNER: owner})) is None:
            raise UsageError(f"--txt-owner-id={shown(owner)} cannot be put into a mark\n  allowed: {CARRIED}")
        self._terms = Terms(
            owner=owner,
            previous=migrate_from,
            naming=naming,
            types=managed_types,
            codec=codec,
            unmarked_creates=unmarked_creates,
        )
        self._kin = lru_cache(maxsize=_REMEMBERED_NAMES)(Kinship(naming, managed_types).of)

    @property
    def owner(self) -> str:
        """Our owner id."""
        return self._terms.owner

    def related(self, name: DnsName) -> tuple[DnsName, ...]:
        """Names whose records decide about *name*, or the other way round; each once, without *name*."""
        return self._kin(name)

    def read(self, records: Iterable[Record]) -> tuple[Owned, ...]:
        """The records that are no marks, with their ownership, sorted by key (spec plan 3.2.5).

        Records of unmanaged types are nobody's. Under migration, a record of the old owner is ours
        and still names that owner.
        """
        ledger = self._survey(tuple(records))
        texts = {record.key: record for record in ledger.records if record.type == TXT}
        found = [
            self._owned(record, proofs) if (proofs := ledger.proofs.get(record.key)) else self._unowned(record, texts)
            for record in ledger.records
        ]
        return tuple(found)

    def _unowned(self, record: Record, texts: Mapping[RecordKey, Record]) -> Owned:
        own = self._terms.naming.today(record.name, record.type) if texts else None
        text = None if own is None else texts.get(RecordKey(own, record.set_identifier, TXT))
        if text is None:
            return Owned(record=record)
        shared = len(text.targets) > 1 and any(self._terms.codec.decode(one) is not None for one in text.targets)
        return Owned(record=record, sealed=str(own) if _is_sealed(text) else "", shared=str(own) if shared else "")

    def _survey(self, records: Collection[Record]) -> Ledger:
        terms = self._terms
        return survey(records, naming=terms.naming, types=terms.types, codec=terms.codec)

    def _owned(self, record: Record, proofs: Sequence[Proof]) -> Owned:
        first, certain = proofs[0].mark, self._certain(proofs[0])
        owner = first.owner
        ours = self._terms.mine(owner)
        standing = [
            proof.mark.record
            for proof in proofs
            if proof.mark is first or proof.mark.owner == owner or (ours and self._terms.mine(proof.mark.owner))
        ]
        return Owned(
            record=record,
            owner=owner or None,
            ours=ours,
            labels=first.labels.without(*(_NOT_OF_OBJECTS if certain else _OF_NO_OBJECT)),
            marks=tuple(sorted(standing, key=lambda mark: mark.key) if len(standing) > 1 else standing),
            marked=not ours
            or proofs[0].form is Form.TODAY
            or self._terms.naming.today(record.name, record.type) is None,
            certain=certain,
        )

    def _certain(self, proof: Proof) -> bool:
        """Tell whether the object that the mark names is the record's.

        An old mark at `a-foo` may be that of an A `foo` removed by hand. Then the object's end says
        nothing about the host `a-foo`, and must not be taken as evidence against it.
        """
        stated = proof.mark.labels.has(OWNED_RECORD)
        name = proof.mark.record.name
        return stated or proof.form is not Form.UNTYPED or not self._terms.naming.may_be_typed(name, self._terms.types)

    def complete(self, change_set: ChangeSet, held: Iterable[Record]) -> ChangeSet | Blocked:
        """*change_set* with its writes, marks included, sorted by key (spec plan 3.2.6).

        The result is read back in thought: if the marks would not prove what they are for, or would
        change whose any other record is, they state their record, and if that does not help either,
        nothing is written.

        Args:
            change_set: without writes.
            held: all records of its name and of the `related` names, in its zone.
        """
        records = tuple(held)
        ledger = self._survey(records)
        for stating in (False, True):
            completion = Completion(
                terms=self._terms, change_set=change_set, held=records, ledger=ledger, stating=stating
            )
            writes = completion.writes()
            if isinstance(writes, Blocked):
                return writes
            if self._holds(completion):
                return _futile(change_set, writes) or replace(change_set, writes=writes)
        return Blocked(
            reason=Reason.MARK_CLASH,
            detail=f"the marks of {change_set.name} could not be told from those of another record",
        )

    def _holds(self, completion: Completion) -> bool:
        """Tell whether, read after the writes, what we mark is ours and all else belongs to whom it did."""
        if not completion.held:
            return True  # all that is written is of one name, and nothing stands around it
        kept = [record for record in completion.held if record.key not in completion.old]
        after = self._survey((*kept, *(foreseen_record(endpoint) for endpoint in completion.new.values()))).proofs
        changes = completion.change_set.changes
        touched = {change.key for change in changes}
        others = (record.key for record in completion.ledger.records if record.key not in touched)
        marked = (after.get(key, ()) for key in completion.marked)
        updated = (_owner(after, change.key) for change in changes if isinstance(change, Update))
        return (
            all(proofs and proofs[0].form is Form.TODAY and self._terms.mine(proofs[0].mark.owner) for proofs in marked)
            and all(owner is not None and self._terms.mine(owner) for owner in updated)
            and all(_owner(after, key) == _owner(completion.ledger.proofs, key) for key in others)
        )


def _is_sealed(record: Record) -> bool:
    return len(record.targets) == 1 and is_sealed(record.targets[0])


def _owner(proofs: Mapping[RecordKey, Iterable[Proof]], key: RecordKey) -> str | None:
    return next((proof.mark.owner for proof in proofs.get(key, ())), None)


def _futile(change_set: ChangeSet, writes: Iterable[Write]) -> Blocked | None:
    """Refuse what only asks for better marks and gets none: it would be asked for again for ever.

    Where only the naming of the mark is old, nothing is amiss: the record is ours, and as it should be.
    """
    updates = [change for change in change_set.changes if isinstance(change, Update)]
    if not updates or len(updates) < len(change_set.changes):
        return None
    asked = {word for change in updates for word in change.differences or ("nothing",)}
    if not _MARKS_ONLY.issuperset(asked):
        return None
    keys = {change.key for change in updates}
    marks_stay = all(
        write.old and write.new and write.old.targets == write.new.targets for write in writes if write.key not in keys
    )
    if not marks_stay:
        return None
    return Blocked(
        reason=Reason.PROGRAMMED if asked == {"mark"} else Reason.NO_OWNERSHIP_NAME,
        detail=f"{change_set.name} stays ours by an older mark; zone {change_set.zone} has no place for one of today's",
    )
