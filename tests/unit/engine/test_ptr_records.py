"""PTR records (docs/design/architecture.md, "PTR claims"; docs/design/delete-safety.md, "Evidence").

Their ownership records name one of the objects whose addresses they have, except those that external-dns wrote.
"""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine.claims import ClaimIndex
from extdns.engine.inputs import Cause, Observed
from extdns.errors import RetryableError
from extdns.model import rrtype
from extdns.model.change import Blocked
from extdns.model.claim import ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import RECORD_TYPE, Record
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from tests.builders import (
    INGRESS,
    PLAN,
    ZONE,
    build_claim,
    build_unresolved,
    host,
    observe,
    observe_gone,
    owned,
    record,
)
from tests.cluster_world import ClusterWorld, key_of, start_cluster
from tests.objects import Json, service
from tests.rules import FakeRule, FakeRules, change_rules
from tests.swap.objects import dnsendpoint, endpoint

HOST: Final = host("web")
SEVEN: Final = DnsName("7.2.0.192.in-addr.arpa")
EIGHT: Final = DnsName("8.2.0.192.in-addr.arpa")
SOME: Final = replace(PLAN, managed_types=frozenset({rrtype.A, rrtype.PTR}))
ALL: Final = replace(SOME, creates_ptr=True)


class Index(ClaimIndex):
    """A claim index that takes the inputs of the engine, after planning has begun."""

    def see(self, *inputs: Observed, is_planning: bool = True) -> set[DnsName]:
        """Update the index with each observation; return the names that the last one makes dirty."""
        dirty: set[DnsName] = set()
        for observed in inputs:
            for seen in observed.observations:
                dirty = self.update(seen, is_planning=is_planning)
        return dirty

    def list_ptr(self) -> dict[DnsName, list[str]]:
        """Return the objects that request each PTR record, by reverse name."""
        return {
            name: sorted(claim.provenance.ref.key.name for claim in self.claims(name))
            for name in (SEVEN, EIGHT)
            if self.claims(name)
        }

    def find_end(self, name: DnsName) -> Evidence | Blocked | None:
        """Return the evidence that nobody requests the PTR record of *name* any more."""
        (end,) = {*self.list_ended(name).values()} or (None,)
        return end


def request(name: str, address: str, record_type: str | None = None) -> ResolvedClaim:
    """Build the claim of the Service *name* to `web`, with the property `record-type` unless it is None."""
    made = build_claim(name, "web", address)
    properties = StringMap.from_items({} if record_type is None else {RECORD_TYPE: record_type})
    return replace(made, desired=replace(made.desired, properties=properties))


A_SEVEN: Final = observe("a", request("a", "192.0.2.7"))
A_EIGHT: Final = observe("a", request("a", "192.0.2.8"))
A_SEVEN_PTR: Final = observe("a", request("a", "192.0.2.7", "ptr"))
A_SEVEN_NONE: Final = observe("a", request("a", "192.0.2.7", "none"))
A_UNRESOLVED: Final = observe("a", build_unresolved("a", "web"))
B_EIGHT: Final = observe("b", request("b", "192.0.2.8"))
B_SEVEN: Final = observe("b", request("b", "192.0.2.7"))


# claims


def test_ends_when_no_host_has_its_address() -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, A_UNRESOLVED)
    assert claims.see(A_EIGHT) == {HOST, SEVEN, EIGHT}
    assert claims.list_ptr() == {EIGHT: ["a"]}
    assert claims.find_end(SEVEN) is Evidence.HOSTNAME_REMOVED


def test_deciding_claim_decides_for_addresses_of_other_objects() -> None:
    claims = Index(SOME)
    claims.see(B_EIGHT)
    assert claims.list_ptr() == {}
    assert claims.see(A_SEVEN_PTR) == {HOST, SEVEN, EIGHT}
    assert claims.list_ptr() == {SEVEN: ["a"], EIGHT: ["b"]}
    assert claims.see(A_SEVEN) == {HOST, SEVEN, EIGHT}
    assert claims.list_ptr() == {}
    assert claims.find_end(EIGHT) is Evidence.HOSTNAME_REMOVED


