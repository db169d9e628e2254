"""Copies of the engine's state at one moment, for readers on other threads.

See docs/design/architecture.md, "Threads".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from msgspec import field

from extdns.documents.names import NameIndex
from extdns.documents.rules import NO_RULES, RuleSnapshot, count_rule_results
from extdns.engine.health import MOST_SHOWN, find_failures, find_unfinished, find_unread
from extdns.engine.scope import measure_scope
from extdns.model import rrtype
from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.documents.changes import ChangeDocument
    from extdns.engine.engine import Engine
    from extdns.engine.zones import ZoneCache, ZoneState
    from extdns.model.change import Decision
    from extdns.model.cluster import KindState
    from extdns.model.evidence import DeleteStatus, HeldSet
    from extdns.model.record import OwnedRecord, Record, RecordKey
    from extdns.model.zone import Zone


class ZoneSnapshot(Value, frozen=True, kw_only=True):
    """The state of one zone.

    Attributes:
        read_s: when the last complete refresh began (monotonic seconds), None before the first.
        failure: why the zone cannot be read or written now, "" if it can.
        queued: the number of names with queued changes.
        owned: the number of records that are ours.
        deleted: the number of names with deletes of the last ten minutes that count in the budget.
        waiting_deletes: the deletes that have evidence but were not made yet, including held ones.
    """

    zone: Zone
    cache: ZoneCache
    read_s: float | None
    failure: str
    queued: int
    owned: int
    deleted: int
    held: int
    waiting_deletes: Mapping[RecordKey, DeleteStatus]


class EngineSnapshot:
    """A copy of the engine's tables, made on the engine's thread. Copy and engine share the entries, which are frozen.

    Attributes:
        zones: every zone, sorted.
        held_sets: the deletes that wait for approval, by scope.
        unfinished: what has not been read yet, one sentence each.
        failures: everything else that fails, one sentence each.
        missing: a message for each thing that makes a plan incomplete, those in `unfinished` included.
        is_leader: whether the process is the leader, which it always is without an election.
        state_problem: why saved state is unknown or was not saved, "" if there is no problem.
        bulk_updates: what the first pass changed in bulk without saved state.
        other_cluster: the id of the cluster of the objects, if a person must accept it first; otherwise "".
        scope: which zones, objects and names there are.
        rules_evaluated_at_s: when rules were last evaluated on a record (monotonic seconds), None before the first.
        all_zones: whether the zones of every account are known; otherwise a name may belong to an unknown zone.
    """

    def __init__(self, engine: Engine) -> None:
        self.decisions = engine.decisions.copy()
        self.claims = engine.claims.copy()
        self.held_sets: tuple[HeldSet, ...] = engine.delete_guard.held_sets()
        counts = Counter(one.zone.id for found in self.held_sets for one in found.held)
        self.zones = tuple(_copy_zone(zone_state, engine, counts[zone_state.zone.id]) for zone_state in engine.zones)
        self.unfinished = find_unfinished(engine)
        self.failures = tuple(one for one in find_failures(engine, MOST_SHOWN) if one not in self.unfinished)
        self.is_leader = engine.leadership.is_leader
        self.missing = find_unread(engine, MOST_SHOWN)
        self.scope = measure_scope(engine)
        self.state_problem = engine.state_problem
        self.bulk_updates = engine.bulk_updates.found
        self.other_cluster = engine.delete_guard.cluster.other_id
        self.rules_evaluated_at_s = engine.rules.evaluated_at_s
        self.all_zones = engine.zones.is_listed and not engine.zones.failed_accounts
        self._placement = engine.zones.placement
        self._plan, self._registry = engine.settings.plan, engine.settings.registry

    def zones_of(self, name: DnsName) -> tuple[Zone, ...]:
        """Return the zones that *name* belongs to."""
        return self._placement.find_zones(name)

    def unread_zones(self, name: DnsName) -> Iterator[Zone]:
        """Return the zones of *name* that were not fully read."""
        zones = self.zones_of(name)
        return (entry.zone for entry in self.zones if entry.zone in zones and not entry.cache.is_complete)

    def find_exclusion(self, key: RecordKey) -> Reason | None:
        """Return why the configuration excludes the record *key*, None if it does not."""
        if not self._plan.domains.matches(key.name):
            return Reason.DOMAIN_FILTERED
        return None if key.type in self._plan.managed_types else Reason.TYPE_UNMANAGED

    def read_around(self, name: DnsName, entry: ZoneSnapshot) -> tuple[OwnedRecord, ...]:
        """Return the records at *name* and its related names, with their owners, without ownership records.

        These are the records in the zone *entry*; a related name that does not belong to this zone is looked up in its
        own zones, because the ownership record of the name of a zone may be in the parent zone.
        """
        related = self._registry.related_names
        near = {name, *map(DnsName, related(name, entry.zone))}
        near.update(*(map(DnsName, related(one, entry.zone)) for one in tuple(near)))
        found = {record.key: record for record in entry.cache.records_around(name, near - {name})}
        for other in near:
            homes = self._placement.find_zones(other)
            if entry.zone not in homes:
                for one in (one for one in self.zones if one.zone in homes):
                    found |= {record.key: record for record in one.cache.records(other) if record.key not in found}
        return self._registry.read(found.values(), entry.zone)

    def find_waiting_delete(self, decision: Decision) -> DeleteStatus | None:
        """Return the waiting delete of the record that *decision* keeps, None if there is none."""
        if decision.current is None or decision.action is not Action.KEEP:
            return None
        key = decision.current.key
        return next((entry.waiting_deletes.get(key) for entry in self.zones if entry.zone == decision.zone), None)


def _copy_zone(zone_state: ZoneState, engine: Engine, held: int) -> ZoneSnapshot:
    guard = engine.delete_guard
    return ZoneSnapshot(
        zone=zone_state.zone,
        cache=zone_state.cache.copy(),
        read_s=zone_state.refresh.completed_at,
        failure=zone_state.refresh.retry.message or zone_state.queue.problem,
        queued=len(zone_state.queue.queued),
        owned=engine.decisions.owned[zone_state.zone.id],
        deleted=guard.budget(zone_state.zone.id).deleted,
        held=held,
        waiting_deletes=guard.list_statuses(zone_state.zone.id),
    )


T = TypeVar("T")
UNRESPONSIVE_AFTER_S: Final = 5.0
"""The engine counts as unresponsive if a requested copy takes longer than this."""


class CountCache:
    """Results that are expensive to compute, so that successive snapshots share them."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Any]] = {}

    def find(self, key: str, revision: int, compute: Callable[[], T]) -> T:
        """Return the result for *key*, computed again if the *revision* of its data is not that of the stored one."""
        known = self._known.get(key)
        if known is None or known[0] != revision:
            known = self._known[key] = (revision, compute())
        found: T = known[1]
        return found


