"""Metrics of request times (docs/spec/plan.md 1.8)."""

from __future__ import annotations

import math

import pytest

from extdns.metrics.durations import RequestTimes
from extdns.metrics.metrics import Metrics
from extdns.metrics.table import REQUESTS
from extdns.model.api_request import UNANSWERED, ApiRequest
from tests.fakes.clocks import MovedClock
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


def test_the_request_metric_has_the_name_labels_and_quantiles_of_external_dns() -> None:
    times = RequestTimes()
    for number in range(1, 101):
        times.record(ApiRequest(method="GET", url=LISTED, status=200, seconds=float(number)))
    assert read_series(times, "_count") == {labels(**HERE): 100}
    assert read_series(times, "_sum") == {labels(**HERE): 5050}
    assert read_series(times) == {
        labels(**HERE, quantile=share): at for share, at in (("0.5", 50), ("0.9", 90), ("0.99", 99))
    }
    assert f"# TYPE {REQUESTS.name} summary\n" in Metrics(request_times=times).render().decode()


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


def test_request_quantiles_cover_ten_minutes_and_request_counts_cover_all_time() -> None:
    clock = MovedClock(now_s=0.0)
    times = RequestTimes(monotonic_s=clock.monotonic_s)
    times.record(ApiRequest(method="GET", url=LISTED, status=200, seconds=9.0))
    clock.now_s = 599.0
    times.record(ApiRequest(method="GET", url=LISTED, status=200, seconds=1.0))
    assert list(read_series(times, quantile="0.99").values()) == [9.0]
    clock.now_s = 601.0
    assert list(read_series(times, quantile="0.99").values()) == [1.0]
    clock.now_s = 1200.0
    assert all(math.isnan(value) for value in read_series(times).values())
    assert list(read_series(times, "_count").values()) == [2]


def test_the_number_of_label_sets_of_the_request_metric_is_bounded() -> None:
    times = RequestTimes()
    for number in range(1000):
        times.record(ApiRequest(method="GET", url=f"https://10.0.0.1/x/v1/things/{number}", status=200, seconds=0.1))
    counts = read_series(times, "_count")
    assert len(counts) == 201
    assert list(read_series(times, "_count", path="other").values()) == [800]
    assert sum(counts.values()) == 1000
