"""One account of two cannot list its zones.

A role was changed; the zones of the second account, one of them a part of a zone in the first, are unknown.

What must hold: names that we own in listed zones are kept up to date; new ones wait, since nobody knows where they
belong; nothing is deleted for that reason. A failure after the zones were listed once changes nothing at all.
"""

from __future__ import annotations

from extdns.errors import RetryableError
from extdns.model.name import DnsName
from extdns.model.zone import AccountFailure, Zone, ZoneList
from tests.incidents.objects import service
from tests.incidents.scene import HOUR_S, Scene, scene
from tests.unit.engine.stage import ZONE

INNER = Zone(name=DnsName("shop.example.org"), id="inner", account="b")
HALF = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="no answer"),))
OUTER, INSIDE = service("web"), service("in", host="in.shop.example.org")


def begun() -> Scene:
    return scene(OUTER, INSIDE, zones={ZONE: (), INNER: ()})


def test_later_it_changes_nothing() -> None:
    world = begun()
    world.provider.zone_list = HALF
    world.run(for_s=HOUR_S)
    world.show(service("in", host="in.shop.example.org", address="192.0.2.9"), service("new"), for_s=5.0)
    assert world.holds(INNER) == {"in.shop A": ("192.0.2.9",)}
    assert world.published() == {"web", "new"}


def test_at_start_new_names_wait_and_ours_are_kept_up_to_date() -> None:
    before = begun()
    before.provider.zone_list = HALF
    after = before.again(for_s=10.0)
    after.show(
        service("web", address="192.0.2.9"),
        service("new"),
        service("in", host="in.shop.example.org", address="192.0.2.9"),
        for_s=60.0,
    )
    assert after.holds() == {"web A": ("192.0.2.9",)}
    assert after.holds(INNER) == {"in.shop A": ("192.0.2.1",)}
    assert after.endings("new") == ["A none zones-unknown"]
    after.provider.zone_list = None
    after.run(for_s=HOUR_S)
    assert after.published() == {"web", "new"}
    assert after.holds(INNER) == {"in.shop A": ("192.0.2.9",)}
    assert not after.deleted()


def test_when_no_list_comes_at_all_nothing_is_done() -> None:
    before = begun()
    before.provider.failures.extend([RetryableError("no answer")] * 1000)
    after = before.again(for_s=HOUR_S)
    assert not after.provider.submissions
