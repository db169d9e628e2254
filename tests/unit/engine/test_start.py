"""When planning begins (design 4, "Start")."""

from __future__ import annotations

import pytest

from extdns.errors import RetryableError
from extdns.model.cluster import Kind, Phase
from extdns.model.name import DnsName
from extdns.model.rrtype import TXT, UNREADABLE
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.engine.stage import INGRESS, PLAN, SERVICE, host, owned, phase, record, seen, stage, wants

PODS = Kind("", "v1", "Pod", "pods")


def test_nothing_is_planned_before_every_source_is_synced() -> None:
    world = stage(*owned("old"))
    world.run(phase(SERVICE), seen("web", wants("web", "web")), for_s=3600.0)
    assert world.told == []
    assert "Submit" not in world.calls
    assert not world.engine.planned
    world.run(phase(INGRESS))
    assert world.engine.planned
    assert "web A" in world.holds()


@pytest.mark.parametrize("failure", [Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED])
def test_a_source_that_fails_is_waited_for_half_a_minute(failure: Phase) -> None:
    world = stage()
    world.run(phase(SERVICE), phase(INGRESS, failure), seen("web", wants("web", "web")), for_s=29.9)
    assert world.told == []
    world.run(for_s=0.2)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.engine.planned


def test_a_source_that_is_listed_again_and_again_and_fails_each_time_is_not_waited_for_longer() -> None:
    world = stage()
    world.run(phase(SERVICE), seen("web", wants("web", "web")))
    for _ in range(3):
        world.run(phase(INGRESS, Phase.FAILING), for_s=5.0)
        world.run(phase(INGRESS, Phase.LISTING), for_s=5.0)
    world.run(phase(INGRESS, Phase.FORBIDDEN), for_s=0.5)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_a_source_that_recovers_in_time_is_waited_for() -> None:
    world = stage()
    world.run(phase(SERVICE), phase(INGRESS, Phase.FAILING), for_s=20.0)
    world.run(phase(INGRESS, Phase.LISTING), for_s=20.0)
    world.run(seen("web", wants("web", "web")), phase(INGRESS), for_s=1.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_a_kind_that_objects_rest_on_is_waited_for_too() -> None:
    world = stage(*owned("web"))
    world.run(seen("web", failure="Pod objects are not listed yet", parked_on=PODS))
    world.run(phase(SERVICE), phase(INGRESS))
    assert world.told == []
    world.run(seen("web", wants("web", "web", "192.0.2.9")), phase(PODS))
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_kinds_of_one_name_in_two_groups_are_waited_for_one_by_one() -> None:
    world = stage(*owned("web"))
    world.run(seen("web", failure="Pod objects are not listed yet", parked_on=PODS))
    world.run(phase(SERVICE), phase(INGRESS), phase(PODS._replace(group="acme.test")))
    assert world.told == []
    world.run(seen("web", wants("web", "web", "192.0.2.9")), phase(PODS))
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_an_object_that_is_parked_later_keeps_its_record_and_the_others_go_on() -> None:
    world = stage(*owned("web"))
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS))
    world.run(seen("web", failure="Pod objects are not listed yet", parked_on=PODS), seen("api", wants("api", "api")))
    assert set(world.holds()) == {"web A", "api A"}
    assert world.endings("web") == ["A keep programmed"]


def test_nothing_is_planned_in_a_zone_before_it_was_read_whole() -> None:
    world = stage(*[record(f"n{number}", "192.0.2.7") for number in range(9)], page_size=3)
    world.provider.failures.extend([None, None, None, RetryableError("throttled", retry_after_s=30.0)])
    world.run(phase(SERVICE), phase(INGRESS), seen("n8", wants("n8", "n8")), for_s=20.0)
    assert "Submit" not in world.calls
    world.run(for_s=20.0)
    assert world.endings("n8") == ["A keep foreign-record"]


def test_nothing_is_planned_before_the_zones_were_listed() -> None:
    world = stage()
    world.provider.failures.extend([RetryableError("down")] * 4)
    world.run(phase(SERVICE), phase(INGRESS), seen("web", wants("web", "web")), for_s=10.0)
    assert world.told == []
    assert not world.engine.planned
    world.run(for_s=10.0)
    assert world.engine.planned


def test_a_source_that_fails_later_does_not_stop_planning() -> None:
    world = stage()
    world.run(phase(SERVICE), phase(INGRESS))
    world.run(phase(INGRESS, Phase.FAILING), seen("web", wants("web", "web")))
    assert world.holds() == {"web A": ("192.0.2.1",)}


class Noticing(TxtRegistry):
    """Notices which names it is asked about."""

    def __init__(self) -> None:
        super().__init__(owner="me", naming=Naming(), managed_types=PLAN.managed_types)
        self.asked: set[DnsName] = set()

    def related(self, name: DnsName) -> tuple[DnsName, ...]:
        self.asked.add(name)
        return super().related(name)


def test_of_what_stands_at_the_start_only_what_may_be_ours_and_what_cannot_be_read_is_planned() -> None:
    registry = Noticing()
    broken = record("api", "zone:7: not a record", rtype=UNREADABLE)
    world = stage(*owned("web"), record("note", '"v=spf1 -all"', rtype=TXT), broken, registry=registry)
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS))
    assert registry.asked == {host("web"), host("api")}
    assert world.endings("web") == ["A keep programmed"]
    assert world.endings("api") == ["none record-unreadable"]
