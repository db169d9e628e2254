"""Documents about a running process: its state, names, zones, sources and last changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from extdns.facts.changes import ChangeFacts, change_facts
from extdns.facts.document import VERSION, Facts, ObjectFacts, Version, ZoneName, object_facts, zone_name
from extdns.facts.names import Part, Row, State, asked_since, state_of
from extdns.facts.sentence import Level, level, sentence
from extdns.model.decision import Decision

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.facts.snapshot import ZoneEntry
    from extdns.model.apibudget import ApiBudget
    from extdns.model.cluster import Kind, KindState


class Area(Facts, frozen=True):
    """What is told of one area; at is when it was so."""

    api_version: Version
    at: datetime


class StatusFacts(Area, frozen=True):
    """The whole in one sentence; failing tells what fails, counts how many names are in each state."""

    kind: Literal["Status"]
    sentence: str
    level: Level
    settled: bool
    counts: dict[str, int]
    failing: tuple[str, ...]


class RecordEntry(Facts, frozen=True):
    """One record set; targets are what is asked for, else what stands. owner is null where nothing proves one."""

    zone: ZoneName | None
    type: str
    set_identifier: str
    targets: tuple[str, ...]
    state: State
    action: Literal["create", "update", "delete", "keep", "none"]
    reason: str
    owner: str | None
    ours: bool


class NameEntry(Facts, frozen=True):
    """One name; state and reason are those of the record set that is worst off; what lost to another does not count.

    since is when the oldest of the objects that ask was created, null if nobody asks or that is not known.
    """

    name: str
    state: State
    reason: str
    since: datetime | None
    records: tuple[RecordEntry, ...]
    objects: tuple[ObjectFacts, ...]


class NamesFacts(Area, frozen=True):
    """One page of names; total counts those of all pages, after is what asks for the next page, null on the last."""

    kind: Literal["Names"]
    total: int
    after: str | None
    items: tuple[NameEntry, ...]


class ZoneStatus(Facts, frozen=True):
    """One zone; readAt is when the last complete reading of it began, null before there is one.

    waiting are names whose changes wait to be written; deleted counts deletes within ten minutes without a release.
    """

    name: str
    id: str
    account: str
    private: bool
    provider: str
    records: int
    ours: int
    read_at: datetime | None
    failure: str
    waiting: int
    deleted: int
    held: int


class BudgetFacts(Facts, frozen=True):
    """Calls that may be sent to the DNS service: left at once, and so many a second.

    action is the call that they are for, "" for all calls of the account together; throttled counts how often the
    service said that there were too many.
    """

    account: str
    action: str
    left: float
    per_second: float
    throttled: int


class ZonesFacts(Area, frozen=True):
    """All zones, and the budget of calls that they share; a service that does not count calls has none."""

    kind: Literal["Zones"]
    items: tuple[ZoneStatus, ...]
    api_budget: tuple[BudgetFacts, ...]


class SourceStatus(Facts, frozen=True):
    """A kind of object; sources are those that read it, objects how many of it they have seen."""

    resource: str
    sources: tuple[str, ...]
    state: Literal["listing", "synced", "failing", "forbidden", "not-served"]
    since: datetime
    detail: str
    objects: int


class SourcesFacts(Area, frozen=True):
    """All kinds that are listed and watched."""

    kind: Literal["Sources"]
    items: tuple[SourceStatus, ...]


class ChangesFacts(Area, frozen=True):
    """The last changes, newest first."""

    kind: Literal["Changes"]
    items: tuple[ChangeFacts, ...]


def status_facts(live: Live) -> StatusFacts:
    """The whole in one sentence."""
    counts = Counter(row.state for row in live.names.rows)
    return StatusFacts(
        api_version=VERSION,
        kind="Status",
        at=live.at,
        sentence=sentence(live, counts),
        level=level(live, counts),
        settled=live.settled,
        counts={state.value: counts[state] for state in State},
        failing=live.seen.failing,
    )


def names_facts(live: Live, found: Part) -> NamesFacts:
    """The names of one page."""
    items = tuple(map(_name, found.rows))
    return NamesFacts(api_version=VERSION, kind="Names", at=live.at, total=found.total, after=found.after, items=items)


def zones_facts(live: Live, config: Config, budgets: Iterable[ApiBudget]) -> ZonesFacts:
    """All zones, sorted, and how many calls may be made."""
    items = tuple(_zone(live, entry, config.control.provider) for entry in live.seen.zones)
    return ZonesFacts(
        api_version=VERSION, kind="Zones", at=live.at, items=items, api_budget=tuple(map(_budget, budgets))
    )


def sources_facts(live: Live) -> SourcesFacts:
    """All kinds, sorted."""
    seen = Counter((key.kind, source) for source, key in live.seen.claims.askers())
    items = tuple(_source(live, state, seen) for state in sorted(live.kinds, key=lambda one: one.kind.resource))
    return SourcesFacts(api_version=VERSION, kind="Sources", at=live.at, items=items)


def changes_facts(live: Live) -> ChangesFacts:
    """The last changes."""
    return ChangesFacts(api_version=VERSION, kind="Changes", at=live.at, items=tuple(map(change_facts, live.changes)))


def _name(row: Row) -> NameEntry:
    askers = dict.fromkeys(asked for one in row.decisions for asked in one.asked_by)
    return NameEntry(
        name=row.name,
        state=row.state,
        reason=row.main.reason.value,
        since=asked_since(row),
        records=tuple(map(_record, row.decisions)),
        objects=tuple(map(object_facts, askers)),
    )


def _record(decision: Decision) -> RecordEntry:
    stands = decision.held
    return RecordEntry(
        zone=zone_name(decision.zone) if decision.zone else None,
        type=decision.type,
        set_identifier=decision.set_identifier,
        targets=decision.wanted.targets if decision.wanted else stands.record.targets if stands else (),
        state=state_of(decision),
        action=decision.verdict.value,
        reason=decision.reason.value,
        owner=stands.owner if stands else None,
        ours=stands is not None and stands.ours,
    )


def _zone(live: Live, entry: ZoneEntry, provider: str) -> ZoneStatus:
    return ZoneStatus(
        name=entry.zone.name,
        id=entry.zone.id,
        account=entry.zone.account,
        private=entry.zone.private,
        provider=provider,
        records=live.records(entry),
        ours=entry.owned,
        read_at=None if entry.read_s is None else live.time(entry.read_s),
        failure=entry.failure,
        waiting=entry.waiting,
        deleted=entry.deleted,
        held=len(entry.held),
    )


def _budget(one: ApiBudget) -> BudgetFacts:
    return BudgetFacts(
        account=one.account,
        action=one.action,
        left=round(one.left, 1),
        per_second=round(one.per_s, 1),
        throttled=one.throttled,
    )


def _source(live: Live, state: KindState, seen: Mapping[tuple[Kind, str], int]) -> SourceStatus:
    objects = {source: number for (kind, source), number in seen.items() if kind == state.kind}
    return SourceStatus(
        resource=state.kind.resource,
        sources=tuple(sorted(objects)),
        state=state.phase.value,
        since=live.time(state.since_s),
        detail=state.detail,
        objects=sum(objects.values()),
    )
