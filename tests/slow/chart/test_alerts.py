"""The alerts: each fires when it should and only then, uses existing metrics, and has a runbook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import yaml

from extdns import __version__
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from tests.slow.chart.exported import assert_exported
from tests.slow.chart.tools import ROOT, Helm, Json, of, run, values_of

RUNBOOKS: Final = f"https://github.com/extdns/extdns/blob/v{__version__}/docs/runbooks"


class Values(NamedTuple):
    """The values of one series, one a minute, for three hours; the second and third hour are optional.

    Attributes:
        bad: an hour with which the alert fires, alone or together with the other series.
        after: the hour after it, in which the alert ends.
        good: an hour with which it does not fire.
    """

    bad: str
    after: str
    good: str


class Case(NamedTuple):
    """An alert, and what makes it fire.

    Attributes:
        series: values by the name and labels of the series, without the labels of the target.
        labels: the labels of the alert besides `severity` and those of the target.
        summary: the summary of the alert after the hour.
    """

    series: dict[str, Values]
    labels: dict[str, str]
    summary: str


GONE: Final = "_x60"
ZONE: Final = 'zone="example.org",zone_id="Z1"'
CHANGES: Final = "extdns_change_duration_seconds"
SYNC: Final = "external_dns_controller_last_sync_timestamp_seconds"
SYNCED: Final = Values("1x60", "3660+60x60", "0+60x60")
RUNS: Final = Values("1x60", "1x60", "1x60")
STANDBY: Final = Values("0x60", "0x60", "0x60")
STARTED: Final = Values("0x60", "0x60", "0x60")
CASES: Final = {
    "ExtdnsAuditLogFailing": Case(
        {'extdns_audit_log_failing{pod="a"}': Values("1x60", "0x60", "1x5 0x55")},
        {},
        "The audit log cannot be written",
    ),
    "ExtdnsBulkUpdate": Case(
        {
            f'extdns_first_pass_bulk_updates{{{ZONE},pod="a"}}': Values("42x60", GONE, GONE),
            'extdns_first_pass_bulk_updates{zone="example.net",zone_id="Z2",pod="a"}': Values("0x60", "0x60", "0x60"),
        },
        {"zone": "example.org", "zone_id": "Z1"},
        "42 names of ours in zone example.org were changed by a first pass",
    ),
    "ExtdnsDown": Case(
        {
            'extdns_leader{pod="a"}': Values("1x10 _x50", GONE, "1x60"),
            'extdns_leader{pod="b"}': Values("0x10 _x50", "1x60", GONE),
        },
        {},
        "No replica of extdns is scraped",
    ),
    "ExtdnsHeldDeletes": Case(
        {
            f'extdns_deletes_held{{{ZONE},pod="a"}}': Values("7x60", "0x60", "7x3 0x57"),
            f'extdns_deletes_held{{{ZONE},pod="b"}}': Values("0x60", "0x60", "0x60"),
        },
        {"zone": "example.org", "zone_id": "Z1"},
        "7 deletes are held in zone example.org",
    ),
    "ExtdnsNamesInBackoff": Case(
        {
            'extdns_decisions{reason="too-large",pod="a"}': Values("3x60", GONE, "3x10 _x50"),
            'extdns_decisions{reason="held",pod="a"}': Values("5x60", "5x60", "5x60"),
        },
        {"reason": "too-large"},
        "3 names cannot be published: too-large",
    ),
    "ExtdnsNoLeader": Case(
        {
            'extdns_leader{pod="a"}': Values("0x60", "1x60", "1x60"),
            'extdns_leader{pod="b"}': Values("1x10 0x50", "0x60", "0x60"),
        },
        {},
        "No replica is the leader",
    ),
    "ExtdnsPolicyServerFailing": Case(
        {'extdns_policy_server_failing{pod="a"}': Values("1x60", "0x60", "1x5 0x55")},
        {},
        "The policy server does not answer",
    ),
    "ExtdnsPublishingSlow": Case(
        {
            f'{CHANGES}_bucket{{le="60",provider="aws",{ZONE},pod="a"}}': Values(
                "0+4x60", "240+6x60", "0+6x50 300+4x10"
            ),
            f'{CHANGES}_count{{provider="aws",{ZONE},pod="a"}}': Values("0+6x60", "360+6x60", "0+6x60"),
        },
        {},
        "33.33% of changes took longer than a minute",
    ),
    "ExtdnsSourceFailing": Case(
        {
            'extdns_source_phase{kind="services",phase="forbidden",pod="a"}': Values("1x60", GONE, GONE),
            'extdns_source_phase{kind="services",phase="synced",pod="a"}': Values(GONE, "1x60", "1x60"),
        },
        {"kind": "services", "phase": "forbidden"},
        "services cannot be read: forbidden",
    ),
    "ExtdnsStandbyMissing": Case(
        {
            'extdns_leader_election{pod="a"}': RUNS,
            'extdns_leader_election{pod="b"}': Values("1x10 _x50", "1x60", "1x60"),
        },
        {},
        "No replica is a standby",
    ),
    "ExtdnsSyncLag": Case(
        {
            f'{SYNC}{{pod="a"}}': SYNCED,
            'extdns_leader{pod="a"}': RUNS,
            'extdns_leader{pod="b"}': STANDBY,
            'process_start_time_seconds{pod="a"}': STARTED,
            'process_start_time_seconds{pod="b"}': STARTED,
        },
        {},
        "extdns has not been able to act for 59m 59s",
    ),
    "ExtdnsThrottled": Case(
        {
            'extdns_api_throttled_total{account="",action="ListResourceRecordSets",pod="a"}': Values(
                "0+1x60", "60x60", "0x50 1x10"
            )
        },
        {},
        "The DNS service throttles calls",
    ),
}


def build_series(case: Case, target: dict[str, str], *parts: str) -> list[Json]:
    """Return the series of *case* with the labels of *target*, and the values of *parts* one after the other."""
    labels = ",".join(f'{name}="{value}"' for name, value in target.items())
    return [
        {
            "series": f'{name.removesuffix("}")},{labels},instance="{number}"}}',
            "values": " ".join(getattr(values, part) for part in parts),
        }
        for number, (name, values) in enumerate(case.series.items())
    ]


HERE: Final = {"cluster": "here", "namespace": "dns", "job": "extdns"}
OTHER_TARGETS: Final = {
    "another cluster": HERE | {"cluster": "there"},
    "another namespace": HERE | {"namespace": "dns-2"},
    "another external label": HERE | {"region": "eu"},
}


@pytest.fixture(scope="module")
def rules(helm: Helm) -> Json:
    (made,) = of("PrometheusRule", helm.manifests(values_of("eks")))
    spec: Json = made["spec"]
    return spec


def alerts(rules: Json) -> dict[str, Json]:
    return {rule["alert"]: rule for group in rules["groups"] for rule in group["rules"]}


def test_promtool_accepts_the_alert_rules(rules: Json, promtool: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump(rules), encoding="utf-8")
    done = run(promtool, "check", "rules", path)
    assert done.code == 0, done.out + done.error
    assert f"{len(CASES)} rules found" in done.out


def expected_alert(case: Case, rule: Json, target: dict[str, str]) -> Json:
    cluster = f" (cluster {target['cluster']})" if "cluster" in target else ""
    return {
        "exp_labels": {**target, **case.labels, "severity": rule["labels"]["severity"]},
        "exp_annotations": rule["annotations"] | {"summary": case.summary + cluster},
    }


def build_promtool_test(name: str, series: list[Json], expected: dict[str, list[Json]]) -> Json:
    return {
        "interval": "1m",
        "input_series": series,
        "alert_rule_test": [
            {"eval_time": at, "alertname": name, "exp_alerts": alerts} for at, alerts in expected.items()
        ],
    }


def run_promtool_tests(
    promtool: str, folder: Path, rules: Json, promtool_tests: list[Json], *, evaluation_interval: str = "1m"
) -> str:
    """Run the promtool tests *promtool_tests* and return the output, or "" if they pass."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    tests = {"rule_files": ["rules.yaml"], "evaluation_interval": evaluation_interval, "tests": promtool_tests}
    (folder / "tests.yaml").write_text(yaml.safe_dump(tests), encoding="utf-8")
    done = run(promtool, "test", "rules", folder / "tests.yaml")
    return "" if done.code == 0 else done.out + done.error


