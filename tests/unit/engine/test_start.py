"""Conditions for the first planning of names (docs/design/architecture.md, "Step by step")."""

from __future__ import annotations

import pytest

from extdns.errors import RetryableError
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.model.rrtype import TXT, UNREADABLE
from extdns.model.zone import Zone
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.builders import INGRESS, PLAN, SERVICE, build_claim, change_phase, host, observe, owned, record
from tests.world import build_world

PODS = Kind("", "v1", "Pod", "pods")


def test_no_name_is_planned_before_every_source_is_synced() -> None:
    world = build_world(*owned("old"))
    world.run(change_phase(SERVICE), observe("web", build_claim("web", "web")), for_s=3600.0)
    assert world.reported == []
    assert "SubmitBatch" not in world.calls
    assert not world.engine.is_planned
    world.run(change_phase(INGRESS))
    assert world.engine.is_planned
    assert "web A" in world.list_records()


@pytest.mark.parametrize("failure", [Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED])
def test_the_first_planning_waits_at_most_half_a_minute_for_a_failing_source(failure: Phase) -> None:
    world = build_world()
    world.run(
        change_phase(SERVICE), change_phase(INGRESS, failure), observe("web", build_claim("web", "web")), for_s=29.9
    )
    assert world.reported == []
    world.run(for_s=0.2)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.engine.is_planned


def test_the_first_planning_waits_at_most_half_a_minute_in_total_for_a_source_that_fails_repeatedly() -> None:
    world = build_world()
    world.run(change_phase(SERVICE), observe("web", build_claim("web", "web")))
    for _ in range(3):
        world.run(change_phase(INGRESS, Phase.FAILING), for_s=5.0)
        world.run(change_phase(INGRESS, Phase.LISTING), for_s=5.0)
    world.run(change_phase(INGRESS, Phase.FORBIDDEN), for_s=0.5)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_the_first_planning_waits_for_a_source_that_recovers_within_half_a_minute_and_then_lists() -> None:
    world = build_world()
    world.run(change_phase(SERVICE), change_phase(INGRESS, Phase.FAILING), for_s=20.0)
    world.run(change_phase(INGRESS, Phase.LISTING), for_s=20.0)
    world.run(observe("web", build_claim("web", "web")), change_phase(INGRESS), for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_the_first_planning_waits_for_a_kind_on_which_objects_depend() -> None:
    world = build_world(*owned("web"))
    world.run(observe("web", failure="Pod objects are not listed yet", awaited_kind=PODS))
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    assert world.reported == []
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), change_phase(PODS))
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_the_first_planning_does_not_start_when_a_kind_of_the_awaited_name_in_another_api_group_is_listed() -> None:
    world = build_world(*owned("web"))
    world.run(observe("web", failure="Pod objects are not listed yet", awaited_kind=PODS))
    world.run(change_phase(SERVICE), change_phase(INGRESS), change_phase(PODS._replace(group="acme.test")))
    assert world.reported == []
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), change_phase(PODS))
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_after_the_first_planning_an_object_that_waits_for_a_kind_keeps_its_record_and_delays_no_other_object() -> None:
    world = build_world(*owned("web"))
    world.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS))
    world.run(
        observe("web", failure="Pod objects are not listed yet", awaited_kind=PODS),
        observe("api", build_claim("api", "api")),
    )
    assert set(world.list_records()) == {"web A", "api A"}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_no_name_is_planned_in_a_zone_that_was_not_fully_read() -> None:
    world = build_world(*[record(f"n{number}", "192.0.2.7") for number in range(9)], page_size=3)
    world.provider.failures.extend([None, None, None, RetryableError("throttled", retry_after_s=30.0)])
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe("n8", build_claim("n8", "n8")), for_s=20.0)
    assert "SubmitBatch" not in world.calls
    world.run(for_s=20.0)
    assert world.list_decisions("n8") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]


def test_no_name_is_planned_before_the_zones_were_listed() -> None:
    world = build_world()
    world.provider.failures.extend([RetryableError("down")] * 4)
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe("web", build_claim("web", "web")), for_s=10.0)
    assert world.reported == []
    assert not world.engine.is_planned
    world.run(for_s=10.0)
    assert world.engine.is_planned


def test_a_source_that_fails_after_the_first_planning_does_not_stop_planning() -> None:
    world = build_world()
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    world.run(change_phase(INGRESS, Phase.FAILING), observe("web", build_claim("web", "web")))
    assert world.list_records() == {"web A": ("192.0.2.1",)}


class RecordingRegistry(TxtRegistry):
    """A TXT registry that records for which names related names were computed."""

    def __init__(self) -> None:
        super().__init__(owner="me", naming=Naming(), managed_types=PLAN.managed_types)
        self.queried: set[DnsName] = set()

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:
        self.queried.add(name)
        return super().related_names(name, zone)


def test_at_the_start_only_names_with_records_that_may_be_ours_or_cannot_be_parsed_are_planned() -> None:
    registry = RecordingRegistry()
    broken = record("api", "zone:7: not a record", rtype=UNREADABLE)
    world = build_world(*owned("web"), record("note", '"v=spf1 -all"', rtype=TXT), broken, registry=registry)
    world.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS))
    assert registry.queried == {host("web"), host("api")}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.list_decisions("api") == [("?", Action.KEEP, Reason.RECORD_UNREADABLE)]
