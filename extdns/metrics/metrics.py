"""Takes in what happens, and shows it in Prometheus' text format."""

from __future__ import annotations

import platform
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple, assert_never

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.registry import Collector

from extdns import __version__
from extdns.metrics import table
from extdns.metrics.requests import RequestTimes
from extdns.metrics.table import Form, Metric
from extdns.model.apibudget import ApiBudget
from extdns.model.cluster import KindState, Phase
from extdns.model.held import Held
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.zone import Zone

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}  # the names that the reference uses
_MAX_LABEL: Final = 255
_REVISION: Final = "unknown"  # a package knows its version, not the commit
_MAX_NAMED: Final = 50

Samples = Mapping[tuple[str, ...], float]


class Mismatch(NamedTuple):
    """A record of somebody else where one of ours would have been created.

    *foreign_owner* is the owner that its mark names, else its set identifier.
    """

    record_type: str
    owner: str
    foreign_owner: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much there is of everything now.

    Attributes:
        held: record sets in the zones by record type, without marks.
        wanted: endpoints asked for, each once, by record type.
        verified: those of *wanted* that stand, by record type.
        deduplicated: endpoints left out as asked for already, by record type and source.
        invalid: endpoints left out as no valid record, by record type and source.
        mismatches: records of others that keep ours from being created.
        reasons: decisions in force by reason code.
        stale: records of ours whose object cannot say a target.
        pending: names whose change waits or is being written.
        quarantined: names that are set aside for a while.
        problems: objects and manifests that cannot be read.
    """

    held: Mapping[str, int] = field(default_factory=dict)
    wanted: Mapping[str, int] = field(default_factory=dict)
    verified: Mapping[str, int] = field(default_factory=dict)
    deduplicated: Mapping[tuple[str, str], int] = field(default_factory=dict)
    invalid: Mapping[tuple[str, str], int] = field(default_factory=dict)
    mismatches: tuple[Mismatch, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    stale: int = 0
    pending: int = 0
    quarantined: int = 0
    problems: int = 0


class Metrics(Collector):
    """All metrics of one process; any thread may call any method.

    Values are kept in dictionaries and become metrics when somebody asks, so that nobody sees half
    of an update, and label sets that no longer exist are gone at once.
    """

    def __init__(
        self,
        *,
        budgets: Callable[[], Iterable[ApiBudget]] = tuple,
        requests: RequestTimes | None = None,
    ) -> None:
        """Start at zero.

        Args:
            budgets: how many calls may be made, asked when somebody asks for metrics.
            requests: how long requests took.
        """
        self._budgets = budgets
        self._requests = requests or RequestTimes()
        self._lock = threading.Lock()
        plain = (metric for metric in table.TABLE if metric.form is not Form.SUMMARY)
        self._samples: dict[Metric, Samples] = {metric: {} if metric.labels else {(): 0} for metric in plain}
        self._samples[table.BUILD_INFO] = {(*_platform(), _REVISION, __version__): 1}
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def text(self) -> bytes:
        """Everything in text format 0.0.4."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily | SummaryMetricFamily]:
        """All metrics in the order of the table, the summary last, their label sets sorted; the library calls this."""
        budgets = tuple(self._budgets())
        with self._lock:
            self._count_calls(budgets)
            snapshot = tuple(self._samples.items())
        for metric, samples in snapshot:
            family = (GaugeMetricFamily if metric.form is Form.GAUGE else CounterMetricFamily)(
                metric.name, metric.help, labels=metric.labels
            )
            for labels, value in sorted(samples.items()):
                family.add_metric(labels, value)
            yield family
        yield self._requests.family()

    def run_ended(self, now: datetime, *, failing: int, changes: int) -> None:
        """A run came to its end (design 5).

        Args:
            now: when.
            failing: sources, zones and names in scope that are failing.
            changes: changes made since the run before or, in a dry run, left to make.
        """
        with self._lock:
            if failing:
                self._add(table.FAILING_RUNS)
                return
            self._set(table.FAILING_RUNS, 0)
            self._set(table.RECONCILED, now.timestamp())
            self._set(table.SYNCED, now.timestamp())
            if not changes:
                self._add(table.IDLE_RUNS)

    def counted(self, counts: Counts) -> None:
        """Everything was counted anew; what was counted before is forgotten."""
        with self._lock:
            self._set(table.ENDPOINTS_HELD, sum(counts.held.values()))
            self._samples[table.RECORDS_HELD] = _by_type(counts.held)
            self._set(table.ENDPOINTS_WANTED, sum(counts.wanted.values()))
            self._samples[table.RECORDS_WANTED] = _by_type(counts.wanted)
            self._samples[table.VERIFIED] = _by_type(counts.verified)
            self._samples[table.DEDUPLICATED] = _lowered(counts.deduplicated.items())
            self._samples[table.INVALID] = _lowered(counts.invalid.items())
            self._samples[table.OWNED_BY_OTHERS] = _by_domain(counts.mismatches)
            self._samples[table.DECISIONS] = {(code,): count for code, count in counts.reasons.items() if count}
            self._set(table.STALE, counts.stale)
            self._set(table.PENDING, counts.pending)
            self._set(table.QUARANTINED, counts.quarantined)
            self._set(table.PROBLEMS, counts.problems)

    def phase_changed(self, state: KindState) -> None:
        """The list and watch of a kind came to another phase."""
        kind = state.kind.resource
        with self._lock:
            others = {labels: value for labels, value in self._samples[table.PHASES].items() if labels[0] != kind}
            self._samples[table.PHASES] = {**others, (kind, state.phase): 1}
            if state.phase not in {Phase.LISTING, Phase.SYNCED}:
                self._add(table.SOURCE_ERRORS)

    def object_failed(self) -> None:
        """What an object asks for could not be computed."""
        with self._lock:
            self._add(table.SOURCE_ERRORS)

    def defect_met(self) -> None:
        """Something in this program failed that should not have."""
        with self._lock:
            self._add(table.DEFECTS)

    def zones_listed(self, zones: Iterable[Zone]) -> None:
        """There are these *zones* and no others."""
        known = {_labels(zone.name, zone.id) for zone in zones}
        with self._lock:
            read = self._samples[table.ZONE_READ]
            self._samples[table.ZONE_READ] = {labels: at_s for labels, at_s in read.items() if labels in known}

    def zone_read(self, zone: Zone, now: datetime) -> None:
        """The last page of a reading of *zone* came in."""
        with self._lock:
            read = self._samples[table.ZONE_READ]
            self._samples[table.ZONE_READ] = {**read, _labels(zone.name, zone.id): now.timestamp()}

    def deletes_held(self, zone: Zone, code: str, held: Sequence[Held]) -> None:
        """Just *held* wait in *zone* for a person who releases *code*."""
        here = _labels(zone.name, zone.id)
        named = {
            (*here, *_labels(one.owned.record.name, one.owned.record.type.lower(), one.evidence, code)): 1.0
            for one in held[:_MAX_NAMED]
        }
        with self._lock:
            self._renew(table.DELETES_HELD, here, {here: len(held)} if held else {})
            self._renew(table.HELD_RECORD, here, named)

    def led(self, *, leads: bool) -> None:
        """We lead from now on, or no more."""
        with self._lock:
            self._set(table.LEADER, leads)

    def read_failed(self) -> None:
        """The list of zones, a page of a zone or some names could not be read."""
        with self._lock:
            self._add(table.REGISTRY_ERRORS)

    def batch_ended(self, outcome: Outcome) -> None:
        """A batch of writes came to its end."""
        with self._lock:
            self._add(table.BATCHES, _outcome(outcome))
            if not isinstance(outcome, Applied | Conflict):
                self._add(table.REGISTRY_ERRORS)

    def _count_calls(self, budgets: Iterable[ApiBudget]) -> None:
        by_action = {_labels(budget.account, budget.action): budget for budget in budgets}
        self._samples[table.API_LEFT] = {labels: budget.left for labels, budget in by_action.items()}
        self._samples[table.API_RATE] = {labels: budget.per_s for labels, budget in by_action.items()}
        self._samples[table.THROTTLED] = {
            labels: budget.throttled for labels, budget in by_action.items() if budget.action
        }

    def _renew(self, metric: Metric, zone: tuple[str, ...], samples: Samples) -> None:
        """Let *samples* be those of *metric* whose labels begin with *zone*."""
        others = {key: value for key, value in self._samples[metric].items() if key[: len(zone)] != zone}
        self._samples[metric] = {**others, **samples}

    def _set(self, metric: Metric, value: float) -> None:
        self._samples[metric] = {(): value}

    def _add(self, metric: Metric, *labels: str) -> None:
        samples = self._samples[metric]
        self._samples[metric] = {**samples, labels: samples.get(labels, 0) + 1}


