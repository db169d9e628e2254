"""Rules deny a PTR record together with the address record that it was derived from (docs/design/rules.md)."""

from __future__ import annotations

from typing import Final

from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from tests.builders import ZONE
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import Json, service
from tests.rules import FakeRule, FakeRules, change_rules

REVERSE: Final = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
FLAGS: Final = (
    "--inmemory-zone=2.0.192.in-addr.arpa",
    "--create-ptr",
    "--managed-record-types=A",
    "--managed-record-types=PTR",
)
NO_WEB: Final = FakeRule(name="no-web", allows=lambda item: item.record.name != "web.example.org")
ONLY_NEW: Final = FakeRule(name="only-new", allows=lambda item: item.record.type == "PTR" or item.current is None)
WEB: Final = service("web")


def start(*objects: Json, rule: FakeRule | None = None) -> ClusterWorld:
    """Start with *objects* and *rule*, a zone, and the zone of its addresses."""
    rules = FakeRules((rule,) if rule else ())
    return start_cluster(*objects, rules=rules, zones={ZONE: (), REVERSE: ()}, flags=FLAGS)


def list_names(world: ClusterWorld) -> list[str]:
    """Return the targets of all PTR records."""
    return [target for targets in world.list_records(REVERSE).values() for target in targets]


def test_the_ptr_record_of_a_denied_name_is_not_published_while_its_service_has_no_address() -> None:
    world = start(WEB, rule=NO_WEB)
    world.apply(service("web", address=None))
    world.apply(service("api"))
    assert list_names(world) == ["api.example.org"]
    world.apply(WEB)
    world.run(change_rules(), for_s=5.0)
    assert list_names(world) == ["api.example.org", "web.example.org"]


def test_a_published_ptr_record_stays_while_its_service_has_no_address() -> None:
    world = start(WEB, rule=ONLY_NEW)
    world.apply(service("web", address=None), for_s=300.0)
    assert list_names(world) == ["web.example.org"]


def test_a_rule_is_evaluated_for_a_ptr_record_again_once_its_address_record_was_written() -> None:
    world = start(WEB, rule=ONLY_NEW)
    (decision,) = world.engine.decisions.decisions(DnsName("1.2.0.192.in-addr.arpa"))
    assert [violation.rule for violation in decision.violations] == ["only-new"]


def test_with_on_violation_delete_the_ptr_record_of_a_denied_address_record_is_deleted_too() -> None:
    world = start(WEB)
    assert list_names(world) == ["web.example.org"]
    deny = FakeRule(name="no-web", allows=NO_WEB.allows, deletes=True)
    world.run(change_rules(deny), for_s=300.0)
    assert (world.list_records(), list_names(world)) == ({}, [])


def test_after_a_restart_rules_decide_about_a_ptr_record_only_once_the_zone_of_its_address_record_was_read() -> None:
    world = start(WEB, rule=NO_WEB)
    world.run(change_rules(), for_s=5.0)
    (key,) = [key for key in world.provider.contents(REVERSE) if key.type == "PTR"]
    world.provider.remove_records(REVERSE, *world.provider.contents(REVERSE))
    world.rules = FakeRules((ONLY_NEW,))
    world = world.restart(*FLAGS, for_s=60.0)
    assert key not in world.provider.contents(REVERSE)
