"""Changes of records, their change sets and batches, the outcomes of batches, and decisions (laws 5-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, Literal, NamedTuple, Self, assert_never

from extdns.model.claim import Provenance
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey, parse_namespace
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, Record, RecordKey
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.model.zone import Zone


class Create(Value, frozen=True, kw_only=True):
    """Create a record where none with its key exists."""

    desired: DesiredRecord

    @property
    def key(self) -> RecordKey:
        """The key of the record to create."""
        return self.desired.key


class Update(Value, frozen=True, kw_only=True):
    """Replace a record of ours by another one with the same key.

    Attributes:
        differences: what differs, in the words of messages: `targets`, `ttl`, `properties`,
            `ownership record`, `owner`.
    """

    current: OwnedRecord
    desired: DesiredRecord
    differences: tuple[str, ...]

    @property
    def key(self) -> RecordKey:
        """The key of the record to replace."""
        return self.current.key


class Delete(Value, frozen=True, kw_only=True):
    """Delete a record of ours."""

    current: OwnedRecord
    evidence: Evidence

    @property
    def key(self) -> RecordKey:
        """The key of the record to delete."""
        return self.current.key


Change = Create | Update | Delete


class Write(Value, frozen=True, kw_only=True):
    """One record before and after; it may be an ownership record.

    Attributes:
        old: the record that must exist now, exactly; None if none may exist.
        new: the record that will exist; None if none will. If it equals *old*, the batch fails if somebody else
            changed the record.
    """

    old: Record | None
    new: DesiredRecord | None

    @property
    def key(self) -> RecordKey:
        """The key of the record that is written."""
        if self.new is not None:
            return self.new.key
        assert self.old is not None  # noqa: S101 - one of them always exists
        return self.old.key


def build_write(change: Change) -> Write:
    """Return the write of the record that *change* is about."""
    return Write(
        old=None if isinstance(change, Create) else change.current.record,
        new=None if isinstance(change, Delete) else change.desired,
    )


class ChangeSet(Value, frozen=True, kw_only=True):
    """Changes of one name in one zone that apply together or not at all (law 6).

    Attributes:
        changes: sorted by key.
        writes: the records to write, ownership records included, sorted by key; empty before
            `Registry.complete`.
        parent: the parent zone, which holds the ownership records of the apex of *zone*; None if *zone*
            holds the ownership records, or if no such zone is known.
    """

    zone: Zone
    name: DnsName
    changes: tuple[Change, ...]
    writes: tuple[Write, ...] = ()
    parent: Zone | None = None

    @property
    def key(self) -> RecordKey:
        """The first key that it changes, or else writes; that of no other change set of its name."""
        return min([one.key for one in self.changes or self.writes])

    @property
    def namespace(self) -> str:
        """The namespace that requests its first change, or had requested the record to delete; "" if none is named."""
        if not self.changes:
            return ""
        first = self.changes[0]
        return parse_namespace(first.current.resource if isinstance(first, Delete) else first.desired.resource)

    @property
    def namespaces(self) -> set[str]:
        """The namespaces of all records that it changes or makes; "" is among them if one names none."""
        found = [one.current.resource for one in self.changes if not isinstance(one, Create)]
        found += [one.desired.resource for one in self.changes if not isinstance(one, Delete)]
        return set(map(parse_namespace, found))


def are_equivalent(one: Sequence[ChangeSet], other: Sequence[ChangeSet]) -> bool:
    """Return whether *one* and *other* make the same changes.

    The order of writes and their new data are not compared; encrypted texts differ each time.
    """
    return [_get_identity(change_set) for change_set in one] == [_get_identity(change_set) for change_set in other]


def _get_identity(change_set: ChangeSet) -> object:
    return change_set.changes, {write.key: write.old for write in change_set.writes}


class Batch(Value, frozen=True, kw_only=True):
    """Change sets sent to one zone in one call, sorted by name.

    Attributes:
        number: unique within the process, increasing.
    """

    number: int
    zone: Zone
    change_sets: tuple[ChangeSet, ...]

    @property
    def writes(self) -> tuple[Write, ...]:
        """All writes of the batch, in the order of its change sets."""
        return tuple([write for change_set in self.change_sets for write in change_set.writes])


class Applied(Value, frozen=True, kw_only=True):
    """The service made every write.

    Attributes:
        records: the records that exist now at the written keys, in the form in which they would be
            read.
        change_id: the service's id of the change, "" if it has none.
        unconditional: whether the write may have overwritten something that the plan had not seen.
    """

    records: tuple[Record, ...]
    change_id: str = ""
    unconditional: bool = False


class WriteConflict(Value, frozen=True, kw_only=True):
    """A record was not as the batch stated: it exists, does not exist, or differs. Nothing was written.

    Attributes:
        offending_names: the names that the service blames, () if it names none.
    """

    message: str
    offending_names: tuple[DnsName, ...] = ()


class Refused(Value, frozen=True, kw_only=True):
    """The service rejected the batch. Nothing was written.

    Attributes:
        offending_names: the names that the service blames, () if it names none.
    """

    message: str
    offending_names: tuple[DnsName, ...] = ()


class Forbidden(Value, frozen=True, kw_only=True):
    """A permission is missing. Nothing was written."""

    message: str


class TryLater(Value, frozen=True, kw_only=True):
    """The service throttled the call, is busy or failed. Nothing was written."""

    message: str
    retry_after_s: float | None = None


class Unknown(Value, frozen=True, kw_only=True):
    """No response arrived, or a part was refused: the batch may or may not have been applied, wholly or in part.

    Attributes:
        unconditional: whether sending it again may overwrite something that the plan had not seen.
    """

    message: str
    unconditional: bool = False


Outcome = Applied | WriteConflict | Refused | Forbidden | TryLater | Unknown

OutcomeWord = Literal["applied", "conflict", "refused", "forbidden", "try-later", "unknown"]


def spell_outcome(outcome: Outcome) -> OutcomeWord:
    """Return the word for *outcome* that documents, the live page and metrics use."""
    match outcome:
        case Applied():
            return "applied"
        case WriteConflict():
            return "conflict"
        case Refused():
            return "refused"
        case Forbidden():
            return "forbidden"
        case TryLater():
            return "try-later"
        case Unknown():
            return "unknown"
        case _:
            assert_never(outcome)


class Refusal(Value, frozen=True, kw_only=True):
    """A desired record that the service cannot hold, as is known without calling it."""

    desired: DesiredRecord
    reason: Reason
    detail: str


class AdjustedRecords(Value, frozen=True, kw_only=True):
    """Desired records as the service would hold them, so that they compare exactly with current ones.

    Attributes:
        unknown: the records that must be shown to the service first (`AdjustingReader.load_adjustments`).
    """

    accepted: tuple[DesiredRecord, ...]
    refused: tuple[Refusal, ...] = ()
    unknown: tuple[DesiredRecord, ...] = ()

    @classmethod
    def from_results(cls, found: Iterable[DesiredRecord | Refusal]) -> Self:
        """Split *found*, one result for each desired record, into adjusted records and refusals, each in that order."""
        accepted: list[DesiredRecord] = []
        refused: list[Refusal] = []
        for entry in found:
            if isinstance(entry, Refusal):
                refused.append(entry)
            else:
                accepted.append(entry)
        return cls(accepted=tuple(accepted), refused=tuple(refused))


class Awaited(StrEnum):
    """The kinds of things that a decision can wait for. The comment of each says what `Wait.about` contains."""

    ANSWER = "answer"  # whether the object at this key exists
    OBJECT = "object"  # another version of the object at this key, or its deletion
    COMPUTED = "computed"  # "": the claims of all objects can be computed
    SYNC = "sync"  # a complete list of this kind
    GRACE = "grace"  # "": the delete guard grants a delete whose time has come
    APPROVAL = "approval"  # "": a person approves a held delete or accepts another cluster
    RETRY = "retry"  # "": a pause ends, names are read again, or a batch gets its outcome
    ADJUSTMENT = "adjustment"  # "": the service shows what it makes of desired records
    ZONE = "zone"  # zone id: the zone is read, or read again
    ZONES = "zones"  # "": another list of zones
    RULES = "rules"  # "": an answer of the policy server
    PLAN = "plan"  # "": planning the name raised; it is planned again after a pause


class Wait(NamedTuple):
    """One thing that a decision waits for: what it is, and the object, kind or zone that it is about; "" if none."""

    what: Awaited
    about: ObjectKey | Kind | str = ""


ADJUSTMENT: Final = Wait(Awaited.ADJUSTMENT)
APPROVAL: Final = Wait(Awaited.APPROVAL)
COMPUTED: Final = Wait(Awaited.COMPUTED)
GRACE: Final = Wait(Awaited.GRACE)
PLAN: Final = Wait(Awaited.PLAN)
RETRY: Final = Wait(Awaited.RETRY)
RULES: Final = Wait(Awaited.RULES)
ZONES: Final = Wait(Awaited.ZONES)


class Blocked(Value, frozen=True, kw_only=True):
    """Why a record stays as it is or a claim is not fulfilled: a change is not needed, not possible, or has to wait.

    Attributes:
        waits_for: what would change that, other than the claims and records of the name.
    """

    reason: Reason
    detail: str
    waits_for: tuple[Wait, ...] = ()


class RuleAction(StrEnum):
    """What follows from a violation."""

    DENY = "deny"  # the change is not made
    WARN = "warn"  # the change is made, and the object gets an Event
    AUDIT = "audit"  # the change is made, and the violation is counted and logged


class Violation(Value, frozen=True, kw_only=True, order=True):
    """One rule that a record or a change violates. Violations sort by rule and message.

    Attributes:
        rule: the name of the rule: that of its DNSPolicy, or the package of a Rego policy.
        message: what is wrong, for people; at most 500 characters, without control characters.
        reason: the `reason` of the validation, as `Forbidden`, "" if it states none.
        deletes: whether a published record that violates the rule is deleted (`onViolation: delete`).
        values: the variables of the rule, with their values as text, each at most 200 characters.
    """

    rule: str
    action: RuleAction
    message: str
    reason: str = ""
    deletes: bool = False
    values: StringMap = EMPTY_MAP


class Action(StrEnum):
    """What happens to a record."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    KEEP = "keep"  # a record exists and stays
    NONE = "none"  # no record exists and none is created