each_end = pytest.mark.parametrize(
    ("cause", "evidence"),
    [
        pytest.param(Cause.DELETED, Evidence.OBJECT_DELETED, id="deleted"),
        pytest.param(Cause.MISSING, Evidence.ABSENT, id="missing"),
    ],
)
"""The test runs for each way in which an object ends, with the evidence that follows."""


@each_end
def test_evidence_is_about_both_objects_when_the_deciding_one_is_gone(cause: Cause, evidence: Evidence) -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, B_EIGHT, observe_gone("a", cause))
    assert claims.list_ptr() == {}
    assert claims.list_ended(EIGHT) == {("", "service/shop/a"): evidence, ("", "service/shop/b"): evidence}
    claims.see(A_SEVEN_PTR)
    assert claims.list_ptr() == {SEVEN: ["a"], EIGHT: ["b"]}
    assert claims.find_end(EIGHT) is None


def test_unresolved_deciding_claim_does_not_end_records_of_others() -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, B_EIGHT, A_UNRESOLVED)
    assert claims.list_ptr() == {SEVEN: ["a"], EIGHT: ["b"]}
    assert (claims.find_end(SEVEN), claims.find_end(EIGHT)) == (None, None)


def test_ends_when_its_object_changes_while_the_deciding_claim_is_unresolved() -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, B_EIGHT, A_UNRESOLVED, B_SEVEN)
    assert claims.list_ptr() == {SEVEN: ["a"]}
    assert claims.find_end(EIGHT) is Evidence.HOSTNAME_REMOVED


def test_ends_when_its_object_is_known_to_have_no_address() -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, observe("a", build_unresolved("a", "web", Reason.NO_ENDPOINTS)))
    assert claims.list_ptr() == {}
    assert claims.find_end(SEVEN) is Evidence.HOSTNAME_REMOVED


def test_stays_while_one_of_two_hosts_has_its_address() -> None:
    claims = Index(ALL)
    both = observe("a", request("a", "192.0.2.7"), build_claim("a", "shop", "192.0.2.7"))
    claims.see(both, A_SEVEN)
    assert claims.list_ptr() == {SEVEN: ["a"]}
    claims.see(both)
    assert claims.list_ptr() == {SEVEN: ["a", "a"]}


def test_claims_do_not_depend_on_the_order_of_first_requests() -> None:
    one, other = Index(ALL), Index(ALL)
    web, shop = request("a", "192.0.2.7"), build_claim("a", "shop", "192.0.2.7")
    one.see(observe("a", web), observe("a", web, shop))
    other.see(observe("a", shop), observe("a", web, shop))
    assert one.claims(SEVEN) == other.claims(SEVEN)


@pytest.mark.parametrize(
    "arrivals",
    [pytest.param((A_SEVEN_NONE, B_EIGHT), id="a-first"), pytest.param((B_EIGHT, A_SEVEN_NONE), id="b-first")],
)
def test_no_evidence_from_the_order_of_the_first_listing(arrivals: tuple[Observed, ...]) -> None:
    claims = Index(ALL)
    claims.see(*arrivals, is_planning=False)
    assert claims.list_ptr() == {}
    assert claims.find_end(EIGHT) is None


@each_end
def test_object_that_ends_during_the_first_listing_is_evidence(cause: Cause, evidence: Evidence) -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, observe_gone("a", cause), is_planning=False)
    assert claims.find_end(SEVEN) == evidence


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
    return dnsendpoint("lab/taken", endpoint("1.2.0.192.in-addr.arpa", rtype, target))


def restart_without(world: ClusterWorld, missing: Json, *, exists: bool) -> ClusterWorld:
    """Restart with a list that lacks the object *missing*; a GET finds it if it *exists*."""
    del world.objects[key_of(missing)]
    world.exists = lambda _: exists
    return world.restart(*FLAGS, for_s=900.0)


def test_unresolved_timeout_limits_it_if_host_was_unresolved_since_the_start() -> None:
    flags = (*FLAGS, "--unresolved-timeout=60s")
    world = start(WEB, flags=flags)
    world.apply(service("web", address=None), for_s=300.0)
    assert world.list_records() == {}
    assert set(world.list_records(REVERSE)) == {ONE}
    world = world.restart(*flags, for_s=300.0)
    assert world.list_records(REVERSE) == {}


