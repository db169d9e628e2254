"""Generate the dashboard for Grafana: `python -m extdns.metrics.dashboard > charts/extdns/files/dashboard.json`."""

from __future__ import annotations

import json
import sys
from typing import Any, Final, NamedTuple

from extdns.metrics import table
from extdns.metrics.table import Metric, MetricType

_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_VARIABLES: Final = ("cluster", "namespace", "job")
_CHOSEN: Final = ", ".join(f'{name}=~"${name}"' for name in _VARIABLES)
_REPLICA: Final = "instance, pod, node"
"""The labels that tell replicas apart. All others stay, such as `cluster` (docs/design/metrics.md, "Alerts")."""

_WHERE: Final = "{{cluster}} {{namespace}}"
_ZONE: Final = "provider, zone, zone_id"
_OBJECTIVE: Final = 0.99
_WITHIN_S: Final = 60


class Panel(NamedTuple):
    """One panel; all panels of a row have the same height.

    Attributes:
        query: the PromQL query.
        legend: the template of the legend, with labels.
        width: number of columns, of 24.
        kind: `stat` for the last value, `timeseries` for all.
        unit: the name of the unit in Grafana.
        is_red_from_one: whether a last value of 1 or more is red.
    """

    title: str
    query: str
    legend: str = ""
    width: int = 12
    kind: str = "timeseries"
    unit: str = "short"
    is_red_from_one: bool = False


def _build_query(metric: Metric, drop: str = "") -> str:
    """Return the query for the rate of a counter per minute, or for the maximum of a gauge, over all replicas.

    The maximum is that of the leader, because a standby never has a greater value. *drop*: further labels to sum over.
    """
    chosen = f"{metric.name}{{{_CHOSEN}}}"
    if metric.type is MetricType.COUNTER:
        return f"sum without ({_join(drop)}) (60 * rate({chosen}[$__rate_interval]))"
    query = f"max without ({_REPLICA}) ({chosen})"
    return f"sum without ({drop}) ({query})" if drop else query


def _build_aggregation(function: str, metric: Metric) -> str:
    """Return the query for *function*, such as `min`, of *metric* over all replicas."""
    return f"{function} without ({_REPLICA}) ({metric.name}{{{_CHOSEN}}})"


def _build_quantile(metric: Metric, drop: str = "") -> str:
    """Return the query for the 99th percentile of the durations of *metric*. *drop* names labels to sum over."""
    rate = f"rate({metric.name}_bucket{{{_CHOSEN}}}[$__rate_interval])"
    return f"histogram_quantile({_OBJECTIVE}, sum without ({_join(drop)}) ({rate}))"


def _build_share(window: str) -> str:
    """Return the query for the share of changes that were accepted within a minute, during *window*."""
    name, dropped = table.CHANGE_DURATIONS.name, _join(_ZONE)
    fast = f'{name}_bucket{{le=~"{_WITHIN_S}([.]0)?", {_CHOSEN}}}'
    return (
        f"sum without (le, {dropped}) (rate({fast}[{window}]))"
        f" / sum without ({dropped}) (rate({name}_count{{{_CHOSEN}}}[{window}]))"
    )


def _join(drop: str) -> str:
    return f"{_REPLICA}, {drop}" if drop else _REPLICA


