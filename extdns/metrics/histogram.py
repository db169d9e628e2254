"""Histograms of durations, by label set."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from prometheus_client.core import HistogramMetricFamily

from extdns.metrics import table

if TYPE_CHECKING:
    from extdns.metrics.table import Metric

MAX_ZONES: Final = 20
"""How many zones have durations of their own; further ones share the label `other`."""
_MAX_LABEL_SETS: Final = 100
_OTHER: Final = "other"

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
        """Show *labels* from now on, so that its first duration counts as an increase from zero."""
        with self._lock:
            self._find(labels)

    def observe(self, labels: tuple[str, ...], seconds: float) -> None:
        """Count a duration of *seconds*."""
        with self._lock:
            found = self._find(labels)
            found.counts[bisect_left(self._bounds, seconds)] += 1
            found.total_s += seconds

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


CALL_DURATIONS: Final = Histogram(table.CALL_DURATIONS, CALL_BUCKETS)
"""All calls of this process to DNS services."""