def test_host_stays_if_its_object_was_unlisted_before_planning_and_exists() -> None:
    world = start(service("api"), WEB)
    published = {ONE: ("api.example.org", "web.example.org")}
    assert world.list_records(REVERSE) == published
    world.set_phase(INGRESS, Phase.FAILING)
    world = world.restart(*FLAGS)
    world.drop_from_list(service("api"), for_s=900.0)
    assert world.list_records(REVERSE) == published


# requesters that no list has contained since the start


def test_stays_while_a_get_finds_the_object_it_was_made_for() -> None:
    world = restart_without(start(WEB, API), WEB, exists=True)
    assert set(world.list_records()) == {"web A", "api A"}
    assert set(world.list_records(REVERSE)) == {ONE, TWO}


@pytest.mark.parametrize("other", [API, service("api", address="192.0.2.1")], ids=["record", "host"])
def test_name_or_record_goes_after_a_get_confirmed_that_its_object_is_gone(other: Json) -> None:
    world = restart_without(start(WEB, other), WEB, exists=False)
    assert set(world.list_records()) == {"api A"}
    assert list(world.list_records(REVERSE).values()) == [("api.example.org",)]


def test_deleted_if_its_object_no_longer_requests_it() -> None:
    world = start(service("web", annotations={"record-type": "ptr"}), flags=TYPES)
    assert set(world.list_records(REVERSE)) == {ONE}
    world.objects[key_of(WEB)] = WEB
    world = world.restart(*TYPES, for_s=900.0)
    assert set(world.list_records()) == {"web A"}
    assert world.list_records(REVERSE) == {}


def test_record_of_external_dns_stays_while_its_host_is_unresolved() -> None:
    made = owned("web", "192.0.2.1"), owned_ptr("1.2.0.192.in-addr.arpa", "web.example.org")
    world = start_cluster(WEB, zones={ZONE: made[0], REVERSE: made[1]}, flags=FLAGS, for_s=60.0)
    assert world.provider.submissions == []
    world.objects[key_of(WEB)] = service("web", address=None)
    world = world.restart(*FLAGS, for_s=900.0)
    assert set(world.list_records(REVERSE)) == {ONE}
    world.delete(service("web", address=None), for_s=900.0)
    assert world.list_records(REVERSE) == {}


@pytest.mark.parametrize("moves", [True, False])
def test_stays_while_a_name_in_it_is_unresolved(*, moves: bool) -> None:
    api = service("api", address="192.0.2.1")
    world = start(api, WEB)
    world.objects[key_of(WEB)] = service("web", address=None)
    world = world.restart(*FLAGS, for_s=60.0)
    if moves:
        world.apply(API, for_s=900.0)
    else:
        world.delete(api, for_s=900.0)
    assert world.list_records(REVERSE)[ONE] == ("api.example.org", "web.example.org")


def test_stays_while_its_object_is_back_in_the_list_without_an_address() -> None:
    world = start(WEB)
    world.drop_from_list(WEB)
    world.apply(service("web", address=None), for_s=900.0)
    assert set(world.list_records(REVERSE)) == {ONE}


def test_names_of_two_namespaces_stay_whichever_it_was_made_for() -> None:
    other = service("api", namespace="lab", address="192.0.2.1")
    world = start(WEB, other)
    world.delete(WEB, for_s=300.0)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org",)}
    world.apply(WEB, for_s=300.0)
    assert world.list_records(REVERSE) == {ONE: ("api.example.org", "web.example.org")}


def test_hosts_with_the_address_keep_it_from_another_namespace() -> None:
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


