"""Which zones there are, and what becomes of names when that changes (design 4, "Zone placement")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Tick
from extdns.errors import RetryableError
from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from extdns.model.outcome import TryLater
from extdns.model.record import Record
from extdns.model.zone import AccountFailure, Zone, ZoneList
from tests.fakes.faulty import Lost
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    Stage,
    mark,
    owned,
    phase,
    published,
    record,
    running,
    seen,
    stage,
    wants,
)

TWIN = Zone(name=ZONE.name, id="twin", private=True)
INNER = Zone(name=DnsName("shop.example.org"), id="inner")
NET = Zone(name=DnsName("example.net"), id="net", account="b")


def listed(*zones: Zone, failed: tuple[AccountFailure, ...] = ()) -> ZoneList:
    return ZoneList(zones=zones, failed=failed)


def failing(account: str = "b", *, permanent: bool = False) -> AccountFailure:
    return AccountFailure(account=account, message="denied" if permanent else "timeout", permanent=permanent)


def test_a_list_of_zones_that_failed_is_asked_for_again_soon() -> None:
    world = stage()
    world.provider.failures.append(RetryableError("throttled"))
    world.run(phase(SERVICE), phase(INGRESS), seen("web", wants("web", "web")), for_s=2.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_a_list_of_zones_that_fails_later_changes_nothing() -> None:
    world = published()
    world.provider.failures.extend([RetryableError("throttled")] * 5)
    world.run(for_s=60.0)
    world.run(seen("api", wants("api", "api")), for_s=1.0)
    assert set(world.holds()) == {"web A", "api A"}


def test_a_zone_that_vanished_keeps_its_names_until_two_lists_five_minutes_apart_lack_it() -> None:
    world = published()
    world.provider.zone_list = listed()
    world.run(for_s=65.0)
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=290.0)
    assert world.endings("web") == ["A keep zone-gone"]
    assert "Submit" not in world.calls
    world.run(for_s=65.0)
    assert world.endings("web") == ["A none no-zone"]


def test_a_zone_that_comes_back_goes_on_as_if_nothing_had_been() -> None:
    world = published()
    world.provider.zone_list = listed()
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=0.0)
    world.run(for_s=250.0)
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.holds() == {"web A": ("192.0.2.9",)}
    assert world.endings("web") == ["A keep programmed"]


def test_a_zone_that_comes_back_after_it_was_given_up_is_read_anew_and_caught_up_with() -> None:
    world = published()
    world.provider.zone_list = listed()
    world.run(for_s=700.0)
    world.run(seen("api", wants("api", "api")), seen("web", wants("web", "web", "192.0.2.9")))
    assert world.endings("api") == ["A none no-zone"]
    assert world.engine.settled
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.holds() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.9",)}


def test_an_answer_from_before_a_zone_was_given_up_counts_for_nothing() -> None:
    world = published()
    world.feed(seen("web", wants("web", "web", "192.0.2.9")))
    world.now_s += 1.0
    world.feed(Tick())
    (late,) = world.waiting
    world.waiting.clear()
    world.provider.zone_list = listed()
    world.run(for_s=700.0)
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.holds() == {"web A": ("192.0.2.9",)}
    world.waiting.append(late)
    world.run()
    assert world.holds() == {"web A": ("192.0.2.9",)}
    assert world.endings("web") == ["A keep programmed"]
    assert world.engine.settled


def test_a_zone_that_flickers_is_not_gone() -> None:
    world = published()
    for _ in range(4):
        world.provider.zone_list = listed()
        world.run(for_s=240.0)
        world.provider.zone_list = None
        world.run(for_s=60.0)
    assert world.engine.zones.state(ZONE) is not None


def test_a_failing_account_keeps_its_zones() -> None:
    zone = replace(ZONE, account="b")
    world = stage(zones={zone: owned("web")})
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS))
    world.provider.zone_list = listed(failed=(failing(),))
    world.run(for_s=1000.0)
    world.run(seen("web", wants("web", "web", "192.0.2.9")), seen("api", wants("api", "api")))
    assert set(world.holds(zone)) == {"web A", "api A"}
    assert world.holds(zone)["web A"] == ("192.0.2.9",)


def test_while_an_account_never_answered_new_names_wait_and_owned_ones_are_kept_up_to_date() -> None:
    world = stage(*owned("web"), record("theirs"))
    world.provider.zone_list = listed(ZONE, failed=(failing(),))
    world.run(
        seen("web", wants("web", "web", "192.0.2.9")),
        seen("api", wants("api", "api"), wants("api", "theirs")),
        phase(SERVICE),
        phase(INGRESS),
    )
    assert world.holds() == {"web A": ("192.0.2.9",), "theirs A": ("192.0.2.1",)}
    assert world.endings("api") == ["A none zones-unknown"]
    assert world.endings("theirs") == ["A keep foreign-record", "A none zones-unknown"]


def test_names_that_waited_for_an_account_go_on_once_it_answers_even_without_zones() -> None:
    world = stage()
    world.provider.zone_list = listed(ZONE, failed=(failing(),))
    world.run(seen("api", wants("api", "api")), phase(SERVICE), phase(INGRESS))
    world.provider.zone_list = listed(ZONE)
    world.run(for_s=65.0)
    assert world.holds() == {"api A": ("192.0.2.1",)}


def test_an_account_that_is_refused_for_good_at_start_holds_up_nothing() -> None:
    world = stage()
    world.provider.zone_list = listed(ZONE, failed=(failing(permanent=True),))
    world.run(seen("api", wants("api", "api")), phase(SERVICE), phase(INGRESS))
    assert world.holds() == {"api A": ("192.0.2.1",)}


def test_a_name_that_no_zone_holds_waits_only_while_an_account_may_hold_one() -> None:
    world = stage()
    outside = replace(
        wants("web", "web"), endpoint=replace(wants("web", "web").endpoint, name=DnsName("web.example.net"))
    )
    world.provider.zone_list = listed(ZONE, failed=(failing(),))
    world.run(seen("web", outside), phase(SERVICE), phase(INGRESS))
    assert reasons(world, "web.example.net") == ["zones-unknown"]
    world.provider.zone_list = listed(ZONE)
    world.run(for_s=65.0)
    assert reasons(world, "web.example.net") == ["no-zone"]


def reasons(world: Stage, name: str) -> list[str]:
    return [decision.reason for decision in world.engine.decisions.of(DnsName(name))]


def test_each_of_two_zones_of_one_name_is_planned_by_itself() -> None:
    world = stage(zones={ZONE: owned("web", "192.0.2.66"), TWIN: [record("web", "192.0.2.77")]})
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS))
    assert world.holds(ZONE) == {"web A": ("192.0.2.1",)}
    assert world.holds(TWIN) == {"web A": ("192.0.2.77",)}
    assert world.endings("web") == ["A keep programmed", "A keep foreign-record"]


def test_a_zone_that_does_not_answer_holds_up_its_twin_in_nothing() -> None:
    world = stage(zones={ZONE: (), TWIN: ()})
    world.provider.rule = lambda batch: Lost(applied=False) if batch.zone == ZONE else None
    world.run(seen("web", wants("web", "web")), phase(SERVICE), phase(INGRESS), for_s=3.0)
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=3.0)
    assert world.holds(TWIN) == {"web A": ("192.0.2.9",)}
    assert world.endings("web") == ["A none no-answer", "A keep programmed"]


def test_a_write_in_flight_in_one_zone_holds_up_no_other() -> None:
    world = stage(zones={ZONE: (), TWIN: ()})
    world.run(phase(SERVICE), phase(INGRESS))
    world.feed(seen("web", wants("web", "web")))
    world.run(for_s=0.0)
    world.now_s += 1.0
    world.feed(Tick())
    slow = world.waiting.popleft()
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=1.0)
    assert world.holds(TWIN) == {"web A": ("192.0.2.9",)}
    world.waiting.append(slow)
    world.run(for_s=1.0)
    assert world.holds(ZONE) == {"web A": ("192.0.2.9",)}


def test_a_zone_that_is_being_read_for_the_first_time_holds_up_no_other() -> None:
    world = stage(zones={ZONE: (), NET: [inside("a", "192.0.2.7"), inside("b", "192.0.2.7")]}, page_size=1)
    world.feed(phase(SERVICE))
    world.feed(phase(INGRESS))
    world.feed(seen("web", wants("web", "web")))
    world.feed(world.answer())  # the list of zones
    world.waiting.rotate(-[effect.zone for effect in world.waiting].index(ZONE))  # type: ignore[union-attr]
    world.feed(world.answer())  # the page of the one, while that of the other is under way
    world.now_s += 0.1
    world.feed(Tick())
    assert [type(effect).__name__ for effect in world.waiting] == ["ReadPage", "Submit"]


def inside(label: str, target: str) -> Record:
    return Record(name=DnsName(f"{label}.example.net"), type="A", targets=(target,), ttl_s=300)


@pytest.mark.parametrize("failures", [1, 4])
def test_a_zone_that_cannot_be_read_is_a_reason_of_its_names(failures: int) -> None:
    world = stage()
    world.provider.failures.extend([None, *[RetryableError("denied")] * failures])
    world.run(phase(SERVICE), phase(INGRESS), seen("web", wants("web", "web")), for_s=0.5)
    assert world.endings("web") == ["A none zone-unread"]
    world.run(for_s=20.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_a_name_moves_to_a_zone_that_appears_and_its_old_record_is_shown() -> None:
    world = stage(zones={ZONE: owned("web.shop"), INNER: ()})
    world.provider.zone_list = listed(ZONE)
    world.run(seen("web", wants("web", "web.shop")), phase(SERVICE), phase(INGRESS))
    world.provider.zone_list = None
    world.run(for_s=65.0)
    assert world.holds(INNER) == {"web.shop A": ("192.0.2.1",)}
    assert world.holds(ZONE) == {"web.shop A": ("192.0.2.1",)}
    assert world.endings("web.shop") == ["A keep zone-moved", "A keep programmed"]


def test_what_was_planned_for_a_zone_is_dropped_when_its_name_moves() -> None:
    world = stage(zones={ZONE: (), INNER: ()})
    world.provider.zone_list = listed(ZONE)
    world.provider.rule = lambda _: TryLater(message="busy")
    world.run(seen("web", wants("web", "web.shop")), phase(SERVICE), phase(INGRESS), for_s=55.0)
    world.provider.zone_list, world.provider.rule = None, lambda _: None
    world.run(for_s=300.0)  # zones are listed at 60 seconds, and the batch was to be sent again at 63
    assert world.holds(INNER) == {"web.shop A": ("192.0.2.1",)}
    assert world.holds(ZONE) == {}


def test_somebody_elses_record_in_an_outer_zone_is_none_of_our_business() -> None:
    world = stage(zones={ZONE: [record("web.shop", "192.0.2.7"), mark("web.shop", owner="other")], INNER: ()})
    world.run(seen("web", wants("web", "web.shop")), phase(SERVICE), phase(INGRESS))
    assert world.endings("web.shop") == ["A keep programmed"]


def test_a_zone_whose_particulars_change_is_not_read_anew() -> None:
    world = published()
    world.provider.zone_list = listed(replace(ZONE, private=True))
    world.run(for_s=65.0)
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=1.0)
    assert world.calls.count("ReadPage") <= 2
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_names_outside_the_domain_filter_say_so() -> None:
    world = running(plan=replace(PLAN, domains=DomainFilter(include=("example.com",))))
    world.run(seen("web", wants("web", "web")))
    assert world.endings("web") == ["A none domain-filtered"]