class Decision(Value, frozen=True, kw_only=True):
    """The decision about one record of one zone, or about one claim to a name that no zone holds.

    Attributes:
        zone: None if no zone holds the name.
        desired: the requested record, None if there is none.
        current: the existing record, None if there is none.
        requested_by: the claims that request it, the deciding one first.
        detail: one clause for a person, "" if the reason is enough.
        violations: the violations of rules by the requested record, or by the delete.
        rules: the names of the rules that match, violated or not.
    """

    zone: Zone | None
    name: DnsName
    set_identifier: str
    type: str
    action: Action
    reason: Reason
    detail: str = ""
    desired: DesiredRecord | None = None
    current: OwnedRecord | None = None
    requested_by: tuple[Provenance, ...] = ()
    violations: tuple[Violation, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def is_relevant(self) -> bool:
        """Whether the decision is about more than a foreign record that no object requests.

        A record that cannot be read counts as relevant, because its owner is unknown.
        """
        if self.reason is Reason.RECORD_UNREADABLE:
            return True
        return bool(self.requested_by) or self.current is None or self.current.is_ours

    @property
    def key(self) -> tuple[str, DnsName, str, str]:
        """The identity of the record: id of the zone or "", name, set identifier, type."""
        return (self.zone.id if self.zone else "", self.name, self.set_identifier, self.type)

    @property
    def sort_key(self) -> tuple[str, str, str, str, str]:
        """The sort key: zone, name, set identifier, type, reason."""
        zone = f"{self.zone.name} {self.zone.id}" if self.zone else ""
        return (zone, self.name, self.set_identifier, self.type, self.reason)


class BulkUpdate(Value, frozen=True, kw_only=True):
    """What the first pass changed in one zone.

    Attributes:
        names: the names whose records it changed, sorted.
        owned: how many names had records of ours.
        objects: the first five of the objects that request these records.
    """

    zone: Zone
    names: tuple[DnsName, ...]
    owned: int
    objects: tuple[Provenance, ...] = ()

    def __str__(self) -> str:
        """Describe it in a sentence for people."""
        return (
            f"Without saved state, the first pass changed {len(self.names)} of {self.owned} names of ours in zone"
            f" {self.zone}. Does another cluster have the same owner id?"
        )
