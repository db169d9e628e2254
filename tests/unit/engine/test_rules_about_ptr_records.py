"""Rules deny a PTR record together with the address record that it was derived from (docs/design/rules.md)."""

from __future__ import annotations

from typing import Final

from extdns.errors import RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from tests.builders import ZONE, record
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
ANYTHING: Final = FakeRule(name="anything", allows=lambda _: True)
WEB: Final = service("web")


def start(*objects: Json, rule: FakeRule | None = None) -> ClusterWorld:
    """Start with *objects* and *rule*, a zone, and the zone of its addresses."""
    rules = FakeRules((rule,) if rule else ())
    return start_cluster(*objects, rules=rules, zones={ZONE: (), REVERSE: ()}, flags=FLAGS)


def list_names(world: ClusterWorld) -> list[str]:
    """Return the targets of all PTR records."""
    return [target for targets in world.list_records(REVERSE).values() for target in targets]


def find_reason(world: ClusterWorld) -> Reason:
    """Return the reason of the only decision about the PTR record of 192.0.2.1."""
    (decision,) = world.engine.decisions.decisions(DnsName("1.2.0.192.in-addr.arpa"))
    return decision.reason


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


def test_a_name_is_added_to_a_ptr_record_together_with_its_address_record() -> None:
    world = start(WEB, rule=ONLY_NEW)
    assert [len(one.batch.change_sets) for one in world.provider.submissions] == [1, 1]
    assert list_names(world) == ["web.example.org"]


def test_a_name_whose_address_record_is_foreign_is_not_added_to_a_ptr_record() -> None:
    world = start_cluster(
        WEB, rules=FakeRules((ANYTHING,)), zones={ZONE: (record("web", "192.0.2.1"),), REVERSE: ()}, flags=FLAGS
    )
    assert list_names(world) == []
    world.run(change_rules(), for_s=5.0)
    assert list_names(world) == ["web.example.org"]
    world.run(change_rules(ANYTHING), for_s=300.0)
    assert list_names(world) == ["web.example.org"]
    assert find_reason(world) is Reason.PUBLISHED


def test_a_rule_about_an_address_record_is_not_evaluated_on_the_ptr_record_while_the_address_record_stays() -> None:
    world = start(WEB)
    world.run(change_rules(NO_WEB), for_s=300.0)
    assert list_names(world) == ["web.example.org"]
    assert find_reason(world) is Reason.PUBLISHED


def test_a_ptr_record_keeps_the_name_of_a_namespace_whose_ptr_records_are_denied_later() -> None:
    world = start(WEB, service("api", namespace="zoo"))
    deny = FakeRule(name="no-api", allows=lambda it: "api.example.org" not in it.record.targets)
    world.run(change_rules(deny), for_s=300.0)
    assert list_names(world) == ["api.example.org", "web.example.org"]


def test_with_on_violation_delete_the_ptr_record_of_a_denied_address_record_is_deleted_too() -> None:
    world = start(WEB)
    assert list_names(world) == ["web.example.org"]
    deny = FakeRule(name="no-web", allows=NO_WEB.allows, deletes=True)
    world.run(change_rules(deny), for_s=300.0)
    assert (world.list_records(), list_names(world)) == ({}, [])


def test_after_a_restart_a_name_is_added_to_a_ptr_record_only_once_the_zone_of_its_address_record_was_read() -> None:
    world = start(WEB, rule=ONLY_NEW)
    world.provider.remove_records(REVERSE, *world.provider.contents(REVERSE))
    world.provider.failures.extend([None, None, *[RetryableError("planted")] * 4])
    world = world.restart(*FLAGS)
    assert list_names(world) == []
    world.run(for_s=60.0)
    assert list_names(world) == ["web.example.org"]
