"""Lines of the audit log: one changed record before and after the call that writes it (docs/design/audit-log.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import count
from typing import Any, Literal

from msgspec import structs

from extdns.documents.changes import ChangeAction
from extdns.documents.document import (
    Document,
    ObjectReference,
    OriginDocument,
    RecordData,
    RootDocument,
    ZoneReference,
    build_origin,
    build_record_data,
    build_zone_reference,
)
from extdns.model.change import (
    Applied,
    Batch,
    Change,
    Delete,
    Outcome,
    OutcomeWord,
    Update,
    Write,
    build_write,
    spell_outcome,
)
from extdns.model.claim import Provenance
from extdns.model.kind import ObjectKey
from extdns.model.origin import UNKNOWN_ORIGIN, Origin
from extdns.model.value import Value

Phase = Literal["intent", "outcome", "resolution"]
Found = Literal["", "after", "before", "other"]
RecordId = tuple[str, str, str]
"""Name, type and set identifier of a record in its zone."""


class ObjectVersion(Value, frozen=True, kw_only=True):
    """The last observed version of an object, and what set it; a field is "" if it is not known."""

    key: ObjectKey
    uid: str = ""
    resource_version: str = ""
    origin: Origin = UNKNOWN_ORIGIN


class AuditObject(ObjectReference, frozen=True):
    """An object for which a record is changed, in the version that was observed last.

    `source`, `field` and `derived` say where the object requests the name; all are "" if it does not any more, and
    `derived` also if the object itself states the name. `origin` is null if the object does not say what set it.
    """

    uid: str
    resource_version: str
    origin: OriginDocument | None = None


class AuditApproval(Document, frozen=True):
    """The approval of a delete: its code, and the user who claims to have given it, "" if nobody does."""

    code: str
    claimed_user: str


class AuditWrite(Document, frozen=True):
    """An ownership record that is changed together with the record that it covers.

    `before` is null if the ownership record is created, `after` if it is deleted.
    """

    name: str
    type: str
    set_identifier: str
    before: RecordData | None
    after: RecordData | None


class AuditLine(RootDocument, frozen=True, tag="AuditLine"):
    """One changed record, before or after the call that writes it.

    `id` is the same in all lines of one change. `batch` is the same for all changes of one call, and `changeSet` for
    those that apply together or not at all. `process` identifies the process.

    `before` and `after` are null if there is no record. `differences` says what an update changes. `evidence` is the
    observation that allows a delete, else "". `plan` is the checksum of the plan that `extdns apply` applies, else "".
    `resource` is the object that the ownership record names. `objects` are those that request the record; for a delete,
    the one that did, if it is known.

    `outcome` is "" in a line before the call. `changeId` is the id that the service gave the change. `message` is what
    the service answered. `unconditional` says that the write may have overwritten something unseen. `latencySeconds` is
    the duration of the call. `found` is what the zone held when an unknown outcome was looked up, else "".
    """

    id: str
    batch: str
    change_set: int
    process: str
    owner: str
    zone: ZoneReference
    name: str
    type: str
    set_identifier: str
    action: ChangeAction
    before: RecordData | None
    after: RecordData | None
    at: str = ""
    phase: Phase = "intent"
    differences: tuple[str, ...] = ()
    ownership_records: tuple[AuditWrite, ...] = ()
    reason: str = ""
    detail: str = ""
    evidence: str = ""
    plan: str = ""
    resource: str = ""
    objects: tuple[AuditObject, ...] = ()
    approval: AuditApproval | None = None
    outcome: OutcomeWord | Literal[""] = ""
    change_id: str = ""
    message: str = ""
    unconditional: bool = False
    latency_seconds: float | None = None
    found: Found = ""

    @property
    def record_id(self) -> RecordId:
        """What identifies the record in its zone: name, type and set identifier."""
        return self.name, self.type, self.set_identifier


def is_open(phase: Phase, outcome: str) -> bool:
    """Return whether it is unknown if the change of a line with *phase* and *outcome* was made."""
    return phase != "resolution" and outcome in {"", "unknown"}


def format_time(at: datetime) -> str:
    """Format *at*, which is in UTC, with milliseconds."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def build_audit_object(version: ObjectVersion, request: Provenance | None = None) -> AuditObject:
    """Describe an object in *version*, with the *request* for the name; None if it does not request it any more."""
    key = version.key
    return AuditObject(
        kind=key.kind.name,
        namespace=key.namespace,
        name=key.name,
        uid=request.ref.uid if request else version.uid,
        resource_version=version.resource_version,
        origin=build_origin(version.origin),
        source=request.source if request else "",
        field=request.field if request else "",
        derived=request.derivation if request else "",
    )


