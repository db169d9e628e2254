"""How long requests take (spec plan 1.8)."""

from __future__ import annotations

import math

import pytest

from extdns.metrics.metrics import Metrics
from extdns.metrics.requests import RequestTimes
from extdns.metrics.table import REQUESTS
from extdns.model.request import UNANSWERED, sent
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


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def shown(times: RequestTimes, suffix: str = "", **more: str) -> dict[tuple[tuple[str, str], ...], float]:
    found = series(Metrics(requests=times), f"{REQUESTS.name}{suffix}")
    return {key: value for key, value in found.items() if more.items() <= dict(key).items()}


def test_the_summary_of_the_reference_keeps_name_labels_and_quantiles() -> None:
    times = RequestTimes()
    for number in range(1, 101):
        times.take(sent("GET", LISTED, status=200, seconds=float(number)))
    assert shown(times, "_count") == {labels(**HERE): 100}
    assert shown(times, "_sum") == {labels(**HERE): 5050}
    assert shown(times) == {
        labels(**HERE, quantile=share): at for share, at in (("0.5", 50), ("0.9", 90), ("0.99", 99))
    }
    assert f"# TYPE {REQUESTS.name} summary\n" in Metrics(requests=times).text().decode()


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        pytest.param("https://[::1]:6443/api/v1/services?watch=1", "[::1]:6443", "services", id="query"),
        pytest.param("https://sts.amazonaws.com/", "sts.amazonaws.com", "", id="no-path"),
        pytest.param("http://me:secret@10.0.0.1/x/y", "10.0.0.1", "y", id="no-password"),
    ],
)
def test_of_a_url_host_and_the_last_part_of_the_path_are_told(url: str, host: str, path: str) -> None:
    times = RequestTimes()
    times.take(sent("POST", url, status=UNANSWERED, seconds=1.0))
    ((found, _),) = shown(times, "_count").items()
    assert (dict(found)["host"], dict(found)["path"], dict(found)["status"]) == (host, path, "0")


def test_quantiles_forget_what_is_ten_minutes_old_and_counts_do_not() -> None:
    clock = Clock()
    times = RequestTimes(monotonic=clock)
    times.take(sent("GET", LISTED, status=200, seconds=9.0))
    clock.now_s = 599.0
    times.take(sent("GET", LISTED, status=200, seconds=1.0))
    assert list(shown(times, quantile="0.99").values()) == [9.0]
    clock.now_s = 601.0
    assert list(shown(times, quantile="0.99").values()) == [1.0]
    clock.now_s = 1200.0
    assert all(math.isnan(value) for value in shown(times).values())
    assert list(shown(times, "_count").values()) == [2]


def test_names_of_objects_in_paths_do_not_make_labels_without_end() -> None:
    times = RequestTimes()
    for number in range(1000):
        times.take(sent("GET", f"https://10.0.0.1/apis/x/v1/namespaces/n/things/{number}", status=200, seconds=0.1))
    counts = shown(times, "_count")
    assert len(counts) == 201
    assert list(shown(times, "_count", path="other").values()) == [800]
    assert sum(counts.values()) == 1000
