"""Many processes that share the API rate limit of one account (docs/design/pace.md)."""

from __future__ import annotations

import pytest

from tests.bench.fleet import LIMIT, count_calls, simulate_start

PAGES = 34  # of a zone with 10,000 records on Route 53


def test_five_processes_together_make_at_most_three_calls_a_minute_each_on_average_in_a_quiet_hour() -> None:
    calls = count_calls(5, records=PAGES, page_size=1)
    assert set(calls) <= {"ReadPage", "ListZones"}
    assert calls.total() <= 5 * 3 * 60


def test_five_processes_on_one_zone_make_at_most_twelve_reads_a_minute_each_and_one_write_per_change() -> None:
    calls = count_calls(5, has_one_zone=True, records=PAGES, page_size=1)
    assert calls["SubmitBatch"] == 5 * 6
    assert calls["ReadPage"] + calls["ListZones"] <= 5 * 12 * 60


@pytest.mark.parametrize("clusters", [2, 10, 40])
def test_of_processes_that_start_together_less_than_a_third_of_the_calls_are_throttled(clusters: int) -> None:
    start = simulate_start(clusters)
    assert start.throttled / start.calls < 1 / 3
    assert start.seconds < 1.5 * clusters * PAGES / LIMIT.per_s
