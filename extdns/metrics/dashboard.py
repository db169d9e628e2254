"""Generate the dashboard for Grafana: `python -m extdns.metrics.dashboard > charts/extdns/files/dashboard.json`."""

from __future__ import annotations

import json
import sys
from typing import Any, Final, NamedTuple

from extdns.metrics import table
from extdns.metrics.table import Metric, MetricType

_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_CHOSEN: Final = 'namespace=~"$namespace", job=~"$job"'


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


def _build_query(metric: Metric, by: str = "") -> str:
    """Return the query for the rate of a counter per minute, or for the maximum of a gauge, over all replicas.

    The maximum is that of the leader, because a standby never has a greater value.
    """
    chosen = f"{metric.name}{{{_CHOSEN}}}"
    labels = f" by ({by})" if by else ""
    if metric.type is MetricType.COUNTER:
        return f"sum{labels} (60 * rate({chosen}[$__rate_interval]))"
    return f"max{labels} ({chosen})"


def _build_min_query(metric: Metric, by: str) -> str:
    """Return the query for the minimum of *metric* over all replicas, for each value of the labels *by*."""
    return f"min by ({by}) ({metric.name}{{{_CHOSEN}}})"


ROWS: Final = (
    (
        Panel("Requested endpoints", _build_query(table.REQUESTED_ENDPOINTS), width=3, kind="stat"),
        Panel(
            "Held deletes",
            f"sum({_build_query(table.DELETES_HELD, 'zone_id')})",
            width=3,
            kind="stat",
            is_red_from_one=True,
        ),
        Panel("Names backing off", _build_query(table.BACKING_OFF), width=3, kind="stat", is_red_from_one=True),
        Panel("Retained records", _build_query(table.RETAINED), width=3, kind="stat"),
        Panel("Unreadable objects", _build_query(table.PROBLEMS), width=3, kind="stat", is_red_from_one=True),
        Panel("Since last successful run", f"time() - {_build_query(table.SYNCED)}", width=3, kind="stat", unit="s"),
        Panel("Replicas", f"count({table.LEADER.name}{{{_CHOSEN}}})", width=3, kind="stat"),
        Panel("Leaders", f"sum({table.LEADER.name}{{{_CHOSEN}}})", width=3, kind="stat"),
    ),
    (
        Panel("Requested endpoints by type", _build_query(table.REQUESTED_RECORDS, "record_type"), "{{record_type}}"),
        Panel("Published endpoints by type", _build_query(table.VERIFIED, "record_type"), "{{record_type}}"),
    ),
    (
        Panel("Current decisions by reason", _build_query(table.DECISIONS, "reason"), "{{reason}}"),
        Panel("Held deletes by zone", _build_query(table.DELETES_HELD, "zone"), "{{zone}}"),
    ),
    (
        Panel("Batches per minute by outcome", _build_query(table.BATCHES, "outcome"), "{{outcome}}"),
        Panel("Names queued or being written", _build_query(table.QUEUED)),
    ),
    (
        Panel(
            "API calls left in the rate limit",
            _build_min_query(table.API_LEFT, "account, action"),
            "{{account}} {{action}}",
        ),
        Panel(
            "Throttled API calls per minute", _build_query(table.THROTTLED, "account, action"), "{{account}} {{action}}"
        ),
    ),
    (
        Panel(
            "Time since the zone was fully read",
            f"time() - {_build_query(table.ZONE_READ, 'zone')}",
            "{{zone}}",
            unit="s",
        ),
        Panel("List and watch by kind and phase", _build_query(table.PHASES, "kind, phase"), "{{kind}}: {{phase}}"),
    ),
    (
        Panel("Source errors per minute", _build_query(table.SOURCE_ERRORS)),
        Panel("Failed zone reads and writes per minute", _build_query(table.REGISTRY_ERRORS)),
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
            "query": f"label_values({table.BUILD_INFO.name}, {label})",
            "refresh": 2,
            "includeAll": True,
            "multi": True,
            "allValue": ".*",
            "current": {"text": "All", "value": "$__all"},
        }
        for label in ("namespace", "job")
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
