"""Metrics of held deletes (docs/design/delete-safety.md)."""

from __future__ import annotations

from extdns.metrics.metrics import Metrics
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.zone import Zone
from tests.builders import ZONE, build_held, build_held_set
from tests.unit.metrics.scrape import labels, series

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