def _platform() -> tuple[str, str, str]:
    """Architecture and system as Go names them, and the version of Python between them."""
    machine = platform.machine()
    return _ARCHITECTURES.get(machine, machine), f"python{platform.python_version()}", sys.platform


def _outcome(outcome: Outcome) -> str:
    match outcome:
        case Applied():
            return "applied"
        case Conflict():
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


def _by_type(counts: Mapping[str, int]) -> Samples:
    return _lowered(((record_type,), count) for record_type, count in counts.items())


def _by_domain(mismatches: Iterable[Mismatch]) -> Samples:
    return _lowered(((one.record_type, one.owner, one.foreign_owner, _domain(one.name)), 1) for one in mismatches)


def _domain(name: str) -> str:
    """*name* without its first label, unless a single one would remain (spec plan 1.8)."""
    rest = name.partition(".")[2]
    return rest if "." in rest else name


def _lowered(counts: Iterable[tuple[tuple[str, ...], int]]) -> Samples:
    """*counts* with labels in lower case (spec plan 1.8); what falls together is summed."""
    summed: Counter[tuple[str, ...]] = Counter()
    for labels, count in counts:
        summed[_labels(*(label.lower() for label in labels))] += count
    return summed


def _labels(*values: str) -> tuple[str, ...]:
    """*values*, some of which come out of zones, cut to what labels should bear, without what cannot be encoded."""
    return tuple(value[:_MAX_LABEL].encode(errors="replace").decode() for value in values)
