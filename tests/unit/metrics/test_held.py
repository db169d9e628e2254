"""Held deletes in metrics (design 6)."""

from __future__ import annotations

from extdns.metrics.metrics import Metrics
from extdns.model.evidence import Evidence
from extdns.model.held import Held
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.record import Record
from extdns.model.zone import Zone
from tests.unit.metrics.scrape import labels, series


def held(at: str, evidence: Evidence = Evidence.OBJECT_DELETED) -> Held:
    record = Record(name=DnsName.parse(at), type="A", targets=("192.0.2.1",), ttl_s=300)
    return Held(owned=Owned(record=record), evidence=evidence)


def test_held_deletes_are_counted_and_named_with_evidence_and_code_until_they_are_no_longer_held() -> None:
    metrics, inner = Metrics(), Zone(name=DnsName("shop.example.org"), id="inner")
    metrics.deletes_held(inner, "0000-0001", [held("web.shop.example.org")])
    here = {"zone": "example.org", "zone_id": "Z1"}
    zone = Zone(name=DnsName("example.org"), id="Z1")
    metrics.deletes_held(zone, "7f3a-91c2", [held("a.example.org"), held("b.example.org", Evidence.ABSENT)])
    assert series(metrics, "extdns_deletes_held")[labels(**here)] == 2
    assert len(series(metrics, "extdns_held_record")) == 3
    named = {**here, "name": "b.example.org", "record_type": "a", "evidence": "absent", "code": "7f3a-91c2"}
    assert series(metrics, "extdns_held_record")[labels(**named)] == 1
    metrics.deletes_held(zone, "", ())
    assert len(series(metrics, "extdns_deletes_held")) == len(series(metrics, "extdns_held_record")) == 1


def test_many_held_deletes_do_not_make_many_series() -> None:
    metrics = Metrics()
    many = [held(f"h{number}.example.org") for number in range(500)]
    metrics.deletes_held(Zone(name=DnsName("example.org"), id="Z1"), "7f3a-91c2", many)
    assert list(series(metrics, "extdns_deletes_held").values()) == [500]
    assert len(series(metrics, "extdns_held_record")) == 50
