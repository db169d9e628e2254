"""What fails holds up the end of the first pass for half a minute, and nothing else at all (law 3, design 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest
from msgspec import structs

from extdns.engine.inputs import Observed, Tick
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Batch
from extdns.model.cluster import Kind, Phase
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Forbidden, Outcome, TryLater
from extdns.model.zone import AccountFailure, Page, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider, Lost
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, Stage, host, owned, phase, running, seen, stage, wants

NET = Zone(name=DnsName("example.net"), id="net")
PODS = Kind("", "v1", "Pod", "pods")
DOWN = RetryableError("down")
SLOW = RetryableError("down", retry_after_s=600.0)
DENIED = ForbiddenError("denied")
WEB = seen("web", wants("web", "web"))
SYNCED = (phase(SERVICE), phase(INGRESS))
CHANGED = Conflict(message="changed", culprits=tuple(map(host, "abc")))


@dataclass(kw_only=True)
class HalfDown(FaultyProvider):
    """The zone NET cannot be read."""

    raised: ProviderError | None = None

    def page(self, zone: Zone, after: str | None) -> Page:
        if zone == NET and self.raised:
            raise self.raised
        return super().page(zone, after)


def half_down(raised: ProviderError, **changes: object) -> tuple[Stage, HalfDown]:
    """Two zones, of which NET cannot be read; `web` belongs to the other one."""
    provider = HalfDown(inner=InMemoryProvider(seed={ZONE: (), NET: ()}), raised=raised)
    world = stage(**changes)  # type: ignore[arg-type]
    return replace(world, reader=provider, writer=provider, provider=provider), provider


def in_net(name: str) -> Observed:
    """The Service *name* wants its name in NET."""
    wanted = wants(name, name)
    endpoint = structs.replace(wanted.endpoint, name=DnsName(f"{name}.example.net"))
    return seen(name, structs.replace(wanted, endpoint=endpoint))


@pytest.mark.parametrize("raised", [pytest.param(DOWN, id="fails"), pytest.param(SLOW, id="asks for a long pause")])
def test_a_zone_that_cannot_be_read_is_waited_for_half_a_minute(raised: ProviderError) -> None:
    world, provider = half_down(raised)
    world.run(*SYNCED, WEB, in_net("api"), for_s=29.9)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert not world.engine.planned
    world.run(for_s=0.2)
    assert world.engine.planned
    assert world.engine.settled
    provider.raised = None
    world.run(for_s=700.0)
    assert len(world.provider.contents(NET)) == 2


def test_a_zone_that_may_not_be_read_is_not_waited_for() -> None:
    world, _ = half_down(DENIED)
    world.run(*SYNCED, WEB, for_s=1.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.engine.settled


@pytest.mark.parametrize(
    ("raised", "settled_s"),
    [pytest.param(DOWN, 15.0, id="fails"), pytest.param(DENIED, 0.0, id="is denied")],
)
def test_a_single_pass_tries_five_times_and_leaves_what_is_denied(raised: ProviderError, settled_s: float) -> None:
    world, _ = half_down(raised, once=True)
    world.run(*SYNCED, WEB, for_s=max(settled_s - 0.1, 0.1))
    assert world.engine.settled is (settled_s == 0.0)
    world.run(for_s=0.2)
    assert world.engine.settled


def test_zones_that_cannot_be_listed_are_waited_for_and_then_told() -> None:
    world = stage(*owned("web"))
    world.provider.failures.extend([DOWN] * 8)
    world.run(*SYNCED, WEB, for_s=29.9)
    assert world.told == []
    assert not world.engine.planned
    world.run(for_s=0.2)
    assert world.endings("web") == ["A none zones-unknown"]
    assert world.engine.settled
    world.run(for_s=180.0)
    assert world.endings("web") == ["A keep programmed"]


def test_zones_that_may_not_be_listed_are_none_until_they_may() -> None:
    world = stage(*owned("web"))
    world.provider.failures.extend([DENIED] * 3)
    world.run(*SYNCED, WEB, for_s=0.5)
    assert world.endings("web") == ["A none no-zone"]
    assert world.engine.settled
    world.run(for_s=10.0)
    assert world.endings("web") == ["A keep programmed"]


def test_a_list_that_is_denied_after_it_failed_counts_as_denied_and_the_other_way_round() -> None:
    world = stage()
    world.provider.failures.extend([*[DOWN] * 6, DENIED, DOWN])
    world.run(*SYNCED, WEB, for_s=40.0)
    assert world.endings("web") == ["A none zones-unknown"]
    world.run(for_s=31.0)
    assert world.endings("web") == ["A none no-zone"]
    world.run(for_s=60.0)
    assert world.endings("web") == ["A none zones-unknown"]


def test_zones_that_cannot_be_listed_end_a_single_pass_after_five_attempts() -> None:
    world = stage(once=True)
    world.provider.failures.extend([DOWN] * 1000)
    world.run(*SYNCED, WEB, for_s=14.9)
    assert not world.engine.settled
    world.run(for_s=0.2)
    assert world.engine.settled
    assert world.endings("web") == ["A none zones-unknown"]


def always(outcome: Outcome | Lost) -> Callable[[Batch], Outcome | Lost]:
    return lambda _: outcome


@pytest.mark.parametrize(
    ("outcome", "waited_s"),
    [
        pytest.param(TryLater(message="busy"), 30.0, id="busy"),
        pytest.param(TryLater(message="busy", retry_after_s=600.0), 30.0, id="asks for a long pause"),
        pytest.param(Lost(applied=False), 30.0, id="does not answer"),
        pytest.param(CHANGED, 31.0, id="is changed again and again"),
        pytest.param(Forbidden(message="denied"), 0.0, id="is denied"),
    ],
)
def test_a_zone_that_cannot_be_written_is_waited_for_half_a_minute(outcome: Outcome | Lost, waited_s: float) -> None:
    world = stage()
    world.provider.rule = always(outcome)
    names = [seen(name, wants(name, name)) for name in ("a", "b", "c")]
    world.run(*SYNCED, *names, for_s=max(waited_s - 0.1, 1.0))
    assert world.engine.planned
    assert world.engine.settled is (waited_s == 0.0)
    world.run(for_s=1.5)
    assert world.engine.settled


def test_a_batch_that_is_under_way_is_waited_for() -> None:
    world = stage()
    world.run(*SYNCED)
    world.feed(WEB)
    world.now_s += 0.1
    world.feed(Tick())
    assert world.engine.planned
    assert not world.engine.settled
    world.run(for_s=0.0)
    assert world.engine.settled


def test_a_kind_that_is_needed_later_and_fails_is_waited_for_half_a_minute() -> None:
    world = running()
    world.run(seen("web", failure="Pod objects are not listed yet", parked_on=PODS), phase(PODS, Phase.FORBIDDEN))
    assert not world.engine.planned
    world.run(for_s=24.9)
    assert not world.engine.planned
    world.run(for_s=0.2)
    assert world.engine.planned


def test_an_account_that_has_not_answered_yet_is_asked_before_the_next_list_is_due() -> None:
    world = stage()
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="timeout"),))
    world.run(*SYNCED, WEB, for_s=2.9)
    assert world.endings("web") == ["A none zones-unknown"]
    assert world.calls.count("ListZones") == 2
    assert world.engine.settled  # an account that fails holds up names, and nothing else
    world.provider.zone_list = None
    world.run(for_s=0.2)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def unanswered(times: Iterable[bool | None]) -> Callable[[object], bool | None]:
    answers = iter(times)
    return lambda _: next(answers, None)


def test_an_object_of_which_nobody_knows_whether_it_exists_is_waited_for_once() -> None:
    world = stage(*owned("old", resource="service/shop/old"))
    world.exists = unanswered([])
    world.feed(Tick())
    for item in SYNCED:
        world.feed(item)
    while not any(type(effect).__name__ == "Confirm" for effect in world.waiting):
        world.feed(world.answer())
    assert not world.engine.planned
    world.run(for_s=0.0)
    assert world.engine.planned
    world.now_s += 31.0
    world.feed(Tick())
    assert any(type(effect).__name__ == "Confirm" for effect in world.waiting)
    assert world.engine.planned