def test_each_alert_rule_has_a_test_case(rules: Json) -> None:
    assert alerts(rules).keys() == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_each_alert_fires_only_during_its_condition(name: str, rules: Json, promtool: str, tmp_path: Path) -> None:
    case, rule = CASES[name], alerts(rules)[name]
    target = {"namespace": "dns", "job": "extdns"}
    fires_and_clears = {"60m": [expected_alert(case, rule, target)], "119m": []}
    promtool_tests = [
        build_promtool_test(name, build_series(case, target, "bad", "after"), fires_and_clears),
        build_promtool_test(name, build_series(case, target, "good"), {"59m": []}),
    ]
    assert run_promtool_tests(promtool, tmp_path, rules, promtool_tests) == ""


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("other", OTHER_TARGETS)
def test_of_two_installations_in_one_prometheus_the_alert_names_the_one_with_the_problem(
    name: str, other: str, rules: Json, promtool: str, tmp_path: Path
) -> None:
    case, rule = CASES[name], alerts(rules)[name]
    series = [*build_series(case, HERE, "bad"), *build_series(case, OTHER_TARGETS[other], "good")]
    expected = {"59m": [expected_alert(case, rule, HERE)]}
    if name == "ExtdnsSyncLag":
        expected["59m"][0]["exp_annotations"]["summary"] = "extdns has not been able to act for 58m 59s (cluster here)"
    assert run_promtool_tests(promtool, tmp_path, rules, [build_promtool_test(name, series, expected)]) == ""


