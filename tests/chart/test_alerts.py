"""The alerts: each fires when it should and only then, uses existing metrics, and has a runbook."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from extdns.metrics import dashboard
from extdns.metrics.metrics import Metrics
from extdns.metrics.table import TABLE
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from tests.chart.tools import CHART, ROOT, Helm, Json, of, run, values_of

AT: Final = 'namespace="dns", job="extdns"'
WHERE: Final = {"namespace": "dns", "job": "extdns"}
OURS: Final = re.compile(r"\b(?:extdns|external_dns)_\w+")


class Case(NamedTuple):
    """An alert and series of metrics, with one value per minute for an hour.

    Attributes:
        bad: series with which the alert fires after the hour.
        good: series with which it does not fire.
        labels: the labels of the alert besides `severity`, `namespace` and `job`.
        summary: the summary of the alert after the hour.
    """

    bad: dict[str, str]
    good: dict[str, str]
    labels: dict[str, str]
    summary: str


ZONE: Final = f'{AT}, zone="example.org", zone_id="Z1"'
REPLICAS: Final = {f'external_dns_build_info{{{AT}, pod="a"}}': "1x60"}
SYNCED: Final = f'external_dns_controller_last_sync_timestamp_seconds{{{AT}, pod="a"}}'
THROTTLED: Final = f'extdns_api_throttled_total{{{AT}, pod="a", account="", action="ListResourceRecordSets"}}'
CASES: Final = {
    "ExtdnsHeldDeletes": Case(
        bad={f'extdns_deletes_held{{{ZONE}, pod="a"}}': "7x60", f'extdns_deletes_held{{{ZONE}, pod="b"}}': "0x60"},
        good={f'extdns_deletes_held{{{ZONE}, pod="a"}}': "7x53 0x7"},
        labels={"zone": "example.org", "zone_id": "Z1"},
        summary="7 deletes are held in zone example.org",
    ),
    "ExtdnsNamesInBackoff": Case(
        bad={f'extdns_decisions{{{AT}, reason="too-large"}}': "3x60"},
        good={f'extdns_decisions{{{AT}, reason="withheld"}}': "3x60"},
        labels={"reason": "too-large"},
        summary="3 names cannot be published: too-large",
    ),
    "ExtdnsNoLeader": Case(
        bad={f'extdns_leader{{{AT}, pod="a"}}': "0x60", f'extdns_leader{{{AT}, pod="b"}}': "1x10 0x50"},
        good={f'extdns_leader{{{AT}, pod="a"}}': "0x60", f'extdns_leader{{{AT}, pod="b"}}': "1x60"},
        labels={},
        summary="No replica is the leader",
    ),
    "ExtdnsSourceFailing": Case(
        bad={f'extdns_source_phase{{{AT}, kind="services", phase="forbidden"}}': "1x60"},
        good={f'extdns_source_phase{{{AT}, kind="services", phase="synced"}}': "1x60"},
        labels={"kind": "services", "phase": "forbidden"},
        summary="services cannot be read: forbidden",
    ),
    "ExtdnsStandbyMissing": Case(
        bad=REPLICAS,
        good=REPLICAS | {f'external_dns_build_info{{{AT}, pod="b"}}': "1x60"},
        labels={},
        summary="No replica is a standby",
    ),
    "ExtdnsSyncLag": Case(
        bad={SYNCED: "0x60", f'external_dns_controller_last_sync_timestamp_seconds{{{AT}, pod="b"}}': "0x60"},
        good={SYNCED: "0+60x60", f'external_dns_controller_last_sync_timestamp_seconds{{{AT}, pod="b"}}': "0x60"},
        labels={},
        summary="No run without failures for 1h 0m 0s",
    ),
    "ExtdnsThrottled": Case(
        bad={THROTTLED: "0+1x60"},
        good={THROTTLED: "0x50 1x10"},
        labels={},
        summary="The DNS service throttles calls",
    ),
}


@pytest.fixture(scope="module")
def rules(helm: Helm) -> Json:
    """Return the spec of the rendered PrometheusRule."""
    (made,) = of("PrometheusRule", helm.manifests(values_of("eks")))
    spec: Json = made["spec"]
    return spec


def alerts(rules: Json) -> dict[str, Json]:
    """Return the alerts by name."""
    return {rule["alert"]: rule for group in rules["groups"] for rule in group["rules"]}


def test_promtool_accepts_the_alert_rules(rules: Json, promtool: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump(rules), encoding="utf-8")
    done = run(promtool, "check", "rules", path)
    assert done.code == 0, done.out + done.error
    assert f"{len(CASES)} rules found" in done.out


def expected_alert(case: Case, rule: Json) -> Json:
    """Return the alert that promtool must expect if it fires."""
    return {
        "exp_labels": {**WHERE, **case.labels, "severity": rule["labels"]["severity"]},
        "exp_annotations": rule["annotations"] | {"summary": case.summary},
    }


def build_promtool_test(name: str, series: dict[str, str], expected: list[Json]) -> Json:
    """Return one promtool test: series, and the alerts expected after an hour."""
    return {
        "interval": "1m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "alert_rule_test": [{"eval_time": "60m", "alertname": name, "exp_alerts": expected}],
    }


def run_promtool_tests(promtool: str, folder: Path, rules: Json, promtool_tests: list[Json]) -> str:
    """Run the promtool tests *promtool_tests* and return the output, or "" if they pass."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    tests = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": promtool_tests}
    (folder / "tests.yaml").write_text(yaml.safe_dump(tests), encoding="utf-8")
    done = run(promtool, "test", "rules", folder / "tests.yaml")
    return "" if done.code == 0 else done.out + done.error


