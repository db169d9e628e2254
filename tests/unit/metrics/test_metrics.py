"""Metrics: names and labels, and the effect of each event on them.

See docs/spec/plan.md 1.8, docs/design/differences.md.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from extdns import __version__
from extdns.metrics.durations import build_histogram
from extdns.metrics.metrics import Metrics, Mismatch, Statistics
from extdns.metrics.table import CALL_DURATIONS, LEADER, TABLE, THREADS
from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Unknown, WriteConflict
from extdns.model.cluster import KindState, Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind
from extdns.model.zone import RateLimitStatus, Zone
from tests.builders import ZONE, build_held, build_held_set
from tests.unit.metrics.scrape import labels, series

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ONE = datetime(2026, 11, 20, 13, 0, tzinfo=UTC)
INGRESS = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
SERVICE = Kind("", "v1", "Service", "services")


def value(metrics: Metrics, name: str) -> float:
    """Return the value of a metric without labels."""
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
            ("provider_cache_records_calls", "gauge", "from_cache"),
            ("provider_cache_apply_changes_calls", "gauge", ""),
            ("http_request_duration_seconds", "summary", "handler scheme host path method status"),
        )
    ],
)
def test_each_metric_of_external_dns_has_the_same_name_type_and_labels(
    name: str, form: str, names: tuple[str, ...]
) -> None:
    (metric,) = (metric for metric in TABLE if metric.name == name)
    assert metric.labels == names
    assert f"# TYPE {name} {form}\n" in Metrics().render().decode()


def test_every_metric_without_labels_starts_at_zero() -> None:
    metrics = Metrics(call_durations=build_histogram(CALL_DURATIONS, (1,)))
    text = metrics.render().decode()
    for metric in TABLE:
        assert f"# HELP {metric.name} {metric.help}\n" in text
        if not metric.labels and metric not in {LEADER, THREADS}:
            assert value(metrics, metric.name) == 0


def test_the_cpu_time_of_the_process_is_a_metric() -> None:
    assert value(Metrics(), "process_cpu_seconds_total") >= 0


def test_the_build_info_metric_shows_version_and_platform() -> None:
    ((labels, count),) = series(Metrics(), "external_dns_build_info").items()
    by_name = dict(labels)
    assert count == 1
    assert (by_name["version"], by_name["revision"]) == (__version__, "unknown")
    assert by_name["go_version"].startswith("python3.")
    assert all(by_name.values())


LAST_RECONCILE = "external_dns_controller_last_reconcile_timestamp_seconds"
LAST_SYNC = "external_dns_controller_last_sync_timestamp_seconds"
SOFT_ERRORS = "external_dns_controller_consecutive_soft_errors"
NO_OP_RUNS = "external_dns_controller_no_op_runs_total"


def count_run(
    metrics: Metrics, now: datetime, *, is_leader: bool = True, blocked: bool = False, changes: int = 0
) -> None:
    metrics.count_run(now, is_leader=is_leader, is_blocked=blocked, changes=changes)


def test_a_run_of_the_leader_updates_the_times_of_the_last_run_and_the_last_sync() -> None:
    metrics = Metrics()
    count_run(metrics, NOON, changes=2)
    assert value(metrics, LAST_RECONCILE) == NOON.timestamp()
    assert value(metrics, LAST_SYNC) == NOON.timestamp()
    assert value(metrics, NO_OP_RUNS) == 0


def test_a_standby_has_no_time_of_a_last_sync_until_it_leads() -> None:
    metrics = Metrics(has_election=True)
    count_run(metrics, NOON, is_leader=False)
    assert value(metrics, LAST_RECONCILE) == NOON.timestamp()
    assert series(metrics, LAST_SYNC) == {}
    metrics.set_leadership(is_leader=True)
    assert value(metrics, LAST_SYNC) == 0
    count_run(metrics, ONE)
    assert value(metrics, LAST_SYNC) == ONE.timestamp()
    metrics.set_leadership(is_leader=False)
    assert series(metrics, LAST_SYNC) == {}


def test_runs_without_changes_are_counted() -> None:
    metrics = Metrics()
    count_run(metrics, NOON)
    count_run(metrics, ONE)
    assert value(metrics, NO_OP_RUNS) == 2


def test_a_blocked_run_counts_as_an_error_and_does_not_update_the_time_of_the_last_sync() -> None:
    metrics = Metrics()
    count_run(metrics, NOON, changes=1)
    count_run(metrics, NOON, blocked=True)
    count_run(metrics, ONE, blocked=True)
    assert value(metrics, LAST_SYNC) == NOON.timestamp()
    assert value(metrics, LAST_RECONCILE) == ONE.timestamp()
    assert value(metrics, SOFT_ERRORS) == 2
    assert value(metrics, NO_OP_RUNS) == 0
    count_run(metrics, ONE)
    assert value(metrics, SOFT_ERRORS) == 0


def test_statistics_of_records_and_names_become_metrics_with_totals_and_lower_case_record_types() -> None:
    metrics = Metrics()
    metrics.set_statistics(
        Statistics(
            current={"A": 3, "CNAME": 2},
            requested={"A": 2, "AAAA": 1},
            verified={"A": 1},
            deduplicated={("A", "Ingress"): 4},
            invalid={("SRV", "service"): 5},
            reasons={"requested": 2},
            queued=7,
            backing_off=3,
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
    assert series(metrics, "extdns_decisions") == {labels(reason="requested"): 2}
    assert value(metrics, "extdns_names_queued") == 7
    assert value(metrics, "extdns_names_in_backoff") == 3
    assert value(metrics, "extdns_object_problems") == 1


def test_the_series_of_a_record_type_or_reason_that_is_no_longer_counted_is_removed() -> None:
    metrics = Metrics()
    metrics.set_statistics(Statistics(current={"A": 1, "TXT": 1}, reasons={"requested": 1, "refused": 1}))
    metrics.set_statistics(Statistics(current={"A": 1}, reasons={"requested": 1, "refused": 0}))
    assert series(metrics, "external_dns_registry_records") == {labels(record_type="a"): 1}
    assert series(metrics, "extdns_decisions") == {labels(reason="requested"): 1}


def test_record_types_that_objects_invent_have_one_series() -> None:
    metrics = Metrics()
    metrics.set_statistics(Statistics(requested={"A": 1, "CAA": 2} | {f"X{number}": 1 for number in range(100)}))
    assert series(metrics, "external_dns_source_records") == {
        labels(record_type="a"): 1,
        labels(record_type="caa"): 2,
        labels(record_type="other"): 100,
    }


def test_counts_of_record_types_that_differ_only_in_case_are_added_up() -> None:
    metrics = Metrics()
    metrics.set_statistics(Statistics(current={"A": 1, "a": 2}))
    assert series(metrics, "external_dns_registry_records") == {labels(record_type="a"): 3}


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        pytest.param("web.shop.example.org", "shop.example.org", id="1.8-without-first-label"),
        pytest.param("example.org", "example.org", id="1.8-single-label-would-remain"),
        pytest.param("org", "org", id="1.8-single-label"),
    ],
)
def test_foreign_records_are_counted_by_the_domain_of_their_name(name: str, domain: str) -> None:
    metrics = Metrics()
    metrics.set_statistics(
        Statistics(mismatches=(Mismatch("A", "me", "Blue", name), Mismatch("A", "me", "blue", name)))
    )
    assert series(metrics, "external_dns_registry_skipped_records_owner_mismatch_per_sync") == {
        labels(record_type="a", owner="me", foreign_owner="blue", domain=domain): 2
    }


def test_metrics_are_valid_text_although_names_contain_quotes_and_newlines() -> None:
    metrics = Metrics()
    hostile = ('"} 1\nfake 2', "\ud800", "x" * 5000, "x" * 6000)
    metrics.set_statistics(Statistics(mismatches=tuple(Mismatch("A", "me", owner, "a.b.c") for owner in hostile)))
    shown = series(metrics, "external_dns_registry_skipped_records_owner_mismatch_per_sync")
    assert {dict(labels)["foreign_owner"]: count for labels, count in shown.items()} == {
        '"} 1\nfake 2': 1,
        "?": 1,
        "x" * 255: 2,
    }
    assert series(metrics, "fake") == {}


def test_each_kind_has_exactly_one_phase_with_value_1() -> None:
    metrics = Metrics()
    metrics.set_phase(KindState(kind=INGRESS, phase=Phase.LISTING))
    metrics.set_phase(KindState(kind=SERVICE, phase=Phase.LISTING))
    metrics.set_phase(KindState(kind=INGRESS, phase=Phase.SYNCED))
    assert series(metrics, "extdns_source_phase") == {
        labels(kind="ingresses.networking.k8s.io", phase="synced"): 1,
        labels(kind="services", phase="listing"): 1,
    }
    assert value(metrics, "external_dns_source_errors_total") == 0


@pytest.mark.parametrize("phase", [Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED])
def test_failing_kinds_and_objects_are_counted_as_source_errors(phase: Phase) -> None:
    metrics = Metrics()
    metrics.set_phase(KindState(kind=INGRESS, phase=phase))
    metrics.count_object_failure()
    assert value(metrics, "external_dns_source_errors_total") == 2


def test_the_metric_about_the_last_read_of_a_zone_is_removed_with_the_zone() -> None:
    metrics = Metrics()
    public = Zone(name=DnsName("example.org"), id="Z1")
    private = Zone(name=DnsName("example.org"), id="Z2", private=True)
    metrics.set_zone_read_time(public, NOON)
    metrics.set_zone_read_time(private, NOON)
    metrics.set_zone_read_time(public, ONE)
    assert series(metrics, "extdns_zone_last_read_timestamp_seconds") == {
        labels(zone="example.org", zone_id="Z1"): ONE.timestamp(),
        labels(zone="example.org", zone_id="Z2"): NOON.timestamp(),
    }
    metrics.set_zones([private])
    assert series(metrics, "extdns_zone_last_read_timestamp_seconds") == {
        labels(zone="example.org", zone_id="Z2"): NOON.timestamp()
    }


@pytest.mark.parametrize(
    ("outcome", "label", "errors"),
    [
        pytest.param(Applied(records=()), "applied", 0, id="applied"),
        pytest.param(WriteConflict(message=""), "conflict", 0, id="conflict"),
        pytest.param(Refused(message=""), "refused", 1, id="refused"),
        pytest.param(Forbidden(message=""), "forbidden", 1, id="forbidden"),
        pytest.param(TryLater(message=""), "try-later", 1, id="try-later"),
        pytest.param(Unknown(message=""), "unknown", 1, id="unknown"),
    ],
)
def test_batches_are_counted_by_their_outcome(outcome: Outcome, label: str, errors: int) -> None:
    metrics = Metrics()
    metrics.count_batch(outcome)
    metrics.count_batch(outcome)
    assert series(metrics, "extdns_batches_total") == {labels(outcome=label): 2}
    assert value(metrics, "external_dns_registry_errors_total") == 2 * errors


def test_counters_stay_right_while_several_threads_count() -> None:
    metrics = Metrics()

    def fail_often() -> None:
        for _ in range(500):
            metrics.count_read_failure()

    threads = [threading.Thread(target=fail_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(metrics, "external_dns_registry_errors_total") == 2000


def test_rate_limits_are_computed_anew_at_each_scrape() -> None:
    budgets = [RateLimitStatus(account="prod", action="", calls_left=50.0, per_s=10.0, throttle_count=1)]
    metrics = Metrics(rate_limits=lambda: budgets)
    account, change = labels(account="prod", action=""), labels(account="prod", action="Change")
    assert series(metrics, "extdns_api_calls_left") == {account: 50.0}
    budgets.append(RateLimitStatus(account="prod", action="Change", calls_left=-2.5, per_s=5.0, throttle_count=1))
    assert series(metrics, "extdns_api_calls_left") == {account: 50.0, change: -2.5}
    assert series(metrics, "extdns_api_calls_per_second") == {account: 10.0, change: 5.0}
    assert series(metrics, "extdns_api_throttled_total") == {change: 1.0}


def test_reads_of_zones_count_as_cache_misses_and_runs_as_cache_hits() -> None:
    metrics = Metrics()
    metrics.set_zone_read_time(Zone(name=DnsName("example.org"), id="Z1"), NOON)
    count_run(metrics, NOON)
    count_run(metrics, ONE)
    metrics.count_batch(Applied(records=()))
    assert series(metrics, "external_dns_provider_cache_records_calls") == {
        labels(from_cache="false"): 1,
        labels(from_cache="true"): 2,
    }
    assert value(metrics, "external_dns_provider_cache_apply_changes_calls") == 1


def test_threads_and_garbage_collections_are_counted_in_place_of_the_metrics_of_go() -> None:
    metrics = Metrics()
    assert value(metrics, "extdns_threads") == threading.active_count()
    assert series(metrics, "python_gc_collections_total")


# Metrics of held deletes (docs/design/delete-safety.md)


INNER = Zone(name=DnsName("shop.example.org"), id="inner")


def test_each_held_delete_has_a_metric_with_its_evidence_and_code_until_the_hold_ends() -> None:
    metrics = Metrics()
    metrics.set_held_deletes(build_held_set("0000-0001", build_held("web.shop", zone=INNER), zone=INNER))
    here = {"zone": "example.org", "zone_id": ZONE.id}
    metrics.set_held_deletes(build_held_set("7f3a-91c2", build_held("a"), build_held("b", Evidence.ABSENT)))
    assert series(metrics, "extdns_deletes_held")[labels(**here)] == 2
    assert len(series(metrics, "extdns_held_record")) == 3
    named = {**here, "name": "b.example.org", "record_type": "a", "evidence": "absent", "code": "7f3a-91c2"}
    assert series(metrics, "extdns_held_record")[labels(**named)] == 1
    metrics.set_held_deletes(build_held_set(""))
    assert len(series(metrics, "extdns_deletes_held")) == len(series(metrics, "extdns_held_record")) == 1


def test_the_held_deletes_metric_of_a_zone_counts_its_held_deletes_and_those_of_its_namespaces() -> None:
    metrics = Metrics()
    metrics.set_held_deletes(build_held_set("0000-0001", build_held("a")))
    metrics.set_held_deletes(build_held_set("0000-0002", build_held("b"), build_held("c"), namespace="shop"))
    assert list(series(metrics, "extdns_deletes_held").values()) == [3]


def test_at_most_fifty_held_records_have_a_metric_series_of_their_own() -> None:
    metrics = Metrics()
    many = [build_held(f"h{number}") for number in range(500)]
    metrics.set_held_deletes(build_held_set("7f3a-91c2", *many))
    assert list(series(metrics, "extdns_deletes_held").values()) == [500]
    assert len(series(metrics, "extdns_held_record")) == 50
