"""Histograms of durations: buckets, sums, and the limit on label sets (docs/design/metrics.md, "Cost")."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from extdns.metrics.durations import CHANGE_BUCKETS, MAX_ZONES, Histogram
from extdns.metrics.metrics import Metrics
from extdns.metrics.table import CALL_DURATIONS, CHANGE_DURATIONS, WRITE_DURATIONS
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from tests.unit.metrics.scrape import labels, series

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
    assert [write[bound] for bound in ("0.25", "0.5", "1", "2.5", "+Inf")] == [0, 1, 1, 2, 2]
    change = read_buckets(metrics, CHANGE_DURATIONS.name)
    assert [change[bound] for bound in ("30", "60", "+Inf")] == [0, 1, 1]
    assert series(metrics, f"{WRITE_DURATIONS.name}_sum") == {labels(**IN_ZONE): 2.3}
    assert series(metrics, f"{WRITE_DURATIONS.name}_count") == {labels(**IN_ZONE): 2}


def test_histograms_are_valid_prometheus_text_with_ascending_buckets() -> None:
    metrics = Metrics(provider="aws")
    metrics.changes.observe_plan(ZONE, 0.01)
    families = {family.name: family for family in text_string_to_metric_families(metrics.render().decode())}
    found = families["extdns_change_plan_duration_seconds"]
    assert found.type == "histogram"
    counts = [sample.value for sample in found.samples if sample.name.endswith("_bucket")]
    assert counts == sorted(counts)
    assert len(counts) == len(CHANGE_BUCKETS) + 1


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
    calls = Histogram(CALL_DURATIONS, ("1",))
    calls.observe(("ListHostedZones", "ok"), 0.5)
    calls.observe(("ListHostedZones", "later"), 3.0)
    metrics = Metrics(call_durations=calls)
    assert series(metrics, f"{CALL_DURATIONS.name}_sum") == {
        labels(action="ListHostedZones", status="ok"): 0.5,
        labels(action="ListHostedZones", status="later"): 3.0,
    }
