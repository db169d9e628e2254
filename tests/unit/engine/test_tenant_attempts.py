"""A namespace tries to change the record of another one, without rules (docs/multi-tenancy.md, "Attempts")."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

import pytest
from msgspec.structs import replace

from extdns.model.change import AdjustedRecords
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider
from tests.builders import ZONE, ownership_record, record
from tests.cluster_world import HOUR_S, key_of, start_cluster
from tests.fakes.adjusting import AdjustingProvider
from tests.fakes.faulty import FaultyProvider
from tests.objects import Json
from tests.rules import FakeRule, FakeRules, deny_targets
from tests.swap.objects import dnsendpoint, endpoint, ingress, service

FLAGS = [f"--managed-record-types={rtype}" for rtype in ("A", "AAAA", "CNAME", "NS", "TXT", "DNAME")]
POINTERS = [*FLAGS, "--managed-record-types=PTR", "--create-ptr", "--inmemory-zone=2.0.192.in-addr.arpa"]
REVERSE = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
OURS = "heritage=external-dns,external-dns/owner=me,external-dns/resource=crd/attacker/x"
OLDER = service("attacker/x", "web.example.org", "192.0.2.66", day=1)
ATTACKERS = FakeRule(
    name="attackers",
    matches=lambda item: item.object is not None and item.object.namespace == "attacker",
    allows=lambda _: False,
)


def publish(name: str, rtype: str, target: str, **fields: object) -> Json:
    return dnsendpoint("attacker/x", endpoint(name, rtype, target, **fields), day=1)


@pytest.mark.parametrize(
    "attempt",
    [
        pytest.param(OLDER, id="an-older-object"),
        pytest.param(service("attacker/x", "web.example.org", day=1), id="without-address"),
        pytest.param(publish("web.example.org", "CNAME", "evil.example.com"), id="cname"),
        pytest.param(publish("web.example.org", "A", "192.0.2.66", setIdentifier="x"), id="set-identifier"),
        pytest.param(publish("WEB.Example.ORG", "A", "192.0.2.66"), id="capitals"),
        pytest.param(publish("\\119eb.example.org", "A", "192.0.2.66"), id="escape"),
        pytest.param(publish("example.org", "DNAME", "evil.example.com"), id="dname-at-the-zone"),
        pytest.param(publish("example.org", "NS", "evil.example.com"), id="ns-at-the-zone"),
        pytest.param(publish("a-web.example.org", "CNAME", "evil.example.com"), id="cname-at-the-ownership-record"),
        pytest.param(publish("a-web.example.org", "TXT", OURS), id="txt-at-the-ownership-record"),
    ],
)
def test_a_record_of_another_namespace_stays_and_follows_its_object(attempt: Json) -> None:
    world = start_cluster(service("victim/web", "web.example.org", "192.0.2.1", day=2), flags=FLAGS)
    before = world.provider.contents(ZONE)
    world.apply(attempt, for_s=60.0)
    world.apply(service("victim/web", "web.example.org", day=2), for_s=60.0)
    world = world.restart(*FLAGS, for_s=60.0)
    assert world.provider.contents(ZONE).items() >= before.items()
    world.apply(service("victim/web", "web.example.org", "192.0.2.2", day=2), for_s=60.0)
    assert world.list_records()["web A"] == ("192.0.2.2",)


WEB = service("victim/web", "web.example.org", "192.0.2.1", day=2)


def test_a_name_in_the_parent_zone_takes_no_ownership_record_from_the_name_of_a_zone() -> None:
    below = Zone(name=DnsName("team.example.org"), id="team")
    world = start_cluster(service("victim/web", "team.example.org", "192.0.2.1"), zones={ZONE: (), below: ()})
    world.apply(service("attacker/x", "a-team.example.org", target="evil.example.com"), for_s=60.0)
    world.apply(service("victim/web", "team.example.org", "192.0.2.2"), for_s=60.0)
    assert [record.targets for record in world.provider.contents(below).values()] == [("192.0.2.2",)]


@pytest.mark.parametrize("victim", [WEB, ingress("victim/web", "web.example.org", "192.0.2.1", day=2)])
@pytest.mark.parametrize("tenant", ["attacker", "zzz"])
def test_who_requests_what_another_namespace_has_cannot_change_it_later(victim: Json, tenant: str) -> None:
    world = start_cluster(victim)
    world.apply(service(f"{tenant}/x", "web.example.org", target="192.0.2.1", ttl="301"), for_s=60.0)
    world.apply(service(f"{tenant}/x", "web.example.org", target="198.51.100.66"), for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_with_cloud_map_a_name_with_one_owner_gets_no_type_of_another_namespace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flags = ("--source=service", "--source=crd", "--provider=aws-sd", "--txt-owner-id=me")
    monkeypatch.setattr("tests.cluster_world.FLAGS", flags)
    world = start_cluster(WEB)
    before = world.provider.contents(ZONE)
    aaaa, a = (endpoint("web.example.org", *one) for one in [("AAAA", "2001:db8::66"), ("A", "192.0.2.66")])
    world.apply(dnsendpoint("attacker/x", aaaa), for_s=60.0)
    world.apply(dnsendpoint("attacker/x", aaaa, a), for_s=60.0)
    assert world.provider.contents(ZONE) == before
    world.delete(WEB, for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.66",), "web AAAA": ("2001:db8::66",)}


@pytest.mark.parametrize("way", ["not-listed", "without-address"])
def test_a_type_that_is_not_requested_for_a_moment_stays_with_its_namespace(way: str) -> None:
    both = service("victim/web", "web.example.org", "192.0.2.1", "2001:db8::1", day=2)
    second = dnsendpoint("victim/v6", endpoint("web.example.org", "AAAA", "2001:db8::1"), day=2)
    world = start_cluster(*((WEB, second) if way == "not-listed" else (both,)))
    world.apply(publish("web.example.org", "AAAA", "2001:db8::66"), for_s=60.0)
    if way == "not-listed":
        world.drop_from_list(second, for_s=300.0)
    else:
        world.apply(WEB, for_s=1.0)
        world.apply(both, for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}


def test_a_record_of_another_type_lets_no_record_vanish_that_becomes_a_cname() -> None:
    world = start_cluster(WEB)
    world.apply(publish("web.example.org", "AAAA", "2001:db8::66"), for_s=60.0)
    world.apply(service("victim/web", "web.example.org", "lb.example.com", day=2), for_s=600.0)
    assert world.list_records()["web A"] == ("192.0.2.1",)


def test_a_set_identifier_of_others_lets_no_record_vanish_that_drops_its_own() -> None:
    def build(namespace: str, target: str, **fields: object) -> Json:
        return dnsendpoint(f"{namespace}/web", endpoint("web.example.org", "A", target, **fields))

    world = start_cluster(build("victim", "192.0.2.1", setIdentifier="s0"))
    world.apply(build("attacker", "192.0.2.66", setIdentifier="q"), for_s=60.0)
    world.apply(build("victim", "192.0.2.1"), for_s=600.0)
    found = {one.set_identifier: one.targets for one in world.provider.contents(ZONE).values() if one.type == "A"}
    assert found == {"s0": ("192.0.2.1",), "q": ("192.0.2.66",)}


def test_with_upsert_only_a_cname_of_others_keeps_no_record_from_passing() -> None:
    both = service("victim/web", "web.example.org", "192.0.2.1", "2001:db8::1", day=2)
    world = start_cluster(both, flags=["--policy=upsert-only"])
    world.apply(dnsendpoint("attacker/x", endpoint("web.example.org", "CNAME", "evil.test"), day=9), for_s=60.0)
    world.delete(both, for_s=60.0)
    world.apply(service("new/web", "web.example.org", "192.0.2.2", day=3), for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.2",), "web AAAA": ("2001:db8::1",)}


class Aliases(FaultyProvider):
    """Makes an A and an AAAA record of a CNAME to `lb.example.com`, as Route 53 does of a load balancer."""

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        found = list(super().adjust(desired, zone).accepted)
        for one in [one for one in found if one.targets == ("lb.example.com",)]:
            found.remove(one)
            found += [
                replace(one, type="A", targets=("192.0.2.2",)),
                replace(one, type="AAAA", targets=("2001:db8::1",)),
            ]
        return AdjustedRecords(accepted=tuple(found))


def test_a_record_follows_its_object_beside_aaaa_and_a_cname_of_others() -> None:
    endpoints = [endpoint("web.example.org", "AAAA", "2001:db8::66"), endpoint("web.example.org", "CNAME", "evil.test")]
    world = start_cluster(WEB, provider=Aliases(inner=InMemoryProvider(seed={ZONE: ()})))
    for requested in (endpoints[:1], endpoints):
        world.apply(dnsendpoint("attacker/x", *requested, day=9), for_s=60.0)
    world.apply(service("victim/web", "web.example.org", "lb.example.com", day=2), for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.2",), "web AAAA": ("2001:db8::66",)}


@pytest.mark.parametrize("identifier", ["", "s1"])
def test_a_request_that_others_keep_from_being_written_keeps_no_record(identifier: str) -> None:
    fields = {"setIdentifier": identifier} if identifier else {}
    victim = dnsendpoint("victim/web", endpoint("web.example.org", "A", "192.0.2.1", **fields), day=2)
    other = {} if identifier else {"setIdentifier": "z"}
    world = start_cluster(victim)
    world.apply(
        dnsendpoint(
            "attacker/x",
            endpoint("web.example.org", "AAAA", "2001:db8::66", **other),
            endpoint("web.example.org", "CNAME", "evil.test", **fields),
            day=9,
        ),
        for_s=60.0,
    )
    world.delete(victim, for_s=HOUR_S)
    assert "web A" not in world.list_records()


@pytest.mark.parametrize("way", ["at-once", "without-address-before", "while-down", "state-read-late"])
def test_a_target_that_its_owner_removes_goes_although_another_namespace_requests_it(way: str) -> None:
    before = ingress("victim/web", "web.example.org", "192.0.2.1", "192.0.2.2", day=2)
    after = ingress("victim/web", "web.example.org", "192.0.2.1", day=2)
    world = start_cluster(before)
    world.apply(ingress("attacker/x", "web.example.org", day=9, target="192.0.2.2"), for_s=60.0)
    if way == "without-address-before":
        world.apply(ingress("victim/web", "web.example.org", day=2), for_s=60.0)
    if way in {"while-down", "state-read-late"}:
        world.objects[key_of(after)] = after
        world.state_store.forbidden = way == "state-read-late"
        world = world.restart()
        world.state_store.forbidden = False
    world.apply(after, for_s=120.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


@pytest.mark.parametrize(
    ("types", "attempt"),
    [
        pytest.param(["A"], {"CNAME": "evil.example.com"}, id="not-managed"),
        pytest.param(["A", "AAAA", "CNAME"], {"CNAME": "evil.example.com", "AAAA": "2001:db8::66"}, id="yields"),
    ],
)
@pytest.mark.parametrize("is_late", [False, True])
def test_a_request_that_is_never_written_takes_no_delete_out_of_the_budget(
    *, types: list[str], attempt: dict[str, str], is_late: bool
) -> None:
    names = [f"w{number}.example.org" for number in range(40)]
    victims = [service(f"victim/w{number}", name, "192.0.2.1", day=2) for number, name in enumerate(names)]
    world = start_cluster(*victims, flags=[f"--managed-record-types={one}" for one in types])
    endpoints = [endpoint(name, rtype, target) for name in names for rtype, target in attempt.items()]
    if not is_late:
        world.apply(dnsendpoint("attacker/x", *endpoints, day=9), for_s=60.0)
    world.delete(*victims, for_s=300.0)
    world.apply(dnsendpoint("attacker/x", *endpoints, day=9), for_s=300.0)
    assert len(world.held_names()) == len(world.list_records()) == len(names)


def test_a_request_of_others_for_a_moment_frees_no_delete_of_its_hold() -> None:
    names = [f"w{number}.example.org" for number in range(40)]
    victims = [service(f"victim/{name[:-12]}", name, "192.0.2.1") for name in names]
    world = start_cluster(*victims)
    world.delete(*victims, for_s=900.0)
    for first in range(0, 40, 10):
        attackers = [service(f"attacker/{name[:-12]}", name, day=9) for name in names[first : first + 10]]
        world.apply(*attackers, for_s=2.0)
        world.delete(*attackers, for_s=700.0)
    assert len(world.list_records()) == len(world.held_names()) == 40


def test_an_invalid_ptr_record_of_others_for_a_moment_frees_no_delete_of_its_hold() -> None:
    victims = [service(f"victim/w{number}", f"w{number}.example.org", f"192.0.2.{number + 1}") for number in range(40)]
    world = start_cluster(*victims, flags=POINTERS, zones={ZONE: (), REVERSE: ()}, for_s=900.0)
    world.delete(*victims, for_s=900.0)
    invalid = [publish(f"{number + 1}.2.0.192.in-addr.arpa", "PTR", "192.0.2.9") for number in range(10)]
    for attempt in invalid:
        world.apply(attempt, for_s=5.0)
        world.delete(attempt, for_s=700.0)
    assert len(world.list_records(REVERSE)) == 40


def test_a_ptr_record_that_another_namespace_took_over_is_free_of_its_hold_when_its_names_return() -> None:
    """Its ownership record still names the namespace that had it first."""
    former, later = (
        [service(f"{one}/w{number}", f"w{number}.example.org", f"192.0.2.{number + 1}") for number in range(20)]
        for one in ("former", "later")
    )
    world = start_cluster(*former, *later, flags=POINTERS, zones={ZONE: (), REVERSE: ()}, for_s=900.0)
    for one in former:
        world.delete(one, for_s=300.0)
    world.delete(*later, for_s=900.0)
    assert sum(len(one.held) for one in world.engine.delete_guard.held_sets()) == 40
    world.apply(*later, for_s=60.0)
    assert world.engine.delete_guard.held_sets() == ()


def test_a_name_that_passes_as_it_is_is_free_of_its_hold() -> None:
    names = [f"w{number}.example.org" for number in range(40)]
    former = [service(f"victim/{name[:-12]}", name, "192.0.2.1") for name in names]
    world = start_cluster(*former)
    world.delete(*former, for_s=900.0)
    new = [service(f"new/{name[:-12]}", name, "192.0.2.1") for name in names]
    world.apply(*new, for_s=600.0)
    assert not world.held_names()
    world.delete(new[0], for_s=600.0)
    assert set(names) - {one.name for one in world.provider.contents(ZONE).values()} == {names[0]}


def test_no_address_passes_while_another_address_of_its_name_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ("--source=service", "--source=crd", "--provider=aws-sd", "--txt-owner-id=me")
    monkeypatch.setattr("tests.cluster_world.FLAGS", flags)
    names = [f"w{number}.example.org" for number in range(40)]
    victims = [service(f"victim/{number}", name, "192.0.2.1", "2001:db8::1") for number, name in enumerate(names)]
    world = start_cluster(*victims)
    before = world.list_records()
    world.apply(dnsendpoint("attacker/x", *[endpoint(name, "A", "192.0.2.66") for name in names], day=9), for_s=60.0)
    world.delete(*victims, for_s=600.0)
    assert world.list_records() == before


@pytest.mark.parametrize(("is_valid", "left"), [(True, {}), (False, {"web A": ("192.0.2.1",)})])
def test_an_object_without_an_address_keeps_no_record_that_a_rule_denies_it(
    *, is_valid: bool, left: dict[str, tuple[str, ...]]
) -> None:
    world = start_cluster(
        WEB,
        service("attacker/x", "web.example.org", day=1),
        flags=POINTERS,
        zones={ZONE: (), REVERSE: ()},
        rules=FakeRules((dataclasses.replace(ATTACKERS, is_valid=is_valid),)),
    )
    world.delete(WEB, for_s=120.0)
    assert (world.list_records(), world.list_records(REVERSE)) == (left, {})


@pytest.mark.parametrize("restarts", [False, True])
def test_an_object_without_an_address_keeps_no_name_in_the_ptr_record_of_its_former_address(*, restarts: bool) -> None:
    others = service("third/mail", "mail.example.org", "192.0.2.1"), service("attacker/x", "web.example.org", day=9)
    world = start_cluster(WEB, *others, flags=POINTERS, zones={ZONE: (), REVERSE: ()})
    moved = service("victim/web", "web.example.org", "192.0.2.2")
    if restarts:
        world.objects[key_of(moved)] = moved
        world = world.restart(*POINTERS)
    else:
        world.apply(moved)
    world.run(for_s=600.0)
    assert world.list_records(REVERSE) == {
        "1.2.0.192.in-addr.arpa PTR": ("mail.example.org",),
        "2.2.0.192.in-addr.arpa PTR": ("web.example.org",),
    }


def test_an_address_of_an_object_that_a_rule_denies_takes_no_name_out_of_its_ptr_record() -> None:
    stating = dnsendpoint("victim/web", endpoint("web.example.org", "A", "192.0.2.1"), day=2)
    world = start_cluster(stating, flags=POINTERS, zones={ZONE: (), REVERSE: ()}, rules=FakeRules((ATTACKERS,)))
    world.apply(service("attacker/x", "x.example.org", "192.0.2.1", day=1), for_s=600.0)
    assert world.list_records(REVERSE) == {"1.2.0.192.in-addr.arpa PTR": ("web.example.org",)}


def test_a_ptr_record_in_a_dnsendpoint_yields_to_the_name_that_has_the_address() -> None:
    world = start_cluster(
        publish("1.2.0.192.in-addr.arpa", "PTR", "evil.example.com"), flags=POINTERS, zones={ZONE: (), REVERSE: ()}
    )
    world.apply(WEB, for_s=60.0)
    assert world.list_records(REVERSE) == {"1.2.0.192.in-addr.arpa PTR": ("web.example.org",)}


def test_a_refused_record_keeps_no_record_of_a_name_that_a_rule_denies() -> None:
    world = start_cluster(WEB, publish("web.example.org", "TXT", OURS), flags=FLAGS, rules=FakeRules((ATTACKERS,)))
    world.delete(WEB, for_s=120.0)
    assert world.list_records() == {}


def test_a_record_whose_object_lost_its_address_stays_beside_a_denied_one() -> None:
    rule = deny_targets("192.0.2.1", matches=lambda item: item.object is not None and item.object.namespace == "other")
    other = service("other/x", "web.example.org", "2001:db8::1", day=1)
    world = start_cluster(WEB, other, rules=FakeRules((rule,)))
    before = world.list_records()
    world.apply(service("other/x", "web.example.org", day=1), for_s=600.0)
    assert world.list_records() == before == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}


def test_a_record_that_a_webhook_cannot_adjust_keeps_no_other_of_its_name() -> None:
    webhook = AdjustingProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    world = start_cluster(WEB, provider=webhook)
    webhook.failing_names.add(DnsName("web.example.org"))
    world.apply(publish("web.example.org", "AAAA", "2001:db8::66"), for_s=60.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.delete(WEB, for_s=120.0)
    assert world.list_records() == {}


def test_an_object_that_fails_does_not_keep_records_of_another_namespace() -> None:
    fails = '--fqdn-template={{ if eq .Namespace "attacker" }}{{ index .Spec.Ports 9 }}{{ end }}'
    world = start_cluster(WEB, flags=[fails])
    world.objects |= {key_of(one): one for one in [service("attacker/x")]}
    del world.objects[key_of(WEB)]
    world = world.restart(fails, for_s=180.0)
    assert world.list_records() == {}


def test_requests_without_an_address_for_names_of_others_accept_no_change_of_filters() -> None:
    """What a mistaken filter leaves unrequested stays held, also when those requests end."""
    victims = [ingress(f"victim/w{number}", f"w{number}.example.org", "192.0.2.1") for number in range(20)]
    others = [service(f"attacker/w{number}", f"w{number}.example.org") for number in range(20)]
    world = start_cluster(*victims, *others, for_s=900.0)
    world = world.restart("--ingress-class=mistaken", for_s=1500.0)
    before = world.list_records()
    world.delete(*others[:5], for_s=2 * HOUR_S)
    assert (world.list_records(), len(world.held_names())) == (before, 5)


def test_no_record_of_the_former_owner_id_passes_to_another_namespace() -> None:
    """Its object can be in another cluster."""
    former = [record("web"), ownership_record("web", owner="old", resource="service/victim/web")]
    world = start_cluster(records=former, flags=["--migrate-from-txt-owner=old"], for_s=HOUR_S)
    before = world.list_records()
    world.apply(service("attacker/x", "web.example.org", "192.0.2.66"), for_s=HOUR_S)
    assert world.list_records() == before
    world.apply(service("victim/web", "web.example.org", "192.0.2.2"), for_s=60.0)
    assert world.list_records()["web A"] == ("192.0.2.2",)


def test_a_denied_request_for_what_another_namespace_has_deletes_nothing_of_it() -> None:
    """The rule would deny the record if it did not know which object requests it."""
    rule = FakeRule(name="services", allows=lambda item: item.source == "service", deletes=True)
    world = start_cluster(WEB, rules=FakeRules((rule,)), for_s=900.0)
    world.apply(publish("web.example.org", "A", "192.0.2.1"), for_s=30.0)
    world.apply(service("victim/web", "web.example.org", day=2), for_s=900.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_a_name_passes_to_another_namespace_although_its_former_one_has_an_object_without_address() -> None:
    world = start_cluster(WEB, service("victim/other", "web.example.org"), flags=["--unresolved-timeout=1m"])
    world.apply(OLDER, for_s=60.0)
    world.delete(WEB, for_s=HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.66",)}


def test_a_foreign_record_decides_no_contest() -> None:
    foreign = record("web", "198.51.100.1"), ownership_record("web", owner="other", resource="service/attacker/x")
    world = start_cluster(service("attacker/x", "web.example.org", "192.0.2.66", day=9), WEB, records=foreign)
    world.apply(service("attacker/x", "web.example.org", "192.0.2.67", day=9), for_s=60.0)
    world.provider.remove_records(ZONE, *(one.key for one in foreign))
    world.run(for_s=HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_a_record_that_somebody_removes_is_made_again_for_who_had_it() -> None:
    world = start_cluster(WEB, flags=["--interval=1m"])
    world.apply(OLDER, for_s=60.0)
    world.provider.remove_records(ZONE, record("web").key)
    world.run(for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_objects_without_an_address_that_exist_in_turn_keep_a_record_no_longer_than_the_unresolved_timeout() -> None:
    owner = service("victim/web", "web.example.org", "192.0.2.1", day=2)
    attackers = [service(f"attacker/x{number}", "web.example.org", day=1) for number in range(6)]
    world = start_cluster(owner, attackers[0], flags=["--unresolved-timeout=5m"])
    world.delete(owner, for_s=50.0)
    for one, other in pairwise(attackers):
        assert world.published() == {"web"}
        world.delete(one, for_s=10.0)
        world.apply(other, for_s=50.0)
    assert world.published() == set()
