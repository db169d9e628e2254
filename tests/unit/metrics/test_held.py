"""Metrics of held deletes (docs/design/delete-safety.md)."""

from __future__ import annotations

from extdns.metrics.metrics import Metrics
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, HeldDelete, HeldSet, Scope
from extdns.model.record import OwnedRecord, Record
from extdns.model.zone import Zone
from tests.unit.metrics.scrape import labels, series

ZONE = Zone(name=DnsName("example.org"), id="Z1")
INNER = Zone(name=DnsName("shop.example.org"), id="inner")


def build_held(at: str, evidence: Evidence = Evidence.OBJECT_DELETED, zone: Zone = ZONE) -> HeldDelete:
    """Build a held delete of the record at *at*."""
    record = Record(name=DnsName.parse(at), type="A", targets=("192.0.2.1",), ttl_s=300)
    return HeldDelete(zone=zone, owned=OwnedRecord(record=record), evidence=evidence)


def build_held_set(code: str, *found: HeldDelete, zone: Zone = ZONE, namespace: str = "") -> HeldSet:
    """Build the held deletes of one scope with their approval code."""
    return HeldSet(scope=Scope(zone.id, namespace), zone=zone, code=code, held=found)


def test_held_deletes_have_metrics_with_evidence_and_code_until_the_hold_ends() -> None:
    metrics = Metrics()
    metrics.set_held_deletes(build_held_set("0000-0001", build_held("web.shop.example.org", zone=INNER), zone=INNER))
    here = {"zone": "example.org", "zone_id": "Z1"}
    metrics.set_held_deletes(
        build_held_set("7f3a-91c2", build_held("a.example.org"), build_held("b.example.org", Evidence.ABSENT))
    )
    assert series(metrics, "extdns_deletes_held")[labels(**here)] == 2
    assert len(series(metrics, "extdns_held_record")) == 3
    named = {**here, "name": "b.example.org", "record_type": "a", "evidence": "absent", "code": "7f3a-91c2"}
    assert series(metrics, "extdns_held_record")[labels(**named)] == 1
    metrics.set_held_deletes(build_held_set(""))
    assert len(series(metrics, "extdns_deletes_held")) == len(series(metrics, "extdns_held_record")) == 1


def test_the_metric_of_a_zone_is_the_sum_of_its_held_deletes_and_those_of_its_namespaces() -> None:
    metrics = Metrics()
    metrics.set_held_deletes(build_held_set("0000-0001", build_held("a.example.org")))
    metrics.set_held_deletes(
        build_held_set("0000-0002", build_held("b.example.org"), build_held("c.example.org"), namespace="shop")
    )
    assert list(series(metrics, "extdns_deletes_held").values()) == [3]


def test_at_most_fifty_held_records_have_a_series_of_their_own() -> None:
    metrics = Metrics()
    many = [build_held(f"h{number}.example.org") for number in range(500)]
    metrics.set_held_deletes(build_held_set("7f3a-91c2", *many))
    assert list(series(metrics, "extdns_deletes_held").values()) == [500]
    assert len(series(metrics, "extdns_held_record")) == 50
