"""A running process: its state as a whole (docs/design/page.md), its names, zones, sources and last changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from extdns import __version__
from extdns.config import Config
from extdns.documents.changes import ChangeDocument
from extdns.documents.document import (
    Document,
    LiveDocument,
    ObjectReference,
    ZoneDocument,
    ZoneReference,
    build_object_reference,
    build_zone_reference,
)
from extdns.documents.names import Level, NamePage, NameState, NameSummary, State, find_oldest_request, find_state
from extdns.documents.scope_warnings import ScopeWarning, find_scope_warnings
from extdns.documents.snapshot import UNRESPONSIVE_AFTER_S, ProcessSnapshot, ZoneSnapshot
from extdns.documents.text import format_duration, format_time
from extdns.model.change import Decision
from extdns.model.cluster import Phase
from extdns.model.reason import Category, Reason
from extdns.model.value import format_count
from extdns.model.zone import RateLimitStatus

_RETRIED: Final = frozenset({Reason.ZONE_FORBIDDEN, Reason.WRITE_CONFLICT, Reason.TRY_LATER, Reason.NO_ANSWER})
"""The reasons of decisions whose change stays queued after a failed attempt; a plan does not count it as a change."""


class ZoneCondition(State):
    """The condition of a zone, the worst first.

    Except `READING`, each can be the state of the worst name in the zone.
    """

    FAILING = "failing", Level.FAILING
    READING = "reading", Level.WAITING
    HELD = "held", Level.WAITING
    CHANGING = "changing", Level.WAITING
    NOT_PUBLISHED = "not-published", Level.WAITING
    UNKNOWN = "unknown", Level.WAITING
    OUT_OF_SYNC = "out-of-sync", Level.WAITING
    PUBLISHED = "published", Level.GOOD


KIND_LEVELS: Final[dict[Phase, Level]] = {
    Phase.FORBIDDEN: Level.FAILING,
    Phase.UNAUTHORIZED: Level.FAILING,
    Phase.NOT_SERVED: Level.FAILING,
    Phase.FAILING: Level.FAILING,
    Phase.LISTING: Level.WAITING,
    Phase.SYNCED: Level.GOOD,
}
_LEVELS: Final = tuple(Level)


def find_level(live: ProcessSnapshot, counts: Mapping[NameState, int], warnings: Sequence[ScopeWarning] = ()) -> Level:
    """Return the worst level of names, zones, kinds and rules. *counts* is the number of names in each state."""
    engine = live.engine
    if not live.is_responding or any(list_failures(live)):
        return Level.FAILING
    is_waiting = engine.unfinished or engine.other_cluster or engine.state_problem or warnings or not live.synced
    levels = (
        Level.WAITING if is_waiting else Level.GOOD,
        *(state.level for state, number in counts.items() if number),
        *(find_condition(live, entry).level for entry in engine.zones),
        *(KIND_LEVELS[state.phase] for state in live.kinds),
    )
    return min(levels, key=_LEVELS.index)


def find_condition(live: ProcessSnapshot, entry: ZoneSnapshot) -> ZoneCondition:
    """Return the condition of the zone *entry*: failing, being read or held, else that of its worst name."""
    worst = live.names.find_worst_state(entry.zone)
    if entry.failure or worst is NameState.FAILING:
        return ZoneCondition.FAILING
    if entry.read_s is None:
        return ZoneCondition.READING
    if entry.held:
        return ZoneCondition.HELD
    if worst in {NameState.PUBLISHED, NameState.EXCLUDED}:
        return ZoneCondition.CHANGING if entry.queued else ZoneCondition.PUBLISHED
    return ZoneCondition[worst.name]


def list_failures(live: ProcessSnapshot) -> Iterator[str]:
    """Yield a sentence for each failure: of the engine, of unreadable kinds, of rules, of the policy server."""
    yield from live.engine.failures
    failing = (state for state in live.kinds if KIND_LEVELS[state.phase] is Level.FAILING)
    kinds = (f"{state.kind.name} objects are {state.phase}" for state in failing)
    yield from (one for one in kinds if one not in live.engine.failures)
    yield from live.rules.list_failures()


def describe_state(
    live: ProcessSnapshot, counts: Mapping[NameState, int], warnings: Sequence[ScopeWarning] = ()
) -> Iterator[str]:
    """Yield the sentences that describe the state of the process, the most important first."""
    if live.age_s >= UNRESPONSIVE_AFTER_S:
        since = f"{format_time(live.at)}, {format_duration(live.age_s)} ago"
        yield f"This process does not respond: this is its state of {since}."
    elif not live.healthy:
        yield "A thread of this process does not respond: this state may be out of date."
    if not live.engine.is_leader:
        yield "This process is a standby: it writes nothing."
    if not live.synced:
        yield "The first full pass has not ended yet."
    yield from _count_names(live, counts)
    yield from map(str, live.engine.bulk_updates)
    if held := sum(entry.held for entry in live.engine.zones):
        yield f"{held:,} deletes are held." if held > 1 else "1 delete is held."
    queued = sum(entry.queued for entry in live.engine.zones)
    if queued and not counts.get(NameState.CHANGING):
        is_retried = any(live.engine.decisions.reasons[reason] for reason in _RETRIED)
        what = "could not be written, and are tried again" if is_retried else "are waiting to be written"
        yield f"Changes at {format_count(queued, 'name')} {what}."
    if any(list_failures(live)):
        yield "What fails: see below."
    elif live.synced and live.engine.unfinished:
        yield "Not everything has been read yet: see below."
    if warnings:
        yield "Settings do not fit what was read: see below."


def _count_names(live: ProcessSnapshot, counts: Mapping[NameState, int]) -> Iterator[str]:
    total = sum(counts.values())
    published = counts.get(NameState.PUBLISHED, 0)
    if not total:
        if live.synced:
            yield "No object requests a name."
    elif published == total:
        yield "The one name is published." if total == 1 else f"All {total:,} names are published."
    else:
        rest = [
            f"{number:,} {state.value.replace('-', ' ')}"
            for state in NameState
            if state is not NameState.PUBLISHED and (number := counts.get(state))
        ]
        listed = " and ".join(filter(None, (", ".join(rest[:-1]), rest[-1])))
        yield f"{published:,} of {total:,} names {'is' if published == 1 else 'are'} published, {listed}."


class StatusDocument(LiveDocument, frozen=True, tag="Status"):
    """The state of the process in one sentence, what fails and what is in progress, and how many names have each state.

    `level` is `failing` if the process does not respond or the list `failing` is not empty. Otherwise it is the worst
    level of all names, zones and kinds of object, but at best `waiting` while something has not been read, until the
    first full pass has ended, while the saved state has a problem or another cluster must be accepted, and if there
    are `warnings`: settings that do not fit the zones, objects or names that were found.
    `version`, `policy` and `dryRun` are those of the process.
    """

    message: str
    level: Level
    synced: bool
    counts: dict[str, int]
    failing: tuple[str, ...]
    waiting: tuple[str, ...]
    warnings: tuple[ScopeWarning, ...]
    version: str
    policy: str
    dry_run: bool


class RecordStatus(Document, frozen=True):
    """One record. `targets` are the current ones, `requested` the desired ones; each is empty if there are none.

    `owner` is null if it has none; `resource` is the one of its ownership record. If the requested record is not
    published because of other records at the name, `blockedBy` lists what the zone holds there.
    """

    zone: ZoneReference | None
    type: str
    set_identifier: str
    targets: tuple[str, ...]
    requested: tuple[str, ...]
    state: NameState
    action: Literal["create", "update", "delete", "keep", "none"]
    reason: str
    owner: str | None
    ours: bool
    resource: str
    blocked_by: tuple[BlockingRecord, ...]


class BlockingRecord(Document, frozen=True):
    """A current record because of which a requested record at its name is not published.

    `owner` is null if the current record has none.
    """

    type: str
    set_identifier: str
    targets: tuple[str, ...]
    owner: str | None
    ours: bool


class NameStatus(Document, frozen=True):
    """One name. `state` and `reason` are those of its record with the worst state.

    A claim that was rejected in favor of another claim does not make the state worse. `since` is when the oldest object
    that requests the name was created, null if that is unknown or if no object requests it.
    """

    name: str
    state: NameState
    reason: str
    since: datetime | None
    records: tuple[RecordStatus, ...]
    objects: tuple[ObjectReference, ...]


class NamesDocument(LiveDocument, frozen=True, tag="Names"):
    """One page of names. `total` counts all pages; `after` is the cursor of the next page, null on the last."""

    total: int
    after: str | None
    items: tuple[NameStatus, ...]


class ZoneStatus(ZoneDocument, frozen=True):
    """One zone. `readAt` is when its last complete refresh began, null before the first.

    `state` is `failing` if the zone cannot be read or written, `reading` until it was fully read, `held` while deletes
    in it are held, otherwise that of the name with the worst state; if that is published or excluded, or there is no
    name, it is `changing` while changes are queued, else `published`. `queued` counts names with queued changes;
    `deleted` counts names with deletes of the last ten minutes that count in the delete budget.
    """

    state: ZoneCondition
    provider: str
    read_at: datetime | None
    failure: str
    queued: int
    deleted: int
    held: int


class RateLimitDocument(Document, frozen=True):
    """An API rate limit: calls `left` that can be sent now, and how many are added per second.

    `action` is the API call, "" for all calls of the account together. `throttled` counts how often the service
    throttled.
    """

    account: str
    action: str
    left: float
    per_second: float
    throttled: int


class ZonesDocument(LiveDocument, frozen=True, tag="Zones"):
    """All zones. `apiRateLimits` has the limits that they share; it is empty for a service without rate limits."""

    items: tuple[ZoneStatus, ...]
    api_rate_limits: tuple[RateLimitDocument, ...]


class SourceStatus(Document, frozen=True):
    """A kind of object, the sources that have read objects of it, and the number of objects read so far."""

    resource: str
    sources: tuple[str, ...]
    state: Literal["listing", "synced", "failing", "forbidden", "unauthorized", "not-served"]
    since: datetime
    detail: str
    objects: int


class SourcesDocument(LiveDocument, frozen=True, tag="Sources"):
    """All kinds of object that are listed and watched."""

    items: tuple[SourceStatus, ...]


class ChangesDocument(LiveDocument, frozen=True, tag="Changes"):
    """The last writes, newest first."""

    items: tuple[ChangeDocument, ...]


def build_status(live: ProcessSnapshot, config: Config) -> StatusDocument:
    """Describe the state of the process."""
    counts = Counter(row.state for row in live.names.rows)
    warnings = find_scope_warnings(config, live.engine.scope) if live.synced else ()
    return StatusDocument(
        at=live.at,
        message=" ".join(describe_state(live, counts, warnings)),
        level=find_level(live, counts, warnings),
        synced=live.synced,
        counts={state.value: counts[state] for state in NameState},
        failing=tuple(list_failures(live)),
        waiting=live.engine.unfinished,
        warnings=warnings,
        version=__version__,
        policy=config.control.policy,
        dry_run=config.control.dry_run,
    )


def build_names(live: ProcessSnapshot, found: NamePage) -> NamesDocument:
    """Describe one page of names."""
    items = tuple(_build_name(live, row) for row in found.rows)
    return NamesDocument(at=live.at, total=found.total, after=found.after, items=items)


def build_zones(live: ProcessSnapshot, config: Config, rate_limits: Iterable[RateLimitStatus]) -> ZonesDocument:
    """Describe all zones, sorted, and the API rate limits."""
    return ZonesDocument(
        at=live.at,
        items=tuple(_build_zone(live, entry, config.control.provider) for entry in live.engine.zones),
        api_rate_limits=tuple(
            RateLimitDocument(
                account=one.account,
                action=one.action,
                left=round(one.calls_left, 1),
                per_second=round(one.per_s, 1),
                throttled=one.throttle_count,
            )
            for one in rate_limits
        ),
    )


def build_sources(live: ProcessSnapshot) -> SourcesDocument:
    """Describe all kinds of object, sorted."""
    read = {(key.kind, source) for source, key in live.engine.claims.list_sources_and_objects()}
    return SourcesDocument(
        at=live.at,
        items=tuple(
            SourceStatus(
                resource=state.kind.resource,
                sources=tuple(sorted(source for kind, source in read if kind == state.kind)),
                state=state.phase.value,
                since=live.time_of(state.since_s),
                detail=state.detail,
                objects=state.objects,
            )
            for state in sorted(live.kinds, key=lambda one: one.kind.resource)
        ),
    )


def build_changes(live: ProcessSnapshot) -> ChangesDocument:
    """Describe the last writes."""
    return ChangesDocument(at=live.at, items=live.changes)


def _build_name(live: ProcessSnapshot, row: NameSummary) -> NameStatus:
    requesters = dict.fromkeys(request for one in row.decisions for request in one.requested_by)
    return NameStatus(
        name=row.name,
        state=row.state,
        reason=row.worst.reason.value,
        since=find_oldest_request(row),
        records=tuple(_build_record(live, one) for one in row.decisions),
        objects=tuple(map(build_object_reference, requesters)),
    )


def _build_record(live: ProcessSnapshot, decision: Decision) -> RecordStatus:
    current = decision.current
    return RecordStatus(
        zone=build_zone_reference(decision.zone) if decision.zone else None,
        type=decision.type,
        set_identifier=decision.set_identifier,
        targets=current.record.targets if current else (),
        requested=decision.desired.targets if decision.desired else (),
        state=find_state(decision),
        action=decision.action.value,
        reason=decision.reason.value,
        owner=current.owner if current else None,
        ours=current is not None and current.is_ours,
        resource=current.resource if current else "",
        blocked_by=tuple(_list_blocking(live, decision)),
    )


def _list_blocking(live: ProcessSnapshot, decision: Decision) -> Iterator[BlockingRecord]:
    is_foreign = decision.reason.row.category is Category.FOREIGN
    if decision.current or not (is_foreign or decision.reason is Reason.INCOMPATIBLE_RECORD):
        return
    for entry in (one for one in live.engine.zones if one.zone == decision.zone):
        for one in live.engine.read_around(decision.name, entry):
            if one.record.name == decision.name:
                yield BlockingRecord(
                    one.record.type, one.record.set_identifier, one.record.targets, one.owner, one.is_ours
                )


def _build_zone(live: ProcessSnapshot, entry: ZoneSnapshot, provider: str) -> ZoneStatus:
    return ZoneStatus(
        state=find_condition(live, entry),
        name=entry.zone.name,
        id=entry.zone.id,
        account=entry.zone.account,
        private=entry.zone.private,
        provider=provider,
        records=live.count_zone_records(entry),
        ours=entry.owned,
        read_at=None if entry.read_s is None else live.time_of(entry.read_s),
        failure=entry.failure,
        queued=entry.queued,
        deleted=entry.deleted,
        held=entry.held,
    )
