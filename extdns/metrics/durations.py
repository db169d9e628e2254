"""Durations of requests, of calls to DNS services, and of changes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from prometheus_client import Histogram, Summary, disable_created_metrics

from extdns import log
from extdns.log import Event
from extdns.metrics import table
from extdns.metrics.table import Metric
from extdns.model.api_request import ApiCall, ApiRequest
from extdns.model.zone import Zone

_log = log.get(__name__)

MAX_ZONES: Final = 20
"""How many zones have durations of their own; further ones share the label `other`."""
_MAX_REQUEST_LABEL_SETS: Final = 200
_OTHER: Final = "other"
_MAX_LABEL: Final = 255

CHANGE_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900)
CALL_BUCKETS: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
ROUND_BUCKETS: Final = (0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600)

disable_created_metrics()  # type: ignore[no-untyped-call] # external-dns has no such series


def build_histogram(metric: Metric, buckets: Sequence[float]) -> Histogram:
    """Build the histogram *metric*, with upper bounds in seconds, for any registry."""
    return Histogram(metric.name, metric.help, metric.labels, buckets=buckets, registry=None)


class LimitedFamily:
    """A histogram or summary whose label sets are limited. Safe from any thread.

    Attributes:
        family: all its label sets.
    """

    def __init__(self, family: Histogram | Summary, most: int, other: tuple[str, ...]) -> None:
        """Limit *family* to *most* label sets; all further ones share *other*."""
        self.family = family
        self._most = most
        self._other = other
        self._lock = threading.Lock()
        self._known: dict[tuple[str, ...], Histogram | Summary] = {}

    def find(self, labels: tuple[str, ...]) -> Histogram | Summary:
        """Return the durations of *labels*, which are shown from now on, or those of all further label sets."""
        with self._lock:
            if labels not in self._known and len(self._known) < self._most:
                self._known[labels] = self.family.labels(*labels)
            return self._known.get(labels) or self.family.labels(*self._other)


class ChangeDurations:
    """The durations of changes and of complete readings, by zone. Safe from any thread."""

    def __init__(self, provider: str = "") -> None:
        """Start empty; *provider* is the value of `--provider`, as a label."""
        self._provider = provider
        self._plans = _limit_zones(table.PLAN_DURATIONS, CHANGE_BUCKETS)
        self._writes = _limit_zones(table.WRITE_DURATIONS, CHANGE_BUCKETS)
        self._changes = _limit_zones(table.CHANGE_DURATIONS, CHANGE_BUCKETS)
        self._refreshes = _limit_zones(table.REFRESH_DURATIONS, ROUND_BUCKETS)
        self.histograms: Final = (self._plans, self._writes, self._changes, self._refreshes)

    def set_zones(self, zones: Iterable[Zone]) -> None:
        """Show the durations of *zones* from now on, with counts of zero, so that the first one is an increase."""
        for labels in sorted({self._build_labels(zone) for zone in zones}):
            for histogram in self.histograms:
                histogram.find(labels)

    def observe_plan(self, zone: Zone, seconds: float) -> None:
        """Count a change that was planned *seconds* after the object that caused it was received."""
        self._plans.find(self._build_labels(zone)).observe(seconds)

    def observe_write(self, zone: Zone, seconds: float, *, since_object_s: float | None) -> None:
        """Count a change that the service accepted *seconds* after it was planned.

        *since_object_s* is the time since the object that caused it was received, None if unknown.
        """
        self._writes.find(self._build_labels(zone)).observe(seconds)
        if since_object_s is not None:
            self._changes.find(self._build_labels(zone)).observe(since_object_s)

    def observe_refresh(self, zone: Zone, seconds: float) -> None:
        """Count the seconds that one complete reading of a zone took."""
        self._refreshes.find(self._build_labels(zone)).observe(seconds)

    def _build_labels(self, zone: Zone) -> tuple[str, ...]:
        return (self._provider, *sanitize_labels(zone.name, zone.id))


def _limit_zones(metric: Metric, buckets: Sequence[float]) -> LimitedFamily:
    return LimitedFamily(build_histogram(metric, buckets), MAX_ZONES, (_OTHER, _OTHER, _OTHER))


@lru_cache(maxsize=256)  # each change of a zone has the same labels
def sanitize_labels(*values: str) -> tuple[str, ...]:
    """Shorten label values, and replace characters that cannot be encoded. Values may come from zones."""
    return tuple(value[:_MAX_LABEL].encode(errors="replace").decode() for value in values)


_HANDLER: Final = "instrumented_http"


class RequestTimes(LimitedFamily):
    """Requests and their durations. A path may end in the name of an object, so label sets are limited."""

    def __init__(self) -> None:
        metric = table.REQUESTS
        summary = Summary(metric.name, metric.help, metric.labels, registry=None)
        super().__init__(summary, _MAX_REQUEST_LABEL_SETS, (_HANDLER, "", "", _OTHER, "", ""))

    def record(self, request: ApiRequest) -> None:
        """Record a completed request by host, without credentials, and the last part of its path."""
        url = urlsplit(request.url)
        host, path = url.netloc.rpartition("@")[2], url.path.rpartition("/")[2]
        self.find((_HANDLER, url.scheme, host, path, request.method, str(request.status))).observe(request.seconds)


REQUEST_TIMES: Final = RequestTimes()
"""All requests of this process, to the API server and to DNS services."""

CALL_DURATIONS: Final = build_histogram(table.CALL_DURATIONS, CALL_BUCKETS)
"""All calls of this process to DNS services."""


def record_call(call: ApiCall) -> None:
    """Count a call to the DNS service and its duration in the metrics, and log it at the level debug."""
    CALL_DURATIONS.labels(call.action, call.status).observe(call.seconds)
    _log.debug(Event.API_CALL, action=call.action, status=call.status, seconds=round(call.seconds, 3))
