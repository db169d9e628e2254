"""The first full pass: what it waits for, and for how long (law 3).

See docs/design/architecture.md, "Step by step"; docs/design/retries.md, "The first pass".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from msgspec import structs

from extdns.controller.exit_codes import FAILED, compute_exit_code
from extdns.engine.inputs import Observed, TimePassed
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Action, Forbidden, Outcome, TryLater
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.model.rrtype import TXT, UNREADABLE
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from providers.inmemory.provider import InMemoryProvider
from registry.txt.naming import Naming
from registry.txt.ownership_index import PlainTextCodec, TxtSettings
from registry.txt.registry import TxtRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    change_before_each_batch,
    change_phase,
    host,
    observe,
    owned,
    record,
)
from tests.fakes.faulty import FaultyProvider, NoAnswer
from tests.world import World, build_world, start_world

PODS = Kind("", "v1", "Pod", "pods")


# the first planning


def test_no_name_is_planned_before_every_source_is_synced() -> None:
    world = build_world(*owned("old"))
    world.run(change_phase(SERVICE), observe("web", build_claim("web", "web")), for_s=3600.0)
    assert world.reported == []
    assert "SubmitBatch" not in world.calls
    assert not world.engine.is_planned
    world.run(change_phase(INGRESS))
    assert world.engine.is_planned
    assert "web A" in world.list_records()


@pytest.mark.parametrize("failure", [Phase.FAILING, Phase.FORBIDDEN, Phase.UNAUTHORIZED, Phase.NOT_SERVED])
def test_waits_half_a_minute_while_a_source_fails(failure: Phase) -> None:
    world = build_world()
    world.run(
        change_phase(SERVICE), change_phase(INGRESS, failure), observe("web", build_claim("web", "web")), for_s=29.9
    )
    assert world.reported == []
    world.run(for_s=0.2)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.engine.is_planned


def test_single_pass_does_not_wait_for_a_source_without_valid_credentials() -> None:
    world = build_world(once=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS, Phase.UNAUTHORIZED), for_s=0.1)
    assert world.engine.is_idle
    assert compute_exit_code(world.engine) == FAILED


def test_waits_half_a_minute_in_total_if_a_source_fails_repeatedly() -> None:
    world = build_world()
    world.run(change_phase(SERVICE), observe("web", build_claim("web", "web")))
    for _ in range(3):
        world.run(change_phase(INGRESS, Phase.FAILING), for_s=5.0)
        world.run(change_phase(INGRESS, Phase.LISTING), for_s=5.0)
    world.run(change_phase(INGRESS, Phase.FORBIDDEN), for_s=0.5)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_waits_for_a_source_that_recovers_and_then_lists() -> None:
    world = build_world()
    world.run(change_phase(SERVICE), change_phase(INGRESS, Phase.FAILING), for_s=20.0)
    world.run(change_phase(INGRESS, Phase.LISTING), for_s=20.0)
    world.run(observe("web", build_claim("web", "web")), change_phase(INGRESS), for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_waits_for_the_kind_that_an_object_needs_and_no_other_of_that_name() -> None:
    world = build_world(*owned("web"))
    world.run(observe("web", failure="Pod objects are not listed yet", awaited_kind=PODS))
    world.run(change_phase(SERVICE), change_phase(INGRESS), change_phase(PODS._replace(group="acme.test")))
    assert world.reported == []
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), change_phase(PODS))
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_no_name_is_planned_in_a_zone_that_was_not_fully_read() -> None:
    world = build_world(*[record(f"n{number}", "192.0.2.7") for number in range(9)], page_size=3)
    world.provider.failures.extend([None, None, None, RetryableError("throttled", retry_after_s=30.0)])
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe("n8", build_claim("n8", "n8")), for_s=20.0)
    assert "SubmitBatch" not in world.calls
    world.run(for_s=20.0)
    assert world.list_decisions("n8") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]


class RecordingRegistry(TxtRegistry):
    """A TXT registry that records for which names related names were computed."""

    def __init__(self) -> None:
        plain = PlainTextCodec()
        super().__init__(TxtSettings(owner="me", naming=Naming(), managed_types=PLAN.managed_types, codec=plain))
        self.queried: set[DnsName] = set()

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:
        self.queried.add(name)
        return super().related_names(name, zone)


def test_only_names_with_records_that_may_be_ours_are_planned() -> None:
    registry = RecordingRegistry()
    broken = record("api", "zone:7: not a record", rtype=UNREADABLE)
    world = build_world(*owned("web"), record("note", '"v=spf1 -all"', rtype=TXT), broken, registry=registry)
    world.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS))
    assert registry.queried == {host("web"), host("api")}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.list_decisions("api") == [("?", Action.KEEP, Reason.RECORD_UNREADABLE)]


NET = Zone(name=DnsName("example.net"), id="net")


DOWN = RetryableError("down")
SLOW = RetryableError("down", retry_after_s=600.0)
DENIED = ForbiddenError("denied")
WEB = observe("web", build_claim("web", "web"))
SYNCED = (change_phase(SERVICE), change_phase(INGRESS))


@dataclass(kw_only=True)
class HalfDown(FaultyProvider):
    """A provider in which reading the zone NET raises *raised*."""

    raised: ProviderError | None = None

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        if zone == NET and self.raised:
            raise self.raised
        return super().read_page(zone, after)


def build_half_down(raised: ProviderError, **changes: object) -> tuple[World, HalfDown]:
    """Build an engine with two zones, of which reading NET raises *raised*."""
    provider = HalfDown(inner=InMemoryProvider(seed={ZONE: (), NET: ()}), raised=raised)
    world = build_world(**changes)  # type: ignore[arg-type]
    return replace(world, reader=provider, writer=provider), provider


def observe_in_net(name: str) -> Observed:
    """Build the observation that the Service *name* requests its own name in the zone NET."""
    claim = build_claim(name, name)
    endpoint = structs.replace(claim.desired, name=DnsName(f"{name}.example.net"))
    return observe(name, structs.replace(claim, desired=endpoint))


# the end of the pass


@pytest.mark.parametrize(
    ("raised", "once", "delay_s"),
    [
        pytest.param(DOWN, False, 30.0, id="fails"),
        pytest.param(SLOW, False, 30.0, id="states-a-long-retry-after"),
        pytest.param(DENIED, False, 0.0, id="is-denied"),
        pytest.param(DOWN, True, 15.0, id="fails-in-a-single-pass"),
        pytest.param(DENIED, True, 0.0, id="is-denied-in-a-single-pass"),
    ],
)
def test_waits_at_most_half_a_minute_while_a_zone_cannot_be_read(
    raised: ProviderError, *, once: bool, delay_s: float
) -> None:
    world, provider = build_half_down(raised, once=once)
    world.run(*SYNCED, WEB, observe_in_net("api"), for_s=max(delay_s - 0.1, 0.1))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.engine.is_planned is world.engine.is_idle is (delay_s == 0.0)
    world.run(for_s=0.2)
    assert world.engine.is_planned
    assert world.engine.is_idle
    provider.raised = None
    world.run(for_s=700.0)
    assert len(world.provider.contents(NET)) == 2


@pytest.mark.parametrize(("once", "delay_s"), [(False, 30.0), (True, 15.0)], ids=["running", "single-pass"])
def test_waits_at_most_half_a_minute_while_the_list_of_zones_fails(*, once: bool, delay_s: float) -> None:
    world = build_world(*owned("web"), once=once)
    world.provider.failures.extend([DOWN] * (1000 if once else 8))
    world.run(*SYNCED, WEB, for_s=delay_s - 0.1)
    assert world.reported == []
    assert not world.engine.is_planned
    world.run(for_s=0.2)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    assert world.engine.is_idle
    world.provider.failures.clear()
    world.run(for_s=180.0)
    assert once or world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_names_have_no_zone_without_permission_to_list_zones() -> None:
    world = build_world(*owned("web"))
    world.provider.failures.extend([DENIED] * 3)
    world.run(*SYNCED, WEB, for_s=0.5)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ZONE)]
    assert world.engine.is_idle
    world.run(for_s=10.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_last_failure_to_list_zones_decides_the_reason() -> None:
    world = build_world()
    world.provider.failures.extend([*[DOWN] * 6, DENIED, DOWN])
    world.run(*SYNCED, WEB, for_s=40.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    world.run(for_s=31.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ZONE)]
    world.run(for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]


@pytest.mark.parametrize(
    ("outcome", "delay_s"),
    [
        pytest.param(TryLater(message="busy"), 30.0, id="busy"),
        pytest.param(TryLater(message="busy", retry_after_s=600.0), 30.0, id="states a long retry-after"),
        pytest.param(NoAnswer(applied=False), 0.0, id="does not answer"),
        pytest.param(Forbidden(message="denied"), 0.0, id="is denied"),
    ],
)
def test_waits_half_a_minute_while_a_zone_cannot_be_written(outcome: Outcome | NoAnswer, delay_s: float) -> None:
    world = build_world()
    world.provider.rule = lambda _: outcome
    names = [observe(name, build_claim(name, name)) for name in ("a", "b", "c")]
    world.run(*SYNCED, *names, for_s=max(delay_s - 0.1, 1.0))
    assert world.engine.is_planned
    assert world.engine.is_idle is (delay_s == 0.0)
    world.run(for_s=1.5)
    assert world.engine.is_idle


def test_waits_for_no_name_that_changes_all_the_time() -> None:
    world = start_world()
    for number in range(10):
        world.run(observe("web", build_claim("web", "web", f"192.0.2.{number}")), for_s=0.1)
    assert world.list_records() == {"web A": ("192.0.2.2",)}
    assert world.engine.is_idle


def test_waits_half_a_minute_while_another_writer_keeps_changing_a_name() -> None:
    world = build_world(*owned("web"))
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(*SYNCED, observe("web", build_claim("web", "web", "192.0.2.9")), for_s=30.9)
    assert not world.engine.is_idle
    world.run(for_s=1.5)
    assert world.engine.is_idle


def test_waits_half_a_minute_while_a_kind_that_an_object_needs_fails() -> None:
    world = start_world()
    world.run(
        observe("web", failure="Pod objects are not listed yet", awaited_kind=PODS), change_phase(PODS, Phase.FORBIDDEN)
    )
    assert not world.engine.is_planned
    world.run(for_s=24.9)
    assert not world.engine.is_planned
    world.run(for_s=0.2)
    assert world.engine.is_planned


def test_zones_are_listed_again_early_if_an_account_did_not_answer() -> None:
    world = build_world()
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="timeout"),))
    world.run(*SYNCED, WEB, for_s=2.9)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    assert world.calls.count("ListZones") == 2
    assert world.engine.is_idle  # a failing account delays only names whose zone is unknown
    world.provider.zone_list = None
    world.run(for_s=0.2)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_waits_for_only_one_existence_check_of_each_object() -> None:
    world = build_world(*owned("old", resource="service/shop/old"))
    world.exists = lambda _: None
    world.feed(TimePassed())
    for item in SYNCED:
        world.feed(item)
    while not any(type(effect).__name__ == "CheckExistence" for effect in world.waiting):
        world.feed(world.answer())
    assert not world.engine.is_planned
    world.run(for_s=0.0)
    assert world.engine.is_planned
    world.now_s += 31.0
    world.feed(TimePassed())
    assert any(type(effect).__name__ == "CheckExistence" for effect in world.waiting)
    assert world.engine.is_planned