def build_intents(
    batch: Batch, find_cause: Callable[[Change], dict[str, Any]], *, process: str, plan: str, owner: str
) -> Iterator[AuditLine]:
    """Yield a line for each change in *batch*, in order. The time `at` is still "".

    For a change set without changes, which only writes ownership records, yield a line for each ownership record.
    *find_cause* returns the fields about why and for whom a change is made.
    """
    numbers = count()
    for number, change_set in enumerate(batch.change_sets):
        changed = {change.key for change in change_set.changes}
        writes = (_build_write(write) for write in change_set.writes if write.key not in changed)
        ownership = tuple(write for write in writes if not _are_equal(write.before, write.after))
        common: dict[str, Any] = {
            "batch": f"{process}-{batch.number}",
            "change_set": number,
            "process": process,
            "plan": plan,
            "owner": owner,
            "zone": build_zone_reference(change_set.zone),
        }
        found = [
            {**_describe_change(change), **find_cause(change), "ownership_records": ownership}
            for change in change_set.changes
        ]
        for fields in found or map(_describe_write, ownership):
            yield AuditLine(**common, id=f"{common['batch']}-{next(numbers)}", **fields)


def conclude(line: AuditLine, outcome: Outcome, *, at: str, latency_s: float) -> AuditLine:
    """Return the line with the *outcome* of the call, whose answer took *latency_s* seconds."""
    applied = outcome if isinstance(outcome, Applied) else None
    return structs.replace(
        line,
        phase="outcome",
        at=at,
        outcome=spell_outcome(outcome),
        change_id=applied.change_id if applied else "",
        message="" if isinstance(outcome, Applied) else outcome.message,
        unconditional=applied.unconditional if applied else False,
        latency_seconds=round(latency_s, 3),
    )


def resolve(line: AuditLine, found: Found, *, at: str) -> AuditLine:
    """Return the line that says what the zone held when the unknown outcome of *line* was looked up."""
    return structs.replace(line, phase="resolution", at=at, outcome="unknown", found=found)


def compare(line: AuditLine, held: Mapping[RecordId, RecordData | None]) -> Found:
    """Return which state of *line* the zone holds: `before`, `after`, or `other`, also for a mixture; "" if unknown.

    *held* is what the zone holds: the data of each record for which that is known, None if there is no such record.
    """
    states: set[Found] = set()
    for record_id, before, after in list_states(line):
        if record_id not in held or _are_equal(before, after):
            continue
        current = held[record_id]
        is_after = _are_equal(current, after)
        states.add("after" if is_after else "before" if _are_equal(current, before) else "other")
    return states.pop() if len(states) == 1 else "other" if states else ""


def list_states(line: AuditLine) -> Iterator[tuple[RecordId, RecordData | None, RecordData | None]]:
    """Yield each record that *line* changes, ownership records included, with its data before and after the change."""
    yield line.record_id, line.before, line.after
    for one in line.ownership_records:
        yield (one.name, one.type, one.set_identifier), one.before, one.after


def _are_equal(one: RecordData | None, other: RecordData | None) -> bool:
    """Return whether two states are the same. A TTL that nobody stated equals any."""
    if one is None or other is None:
        return one is other
    has_ttls = one.ttl_seconds is not None and other.ttl_seconds is not None
    is_same_ttl = not has_ttls or one.ttl_seconds == other.ttl_seconds
    return is_same_ttl and (one.targets, one.properties) == (other.targets, other.properties)


def _build_write(write: Write) -> AuditWrite:
    return AuditWrite(
        name=write.key.name,
        type=write.key.type,
        set_identifier=write.key.set_identifier,
        before=build_record_data(write.old) if write.old else None,
        after=build_record_data(write.new) if write.new else None,
    )


def _describe_write(write: AuditWrite) -> dict[str, Any]:
    """Return the fields about a record that is changed, or an ownership record in another zone than its record."""
    action: ChangeAction = "delete" if write.after is None else "update" if write.before else "create"
    return {**structs.asdict(write), "action": action}


def _describe_change(change: Change) -> dict[str, Any]:
    return {
        **_describe_write(_build_write(build_write(change))),
        "differences": change.differences if isinstance(change, Update) else (),
        "evidence": change.evidence.value if isinstance(change, Delete) else "",
        "resource": change.current.resource if isinstance(change, Delete) else change.desired.resource,
    }