def test_alert_extdns_down_fires_if_extdns_was_never_scraped(rules: Json, promtool: str, tmp_path: Path) -> None:
    rule = alerts(rules)["ExtdnsDown"]
    case = CASES["ExtdnsDown"]
    other = [{"series": 'up{job="other"}', "values": "1x60"}]
    fires = build_promtool_test("ExtdnsDown", other, {"10m": [expected_alert(case, rule, {})]})
    assert run_promtool_tests(promtool, tmp_path, rules, [fires]) == ""


@pytest.mark.parametrize("absence", ["stale", "_"], ids=["scrapes fail", "samples are missing"])
def test_the_alert_about_the_loss_of_all_replicas_fires_within_ten_minutes(
    absence: str, rules: Json, promtool: str, tmp_path: Path
) -> None:
    rule, case = alerts(rules)["ExtdnsDown"], CASES["ExtdnsDown"]
    series = [
        {"series": f'extdns_leader{{cluster="{cluster}",pod="{pod}"}}', "values": values}
        for cluster, values in (("here", f"1x30 {absence}"), ("there", "1x60"))
        for pod in ("a", "b")
    ]
    expected = {"30m": [], "40m": [expected_alert(case, rule, {"cluster": "here"})]}
    assert run_promtool_tests(promtool, tmp_path, rules, [build_promtool_test("ExtdnsDown", series, expected)]) == ""


def test_the_alert_extdns_down_lasts_for_a_month_while_another_cluster_is_up(
    rules: Json, promtool: str, tmp_path: Path
) -> None:
    rule, case = alerts(rules)["ExtdnsDown"], CASES["ExtdnsDown"]
    series = [
        {"series": 'extdns_leader{cluster="here",pod="a"}', "values": "1x30 stale"},
        {"series": 'extdns_leader{cluster="there",pod="a"}', "values": "1x800"},
    ]
    expected = {"700h": [expected_alert(case, rule, {"cluster": "here"})], "752h": []}
    hourly = build_promtool_test("ExtdnsDown", series, expected) | {"interval": "1h"}
    assert run_promtool_tests(promtool, tmp_path, rules, [hourly], evaluation_interval="1h") == ""


@pytest.mark.parametrize(("labels", "is_quiet"), [(["pod", "instance"], False), (["pod", "instance", "version"], True)])
def test_an_upgrade_fires_no_alert_about_lost_replicas_if_and_only_if_it_changes_only_replica_labels(
    labels: list[str], is_quiet: bool, helm: Helm, promtool: str, tmp_path: Path
) -> None:
    (made,) = of("PrometheusRule", helm.manifests({"prometheusRule": {"enabled": True, "replicaLabels": labels}}))
    case = CASES["ExtdnsDown"]
    series = [
        {"series": 'extdns_leader{job="extdns",pod="a",version="1"}', "values": "1x30 stale"},
        {"series": 'extdns_leader{job="extdns",pod="b",version="2"}', "values": "_x31 1x60"},
    ]
    former = expected_alert(case, alerts(made["spec"])["ExtdnsDown"], {"job": "extdns", "version": "1"})
    expected = {"60m": [] if is_quiet else [former]}
    promtool_test = build_promtool_test("ExtdnsDown", series, expected)
    assert run_promtool_tests(promtool, tmp_path, made["spec"], [promtool_test]) == ""


SYNC_LAG_SCENES: Final[dict[str, tuple[dict[str, str], dict[str, list[str]]]]] = {
    "a process that never synced counts from its start": (
        {SYNC: "0x60", "extdns_leader": "1x60", "process_start_time_seconds": "1800x60"},
        {"44m": [], "52m": ["extdns has not been able to act for 22m 0s"]},
    ),
    "a crash loop does not start the clock anew": (
        {
            SYNC: "60x5 _x3 0x2 _x3 0x2 _x3 0x2 _x3 0x2 _x3 0x2",
            "extdns_leader": "1x5 _x3 1x2 _x3 1x2 _x3 1x2 _x3 1x2 _x3 1x2",
            "process_start_time_seconds": "0x5 _x3 540x2 _x3 840x2 _x3 1140x2 _x3 1440x2 _x3 1740x2",
        },
        {"10m": [], "28m": ["extdns has not been able to act for 27m 0s"]},
    ),
    "an installation that is gone is not lagging, but down": (
        {SYNC: "0+60x10", "extdns_leader": "1x10", "process_start_time_seconds": "0x10"},
        {"40m": []},
    ),
    "external-dns itself is not reported": (
        {SYNC: "1x60", "process_start_time_seconds": "0x60"},
        {"60m": []},
    ),
}


