"""Count events, and render all metrics in the Prometheus text format."""

from __future__ import annotations

import platform
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

import msgspec
from prometheus_client import CollectorRegistry, GCCollector, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from extdns import __version__
from extdns.metrics import table
from extdns.metrics.durations import CALL_DURATIONS, REQUEST_TIMES, ChangeDurations, RequestTimes, sanitize_labels
from extdns.metrics.table import Metric, MetricType
from extdns.model import rrtype
from extdns.model.change import Applied, BulkUpdate, Outcome, WriteConflict, spell_outcome
from extdns.model.cluster import KindState, Phase
from extdns.model.evidence import HeldSet, Scope
from extdns.model.value import Value
from extdns.model.zone import RateLimitStatus, Zone

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}  # as external-dns names them
_REVISION: Final = "unknown"  # the package contains its version, but not the commit
_MAX_NAMED: Final = 50
_NAMED_TYPES: Final = frozenset(
    {*rrtype.OWNABLE, *(rrtype.SOA, "CAA", "DS", "HTTPS", "SPF", "SSHFP", "SVCB", "TLSA"), "UNKNOWN"}
)
"""The record types with series of their own: objects can request any text as a type, and each series costs memory."""

Samples = Mapping[tuple[str, ...], float]


class Mismatch(NamedTuple):
    """A foreign record with the name and set identifier of a requested record that a foreign record blocks.

    *foreign_owner* is the owner in its ownership record; without one it is the set identifier, as in external-dns.
    """

    record_type: str
    owner: str
    foreign_owner: str
    name: str


class Statistics(Value, frozen=True, kw_only=True):
    """Counts of records, claims and decisions.

    Attributes:
        current: numbers of records in the zones by type, without ownership records.
        requested: requested endpoints by type; equal ones count once.
        verified: requested endpoints by type for which a zone holds a record of that name and type.
        deduplicated: endpoints that repeat another one, by type and source.
        invalid: endpoints that are not valid records, by type and source.
        mismatches: foreign records at names where one of them keeps extdns from creating a record.
        reasons: decisions by reason code.
        rule_results: records by rule and result.
        unexpected: records that are not as requested, without those that filters exclude.
        retained: our records whose object has no valid target now.
        queued: names whose changes are planned and not sent.
        backing_off: names whose changes wait for a retry.
        problems: objects and manifests that cannot be read.
    """

    current: Mapping[str, int] = msgspec.field(default_factory=dict)
    requested: Mapping[str, int] = msgspec.field(default_factory=dict)
    verified: Mapping[str, int] = msgspec.field(default_factory=dict)
    deduplicated: Mapping[tuple[str, str], int] = msgspec.field(default_factory=dict)
    invalid: Mapping[tuple[str, str], int] = msgspec.field(default_factory=dict)
    mismatches: tuple[Mismatch, ...] = ()
    reasons: Mapping[str, int] = msgspec.field(default_factory=dict)
    rule_results: Mapping[tuple[str, str], int] = msgspec.field(default_factory=dict)
    unexpected: int = 0
    retained: int = 0
    queued: int = 0
    backing_off: int = 0
    problems: int = 0


