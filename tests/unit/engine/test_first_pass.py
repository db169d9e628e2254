"""Failures delay the end of the first full pass by at most half a minute, and delay no write.

See law 3; docs/design/retries.md, "The first pass".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest
from msgspec import structs

from extdns.engine.inputs import Observed, TimePassed
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Action, Batch, Forbidden, Outcome, TryLater
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from providers.inmemory.provider import InMemoryProvider
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_before_each_batch, change_phase, observe, owned
from tests.fakes.faulty import FaultyProvider, NoAnswer
from tests.world import World, build_world, start_world

NET = Zone(name=DnsName("example.net"), id="net")
PODS = Kind("", "v1", "Pod", "pods")
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


@pytest.mark.parametrize("raised", [pytest.param(DOWN, id="fails"), pytest.param(SLOW, id="states a long retry-after")])
def test_the_first_pass_waits_at_most_half_a_minute_for_a_zone_that_cannot_be_read(raised: ProviderError) -> None:
    world, provider = build_half_down(raised)
    world.run(*SYNCED, WEB, observe_in_net("api"), for_s=29.9)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert not world.engine.is_planned
    world.run(for_s=0.2)
    assert world.engine.is_planned
    assert world.engine.is_idle
    provider.raised = None
    world.run(for_s=700.0)
    assert len(world.provider.contents(NET)) == 2


def test_the_first_pass_does_not_wait_for_a_zone_without_permission_to_read() -> None:
    world, _ = build_half_down(DENIED)
    world.run(*SYNCED, WEB, for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.engine.is_idle


@pytest.mark.parametrize(
    ("raised", "idle_after_s"),
    [pytest.param(DOWN, 15.0, id="fails"), pytest.param(DENIED, 0.0, id="is denied")],
)
def test_a_single_pass_gives_up_a_failing_zone_after_fifteen_seconds_and_a_forbidden_one_at_once(
    raised: ProviderError, idle_after_s: float
) -> None:
    world, _ = build_half_down(raised, once=True)
    world.run(*SYNCED, WEB, for_s=max(idle_after_s - 0.1, 0.1))
    assert world.engine.is_idle is (idle_after_s == 0.0)
    world.run(for_s=0.2)
    assert world.engine.is_idle


def test_the_first_pass_waits_at_most_half_a_minute_for_a_failing_list_of_zones() -> None:
    world = build_world(*owned("web"))
    world.provider.failures.extend([DOWN] * 8)
    world.run(*SYNCED, WEB, for_s=29.9)
    assert world.reported == []
    assert not world.engine.is_planned
    world.run(for_s=0.2)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    assert world.engine.is_idle
    world.run(for_s=180.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_names_have_no_zone_until_the_permission_to_list_zones_is_granted() -> None:
    world = build_world(*owned("web"))
    world.provider.failures.extend([DENIED] * 3)
    world.run(*SYNCED, WEB, for_s=0.5)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ZONE)]
    assert world.engine.is_idle
    world.run(for_s=10.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_the_last_failure_to_list_zones_decides_between_the_reasons_zones_unknown_and_no_zone() -> None:
    world = build_world()
    world.provider.failures.extend([*[DOWN] * 6, DENIED, DOWN])
    world.run(*SYNCED, WEB, for_s=40.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    world.run(for_s=31.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ZONE)]
    world.run(for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]


def test_a_single_pass_ends_after_five_attempts_to_list_zones() -> None:
    world = build_world(once=True)
    world.provider.failures.extend([DOWN] * 1000)
    world.run(*SYNCED, WEB, for_s=14.9)
    assert not world.engine.is_idle
    world.run(for_s=0.2)
    assert world.engine.is_idle
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]


def answer_always(outcome: Outcome | NoAnswer) -> Callable[[Batch], Outcome | NoAnswer]:
    """Build a rule by which the service answers every batch with *outcome*."""
    return lambda _: outcome


@pytest.mark.parametrize(
    ("outcome", "delay_s"),
    [
        pytest.param(TryLater(message="busy"), 30.0, id="busy"),
        pytest.param(TryLater(message="busy", retry_after_s=600.0), 30.0, id="states a long retry-after"),
        pytest.param(NoAnswer(applied=False), 0.0, id="does not answer"),
        pytest.param(Forbidden(message="denied"), 0.0, id="is denied"),
    ],
)
def test_the_first_pass_waits_at_most_half_a_minute_for_a_zone_that_cannot_be_written(
    outcome: Outcome | NoAnswer, delay_s: float
) -> None:
    world = build_world()
    world.provider.rule = answer_always(outcome)
    names = [observe(name, build_claim(name, name)) for name in ("a", "b", "c")]
    world.run(*SYNCED, *names, for_s=max(delay_s - 0.1, 1.0))
    assert world.engine.is_planned
    assert world.engine.is_idle is (delay_s == 0.0)
    world.run(for_s=1.5)
    assert world.engine.is_idle


def test_the_first_pass_waits_half_a_minute_for_a_name_that_another_writer_keeps_changing() -> None:
    world = build_world(*owned("web"))
    world.provider.rule = change_before_each_batch(world.provider, "web")
    world.run(*SYNCED, observe("web", build_claim("web", "web", "192.0.2.9")), for_s=30.9)
    assert not world.engine.is_idle
    world.run(for_s=1.5)
    assert world.engine.is_idle


def test_the_first_pass_waits_for_a_batch_in_flight() -> None:
    world = build_world()
    world.run(*SYNCED)
    world.feed(WEB)
    world.now_s += 0.1
    world.feed(TimePassed())
    assert world.engine.is_planned
    assert not world.engine.is_idle
    world.run(for_s=0.0)
    assert world.engine.is_idle


def test_the_first_pass_waits_at_most_half_a_minute_for_a_failing_kind_that_an_object_depends_on() -> None:
    world = start_world()
    world.run(
        observe("web", failure="Pod objects are not listed yet", awaited_kind=PODS), change_phase(PODS, Phase.FORBIDDEN)
    )
    assert not world.engine.is_planned
    world.run(for_s=24.9)
    assert not world.engine.is_planned
    world.run(for_s=0.2)
    assert world.engine.is_planned


def test_zones_are_listed_again_before_the_interval_ends_if_an_account_did_not_answer() -> None:
    world = build_world()
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="timeout"),))
    world.run(*SYNCED, WEB, for_s=2.9)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONES_UNKNOWN)]
    assert world.calls.count("ListZones") == 2
    assert world.engine.is_idle  # a failing account delays only names whose zone is unknown
    world.provider.zone_list = None
    world.run(for_s=0.2)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def answer_in_turn(times: Iterable[bool | None]) -> Callable[[object], bool | None]:
    """Build an existence check that gives the answers *times* in order, then None."""
    answers = iter(times)
    return lambda _: next(answers, None)


def test_the_first_pass_waits_for_only_one_existence_check_of_each_object() -> None:
    world = build_world(*owned("old", resource="service/shop/old"))
    world.exists = answer_in_turn([])
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
