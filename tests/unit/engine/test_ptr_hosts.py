"""PTR records whose requester no list has contained since the start (docs/design/delete-safety.md, "Evidence").

Their ownership records name one of the objects whose addresses they have, except those that external-dns wrote.
"""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone
from tests.builders import ZONE, owned, record
from tests.cluster_world import ClusterWorld, key_of, start_cluster
from tests.objects import Json, dns_endpoint, service

REVERSE: Final = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
TYPES: Final = ("--managed-record-types=A", "--managed-record-types=PTR", "--max-delete-percent=100")
FLAGS: Final = (*TYPES, "--create-ptr")
ONE: Final = "1.2.0.192.in-addr.arpa PTR"
TWO: Final = "2.2.0.192.in-addr.arpa PTR"
WEB: Final = service("web", address="192.0.2.1")
API: Final = service("api", address="192.0.2.2")


def start(*objects: Json, flags: tuple[str, ...] = FLAGS) -> ClusterWorld:
    """Start a process that accepts its settings."""
    return start_cluster(*objects, zones={ZONE: (), REVERSE: ()}, flags=flags, for_s=60.0)


def owned_ptr(name: str, host: str) -> tuple[Record, Record]:
    """Build a PTR record as external-dns writes it: its ownership record names no object."""
    text = record("web", '"heritage=external-dns,external-dns/owner=me"', rtype="TXT")
    pointer = replace(record("web", host, rtype="PTR"), name=DnsName(name))
    return pointer, replace(text, name=DnsName(f"ptr-{name}"))


def request_one(rtype: str, target: str) -> Json:
    """Build a DNSEndpoint of the namespace `lab` that requests a record of type *rtype* at the reverse name `ONE`."""
    spec = {"endpoints": [{"dnsName": "1.2.0.192.in-addr.arpa", "recordType": rtype, "targets": [target]}]}
    return dns_endpoint("taken", namespace="lab") | {"spec": spec}


def restart_without(world: ClusterWorld, missing: Json, *, exists: bool) -> ClusterWorld:
    """Restart with a list that lacks the object *missing*; a GET finds it if it *exists*."""
    del world.objects[key_of(missing)]
    world.exists = lambda _: exists
    return world.restart(*FLAGS, for_s=900.0)


def test_a_ptr_record_stays_while_a_get_finds_the_object_that_it_was_made_for() -> None:
    world = restart_without(start(WEB, API), WEB, exists=True)
    assert set(world.list_records()) == {"web A", "api A"}
    assert set(world.list_records(REVERSE)) == {ONE, TWO}


@pytest.mark.parametrize("other", [API, service("api", address="192.0.2.1")], ids=["record", "host"])
def test_what_a_ptr_record_has_for_an_object_goes_after_a_get_confirmed_that_the_object_is_gone(other: Json) -> None:
    world = restart_without(start(WEB, other), WEB, exists=False)
    assert set(world.list_records()) == {"api A"}
    assert list(world.list_records(REVERSE).values()) == [("api.example.org",)]


def test_a_ptr_record_is_deleted_if_the_object_that_it_was_made_for_no_longer_requests_it() -> None:
    world = start(service("web", annotations={"record-type": "ptr"}), flags=TYPES)
    assert set(world.list_records(REVERSE)) == {ONE}
    world.objects[key_of(WEB)] = WEB
    world = world.restart(*TYPES, for_s=900.0)
    assert set(world.list_records()) == {"web A"}
    assert world.list_records(REVERSE) == {}


def test_a_ptr_record_of_external_dns_is_in_sync_and_stays_while_a_claim_to_its_host_is_unresolved() -> None:
    made = owned("web", "192.0.2.1"), owned_ptr("1.2.0.192.in-addr.arpa", "web.example.org")
    world = start_cluster(WEB, zones={ZONE: made[0], REVERSE: made[1]}, flags=FLAGS, for_s=60.0)
    assert world.provider.submissions == []
    world.objects[key_of(WEB)] = service("web", address=None)
    world = world.restart(*FLAGS, for_s=900.0)
    assert set(world.list_records(REVERSE)) == {ONE}
    world.delete(service("web", address=None), for_s=900.0)
    assert world.list_records(REVERSE) == {}


@pytest.mark.parametrize("moves", [True, False])
def test_a_ptr_record_stays_while_a_name_in_it_is_unresolved_also_if_its_own_object_moves_or_is_deleted(
    *, moves: bool
) -> None:
    api = service("api", address="192.0.2.1")
    world = start(api, WEB)
    world.objects[key_of(WEB)] = service("web", address=None)
    world = world.restart(*FLAGS, for_s=60.0)
    if moves:
        world.apply(API, for_s=900.0)
    else:
        world.delete(api, for_s=900.0)
    assert world.list_records(REVERSE)[ONE] == ("api.example.org", "web.example.org")


def test_a_ptr_record_stays_while_the_object_that_it_was_made_for_is_back_in_the_list_without_an_address() -> None:
    world = start(WEB)
    world.drop_from_list(WEB)
    world.apply(service("web", address=None), for_s=900.0)
    assert set(world.list_records(REVERSE)) == {ONE}


def test_a_ptr_record_of_a_former_address_goes_while_another_object_waits_for_its_first_address() -> None:
    world = start(WEB, service("api", "web.example.org", address=None))
    world.apply(service("web", address="192.0.2.2"), for_s=300.0)
    assert set(world.list_records(REVERSE)) == {TWO}


def test_the_names_of_two_namespaces_stay_in_a_ptr_record_whichever_it_was_made_for() -> None:
    other = service("api", namespace="lab", address="192.0.2.1")
    world = start(WEB, other)
    world.delete(WEB, for_s=300.0)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org",)}
    world.apply(WEB, for_s=300.0)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org", "web.example.org")}


def test_a_request_of_another_namespace_for_the_reverse_name_leaves_the_record_to_the_hosts_with_the_address() -> None:
    world = start(WEB)
    world.apply(request_one("PTR", "a.lab.test"), for_s=600.0)
    world.apply(service("api", address="192.0.2.1"), for_s=5.0)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org", "web.example.org")}
    world.delete(service("api", address="192.0.2.1"), for_s=5.0)
    assert world.list_records(REVERSE) == {ONE: ("web.example.org",)}
    world.delete(WEB, for_s=20.0)
    assert world.list_records(REVERSE) == {ONE: ("web.example.org",)}
    world.run(for_s=60.0)
    assert world.list_records(REVERSE) == {ONE: ("a.lab.test",)}


def test_a_ptr_record_replaces_the_cname_of_another_namespace_only_after_evidence_and_a_grace_period() -> None:
    alias = request_one("CNAME", "1.0-25.2.0.192.in-addr.arpa")
    world = start(alias, flags=(*FLAGS, "--managed-record-types=CNAME"))
    world.apply(WEB, service("api", namespace="net", address="192.0.2.1"), for_s=600.0)
    published = {"1.2.0.192.in-addr.arpa CNAME": ("1.0-25.2.0.192.in-addr.arpa",)}
    assert world.list_records(REVERSE) == published
    decided = world.engine.decisions.decisions(DnsName("1.2.0.192.in-addr.arpa"))
    assert [one.reason for one in decided if one.type == "PTR"] == [Reason.REQUESTED_BY_OTHER] * 2
    world.delete(alias, for_s=20.0)
    assert world.list_records(REVERSE) == published
    world.run(for_s=60.0)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org", "web.example.org")}
