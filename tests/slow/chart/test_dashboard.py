"""The dashboard: it is current, its queries are valid, and they keep clusters apart (docs/design/metrics.md)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import yaml

from tests.slow.chart.exported import assert_exported
from tests.slow.chart.tools import CHART, Helm, of, run, values_of

DASHBOARD: Final[dict[str, Any]] = json.loads((CHART / "files" / "dashboard.json").read_text(encoding="utf-8"))
PANELS: Final[list[dict[str, Any]]] = DASHBOARD["panels"]
TARGETS: Final[list[dict[str, str]]] = [target for panel in PANELS for target in panel["targets"]]
QUERIES: Final = [target["expr"] for target in TARGETS]


def test_every_metric_in_the_dashboard_is_exported() -> None:
    assert_exported(QUERIES)


def test_the_rendered_config_map_has_the_dashboard(helm: Helm) -> None:
    (config,) = of("ConfigMap", helm.manifests(values_of("eks")))
    assert json.loads(config["data"]["extdns.json"]) == DASHBOARD
    assert config["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_every_query_of_the_dashboard_is_valid_promql(promtool: str, tmp_path: Path) -> None:
    recorded: list[dict[str, Any]] = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "5m").replace("$__range", "1d")}
        for number, query in enumerate(QUERIES)
    ]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}), encoding="utf-8")
    done = run(promtool, "check", "rules", path)
    assert done.code == 0, done.out + done.error


def test_every_query_of_the_dashboard_filters_by_cluster_and_keeps_the_cluster_label() -> None:
    assert all(re.search(r"\bwithout \(", query) for query in QUERIES)
    assert not any(re.search(r"\bby \(", query) for query in QUERIES)
    assert all(query.count("{") == query.count('cluster=~"$cluster"') for query in QUERIES)
    assert all("{{cluster}}" in target["legendFormat"] for target in TARGETS)


def test_dashboard_panels_fill_their_rows_and_do_not_overlap() -> None:
    positions = [panel["gridPos"] for panel in PANELS]
    cells = [
        (x, y) for at in positions for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
    ]
    assert sorted(cells) == [(x, y) for x in range(24) for y in range(1 + max(y for _, y in cells))]
