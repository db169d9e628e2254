"""PTR records whose requester no list has contained since the start (docs/design/delete-safety.md, "Evidence").

Their ownership records name no resource. The object of our address record at a host of theirs stands for it.
"""

from __future__ import annotations

from typing import Final

import pytest

from extdns.errors import RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from tests.builders import ZONE, owned
from tests.cluster_world import ClusterWorld, key_of, start_cluster
from tests.fakes.faulty import FaultyProvider
from tests.objects import Json, service

REVERSE: Final = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
TYPES: Final = ("--managed-record-types=A", "--managed-record-types=PTR", "--max-delete-percent=100")
FLAGS: Final = (*TYPES, "--create-ptr")
REVERSE_NAME: Final = DnsName("1.2.0.192.in-addr.arpa")
ONE: Final = "1.2.0.192.in-addr.arpa PTR"
TWO: Final = "2.2.0.192.in-addr.arpa PTR"
WEB: Final = service("web", address="192.0.2.1")
API: Final = service("api", address="192.0.2.2")


def start(*objects: Json, flags: tuple[str, ...] = FLAGS) -> ClusterWorld:
    """Start a process that accepts its settings."""
    return start_cluster(*objects, zones={ZONE: (), REVERSE: ()}, flags=flags, for_s=60.0)


def restart_without(world: ClusterWorld, missing: Json, *, exists: bool) -> ClusterWorld:
    """Restart with a list that lacks the object *missing*; a GET finds it if it *exists*."""
    del world.objects[key_of(missing)]
    world.exists = lambda _: exists
    return world.restart(*FLAGS, for_s=900.0)


def fail_reads(patch: pytest.MonkeyPatch, unread: Zone) -> None:
    """Let every read of a page of the zone *unread* fail."""
    read_page = FaultyProvider.read_page

    def fail(provider: FaultyProvider, zone: Zone, after: str | None) -> ZonePage:
        if zone == unread:
            raise RetryableError("planted")
        return read_page(provider, zone, after)

    patch.setattr(FaultyProvider, "read_page", fail)


def test_a_ptr_record_stays_while_a_get_finds_the_object_of_the_address_record_at_its_host() -> None:
    world = restart_without(start(WEB, API), WEB, exists=True)
    assert set(world.list_records()) == {"web A", "api A"}
    assert set(world.list_records(REVERSE)) == {ONE, TWO}


def test_a_host_stays_in_a_ptr_record_while_a_get_finds_the_object_of_the_address_record_at_this_host() -> None:
    same_address = service("api", address="192.0.2.1")
    world = restart_without(start(WEB, same_address), WEB, exists=True)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org", "web.example.org")}


@pytest.mark.parametrize("other", [API, service("api", address="192.0.2.1")], ids=["record", "host"])
def test_what_a_ptr_record_has_for_an_object_goes_after_a_get_confirmed_that_the_object_is_gone(other: Json) -> None:
    world = restart_without(start(WEB, other), WEB, exists=False)
    assert set(world.list_records()) == {"api A"}
    assert list(world.list_records(REVERSE).values()) == [("api.example.org",)]


def test_a_ptr_record_is_deleted_if_the_address_record_at_its_host_has_another_address() -> None:
    world = start(WEB, API)
    world.provider.put_records(ZONE, *owned("web", "192.0.2.9"))
    world = restart_without(world, WEB, exists=True)
    assert set(world.list_records()) == {"web A", "api A"}
    assert set(world.list_records(REVERSE)) == {TWO}


def test_a_ptr_record_is_deleted_if_the_object_of_the_address_record_at_its_host_no_longer_requests_it() -> None:
    world = start(service("web", annotations={"record-type": "ptr"}), flags=TYPES)
    assert set(world.list_records(REVERSE)) == {ONE}
    world.objects[key_of(WEB)] = WEB
    world = world.restart(*TYPES, for_s=900.0)
    assert set(world.list_records()) == {"web A"}
    assert world.list_records(REVERSE) == {}


def test_a_ptr_record_stays_while_the_zone_of_its_host_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    world = start(WEB, API)
    with monkeypatch.context() as patch:
        fail_reads(patch, ZONE)
        world = restart_without(world, WEB, exists=False)
        assert set(world.list_records(REVERSE)) == {ONE, TWO}
        (decision,) = world.engine.decisions.decisions(REVERSE_NAME)
        assert decision.reason is Reason.ZONE_UNREAD
    world.run(for_s=900.0)
    assert set(world.list_records(REVERSE)) == {TWO}


def test_a_ptr_record_keeps_a_host_whose_zone_cannot_be_read_although_the_object_at_another_host_was_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unread = Zone(name=DnsName("example.net"), id="net")
    other = service("api", "api.example.net", address="192.0.2.1")
    world = start_cluster(WEB, other, zones={ZONE: (), unread: (), REVERSE: ()}, flags=FLAGS, for_s=60.0)
    with monkeypatch.context() as patch:
        fail_reads(patch, unread)
        world = restart_without(world, other, exists=True)
        world.delete(WEB, for_s=900.0)
        assert world.list_records(REVERSE) == {ONE: ("api.example.net", "web.example.org")}
        (decision,) = world.engine.decisions.decisions(REVERSE_NAME)
        assert decision.reason is Reason.ZONE_UNREAD
    world.exists = lambda _: False
    world.run(for_s=1800.0)
    assert world.list_records(REVERSE) == {}


def test_a_ptr_record_stays_while_the_zone_of_its_host_may_be_of_an_account_whose_zones_are_unknown() -> None:
    world = start(WEB, API)
    world.provider.zone_list = ZoneList(zones=(REVERSE,), failed=(AccountFailure(account="b", message="no answer"),))
    world = restart_without(world, WEB, exists=False)
    assert set(world.list_records(REVERSE)) == {ONE, TWO}
    (decision,) = world.engine.decisions.decisions(REVERSE_NAME)
    assert decision.reason is Reason.ZONES_UNKNOWN
    world.provider.zone_list = None
    world.run(for_s=1800.0)
    assert set(world.list_records(REVERSE)) == {TWO}
