"""Durations of requests, of calls to DNS services, and of changes.

Those of requests are a summary with quantiles (docs/spec/plan.md 1.8), which prometheus-client does not support. All
others are histograms.
"""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from prometheus_client.core import HistogramMetricFamily, SummaryMetricFamily

from extdns import log
from extdns.log import Event
from extdns.metrics import table
from extdns.metrics.table import Metric
from extdns.model.api_request import ApiCall, ApiRequest
from extdns.model.zone import Zone

_log = log.get(__name__)

MAX_ZONES: Final = 20
"""How many zones have durations of their own; further ones share the label `other`."""
_MAX_LABEL_SETS: Final = 100
_OTHER: Final = "other"
_MAX_LABEL: Final = 255

CHANGE_BUCKETS: Final = ("0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "120", "300", "900")
CALL_BUCKETS: Final = ("0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30")
ROUND_BUCKETS: Final = ("0.1", "0.5", "1", "5", "15", "60", "300", "900", "3600")


@dataclass(slots=True)
class _Durations:
    """The durations of one label set: how many fell into each bucket, the last one unbounded, and their sum."""

    counts: list[int]
    total_s: float = 0.0


class Histogram:
    """Count durations in buckets. Safe from any thread."""

    def __init__(self, metric: Metric, buckets: Sequence[str], *, max_label_sets: int = _MAX_LABEL_SETS) -> None:
        """Start empty.

        Args:
            metric: name, help and labels.
            buckets: upper bounds in seconds, ascending, as they are shown.
            max_label_sets: how many label sets are told apart; all further ones share `other`.
        """
        self._metric = metric
        self._names = (*buckets, "+Inf")
        self._bounds = [float(bound) for bound in buckets]
        self._max_label_sets = max_label_sets
        self._lock = threading.Lock()
        self._by_labels: dict[tuple[str, ...], _Durations] = {}

    def add_labels(self, labels: tuple[str, ...]) -> None:
        """Show the label set *labels* from now on, with counts of zero, so that its first duration is an increase."""
        with self._lock:
            self._find(labels)

    def observe(self, labels: tuple[str, ...], seconds: float) -> None:
        """Count one duration, of *seconds*, for the label set *labels*."""
        with self._lock:
            found = self._find(labels)
            found.counts[bisect_left(self._bounds, seconds)] += 1
            found.total_s += seconds

    def count(self) -> dict[tuple[str, ...], int]:
        """Return the number of observed durations by label set."""
        with self._lock:
            return {labels: sum(found.counts) for labels, found in self._by_labels.items()}

    def build_family(self) -> HistogramMetricFamily:
        """Build the metric for prometheus-client, label sets sorted."""
        family = HistogramMetricFamily(self._metric.name, self._metric.help, labels=self._metric.labels)
        with self._lock:
            for labels, found in sorted(self._by_labels.items()):
                count = 0
                buckets: list[tuple[str, float]] = []
                for name, more in zip(self._names, found.counts, strict=True):
                    count += more
                    buckets.append((name, count))
                family.add_metric(labels, buckets, found.total_s)
        return family

    def _find(self, labels: tuple[str, ...]) -> _Durations:
        """Return the durations of *labels*, or of `other` if there are too many label sets."""
        if labels not in self._by_labels:
            if len(self._by_labels) >= self._max_label_sets:
                labels = (_OTHER,) * len(labels)
            self._by_labels.setdefault(labels, _Durations([0] * len(self._names)))
        return self._by_labels[labels]


class ChangeDurations:
    """The durations of changes and of complete readings, by zone. Safe from any thread."""

    def __init__(self, provider: str = "") -> None:
        """Start empty; *provider* is the value of `--provider`, as a label."""
        self._provider = provider
        self._labels: dict[str, tuple[str, ...]] = {}
        self._plans = Histogram(table.PLAN_DURATIONS, CHANGE_BUCKETS, max_label_sets=MAX_ZONES)
        self._writes = Histogram(table.WRITE_DURATIONS, CHANGE_BUCKETS, max_label_sets=MAX_ZONES)
        self._changes = Histogram(table.CHANGE_DURATIONS, CHANGE_BUCKETS, max_label_sets=MAX_ZONES)
        self._refreshes = Histogram(table.REFRESH_DURATIONS, ROUND_BUCKETS, max_label_sets=MAX_ZONES)
        self.histograms: Final = (self._plans, self._writes, self._changes, self._refreshes)

    def set_zones(self, zones: Iterable[Zone]) -> None:
        """Show the durations of *zones* from now on, also if none was observed yet."""
        self._labels = {zone.id: (self._provider, *sanitize_labels(zone.name, zone.id)) for zone in zones}
        for labels in sorted(set(self._labels.values())):
            for histogram in self.histograms:
                histogram.add_labels(labels)

    def observe_plan(self, zone: Zone, seconds: float) -> None:
        """Count a change that was planned *seconds* after the object that caused it was received."""
        self._plans.observe(self._find_labels(zone), seconds)

    def observe_write(self, zone: Zone, seconds: float, *, since_object_s: float | None) -> None:
        """Count a change that the service accepted *seconds* after it was planned.

        *since_object_s* is the time since the object that caused it was received, None if unknown.
        """
        self._writes.observe(self._find_labels(zone), seconds)
        if since_object_s is not None:
            self._changes.observe(self._find_labels(zone), since_object_s)

    def observe_refresh(self, zone: Zone, seconds: float) -> None:
        """Count the seconds that one complete reading of a zone took."""
        self._refreshes.observe(self._find_labels(zone), seconds)

    def _find_labels(self, zone: Zone) -> tuple[str, ...]:
        labels = self._labels.get(zone.id)
        return labels or (self._provider, *sanitize_labels(zone.name, zone.id))


def sanitize_labels(*values: str) -> tuple[str, ...]:
    """Shorten label values, and replace characters that cannot be encoded. Values may come from zones."""
    return tuple(value[:_MAX_LABEL].encode(errors="replace").decode() for value in values)


_HANDLER: Final = "instrumented_http"
_QUANTILES: Final = (0.5, 0.9, 0.99)
_WINDOW_S: Final = 600.0  # external-dns computes its quantiles over ten minutes, too
_MAX_RECENT: Final = 200
_MAX_REQUEST_LABEL_SETS: Final = 200
_OTHER_LABELS: Final = ("", "", "other", "", "")
"""The labels of further requests once there are `_MAX_REQUEST_LABEL_SETS`: a path may end in the name of an object."""

Labels = tuple[str, str, str, str, str]


@dataclass(slots=True)
class _RequestStatistics:
    """The requests of one label set. *last* holds the end and duration of the most recent ones."""

    count: int = 0
    total_s: float = 0.0
    last: deque[tuple[float, float]] = field(default_factory=lambda: deque[tuple[float, float]](maxlen=_MAX_RECENT))


class RequestTimes:
    """Count requests and their durations by label set. Safe from any thread."""

    def __init__(self, *, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        """Start without requests."""
        self._monotonic = monotonic_s
        self._lock = threading.Lock()
        self._by_labels: dict[Labels, _RequestStatistics] = {}

    def record(self, request: ApiRequest) -> None:
        """Record a completed request by host, without credentials, and the last part of its path."""
        url = urlsplit(request.url)
        host, path = url.netloc.rpartition("@")[2], url.path.rpartition("/")[2]
        labels = (url.scheme, host, path, request.method, str(request.status))
        with self._lock:
            if labels not in self._by_labels and len(self._by_labels) >= _MAX_REQUEST_LABEL_SETS:
                labels = _OTHER_LABELS
            statistics = self._by_labels.setdefault(labels, _RequestStatistics())
            statistics.count += 1
            statistics.total_s += request.seconds
            statistics.last.append((self._monotonic(), request.seconds))

    def build_family(self) -> SummaryMetricFamily:
        """Build the metric. The quantiles of a label set without recent requests are NaN."""
        metric = table.REQUESTS
        family = SummaryMetricFamily(metric.name, metric.help, labels=metric.labels)
        since_s = self._monotonic() - _WINDOW_S
        with self._lock:
            for labels, statistics in sorted(self._by_labels.items()):
                named = dict(zip(metric.labels, (_HANDLER, *labels), strict=True))
                recent = sorted(seconds for ended_s, seconds in statistics.last if ended_s >= since_s)
                for share in _QUANTILES:
                    family.add_sample(metric.name, {**named, "quantile": str(share)}, _find_quantile(recent, share))
                family.add_metric(tuple(named.values()), statistics.count, statistics.total_s)
        return family


def _find_quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile *share* (0 to 1) of the sorted values *ordered*."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else math.nan


REQUEST_TIMES: Final = RequestTimes()
"""All requests of this process, to the API server and to DNS services."""

CALL_DURATIONS: Final = Histogram(table.CALL_DURATIONS, CALL_BUCKETS)
"""All calls of this process to DNS services."""


def record_call(call: ApiCall) -> None:
    """Count a call to the DNS service and its duration in the metrics, and log it at the level debug."""
    CALL_DURATIONS.observe((call.action, call.status), call.seconds)
    _log.debug(Event.API_CALL, action=call.action, status=call.status, seconds=round(call.seconds, 3))