class Metrics(Collector):
    """All metrics of the process. All methods are safe from any thread.

    Gauges and counters are stored in dictionaries, and become metrics when they are scraped. So a scrape never contains
    half of an update, and label sets that no longer exist disappear at once.

    Attributes:
        changes: the durations of changes and of complete readings.
    """

    def __init__(
        self,
        *,
        rate_limits: Callable[[], Iterable[RateLimitStatus]] = tuple,
        request_times: RequestTimes = REQUEST_TIMES,
        call_durations: Histogram = CALL_DURATIONS,
        provider: str = "",
        has_election: bool = False,
    ) -> None:
        """Start at zero, and with an election as a standby.

        Each scrape calls *rate_limits*, which returns how many calls may be made now.
        """
        self._rate_limits = rate_limits
        self.changes = ChangeDurations(provider)
        self._calls = call_durations
        self._held: dict[Scope, HeldSet] = {}
        self._lock = threading.Lock()
        plain = (metric for metric in table.TABLE if metric.type in {MetricType.GAUGE, MetricType.COUNTER})
        self._samples: dict[Metric, Samples] = {metric: {} if metric.labels else {(): 0} for metric in plain}
        self._samples[table.BUILD_INFO] = {(*_describe_platform(), _REVISION, __version__): 1}
        self._set(table.ELECTION, has_election)
        self.set_leadership(is_leader=not has_election)
        self._registry = CollectorRegistry()
        self._registry.register(self)
        for family in (*self.changes.histograms, request_times):
            self._registry.register(family.family)
        self._registry.register(self._calls)
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def render(self) -> bytes:
        """Render all metrics in the text format 0.0.4."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Build all gauges and counters, in the order of the module `table`. Label sets are sorted."""
        rate_limits = tuple(self._rate_limits())
        with self._lock:
            self._set_rate_limits(rate_limits)
            self._set_webhook_calls()
            self._set(table.THREADS, threading.active_count())
            snapshot = tuple(self._samples.items())
        for metric, samples in snapshot:
            family = (GaugeMetricFamily if metric.type is MetricType.GAUGE else CounterMetricFamily)(
                metric.name, metric.help, labels=metric.labels
            )
            for labels, value in sorted(samples.items()):
                family.add_metric(labels, value)
            yield family

    def count_run(self, now: datetime, *, is_leader: bool, is_blocked: bool, changes: int) -> None:
        """Count a run that ends *now* (docs/design/metrics.md, "What a sync means").

        *is_blocked* says whether a source, a zone or the service keeps this process from acting. *changes* are those
        since the previous run or, in a dry run, the planned ones.
        """
        with self._lock:
            self._set(table.RECONCILED, now.timestamp())
            self._add(table.CACHED_RECORDS, "true")
            if is_blocked:
                self._add(table.FAILING_RUNS)
                return
            self._set(table.FAILING_RUNS, 0)
            if is_leader:
                self._set(table.SYNCED, now.timestamp())
            if not changes:
                self._add(table.IDLE_RUNS)

    def set_statistics(self, counts: Statistics) -> None:
        """Replace all statistics by *counts*."""
        with self._lock:
            self._set(table.ZONE_ENDPOINTS, sum(counts.current.values()))
            self._samples[table.ZONE_RECORDS] = _build_type_samples(counts.current)
            self._set(table.REQUESTED_ENDPOINTS, sum(counts.requested.values()))
            self._samples[table.REQUESTED_RECORDS] = _build_type_samples(counts.requested)
            self._samples[table.VERIFIED] = _build_type_samples(counts.verified)
            self._samples[table.DEDUPLICATED] = _lowercase_labels(counts.deduplicated.items())
            self._samples[table.INVALID] = _lowercase_labels(counts.invalid.items())
            self._samples[table.OWNED_BY_OTHERS] = _lowercase_labels(
                ((one.record_type, one.owner, one.foreign_owner, _find_parent_domain(one.name)), 1)
                for one in counts.mismatches
            )
            self._samples[table.DECISIONS] = {(code,): count for code, count in counts.reasons.items() if count}
            self._samples[table.RULE_RESULTS] = {
                sanitize_labels(*labels): count for labels, count in counts.rule_results.items()
            }
            self._set(table.RETAINED, counts.retained)
            self._set(table.QUEUED, counts.queued)
            self._set(table.BACKING_OFF, counts.backing_off)
            self._set(table.PROBLEMS, counts.problems)

    def set_phase(self, state: KindState) -> None:
        """Set the phase of the list and watch of a kind, and count it if it is an error."""
        kind = state.kind.resource
        with self._lock:
            others = {labels: value for labels, value in self._samples[table.PHASES].items() if labels[0] != kind}
            self._samples[table.PHASES] = {**others, (kind, state.phase): 1}
            if state.phase not in {Phase.LISTING, Phase.SYNCED}:
                self._add(table.SOURCE_ERRORS)

    def count_object_failure(self) -> None:
        """Count one object whose claims could not be computed."""
        with self._lock:
            self._add(table.SOURCE_ERRORS)

    def count_defect(self) -> None:
        """Count an unexpected error of extdns."""
        with self._lock:
            self._add(table.DEFECTS)

    def set_zones(self, zones: Iterable[Zone]) -> None:
        """Show the durations of *zones*, also before the first one. Remove the read times of other zones."""
        listed = tuple(zones)
        known = {sanitize_labels(zone.name, zone.id) for zone in listed}
        self.changes.set_zones(listed)
        with self._lock:
            read = self._samples[table.ZONE_READ]
            self._samples[table.ZONE_READ] = {labels: at_s for labels, at_s in read.items() if labels in known}

    def set_zone_read_time(self, zone: Zone, now: datetime) -> None:
        """Set the time at which *zone* was last read completely."""
        with self._lock:
            self._add(table.CACHED_RECORDS, "false")
            read = self._samples[table.ZONE_READ]
            self._samples[table.ZONE_READ] = {**read, sanitize_labels(zone.name, zone.id): now.timestamp()}

    def set_held_deletes(self, held: HeldSet) -> None:
        """Replace the metrics of the held deletes of one scope."""
        with self._lock:
            self._held.pop(held.scope, None)
            if held.held:
                self._held[held.scope] = held
            sets = self._held.values()
            self._samples[table.DELETES_HELD] = Counter(
                sanitize_labels(one.zone.name, one.zone.id) for found in sets for one in found.held
            )
            self._samples[table.HELD_RECORD] = {
                sanitize_labels(
                    one.zone.name,
                    one.zone.id,
                    one.owned.record.name,
                    one.owned.record.type.lower(),
                    one.evidence,
                    found.code,
                ): 1
                for found in sets
                for one in found.held[:_MAX_NAMED]
            }

    def set_leadership(self, *, is_leader: bool) -> None:
        """Set whether this process is the leader. A standby shows no last sync: it would look old."""
        with self._lock:
            self._set(table.LEADER, is_leader)
            self._samples[table.SYNCED] = (self._samples[table.SYNCED] or {(): 0}) if is_leader else {}

    def set_saved_state(self, *, is_known: bool) -> None:
        """Set whether the saved state was loaded and can be saved."""
        with self._lock:
            self._set(table.STATE_KNOWN, is_known)

    def set_bulk_updates(self, found: Iterable[BulkUpdate]) -> None:
        """Replace the counts of names that the first pass changed without saved state."""
        counts = {sanitize_labels(one.zone.name, one.zone.id): len(one.names) for one in found}
        with self._lock:
            self._samples[table.BULK_UPDATES] = counts

    def set_audit_log(self, *, is_failing: bool, dropped: int) -> None:
        """Set whether the audit log cannot be written, and how many of its lines were dropped."""
        with self._lock:
            self._set(table.AUDIT_FAILING, is_failing)
            self._set(table.AUDIT_DROPPED, dropped)

    def start_policy_queries(self) -> None:
        """Show the queries of the policy server, and their answers, before the first one."""
        with self._lock:
            self._samples[table.POLICY_QUERIES] = dict.fromkeys((("answered",), ("failed",)), 0)
            results = (("allow",), ("deny",), ("unavailable",), ("warn",))
            self._samples[table.POLICY_ANSWERS] = dict.fromkeys(results, 0)

    def set_policy_server(self, *, is_failing: bool) -> None:
        """Set whether the policy server does not answer."""
        with self._lock:
            self._set(table.POLICY_SERVER_FAILING, is_failing)

    def count_policy_query(self, results: Mapping[str, int], *, failed: bool, duration_s: float) -> None:
        """Count a query of the policy server, and its answers by result."""
        with self._lock:
            self._add(table.POLICY_QUERIES, "failed" if failed else "answered")
            self._add(table.POLICY_QUERY_SECONDS, count=duration_s)
            for result, count in results.items():
                self._add(table.POLICY_ANSWERS, result, count=count)

    def count_read_failure(self) -> None:
        """Count a failed read: of the list of zones, of a page of a zone, or of single names."""
        with self._lock:
            self._add(table.REGISTRY_ERRORS)

    def count_batch(self, outcome: Outcome) -> None:
        """Count the outcome of a batch."""
        with self._lock:
            self._add(table.BATCHES, spell_outcome(outcome))
            self._add(table.CACHED_CHANGES)
            if not isinstance(outcome, Applied | WriteConflict):
                self._add(table.REGISTRY_ERRORS)

    def _set_rate_limits(self, rate_limits: Iterable[RateLimitStatus]) -> None:
        by_action = {sanitize_labels(limit.account, limit.action): limit for limit in rate_limits}
        self._samples[table.API_LEFT] = {labels: limit.calls_left for labels, limit in by_action.items()}
        self._samples[table.API_RATE] = {labels: limit.per_s for labels, limit in by_action.items()}
        self._samples[table.THROTTLED] = {
            labels: limit.throttle_count for labels, limit in by_action.items() if limit.action
        }

    def _set_webhook_calls(self) -> None:
        samples = (sample for family in self._calls.collect() for sample in family.samples)
        calls = [(sample.labels, sample.value) for sample in samples if sample.name.endswith("_count")]
        for action, (requests, errors) in table.WEBHOOK_CALLS.items():
            counts = [(labels["status"], count) for labels, count in calls if labels["action"] == action]
            self._set(requests, sum(count for _, count in counts))
            self._set(errors, sum(count for status, count in counts if status != "ok"))

    def _set(self, metric: Metric, value: float) -> None:
        self._samples[metric] = {(): value}

    def _add(self, metric: Metric, *labels: str, count: float = 1) -> None:
        samples = self._samples[metric]
        self._samples[metric] = {**samples, labels: samples.get(labels, 0) + count}


def _describe_platform() -> tuple[str, str, str]:
    """Return architecture, Python version and system, the first and the last as Go names them."""
    machine = platform.machine()
    return _ARCHITECTURES.get(machine, machine), f"python{platform.python_version()}", sys.platform


def _build_type_samples(counts: Mapping[str, int]) -> Samples:
    return _lowercase_labels(((record_type,), count) for record_type, count in counts.items())


def _find_parent_domain(name: str) -> str:
    """Return *name* without its first label, or *name* if only one label would remain (docs/spec/plan.md 1.8)."""
    rest = name.partition(".")[2]
    return rest if "." in rest else name


def _lowercase_labels(counts: Iterable[tuple[tuple[str, ...], int]]) -> Samples:
    """Convert labels to lower case (docs/spec/plan.md 1.8), and sum counts whose labels become equal.

    The first label is a record type: `other` unless it has series of its own.
    """
    summed: Counter[tuple[str, ...]] = Counter()
    for (record_type, *others), count in counts:
        named = record_type if record_type.upper() in _NAMED_TYPES else "other"
        summed[sanitize_labels(*(label.lower() for label in (named, *others)))] += count
    return summed
