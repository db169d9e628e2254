"""Metrics: names that others alert on, and what each event does to them (spec plan 1.8, design 5)."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from extdns import __version__
from extdns.metrics.metrics import Counts, Metrics, Mismatch
from extdns.metrics.table import TABLE
from extdns.model.apibudget import ApiBudget
from extdns.model.cluster import Kind, KindState, Phase
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.zone import Zone
from tests.unit.metrics.scrape import labels, series

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ONE = datetime(2026, 11, 20, 13, 0, tzinfo=UTC)
INGRESS = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
SERVICE = Kind("", "v1", "Service", "services")


def value(metrics: Metrics, name: str) -> float:
    return series(metrics, name)[()]


@pytest.mark.parametrize(
    ("name", "form", "names"),
    [
        pytest.param(f"external_dns_{name}", form, tuple(names.split()), id=f"1.8-{name}")
        for name, form, names in (
            ("build_info", "gauge", "arch go_version os revision version"),
            ("controller_consecutive_soft_errors", "gauge", ""),
            ("controller_last_reconcile_timestamp_seconds", "gauge", ""),
            ("controller_last_sync_timestamp_seconds", "gauge", ""),
            ("controller_no_op_runs_total", "counter", ""),
            ("controller_verified_records", "gauge", "record_type"),
            ("registry_endpoints_total", "gauge", ""),
            ("registry_errors_total", "counter", ""),
            ("registry_records", "gauge", "record_type"),
            (
                "registry_skipped_records_owner_mismatch_per_sync",
                "gauge",
                "record_type owner foreign_owner domain",
            ),
            ("source_endpoints_total", "gauge", ""),
            ("source_errors_total", "counter", ""),
            ("source_records", "gauge", "record_type"),
            ("source_deduplicated_endpoints", "gauge", "record_type source_type"),
            ("source_invalid_endpoints", "gauge", "record_type source_type"),
            ("http_request_duration_seconds", "summary", "handler scheme host path method status"),
        )
    ],
)
def test_a_metric_of_the_reference_keeps_name_type_and_labels(name: str, form: str, names: tuple[str, ...]) -> None:
    (metric,) = (metric for metric in TABLE if metric.name == name)
    assert metric.labels == names
    assert f"# TYPE {name} {form}\n" in Metrics().text().decode()


def test_every_metric_is_there_from_the_start_and_those_without_labels_are_zero() -> None:
    metrics = Metrics()
    text = metrics.text().decode()
    for metric in TABLE:
        assert f"# HELP {metric.name} {metric.help}\n" in text
        if not metric.labels:
            assert value(metrics, metric.name) == 0
    assert "_created" not in text


def test_the_process_is_measured_too() -> None:
    assert value(Metrics(), "process_cpu_seconds_total") >= 0


def test_two_instances_share_nothing() -> None:
    first, second = Metrics(), Metrics()
    first.read_failed()
    assert value(second, "external_dns_registry_errors_total") == 0


def test_build_info_tells_what_runs() -> None:
    ((told, count),) = series(Metrics(), "external_dns_build_info").items()
    by_name = dict(told)
    assert count == 1
    assert (by_name["version"], by_name["revision"]) == (__version__, "unknown")
    assert by_name["go_version"].startswith("python3.")
    assert all(by_name.values())


def test_a_run_without_failures_moves_both_times() -> None:
    metrics = Metrics()
    metrics.run_ended(NOON, failing=0, changes=2)
    assert value(metrics, "external_dns_controller_last_reconcile_timestamp_seconds") == NOON.timestamp()
    assert value(metrics, "external_dns_controller_last_sync_timestamp_seconds") == NOON.timestamp()
    assert value(metrics, "external_dns_controller_no_op_runs_total") == 0


def test_a_run_with_nothing_to_change_counts_as_such() -> None:
    metrics = Metrics()
    metrics.run_ended(NOON, failing=0, changes=0)
    metrics.run_ended(ONE, failing=0, changes=0)
    assert value(metrics, "external_dns_controller_no_op_runs_total") == 2


def test_a_failing_run_moves_no_time_and_is_counted_until_one_succeeds() -> None:
    metrics = Metrics()
    metrics.run_ended(NOON, failing=0, changes=1)
    metrics.run_ended(ONE, failing=1, changes=0)
    metrics.run_ended(ONE, failing=3, changes=0)
    assert value(metrics, "external_dns_controller_last_sync_timestamp_seconds") == NOON.timestamp()
    assert value(metrics, "external_dns_controller_last_reconcile_timestamp_seconds") == NOON.timestamp()
    assert value(metrics, "external_dns_controller_consecutive_soft_errors") == 2
    assert value(metrics, "external_dns_controller_no_op_runs_total") == 0
    metrics.run_ended(ONE, failing=0, changes=0)
    assert value(metrics, "external_dns_controller_consecutive_soft_errors") == 0


def test_counts_are_shown_by_type_in_lower_case_and_in_sum() -> None:
    metrics = Metrics()
    metrics.counted(
        Counts(
            held={"A": 3, "CNAME": 2},
            wanted={"A": 2, "AAAA": 1},
            verified={"A": 1},
            deduplicated={("A", "Ingress"): 4},
            invalid={("SRV", "service"): 5},
            reasons={"wanted": 2},
            pending=7,
            quarantined=3,
            problems=1,
        )
    )
    assert value(metrics, "external_dns_registry_endpoints_total") == 5
    assert value(metrics, "external_dns_source_endpoints_total") == 3
    assert series(metrics, "external_dns_registry_records") == {
        labels(record_type="a"): 3,
        labels(record_type="cname"): 2,
    }
    assert series(metrics, "external_dns_source_records") == {
        labels(record_type="a"): 2,
        labels(record_type="aaaa"): 1,
    }
    assert series(metrics, "external_dns_controller_verified_records") == {labels(record_type="a"): 1}
    assert series(metrics, "external_dns_source_deduplicated_endpoints") == {
        labels(record_type="a", source_type="ingress"): 4
    }
    assert series(metrics, "external_dns_source_invalid_endpoints") == {
        labels(record_type="srv", source_type="service"): 5
    }
    assert series(metrics, "extdns_decisions") == {labels(reason="wanted"): 2}
    assert value(metrics, "extdns_names_pending") == 7
    assert value(metrics, "extdns_names_quarantined") == 3
    assert value(metrics, "extdns_object_problems") == 1


def test_what_is_no_longer_counted_disappears() -> None:
    metrics = Metrics()
    metrics.counted(Counts(held={"A": 1, "TXT": 1}, reasons={"wanted": 1, "refused": 1}))
    metrics.counted(Counts(held={"A": 1}, reasons={"wanted": 1, "refused": 0}))
    assert series(metrics, "external_dns_registry_records") == {labels(record_type="a"): 1}
    assert series(metrics, "extdns_decisions") == {labels(reason="wanted"): 1}


def test_labels_that_are_the_same_in_lower_case_are_one() -> None:
    metrics = Metrics()
    metrics.counted(Counts(held={"A": 1, "a": 2}))
    assert series(metrics, "external_dns_registry_records") == {labels(record_type="a"): 3}


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        pytest.param("web.shop.example.org", "shop.example.org", id="1.8-without-first-label"),
        pytest.param("example.org", "example.org", id="1.8-single-label-would-remain"),
        pytest.param("org", "org", id="1.8-single-label"),
    ],
)
def test_a_record_of_another_owner_is_shown_by_its_domain(name: str, domain: str) -> None:
    metrics = Metrics()
    metrics.counted(Counts(mismatches=(Mismatch("A", "me", "Blue", name), Mismatch("A", "me", "blue", name))))
    assert series(metrics, "external_dns_registry_skipped_records_owner_mismatch_per_sync") == {
        labels(record_type="a", owner="me", foreign_owner="blue", domain=domain): 2
    }


def test_what_stands_in_a_zone_cannot_break_the_page() -> None:
    metrics = Metrics()
    hostile = ('"} 1\nfake 2', "\ud800", "x" * 5000, "x" * 6000)
    metrics.counted(Counts(mismatches=tuple(Mismatch("A", "me", owner, "a.b.c") for owner in hostile)))
    shown = series(metrics, "external_dns_registry_skipped_records_owner_mismatch_per_sync")
    assert {dict(told)["foreign_owner"]: count for told, count in shown.items()} == {
        '"} 1\nfake 2': 1,
        "?": 1,
        "x" * 255: 2,
    }
    assert series(metrics, "fake") == {}


def test_a_kind_is_in_one_phase_at_a_time() -> None:
    metrics = Metrics()
    metrics.phase_changed(KindState(kind=INGRESS, phase=Phase.LISTING))
    metrics.phase_changed(KindState(kind=SERVICE, phase=Phase.LISTING))
    metrics.phase_changed(KindState(kind=INGRESS, phase=Phase.SYNCED))
    assert series(metrics, "extdns_source_phase") == {
        labels(kind="ingresses.networking.k8s.io", phase="synced"): 1,
        labels(kind="services", phase="listing"): 1,
    }
    assert value(metrics, "external_dns_source_errors_total") == 0


@pytest.mark.parametrize("phase", [Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED])
def test_a_kind_that_cannot_be_listed_and_an_object_that_cannot_be_computed_are_source_errors(phase: Phase) -> None:
    metrics = Metrics()
    metrics.phase_changed(KindState(kind=INGRESS, phase=phase))
    metrics.object_failed()
    assert value(metrics, "external_dns_source_errors_total") == 2


def test_a_zone_shows_when_it_was_last_read_until_it_is_no_longer_listed() -> None:
    metrics = Metrics()
    public = Zone(name=DnsName("example.org"), id="Z1")
    private = Zone(name=DnsName("example.org"), id="Z2", private=True)
    metrics.zone_read(public, NOON)
    metrics.zone_read(private, NOON)
    metrics.zone_read(public, ONE)
    assert series(metrics, "extdns_zone_last_read_timestamp_seconds") == {
        labels(zone="example.org", zone_id="Z1"): ONE.timestamp(),
        labels(zone="example.org", zone_id="Z2"): NOON.timestamp(),
    }
    metrics.zones_listed([private])
    assert series(metrics, "extdns_zone_last_read_timestamp_seconds") == {
        labels(zone="example.org", zone_id="Z2"): NOON.timestamp()
    }


@pytest.mark.parametrize(
    ("outcome", "label", "errors"),
    [
        pytest.param(Applied(records=()), "applied", 0, id="applied"),
        pytest.param(Conflict(message=""), "conflict", 0, id="conflict"),
        pytest.param(Refused(message=""), "refused", 1, id="refused"),
        pytest.param(Forbidden(message=""), "forbidden", 1, id="forbidden"),
        pytest.param(TryLater(message=""), "try-later", 1, id="try-later"),
        pytest.param(Unknown(message=""), "unknown", 1, id="unknown"),
    ],
)
def test_a_batch_is_counted_by_what_became_of_it(outcome: Outcome, label: str, errors: int) -> None:
    metrics = Metrics()
    metrics.batch_ended(outcome)
    metrics.batch_ended(outcome)
    assert series(metrics, "extdns_batches_total") == {labels(outcome=label): 2}
    assert value(metrics, "external_dns_registry_errors_total") == 2 * errors


def test_no_count_is_lost_between_threads() -> None:
    metrics = Metrics()

    def fail_often() -> None:
        for _ in range(500):
            metrics.read_failed()

    threads = [threading.Thread(target=fail_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(metrics, "external_dns_registry_errors_total") == 2000


def test_what_is_left_of_the_api_budget_is_asked_when_somebody_looks() -> None:
    budgets = [ApiBudget(account="prod", action="", left=50.0, per_s=10.0, throttled=1)]
    metrics = Metrics(budgets=lambda: budgets)
    account, change = labels(account="prod", action=""), labels(account="prod", action="Change")
    assert series(metrics, "extdns_api_calls_left") == {account: 50.0}
    budgets.append(ApiBudget(account="prod", action="Change", left=-2.5, per_s=5.0, throttled=1))
    assert series(metrics, "extdns_api_calls_left") == {account: 50.0, change: -2.5}
    assert series(metrics, "extdns_api_calls_per_second") == {account: 10.0, change: 5.0}
    assert series(metrics, "extdns_api_throttled_total") == {change: 1.0}
