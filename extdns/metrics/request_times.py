"""Durations of requests, as a summary with quantiles (docs/spec/plan.md 1.8); prometheus-client has none."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from prometheus_client.core import SummaryMetricFamily

from extdns.metrics import table
from extdns.model.api_request import ApiRequest

_HANDLER: Final = "instrumented_http"
_QUANTILES: Final = (0.5, 0.9, 0.99)
_WINDOW_S: Final = 600.0  # external-dns computes its quantiles over ten minutes, too
_MAX_RECENT: Final = 200
_MAX_LABEL_SETS: Final = 200
_OTHER_LABELS: Final = ("", "", "other", "", "")
"""The labels of further requests once there are `_MAX_LABEL_SETS`: a path may end in the name of an object."""

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
            if labels not in self._by_labels and len(self._by_labels) >= _MAX_LABEL_SETS:
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