ROWS: Final = (
    (
        Panel("Requested endpoints", _build_query(table.REQUESTED_ENDPOINTS), _WHERE, width=3, kind="stat"),
        Panel(
            "Held deletes",
            _build_query(table.DELETES_HELD, "zone, zone_id"),
            _WHERE,
            width=3,
            kind="stat",
            is_red_from_one=True,
        ),
        Panel("Names backing off", _build_query(table.BACKING_OFF), _WHERE, width=3, kind="stat", is_red_from_one=True),
        Panel("Retained records", _build_query(table.RETAINED), _WHERE, width=3, kind="stat"),
        Panel("Unreadable objects", _build_query(table.PROBLEMS), _WHERE, width=3, kind="stat", is_red_from_one=True),
        Panel("Since last sync", f"time() - {_build_query(table.SYNCED)}", _WHERE, width=3, kind="stat", unit="s"),
        Panel("Replicas", _build_aggregation("count", table.LEADER), _WHERE, width=3, kind="stat"),
        Panel("Leaders", _build_aggregation("sum", table.LEADER), _WHERE, width=3, kind="stat"),
    ),
    (
        Panel(
            "Changes accepted within a minute (objective: 99 %)",
            _build_share("$__range"),
            _WHERE,
            width=8,
            kind="stat",
            unit="percentunit",
        ),
        Panel(
            "Error budget left, of 30 days",
            f"1 - (1 - ({_build_share('30d')})) / {1 - _OBJECTIVE:.2f}",
            _WHERE,
            width=8,
            kind="stat",
            unit="percentunit",
        ),
        Panel("Audit log fails", _build_query(table.AUDIT_FAILING), _WHERE, width=8, kind="stat", is_red_from_one=True),
    ),
    (
        Panel(
            "Burn rate of the error budget (alert: 14.4 for an hour, 6 for six)",
            f"(1 - ({_build_share('1h')})) / {1 - _OBJECTIVE:.2f}",
            _WHERE,
        ),
        Panel(
            "99 % of changes: from the object to the accepted write",
            _build_quantile(table.CHANGE_DURATIONS),
            "{{cluster}} {{zone}}",
            unit="s",
        ),
    ),
    (
        Panel(
            "99 % of changes: from the object to the plan",
            _build_quantile(table.PLAN_DURATIONS),
            "{{cluster}} {{zone}}",
            unit="s",
        ),
        Panel(
            "99 % of changes: from the plan to the accepted write",
            _build_quantile(table.WRITE_DURATIONS),
            "{{cluster}} {{zone}}",
            unit="s",
        ),
    ),
    (
        Panel("Requested endpoints by type", _build_query(table.REQUESTED_RECORDS), "{{cluster}} {{record_type}}"),
        Panel("Published endpoints by type", _build_query(table.VERIFIED), "{{cluster}} {{record_type}}"),
    ),
    (
        Panel("Current decisions by reason", _build_query(table.DECISIONS), "{{cluster}} {{reason}}"),
        Panel("Held deletes by zone", _build_query(table.DELETES_HELD), "{{cluster}} {{zone}}"),
    ),
    (
        Panel("Batches per minute by outcome", _build_query(table.BATCHES), "{{cluster}} {{outcome}}"),
        Panel("Names queued", _build_query(table.QUEUED), _WHERE),
    ),
    (
        Panel(
            "99 % of API calls by action and status",
            _build_quantile(table.CALL_DURATIONS),
            "{{cluster}} {{action}} {{status}}",
            unit="s",
        ),
        Panel(
            "99 % of complete readings of a zone",
            _build_quantile(table.REFRESH_DURATIONS),
            "{{cluster}} {{zone}}",
            unit="s",
        ),
    ),
    (
        Panel(
            "API calls left in the rate limit",
            _build_aggregation("min", table.API_LEFT),
            "{{cluster}} {{account}} {{action}}",
        ),
        Panel("Throttled API calls per minute", _build_query(table.THROTTLED), "{{cluster}} {{account}} {{action}}"),
    ),
    (
        Panel(
            "Time since the zone was fully read",
            f"time() - {_build_query(table.ZONE_READ)}",
            "{{cluster}} {{zone}}",
            unit="s",
        ),
        Panel("List and watch by kind and phase", _build_query(table.PHASES), "{{cluster}} {{kind}}: {{phase}}"),
    ),
    (
        Panel("Source errors per minute", _build_query(table.SOURCE_ERRORS), _WHERE),
        Panel("Failed zone reads and writes per minute", _build_query(table.REGISTRY_ERRORS), _WHERE),
    ),
)


def build_dashboard() -> dict[str, Any]:
    """Build the dashboard in Grafana's JSON model."""
    return {
        "title": "extdns",
        "uid": "extdns",
        "tags": ["dns", "extdns"],
        "schemaVersion": 39,
        "editable": False,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": _build_variables()},
        "panels": _build_panels(),
    }


def _build_variables() -> list[dict[str, Any]]:
    values = {
        label: {
            "name": label,
            "type": "query",
            "datasource": _SOURCE,
            "query": f"label_values({table.LEADER.name}, {label})",
            "refresh": 2,
            "includeAll": True,
            "multi": True,
            "allValue": ".*",
            "current": {"text": "All", "value": "$__all"},
        }
        for label in _VARIABLES
    }
    return [{"name": "datasource", "type": "datasource", "query": "prometheus"}, *values.values()]


def _build_panels() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    top = 0
    for row in ROWS:
        left, height = 0, 4 if row[0].kind == "stat" else 8
        for panel in row:
            position = {"x": left, "y": top, "w": panel.width, "h": height}
            made.append(_build_panel(panel) | {"id": len(made) + 1, "gridPos": position})
            left += panel.width
        top += height
    return made


def _build_panel(panel: Panel) -> dict[str, Any]:
    steps = [{"color": "green", "value": None}, *([{"color": "red", "value": 1}] if panel.is_red_from_one else [])]
    return {
        "title": panel.title,
        "type": panel.kind,
        "datasource": _SOURCE,
        "targets": [{"refId": "A", "datasource": _SOURCE, "expr": panel.query, "legendFormat": panel.legend}],
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
    }


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(build_dashboard(), indent=2)}\n")