class ProcessSnapshot(Value, frozen=True, kw_only=True, gc=True):
    """The state of a process at one moment.

    Attributes:
        engine: the state of the engine.
        at: when it was copied; `at_s` is the same in monotonic seconds.
        kinds: the list state of each kind of object, with the number of objects.
        changes: the last writes, newest first.
        synced: whether the first full pass has ended.
        age_s: the age of the copy when it was served, in seconds.
        healthy: whether all threads of the process made progress when the copy was served.
    """

    engine: EngineSnapshot
    at: datetime
    at_s: float
    kinds: tuple[KindState, ...]
    changes: tuple[ChangeDocument, ...]
    synced: bool
    rules: RuleSnapshot = NO_RULES
    counted: CountCache = field(default_factory=CountCache)
    age_s: float = 0.0
    healthy: bool = True

    @property
    def is_responding(self) -> bool:
        """Whether the engine still responds; otherwise this is the last state before it stopped responding."""
        return self.age_s < UNRESPONSIVE_AFTER_S and self.healthy

    def time_of(self, monotonic_s: float) -> datetime:
        """Convert *monotonic_s* to a time of day in UTC."""
        return self.at - timedelta(seconds=self.at_s - monotonic_s)

    @property
    def names(self) -> NameIndex:
        """The index of every name, without those that have only foreign records and are not requested."""
        decisions = self.engine.decisions
        return self.counted.find("names", decisions.revision, lambda: NameIndex(decisions))

    @property
    def rule_results(self) -> Counter[tuple[str, str]]:
        """The number of records that a rule matches, by pair of rule and result."""
        decisions = self.engine.decisions
        return self.counted.find("rule results", decisions.revision, lambda: count_rule_results(decisions))

    def count_zone_records(self, entry: ZoneSnapshot) -> int:
        """Return the number of records in a zone, as `list_records` yields them."""
        cache = entry.cache
        return self.counted.find(f"zone {entry.zone.id}", cache.revision, lambda: sum(1 for _ in list_records(cache)))


_OWNERSHIP_PREFIX: Final = '"heritage='


class RecordCounts(NamedTuple):
    """The numbers of all records and of our records in a zone, without ownership records."""

    records: int
    ours: int


def count_records(engine: Engine | EngineSnapshot) -> dict[Zone, RecordCounts]:
    """Count the records of each zone that was fully read."""
    ours = Counter(decision.zone for decision in engine.decisions if decision.current and decision.current.is_ours)
    caches = {zone.zone: zone.cache for zone in engine.zones}
    return {
        zone: RecordCounts(sum(1 for _ in list_records(cache)), ours[zone])
        for zone, cache in caches.items()
        if cache.is_complete
    }


def list_records(cache: ZoneCache) -> Iterator[Record]:
    """Yield the records in a zone cache, except unreadable records and ownership records in plain text."""
    return (one for one in cache.all_records() if not is_ownership_record(one) and not rrtype.is_unreadable(one.type))


def is_ownership_record(record: Record) -> bool:
    """Return whether *record* is an ownership record in plain text, or a row, of any owner."""
    if record.type == rrtype.TXT:
        return any(target.startswith(_OWNERSHIP_PREFIX) for target in record.targets)
    return rrtype.is_row(record.type)