@pytest.mark.parametrize("scene", SYNC_LAG_SCENES)
def test_the_alert_about_sync_lag_counts_from_the_last_sync_of_any_process(
    scene: str, rules: Json, promtool: str, tmp_path: Path
) -> None:
    values, summaries = SYNC_LAG_SCENES[scene]
    rule, case = alerts(rules)["ExtdnsSyncLag"], CASES["ExtdnsSyncLag"]
    series = [{"series": f'{name}{{job="extdns",pod="a"}}', "values": text} for name, text in values.items()]
    expected = {
        at: [expected_alert(case._replace(summary=summary), rule, {"job": "extdns"}) for summary in found]
        for at, found in summaries.items()
    }
    assert run_promtool_tests(promtool, tmp_path, rules, [build_promtool_test("ExtdnsSyncLag", series, expected)]) == ""


def test_exactly_the_alerts_extdns_down_no_leader_and_sync_lag_are_critical(rules: Json) -> None:
    critical = {name for name, rule in alerts(rules).items() if rule["labels"]["severity"] == "critical"}
    assert critical == {"ExtdnsDown", "ExtdnsNoLeader", "ExtdnsSyncLag"}


@pytest.mark.parametrize("labels", [[], None])
def test_promtool_accepts_the_alert_rules_if_the_chart_value_replica_labels_is_empty_or_null(
    labels: list[str] | None, helm: Helm, promtool: str, tmp_path: Path
) -> None:
    values = {"prometheusRule": {"enabled": True, "replicaLabels": labels}}
    (made,) = of("PrometheusRule", helm.manifests(values))
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump(made["spec"]), encoding="utf-8")
    assert run(promtool, "check", "rules", path).code == 0


def test_alert_rules_aggregate_over_the_replica_labels_in_the_chart_values(helm: Helm) -> None:
    values = {"prometheusRule": {"enabled": True, "replicaLabels": ["replica", "ip"]}}
    (made,) = of("PrometheusRule", helm.manifests(values))
    aggregations = {
        found for rule in alerts(made["spec"]).values() for found in re.findall(r"without \((.*?)\)", rule["expr"])
    }
    assert "replica, ip" in aggregations
    assert all(found.endswith("replica, ip") for found in aggregations)


def test_every_metric_in_alert_rules_is_exported(rules: Json) -> None:
    assert_exported(rule["expr"] for rule in alerts(rules).values())


def test_phases_and_reasons_in_alert_rules_exist(rules: Json) -> None:
    found = alerts(rules)
    assert values(found["ExtdnsSourceFailing"], "phase") <= set(Phase)
    assert values(found["ExtdnsNamesInBackoff"], "reason") <= set(Reason)


def values(rule: Json, label: str) -> set[str]:
    found = re.search(rf'{label}=~"([^"]+)"', rule["expr"])
    assert found is not None
    return set(found[1].split("|"))


def test_every_alert_links_to_a_runbook_and_every_runbook_has_its_alert(rules: Json, helm: Helm) -> None:
    pages = {path.name for path in (ROOT / "docs" / "runbooks").iterdir()}
    links = {rule["annotations"]["runbook_url"] for rule in alerts(rules).values()}
    assert links == {f"https://runbooks.example.org/extdns/{page}" for page in pages}
    (plain,) = of("PrometheusRule", helm.manifests({"replicaCount": 2, "prometheusRule": {"enabled": True}}))
    for rule in alerts(plain["spec"]).values():
        base, _, page = rule["annotations"]["runbook_url"].rpartition("/")
        assert base == RUNBOOKS
        assert (ROOT / "docs" / "runbooks" / page).read_text(encoding="utf-8").startswith(f"# {rule['alert']}\n")


def test_with_one_replica_the_chart_renders_no_alerts_about_a_missing_leader_or_standby(helm: Helm) -> None:
    (made,) = of("PrometheusRule", helm.manifests({"prometheusRule": {"enabled": True}}))
    assert alerts(made["spec"]).keys() == CASES.keys() - {"ExtdnsNoLeader", "ExtdnsStandbyMissing"}
