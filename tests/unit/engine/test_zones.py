"""Zones that appear, disappear or cannot be listed (docs/design/differences.md, "Zones")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import TimePassed
from extdns.errors import RetryableError
from extdns.model.change import Action, TryLater
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import AccountFailure, Zone, ZoneList
from tests.builders import (
    INGRESS,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    observe,
    owned,
    ownership_record,
    record,
)
from tests.fakes.faulty import NoAnswer
from tests.world import build_world, start_published

PRIVATE = Zone(name=ZONE.name, id="private", private=True)
INNER = Zone(name=DnsName("shop.example.org"), id="inner")
NET = Zone(name=DnsName("example.net"), id="net", account="b")


def zone_list(*zones: Zone, failed: tuple[AccountFailure, ...] = ()) -> ZoneList:
    return ZoneList(zones=zones, failed=failed)


def test_kept_until_two_lists_five_minutes_apart_lack_it() -> None:
    world = start_published()
    world.provider.zone_list = zone_list()
    world.run(for_s=65.0)
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=290.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ZONE_GONE)]
    assert "SubmitBatch" not in world.calls
    world.run(for_s=65.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ZONE)]


def test_missing_for_less_than_five_minutes_gets_its_changes() -> None:
    world = start_published()
    world.provider.zone_list = zone_list()
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.0)
    world.run(for_s=250.0)
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_removed_zone_is_read_again_when_it_returns() -> None:
    world = start_published()
    world.provider.zone_list = zone_list()
    world.run(for_s=700.0)
    world.run(observe("api", build_claim("api", "api")), observe("web", build_claim("web", "web", "192.0.2.9")))
    assert world.list_decisions("api") == [("A", Action.NONE, Reason.NO_ZONE)]
    assert world.engine.is_idle
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.list_records() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.9",)}


def test_outcome_is_ignored_if_its_zone_was_removed_and_returned() -> None:
    world = start_published()
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(TimePassed())
    (late,) = world.waiting
    world.waiting.clear()
    world.provider.zone_list = zone_list()
    world.run(for_s=700.0)
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    world.waiting.append(late)
    world.run()
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.engine.is_idle


def test_not_removed_if_every_other_list_has_it() -> None:
    world = start_published()
    for _ in range(4):
        world.provider.zone_list = zone_list()
        world.run(for_s=240.0)
        world.provider.zone_list = None
        world.run(for_s=60.0)
    assert world.engine.zones.find(ZONE) is not None


def test_creates_do_not_wait_for_an_account_that_may_never_list_its_zones() -> None:
    world = build_world()
    failure = AccountFailure(account="b", message="denied", permanent=True)
    world.provider.zone_list = zone_list(ZONE, failed=(failure,))
    world.run(observe("api", build_claim("api", "api")), change_phase(SERVICE), change_phase(INGRESS))
    assert world.list_records() == {"api A": ("192.0.2.1",)}


def test_unanswered_zone_does_not_delay_another_of_the_same_name() -> None:
    world = build_world(zones={ZONE: (), PRIVATE: ()})
    world.provider.rule = lambda batch: NoAnswer(applied=False) if batch.zone == ZONE else None
    world.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS), for_s=3.0)
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=3.0)
    assert world.list_records(PRIVATE) == {"web A": ("192.0.2.9",)}
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.NO_ANSWER), ("A", Action.KEEP, Reason.PUBLISHED)]


def test_write_in_flight_does_not_delay_another_zone() -> None:
    world = build_world(zones={ZONE: (), PRIVATE: ()})
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    world.feed(observe("web", build_claim("web", "web")))
    slow = world.waiting.popleft()
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=1.0)
    assert world.list_records(PRIVATE) == {"web A": ("192.0.2.9",)}
    world.waiting.append(slow)
    world.run(for_s=1.0)
    assert world.list_records(ZONE) == {"web A": ("192.0.2.9",)}


def test_first_read_does_not_delay_another_zone() -> None:
    world = build_world(
        zones={ZONE: (), NET: [record_in_net("a", "192.0.2.7"), record_in_net("b", "192.0.2.7")]}, page_size=1
    )
    world.feed(change_phase(SERVICE))
    world.feed(change_phase(INGRESS))
    world.feed(observe("web", build_claim("web", "web")))
    world.feed(world.answer())  # the list of zones
    world.waiting.rotate(-[effect.zone for effect in world.waiting].index(ZONE))  # type: ignore[union-attr]
    world.feed(world.answer())  # the page of one zone, while that of the other is being read
    world.now_s += 0.1
    world.feed(TimePassed())
    assert [type(effect).__name__ for effect in world.waiting] == ["ReadPage", "SubmitBatch"]


def record_in_net(label: str, target: str) -> Record:
    return Record(name=DnsName(f"{label}.example.net"), type="A", targets=(target,), ttl_s=300)


@pytest.mark.parametrize("failures", [1, 4])
def test_zone_unread_while_a_zone_cannot_be_read(failures: int) -> None:
    world = build_world()
    world.provider.failures.extend([None, *[RetryableError("denied")] * failures])
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe("web", build_claim("web", "web")), for_s=0.5)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.ZONE_UNREAD)]
    world.run(for_s=20.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_published_in_a_new_zone_and_kept_in_the_parent() -> None:
    world = build_world(zones={ZONE: owned("web.shop"), INNER: ()})
    world.provider.zone_list = zone_list(ZONE)
    world.run(observe("web", build_claim("web", "web.shop")), change_phase(SERVICE), change_phase(INGRESS))
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.list_records(INNER) == {"web.shop A": ("192.0.2.1",)}
    assert world.list_records(ZONE) == {"web.shop A": ("192.0.2.1",)}
    assert world.list_decisions("web.shop") == [
        ("A", Action.KEEP, Reason.ZONE_MOVED),
        ("A", Action.KEEP, Reason.PUBLISHED),
    ]


def test_queued_changes_are_dropped_when_the_name_moves_to_another_zone() -> None:
    world = build_world(zones={ZONE: (), INNER: ()})
    world.provider.zone_list = zone_list(ZONE)
    world.provider.rule = lambda _: TryLater(message="busy")
    world.run(observe("web", build_claim("web", "web.shop")), change_phase(SERVICE), change_phase(INGRESS), for_s=55.0)
    world.provider.zone_list, world.provider.rule = None, lambda _: None
    world.run(for_s=300.0)  # zones are listed at 60 seconds, and the batch was to be sent again at 63
    assert world.list_records(INNER) == {"web.shop A": ("192.0.2.1",)}
    assert world.list_records(ZONE) == {}


def test_foreign_record_in_the_parent_zone_gets_no_decision() -> None:
    world = build_world(
        zones={ZONE: [record("web.shop", "192.0.2.7"), ownership_record("web.shop", owner="other")], INNER: ()}
    )
    world.run(observe("web", build_claim("web", "web.shop")), change_phase(SERVICE), change_phase(INGRESS))
    assert world.list_decisions("web.shop") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_not_read_again_if_attributes_change() -> None:
    world = start_published()
    world.provider.zone_list = zone_list(replace(ZONE, private=True))
    world.run(for_s=65.0)
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), for_s=1.0)
    assert world.calls.count("ReadPage") <= 2
    assert world.list_records() == {"web A": ("192.0.2.9",)}
