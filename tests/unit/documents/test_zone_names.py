"""The explanation of the apex of a zone whose ownership record is in the parent zone."""

from __future__ import annotations

from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.name import build_name
from extdns.documents.name_text import format_name
from extdns.documents.snapshot import EngineSnapshot
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, observe, ownership_record, record
from tests.world import build_world

DEV = Zone(name=DnsName("dev.example.org"), id="dev")
CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


def explain(name: str, zone: Zone = ZONE) -> str:
    world = build_world(zones={zone: (ownership_record("dev"),), DEV: (record("dev"),)})
    world.run(observe("web", build_claim("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    snapshot = EngineSnapshot(world.engine)
    return "\n".join(format_name(build_name(snapshot, DnsName(name), CONFIG, zones_known=2, missing=snapshot.missing)))


def test_a_record_at_the_apex_is_ours_if_its_ownership_record_is_in_the_parent_zone() -> None:
    assert 'ours, owner "me"; covered by a-dev.example.org' in explain("dev.example.org")


def test_an_ownership_record_in_the_parent_zone_is_explained_with_its_record() -> None:
    assert "ownership record of A dev.example.org" in explain("a-dev.example.org")


def test_explain_calls_a_private_parent_zone_that_also_contains_the_name_a_shorter_match() -> None:
    found = explain("web.dev.example.org", replace(ZONE, private=True))
    assert "dev.example.org (dev), longest match of 2 zones\n" in found
    assert f"{ZONE.name}, a shorter match\n" in found
