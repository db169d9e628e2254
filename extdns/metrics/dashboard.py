"""The dashboard for Grafana: `python -m extdns.metrics.dashboard > charts/extdns/files/dashboard.json`."""

from __future__ import annotations

import json
import sys
from typing import Any, Final, NamedTuple

from extdns.metrics import table
from extdns.metrics.table import Form, Metric

_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_CHOSEN: Final = 'namespace=~"$namespace", job=~"$job"'


class Panel(NamedTuple):
    """One panel, as high as its row.

    Attributes:
        query: in PromQL.
        legend: a template over labels.
        width: of the 24 columns that there are.
        kind: `stat` shows the last value, `timeseries` all.
        unit: as Grafana calls it.
        bad: the last value is red from 1 on.
    """

    title: str
    query: str
    legend: str = ""
    width: int = 12
    kind: str = "timeseries"
    unit: str = "short"
    bad: bool = False


def _query(metric: Metric, by: str = "") -> str:
    """The growth of *metric* a minute over all replicas, or its greatest value, for each value of the labels *by*.

    Replicas that stand by know less than the leader, never more.
    """
    chosen = f"{metric.name}{{{_CHOSEN}}}"
    labels = f" by ({by})" if by else ""
    if metric.form is Form.COUNTER:
        return f"sum{labels} (60 * rate({chosen}[$__rate_interval]))"
    return f"max{labels} ({chosen})"


def _least(metric: Metric, by: str) -> str:
    """What *metric* is at the replica that has the least of it, for each value of the labels *by*."""
    return f"min by ({by}) ({metric.name}{{{_CHOSEN}}})"


ROWS: Final = (
    (
        Panel("Names asked for", _query(table.ENDPOINTS_WANTED), width=3, kind="stat"),
        Panel("Deletes held", f"sum({_query(table.DELETES_HELD, 'zone_id')})", width=3, kind="stat", bad=True),
        Panel("Names set aside", _query(table.QUARANTINED), width=3, kind="stat", bad=True),
        Panel("Kept without a target", _query(table.STALE), width=3, kind="stat"),
        Panel("Objects not readable", _query(table.PROBLEMS), width=3, kind="stat", bad=True),
        Panel("Last in order", f"time() - {_query(table.SYNCED)}", width=3, kind="stat", unit="s"),
        Panel("Replicas", f"count({table.LEADER.name}{{{_CHOSEN}}})", width=3, kind="stat"),
        Panel("That lead", f"sum({table.LEADER.name}{{{_CHOSEN}}})", width=3, kind="stat"),
    ),
    (
        Panel("Endpoints by type", _query(table.RECORDS_WANTED, "record_type"), "{{record_type}}"),
        Panel("Endpoints that stand by type", _query(table.VERIFIED, "record_type"), "{{record_type}}"),
    ),
    (
        Panel("Decisions in force", _query(table.DECISIONS, "reason"), "{{reason}}"),
        Panel("Deletes held by zone", _query(table.DELETES_HELD, "zone"), "{{zone}}"),
    ),
    (
        Panel("Batches a minute by outcome", _query(table.BATCHES, "outcome"), "{{outcome}}"),
        Panel("Names whose change waits or is being written", _query(table.PENDING)),
    ),
    (
        Panel("Calls that may be sent at once", _least(table.API_LEFT, "account, action"), "{{account}} {{action}}"),
        Panel("Throttled calls a minute", _query(table.THROTTLED, "account, action"), "{{account}} {{action}}"),
    ),
    (
        Panel("Time since a zone was read whole", f"time() - {_query(table.ZONE_READ, 'zone')}", "{{zone}}", unit="s"),
        Panel("Phases of kinds of objects", _query(table.PHASES, "kind, phase"), "{{kind}}: {{phase}}"),
    ),
    (
        Panel("Failures to read objects, a minute", _query(table.SOURCE_ERRORS)),
        Panel("Failures of reads and writes of zones, a minute", _query(table.REGISTRY_ERRORS)),
    ),
)


def dashboard() -> dict[str, Any]:
    """The dashboard in Grafana's JSON model."""
    return {
        "title": "extdns",
        "uid": "extdns",
        "tags": ["dns", "extdns"],
        "schemaVersion": 39,
        "editable": False,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": _variables()},
        "panels": _panels(),
    }


def _variables() -> list[dict[str, Any]]:
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


def _panels() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    top = 0
    for row in ROWS:
        left, height = 0, 4 if row[0].kind == "stat" else 8
        for panel in row:
            place = {"x": left, "y": top, "w": panel.width, "h": height}
            made.append(_panel(panel) | {"id": len(made) + 1, "gridPos": place})
            left += panel.width
        top += height
    return made


def _panel(panel: Panel) -> dict[str, Any]:
    steps = [{"color": "green", "value": None}, *([{"color": "red", "value": 1}] if panel.bad else [])]
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
    sys.stdout.write(f"{json.dumps(dashboard(), indent=2)}\n")
