"""Which mark proves which record (spec plan 3.2.5, 11).

The name of a mark does not always tell: without an affix, the mark of A `foo` lies at `a-foo`, where
older versions put the mark of a host named `a-foo`; `*.x` and `any.x` may share one. So a mark is
given to the records of one name: the name it states, or the one that the records and the other marks
around it leave, or none. Undecided means not ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from extdns.model import rrtype
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import ALIAS, OWNER, RESOURCE, Record, RecordKey
from extdns.model.value import Value
from registry.txt.heritage import OWNED_RECORD, MarkText
from registry.txt.naming import Form, Naming


class Mark(Value, frozen=True):
    """A TXT record whose only value is a heritage text."""

    record: Record
    labels: Pairs

    @property
    def owner(self) -> str:
        """The owner id, "" if it names none."""
        return self.labels.get(OWNER)

    def agrees(self, other: Mark) -> bool:
        """Tell whether both name the same object of the same owner."""
        resource = self.labels.get(RESOURCE)
        return bool(resource) and resource == other.labels.get(RESOURCE) and self.owner == other.owner


class Proof(Value, frozen=True):
    """A mark that proves a record, and by which form of its name."""

    form: Form
    mark: Mark


class _Candidate(Value, frozen=True):
    form: Form
    record: Record


class Ledger(Value, frozen=True, kw_only=True):
    """Records and marks of some names, each mark given to the records it proves.

    Attributes:
        records: those that are no marks, sorted by key.
        marks: all marks, whoever owns them.
        proofs: of each proved record, the deciding one first.
        proved: the records that each mark proves.
    """

    records: tuple[Record, ...]
    marks: Mapping[RecordKey, Mark]
    proofs: Mapping[RecordKey, Sequence[Proof]]
    proved: Mapping[RecordKey, Sequence[RecordKey]]


def survey(records: Collection[Record], *, naming: Naming, types: frozenset[str], codec: MarkText) -> Ledger:
    """Read *records* and give each mark to what it proves, whatever order they come in.

    Args:
        records: all records of the names asked about, and of those that `kinship` adds.
        naming: how marks are named.
        types: managed types; records of others are nobody's to us.
        codec: how marks are written.
    """
    if not records:
        return _NOTHING
    draft = _Survey(naming, types, codec)
    for record in sorted(records, key=lambda record: (record.key, record.targets)):
        draft.take(record)
    return draft.close()


_NOTHING: Final = Ledger(records=(), marks={}, proofs={}, proved={})


class _Survey:
    __slots__ = ("codec", "keys", "marks", "naming", "records", "types")

    def __init__(self, naming: Naming, types: frozenset[str], codec: MarkText) -> None:
        self.naming = naming
        self.types = types
        self.codec = codec
        self.records: list[Record] = []
        self.marks: dict[RecordKey, Mark] = {}
        self.keys: frozenset[RecordKey] = frozenset()  # of records; seldom asked for, and then of many names

    def take(self, record: Record) -> None:
        """Sort *record* in; a TXT without any value is dropped."""
        if record.type != rrtype.TXT:
            self.records.append(record)
            return
        # A value beside the heritage text is somebody's, and could not be kept if the mark were rewritten.
        labels = self.codec.decode(record.targets[0]) if len(record.targets) == 1 else None
        if labels is not None:
            self.marks[record.key] = Mark(record, labels)
        elif record.targets:
            self.records.append(record)

    def close(self) -> Ledger:
        """Give the marks away, now that all records are known."""
        if not self.marks:
            return Ledger(records=tuple(self.records), marks={}, proofs={}, proved={})
        candidates = self._candidates()
        proofs: defaultdict[RecordKey, list[Proof]] = defaultdict(list)
        proved: defaultdict[RecordKey, list[RecordKey]] = defaultdict(list)
        for mark_key, found in candidates.items():
            mark = self.marks[mark_key]
            for given in self._given(mark, found):
                key = given.record.key
                proofs[key].append(Proof(given.form, mark))
                proved[mark_key].append(key)
        for several in proofs.values():
            if len(several) > 1:
                several.sort(key=lambda proof: (proof.form, proof.mark.record.key))
        return Ledger(records=tuple(self.records), marks=self.marks, proofs=proofs, proved=proved)

    def _candidates(self) -> Mapping[RecordKey, Sequence[_Candidate]]:
        """Of each mark whose name fits any, the records whose name it fits."""
        found: defaultdict[RecordKey, list[_Candidate]] = defaultdict(list)
        places = {key.name for key in self.marks}
        for record in self.records:
            if record.type not in self.types:
                continue
            for form, name in self.naming.forms(record.name, record.type, alias=is_alias(record)):
                if name in places and (key := RecordKey(name, record.set_identifier, rrtype.TXT)) in self.marks:
                    found[key].append(_Candidate(form, record))
        return found

    def _given(self, mark: Mark, candidates: Sequence[_Candidate]) -> Sequence[_Candidate]:
        """Those of *candidates* that *mark* proves: of one name, or none."""
        if mark.labels.has(OWNED_RECORD):
            stated = mark.labels.get(OWNED_RECORD)
            return [candidate for candidate in candidates if candidate.record.name == stated]
        if len(candidates) == 1 and candidates[0].form is not Form.UNTYPED:
            return candidates
        typed = [candidate for candidate in candidates if candidate.form is not Form.UNTYPED]
        untyped = [candidate for candidate in candidates if candidate.form is Form.UNTYPED]
        return self._settled(mark, untyped if self._is_old(mark, untyped, typed) else typed)

    def _is_old(self, mark: Mark, untyped: Sequence[_Candidate], typed: Sequence[_Candidate]) -> bool:
        """Tell whether *mark* is the old mark of *untyped* rather than one that names its type.

        The old one, if a host stands that has no other mark, or one that speaks of the same object
        as *mark* does: older versions wrote both forms. Unless the rival has more marks that do.
        """
        if not untyped:
            return False
        if not self.naming.may_be_typed(mark.record.name, self.types):
            return True
        if any(self._has_others(mark, candidate.record.name) for candidate in typed):
            return False
        return any(self._needs(mark, candidate.record) for candidate in untyped)

    def _needs(self, mark: Mark, host: Record) -> bool:
        """Tell whether *host* has no mark in today's naming, or one that *mark* merely repeats."""
        own = self._mark_of(host.name, host.type, host.set_identifier)
        if own is None:
            return True
        return own.labels.get(OWNED_RECORD) != host.name if own.labels.has(OWNED_RECORD) else own.agrees(mark)

    def _settled(self, mark: Mark, candidates: Sequence[_Candidate]) -> Sequence[_Candidate]:
        """*candidates*, if of one name; else those whose name lacks other marks or has more of the same object."""
        rivals = candidates
        for prefers in (self._lacks, self._surrounds):
            if len({rival.record.name for rival in rivals}) > 1:
                rivals = [rival for rival in rivals if prefers(mark, rival)] or rivals
        return rivals if len({rival.record.name for rival in rivals}) == 1 else ()

    def _lacks(self, mark: Mark, candidate: _Candidate) -> bool:
        return candidate.form is Form.UNTYPED and self._needs(mark, candidate.record)

    def _surrounds(self, mark: Mark, candidate: _Candidate) -> bool:
        return self._has_others(mark, candidate.record.name)

    def _has_others(self, mark: Mark, name: DnsName) -> bool:
        """Tell whether other records of *name* have marks, in today's form, of the same object as *mark*."""
        self.keys = self.keys or frozenset(record.key for record in self.records)
        sid = mark.record.set_identifier
        found = (self._mark_of(name, rtype, sid) for rtype in self.types if RecordKey(name, sid, rtype) in self.keys)
        return any(other is not None and other is not mark and other.agrees(mark) for other in found)

    def _mark_of(self, name: DnsName, rtype: str, set_identifier: str) -> Mark | None:
        mark = self.naming.today(name, rtype)
        return self.marks.get(RecordKey(mark, set_identifier, rrtype.TXT)) if mark else None


def is_alias(record: Record) -> bool:
    """Tell whether *record* is an A whose mark older versions named as that of a CNAME (spec plan 3.2.5)."""
    return record.type == rrtype.A and record.properties.get(ALIAS) in {"true", "A"}
