"""The records at a name, and the decision about each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from extdns.documents.document import Document, RecordData, ZoneReference, build_record_data, build_zone_reference
from extdns.documents.names import NameSummary
from extdns.documents.rules import RuleDocument, list_rules
from extdns.documents.text import describe_details
from extdns.model import rrtype
from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.rrtype import EXCLUSIVE

if TYPE_CHECKING:
    from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot, ZoneSnapshot
    from extdns.engine.zones import ZoneCache
    from extdns.model.change import Decision
    from extdns.model.evidence import DeleteStatus
    from extdns.model.record import OwnedRecord, Record


class WaitingDeleteDocument(Document, frozen=True):
    """A delete that has evidence (a reason code) but was not made yet.

    `graceEnds` is when the grace period, --unresolved-timeout or another wait for a time ends; null if the delete waits
    for something else.
    """

    evidence: str
    grace_ends: datetime | None


class OutcomeDocument(Document, frozen=True):
    """The decision about a claim or a record in one zone. `zone` is null if no zone holds the name.

    `waiting` is null if no delete waits. `rules` are the answers of the rules that match the record.
    """

    zone: ZoneReference | None
    action: str
    reason: str
    evidence: tuple[str, ...] = ()
    waiting: WaitingDeleteDocument | None = None
    rules: tuple[RuleDocument, ...] = ()


def build_outcome(engine: EngineSnapshot, process: ProcessSnapshot | None, decision: Decision) -> OutcomeDocument:
    """Describe *decision*. *process* is the running process that *engine* belongs to, None for a single pass."""
    return OutcomeDocument(
        zone=build_zone_reference(decision.zone) if decision.zone else None,
        action=decision.action.value,
        reason=decision.reason.value,
        evidence=tuple(describe_details(decision)),
        waiting=_build_waiting(engine.find_waiting_delete(decision), process),
        rules=list_rules(decision),
    )


def _build_waiting(undone: DeleteStatus | None, live: ProcessSnapshot | None) -> WaitingDeleteDocument | None:
    if undone is None:
        return None
    ends = live.time_of(undone.grace_ends_s) if live and undone.grace_ends_s is not None else None
    return WaitingDeleteDocument(evidence=undone.evidence.value, grace_ends=ends)


class CurrentRecordDocument(Document, frozen=True):
    """A current record. `owner` is null if it has none.

    `outcome` is null if there is no decision about the record and the configuration does not exclude it.

    `ownershipRecords` are the names of its ownership records. `ownershipOf` is null unless this is an ownership
    record; then it lists the current records that it covers, as `A shop.example.org`, and the owner fields are theirs.
    `blocksRequested` is true if a requested record is not created because it cannot coexist with this one.
    """

    zone: ZoneReference
    type: str
    set_identifier: str
    record: RecordData
    ours: bool
    owner: str | None
    resource: str
    ownership_records: tuple[str, ...] = ()
    ownership_of: tuple[str, ...] | None = None
    blocks_requested: bool = False
    outcome: OutcomeDocument | None = None


class WildcardDocument(Document, frozen=True):
    """A wildcard with records of these types, which answers for a name without records (RFC 4592)."""

    zone: ZoneReference
    name: str
    types: tuple[str, ...]


def list_current_records(
    seen: EngineSnapshot,
    name: DnsName,
    decisions: Iterable[Decision],
    outcome_of: Callable[[Decision], OutcomeDocument],
) -> Iterator[CurrentRecordDocument]:
    """Yield the current records at *name*, zone by zone.

    The outcome of a record is that of its decision in *decisions*, or that the configuration excludes it.
    """
    decided = tuple(decisions)
    for entry in seen.zones:
        if records := entry.cache.records(name):
            here = [one for one in decided if one.zone == entry.zone]
            around = seen.read_around(name, entry)
            owned = {one.key: one for one in around}
            for record in records:
                if current := owned.get(record.key):
                    yield _build_current_record(seen, entry, current, here, outcome_of)
                else:
                    yield _build_ownership_record(entry, record, around)


def _build_current_record(
    seen: EngineSnapshot,
    entry: ZoneSnapshot,
    current: OwnedRecord,
    decisions: list[Decision],
    outcome_of: Callable[[Decision], OutcomeDocument],
) -> CurrentRecordDocument:
    zone = build_zone_reference(entry.zone)
    decision = next((one for one in decisions if one.current and one.current.key == current.key), None)
    excluded = None if decision else seen.find_exclusion(current.key)
    exclusion = OutcomeDocument(zone=zone, action=Action.KEEP.value, reason=excluded.value) if excluded else None
    return CurrentRecordDocument(
        zone=zone,
        type=current.record.type,
        set_identifier=current.record.set_identifier,
        record=build_record_data(current.record),
        # with --registry=noop only records in scope are ours
        ours=current.is_ours and (decision is not None or bool(current.ownership_records)),
        owner=current.owner,
        resource=current.resource,
        ownership_records=tuple(one.name for one in current.ownership_records),
        blocks_requested=decision is None and _blocks_requested(current, decisions),
        outcome=outcome_of(decision) if decision else exclusion,
    )


def _blocks_requested(current: OwnedRecord, decisions: Iterable[Decision]) -> bool:
    """Return whether *current* prevents the creation of a requested record (RFC 1034 section 3.6.2)."""
    return any(
        one.reason is Reason.INCOMPATIBLE_RECORD
        and one.type != current.record.type
        and EXCLUSIVE in {one.type, current.record.type}
        for one in decisions
    )


def _build_ownership_record(
    entry: ZoneSnapshot, record: Record, around: Iterable[OwnedRecord]
) -> CurrentRecordDocument:
    covered = [one for one in around if record in one.ownership_records]
    first = covered[0] if covered else None
    return CurrentRecordDocument(
        zone=build_zone_reference(entry.zone),
        type=record.type,
        set_identifier=record.set_identifier,
        record=build_record_data(record),
        ours=first is not None and first.is_ours,
        owner=first.owner if first else None,
        resource=first.resource if first else "",
        ownership_of=tuple(str(one.key) for one in covered),
    )


def list_wildcards(seen: EngineSnapshot, name: DnsName) -> Iterator[WildcardDocument]:
    """Yield the wildcard that answers for *name* in each of its fully read zones in which the name does not exist."""
    zones = seen.zones_of(name)
    for entry in (one for one in seen.zones if one.zone in zones and one.cache.is_complete):
        if found := _find_wildcard(name, entry.zone.name, entry.cache):
            types = tuple(dict.fromkeys(record.type for record in entry.cache.records(found)))
            if types:
                yield WildcardDocument(zone=build_zone_reference(entry.zone), name=found, types=types)


def _find_wildcard(name: DnsName, zone: DnsName, cache: ZoneCache) -> DnsName | None:
    """Return the wildcard below the closest encloser of *name* (RFC 4592 section 3.3.1); None if *name* exists.

    A name exists also if there are only records below it.
    """
    closest: str = name
    while closest != zone and not any(other.within(closest) for other in cache.names()):
        closest = closest.partition(".")[2]
    return None if closest == name else DnsName(f"*.{closest}")


_HERITAGE: Final = "heritage=external-dns"


def find_other_affix(seen: EngineSnapshot, name: DnsName, row: NameSummary | None) -> tuple[str, int]:
    """Find ownership records that may cover a foreign record at *name* with another prefix or suffix than ours.

    Return the flag that would read them, and their number; ("", 0) if there are none. There are none in a zone with
    records of ours: with another affix, these would not be ours any more.
    """
    if row is None or row.worst.reason is not Reason.FOREIGN_RECORD:
        return "", 0
    head, _, rest = name.partition(".")
    without_affix = {head, f"a-{head}", f"aaaa-{head}", f"cname-{head}"}
    with_ours = {one.zone for one in seen.decisions if one.current and one.current.is_ours}
    for entry in (one for one in seen.zones if one.zone in seen.zones_of(name) and one.zone not in with_ours):
        texts = [
            one.name for one in entry.cache.all_records() if one.type == rrtype.TXT and _HERITAGE in str(one.targets)
        ]
        for text in texts:
            label, _, other_rest = text.partition(".")
            if other_rest != rest or label in without_affix:
                continue
            if found := re.fullmatch(rf"(.+?)(?:(?:a|aaaa|cname)-)?{re.escape(head)}", label):
                prefix = found[1]
                if prefix not in {"a-", "aaaa-", "cname-"}:
                    return f"--txt-prefix={prefix}", sum(one.startswith(prefix) for one in texts)
            if found := re.fullmatch(rf"(?:(?:a|aaaa|cname)-)?{re.escape(head)}(.+)", label):
                return f"--txt-suffix={found[1]}", sum(found[1] in one.partition(".")[0] for one in texts)
    return "", 0
