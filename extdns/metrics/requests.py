"""How long requests take: the reference's summary, which the library has without quantiles (spec plan 1.8)."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from prometheus_client.core import SummaryMetricFamily

from extdns.metrics import table
from extdns.model.request import Request

_HANDLER: Final = "instrumented_http"
_QUANTILES: Final = (0.5, 0.9, 0.99)
_WINDOW_S: Final = 600.0  # quantiles are those of the last ten minutes, as there
_LAST: Final = 200
_MOST: Final = 200
_OTHER: Final = ("", "", "other", "", "")
"""The labels of what comes once there are `_MOST` others: a path may end in the name of an object."""

Labels = tuple[str, str, str, str, str]


@dataclass(slots=True)
class _Taken:
    """The requests of one set of labels; of the last ones, when each ended and how long it took."""

    count: int = 0
    total_s: float = 0.0
    last: deque[tuple[float, float]] = field(default_factory=lambda: deque[tuple[float, float]](maxlen=_LAST))


class RequestTimes:
    """Counts requests by where they went and how they ended; any thread may call any method."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Start with none."""
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._taken: dict[Labels, _Taken] = {}

    def take(self, one: Request) -> None:
        """A request has ended."""
        labels = (one.scheme, one.host, one.path, one.method, str(one.status))
        with self._lock:
            if labels not in self._taken and len(self._taken) >= _MOST:
                labels = _OTHER
            taken = self._taken.setdefault(labels, _Taken())
            taken.count += 1
            taken.total_s += one.seconds
            taken.last.append((self._monotonic(), one.seconds))

    def family(self) -> SummaryMetricFamily:
        """All of them as the metric, by labels; a quantile of no recent request is not a number."""
        metric = table.REQUESTS
        family = SummaryMetricFamily(metric.name, metric.help, labels=metric.labels)
        since_s = self._monotonic() - _WINDOW_S
        with self._lock:
            for labels, taken in sorted(self._taken.items()):
                named = dict(zip(metric.labels, (_HANDLER, *labels), strict=True))
                recent = sorted(seconds for ended_s, seconds in taken.last if ended_s >= since_s)
                for share in _QUANTILES:
                    family.add_sample(metric.name, {**named, "quantile": str(share)}, _quantile(recent, share))
                family.add_metric(tuple(named.values()), taken.count, taken.total_s)
        return family


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The least of *ordered* that *share* of them do not exceed."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else math.nan
