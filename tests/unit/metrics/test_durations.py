"""Durations: request times (docs/spec/plan.md 1.8) and histograms (docs/design/metrics.md, "Cost")."""

from __future__ import annotations

import pytest

from extdns.metrics.durations import MAX_ZONES, RequestTimes, build_histogram
from extdns.metrics.metrics import Metrics
from extdns.metrics.table import CALL_DURATIONS, CHANGE_DURATIONS, REQUESTS, WRITE_DURATIONS
from extdns.model.api_request import UNANSWERED, ApiRequest
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from tests.unit.metrics.scrape import labels, series

LISTED = "https://route53.amazonaws.com/2013-04-01/hostedzone/Z1/rrset?maxitems=300"
HERE = {
    "handler": "instrumented_http",
    "scheme": "https",
    "host": "route53.amazonaws.com",
    "path": "rrset",
    "method": "GET",
    "status": "200",
}


def read_series(times: RequestTimes, suffix: str = "", **more: str) -> dict[tuple[tuple[str, str], ...], float]:
    """Return the values of the request metric by labels; only series with the labels *more*."""
    found = series(Metrics(request_times=times), f"{REQUESTS.name}{suffix}")
    return {key: value for key, value in found.items() if more.items() <= dict(key).items()}


def test_the_request_metric_has_the_name_and_labels_of_external_dns() -> None:
    times = RequestTimes()
    for number in range(1, 101):
        times.record(ApiRequest(method="GET", url=LISTED, status=200, seconds=float(number)))
    assert read_series(times, "_count") == {labels(**HERE): 100}
    assert read_series(times, "_sum") == {labels(**HERE): 5050}
    text = Metrics(request_times=times).render().decode()
    assert f"# TYPE {REQUESTS.name} summary\n" in text
    assert "_created" not in text


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        pytest.param("https://[::1]:6443/api/v1/services?watch=1", "[::1]:6443", "services", id="query"),
        pytest.param("https://sts.amazonaws.com/", "sts.amazonaws.com", "", id="no-path"),
        pytest.param("http://me:secret@10.0.0.1/x/y", "10.0.0.1", "y", id="no-password"),
    ],
)
def test_request_metrics_are_labelled_with_the_host_and_the_last_part_of_the_path(
    url: str, host: str, path: str
) -> None:
    times = RequestTimes()
    times.record(ApiRequest(method="POST", url=url, status=UNANSWERED, seconds=1.0))
    ((found, _),) = read_series(times, "_count").items()
    assert (dict(found)["host"], dict(found)["path"], dict(found)["status"]) == (host, path, "0")


def test_the_number_of_label_sets_of_the_request_metric_is_bounded() -> None:
    times = RequestTimes()
    for number in range(1000):
        times.record(ApiRequest(method="GET", url=f"https://10.0.0.1/x/v1/things/{number}", status=200, seconds=0.1))
    counts = read_series(times, "_count")
    assert len(counts) == 201
    assert list(read_series(times, "_count", path="other").values()) == [800]
    assert sum(counts.values()) == 1000


# Histograms of durations: buckets, sums, and the limit on label sets (docs/design/metrics.md, "Cost")


ZONE = Zone(name=DnsName("example.org"), id="Z1")
IN_ZONE = {"provider": "aws", "zone": "example.org", "zone_id": "Z1"}


def read_buckets(metrics: Metrics, name: str) -> dict[str, float]:
    """Return the cumulative counts of a histogram with one label set, by upper bound."""
    found = series(metrics, f"{name}_bucket")
    return {dict(key)["le"]: count for key, count in found.items()}


def test_a_duration_counts_in_each_histogram_bucket_whose_bound_it_does_not_exceed() -> None:
    metrics = Metrics(provider="aws")
    metrics.changes.observe_write(ZONE, 0.3, since_object_s=60.0)
    metrics.changes.observe_write(ZONE, 2.0, since_object_s=None)
    write = read_buckets(metrics, WRITE_DURATIONS.name)
    assert [write[bound] for bound in ("0.25", "0.5", "1.0", "2.5", "+Inf")] == [0, 1, 1, 2, 2]
    change = read_buckets(metrics, CHANGE_DURATIONS.name)
    assert [change[bound] for bound in ("30.0", "60.0", "+Inf")] == [0, 1, 1]
    assert series(metrics, f"{WRITE_DURATIONS.name}_sum") == {labels(**IN_ZONE): 2.3}
    assert series(metrics, f"{WRITE_DURATIONS.name}_count") == {labels(**IN_ZONE): 2}


def test_the_histograms_of_a_listed_zone_start_at_zero() -> None:
    metrics = Metrics(provider="aws")
    metrics.set_zones((ZONE,))
    assert series(metrics, f"{CHANGE_DURATIONS.name}_count") == {labels(**IN_ZONE): 0}


def test_zones_above_a_limit_share_one_set_of_labels() -> None:
    metrics = Metrics(provider="aws")
    for number in range(MAX_ZONES + 5):
        metrics.changes.observe_plan(Zone(name=DnsName(f"z{number}.example"), id=f"Z{number}"), 1.0)
    found = series(metrics, "extdns_change_plan_duration_seconds_count")
    assert len(found) == MAX_ZONES + 1
    assert found[labels(provider="other", zone="other", zone_id="other")] == 5


def test_call_durations_are_counted_by_action_and_status() -> None:
    calls = build_histogram(CALL_DURATIONS, (1,))
    calls.labels("ListHostedZones", "ok").observe(0.5)
    calls.labels("ListHostedZones", "later").observe(3.0)
    metrics = Metrics(call_durations=calls)
    assert series(metrics, f"{CALL_DURATIONS.name}_sum") == {
        labels(action="ListHostedZones", status="ok"): 0.5,
        labels(action="ListHostedZones", status="later"): 3.0,
    }