def test_namespace_that_only_states_the_address_of_another_one_adds_no_name() -> None:
    stating = service("thief", namespace="lab", created="2025-01-01T00:00:00Z", annotations={"target": "192.0.2.1"})
    external = service("ip", namespace="ops", type="LoadBalancer", externalIPs=["192.0.2.1"])
    world = start(stating, external, dnsendpoint("net/d", endpoint("d.example.org", "A", "192.0.2.1")))
    names = ("d.example.org", "ip.example.org", "thief.example.org")
    assert world.list_records(REVERSE) == {ONE: names}  # no namespace is known to have it
    world.apply(WEB, for_s=300.0)
    assert world.list_records(REVERSE) == {ONE: ("web.example.org",)}
    decided = world.engine.decisions.decisions(DnsName("1.2.0.192.in-addr.arpa"))
    assert [one.reason for one in decided] == [Reason.PUBLISHED, *[Reason.REQUESTED_BY_OTHER] * 3]
    world.apply(service("also", annotations={"target": "192.0.2.1"}), for_s=300.0)  # of the namespace that has it
    assert world.list_records(REVERSE) == {ONE: ("also.example.org", "web.example.org")}


def test_with_compat_whoever_states_an_address_adds_a_name() -> None:
    world = start(
        WEB,
        service("thief", namespace="lab", annotations={"target": "192.0.2.1"}),
        flags=(*FLAGS, "--compat", "--policy=sync"),
    )
    assert world.list_records(REVERSE) == {ONE: ("thief.example.org", "web.example.org")}


def test_replaces_cname_of_another_namespace_only_after_a_grace_period() -> None:
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


RULE_FLAGS: Final = (
    "--inmemory-zone=2.0.192.in-addr.arpa",
    "--create-ptr",
    "--managed-record-types=A",
    "--managed-record-types=PTR",
)
NO_WEB: Final = FakeRule(name="no-web", allows=lambda item: item.record.name != "web.example.org")
ONLY_NEW: Final = FakeRule(name="only-new", allows=lambda item: item.record.type == "PTR" or item.current is None)


def start_with_rule(*objects: Json, rule: FakeRule | None = None) -> ClusterWorld:
    """Start with *objects* and *rule*, a zone, and the zone of its addresses."""
    rules = FakeRules((rule,) if rule else ())
    return start_cluster(*objects, rules=rules, zones={ZONE: (), REVERSE: ()}, flags=RULE_FLAGS)


def list_names(world: ClusterWorld) -> list[str]:
    return [target for targets in world.list_records(REVERSE).values() for target in targets]


# rules deny a PTR record with its address record (docs/design/rules.md)


def test_name_is_added_together_with_its_address_record() -> None:
    world = start_with_rule(WEB, rule=ONLY_NEW)
    assert [len(one.batch.change_sets) for one in world.provider.submissions] == [1, 1]
    assert list_names(world) == ["web.example.org"]


def test_keeps_the_name_of_a_namespace_that_is_denied_later() -> None:
    world = start_with_rule(WEB, service("api", namespace="zoo"))
    deny = FakeRule(name="no-api", allows=lambda it: "api.example.org" not in it.record.targets)
    world.run(change_rules(deny), for_s=300.0)
    assert list_names(world) == ["api.example.org", "web.example.org"]


def test_deleted_with_its_denied_address_record() -> None:
    world = start_with_rule(WEB)
    assert list_names(world) == ["web.example.org"]
    deny = FakeRule(name="no-web", allows=NO_WEB.allows, deletes=True)
    world.run(change_rules(deny), for_s=300.0)
    assert (world.list_records(), list_names(world)) == ({}, [])


def test_name_is_added_after_a_restart_when_its_address_zone_was_read() -> None:
    world = start_with_rule(WEB, rule=ONLY_NEW)
    world.provider.remove_records(REVERSE, *world.provider.contents(REVERSE))
    world.provider.failures.extend([None, None, *[RetryableError("planted")] * 4])
    world = world.restart(*RULE_FLAGS)
    assert list_names(world) == []
    world.run(for_s=60.0)
    assert list_names(world) == ["web.example.org"]


def test_a_name_that_is_no_host_name_gets_no_ptr_record_but_keeps_the_one_that_it_has() -> None:
    zones, published = {ZONE: (), REVERSE: ()}, {ONE: ("_web.example.org",)}
    world = start_cluster(service("web", host="_web.example.org"), zones=zones, flags=FLAGS, for_s=900.0)
    assert world.list_records(REVERSE) == {}
    world = world.restart(*FLAGS, "--compat", "--policy=sync", for_s=900.0)
    assert world.list_records(REVERSE) == published
    world = world.restart(*FLAGS, for_s=900.0)
    assert world.list_records(REVERSE) == published