def test_each_alert_fires_on_bad_series_and_not_on_good_ones(rules: Json, promtool: str, tmp_path: Path) -> None:
    found = alerts(rules)
    assert found.keys() == CASES.keys()
    promtool_tests = [
        build_promtool_test(name, case.bad, [expected_alert(case, found[name])]) for name, case in CASES.items()
    ]
    promtool_tests += [build_promtool_test(name, case.good, []) for name, case in CASES.items()]
    assert run_promtool_tests(promtool, tmp_path, rules, promtool_tests) == ""


@pytest.mark.parametrize("name", CASES)
def test_promtool_fails_if_a_rule_never_fires(name: str, rules: Json, promtool: str, tmp_path: Path) -> None:
    case, found = CASES[name], alerts(rules)[name]
    silent = {"groups": [{"name": "x", "rules": [found | {"expr": f"({found['expr']}) and vector(0) > 1"}]}]}
    assert "FAILED" in run_promtool_tests(
        promtool, tmp_path, silent, [build_promtool_test(name, case.bad, [expected_alert(case, found)])]
    )


def test_every_metric_in_alerts_and_dashboard_is_exported(rules: Json) -> None:
    served = Metrics().render().decode()
    queries = [rule["expr"] for rule in alerts(rules).values()]
    queries += [panel.query for row in dashboard.ROWS for panel in row]
    used = {name for query in queries for name in OURS.findall(query)}
    assert used <= {metric.name for metric in TABLE}
    assert all(f"# TYPE {name} " in served for name in used)


def test_phases_and_reasons_in_alert_rules_exist(rules: Json) -> None:
    found = alerts(rules)
    assert values(found["ExtdnsSourceFailing"], "phase") <= set(Phase)
    assert values(found["ExtdnsNamesInBackoff"], "reason") <= set(Reason)


def values(rule: Json, label: str) -> set[str]:
    """Return the values that a rule compares a label with."""
    found = re.search(rf'{label}=~"([^"]+)"', rule["expr"])
    assert found is not None
    return set(found[1].split("|"))


def test_every_alert_links_to_a_runbook_and_every_runbook_has_its_alert(rules: Json, helm: Helm) -> None:
    pages = {path.name for path in (ROOT / "docs" / "runbooks").iterdir()}
    base = "https://runbooks.example.org/extdns"
    links = {rule["annotations"]["runbook_url"] for rule in alerts(rules).values()}
    assert links == {f"{base}/{page}" for page in pages}
    (plain,) = of("PrometheusRule", helm.manifests({"replicaCount": 2, "prometheusRule": {"enabled": True}}))
    for rule in alerts(plain["spec"]).values():
        path = ROOT / rule["annotations"]["runbook_url"]
        assert path.read_text(encoding="utf-8").startswith(f"# {rule['alert']}\n")


def test_with_one_replica_there_are_no_alerts_about_leader_and_standby(helm: Helm) -> None:
    (made,) = of("PrometheusRule", helm.manifests({"prometheusRule": {"enabled": True}}))
    assert alerts(made["spec"]).keys() == CASES.keys() - {"ExtdnsNoLeader", "ExtdnsStandbyMissing"}


def test_the_dashboard_file_is_up_to_date_with_the_code(helm: Helm) -> None:
    stored = json.loads((CHART / "files" / "dashboard.json").read_text(encoding="utf-8"))
    made = dashboard.build_dashboard()
    assert stored == made, "run: python -m extdns.metrics.dashboard > charts/extdns/files/dashboard.json"
    (config,) = of("ConfigMap", helm.manifests(values_of("eks")))
    assert json.loads(config["data"]["extdns.json"]) == made
    assert config["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_every_query_of_the_dashboard_is_valid_promql(promtool: str, tmp_path: Path) -> None:
    queries = [panel.query for row in dashboard.ROWS for panel in row]
    recorded: list[dict[str, Any]] = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(queries)
    ]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}), encoding="utf-8")
    done = run(promtool, "check", "rules", path)
    assert done.code == 0, done.out + done.error


def test_dashboard_panels_fill_their_rows_and_do_not_overlap() -> None:
    assert all(sum(panel.width for panel in row) == 24 for row in dashboard.ROWS)
    positions = [panel["gridPos"] for panel in dashboard.build_dashboard()["panels"]]
    cells = [
        (x, y) for at in positions for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells))
