"""PTR records of names that one or several objects request (docs/design/architecture.md, "PTR claims")."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine.claims import ClaimIndex
from extdns.engine.inputs import Cause, Observed
from extdns.model import rrtype
from extdns.model.change import Blocked
from extdns.model.claim import ResolvedClaim, UnresolvedClaim
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.record import RECORD_TYPE
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from tests.builders import INGRESS, PLAN, ZONE, build_claim, build_unresolved, host, observe, observe_gone
from tests.cluster_world import start_cluster
from tests.objects import service

WEB: Final = host("web")
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
B_UNRESOLVED: Final = observe("b", build_unresolved("b", "web"))


def test_a_ptr_record_is_retained_while_the_claim_of_its_host_is_unresolved() -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, A_UNRESOLVED, A_UNRESOLVED)
    assert isinstance(claims.claims(WEB)[0], UnresolvedClaim)
    assert claims.list_ptr() == {SEVEN: ["a"]}
    assert claims.find_end(SEVEN) is None


def test_a_ptr_record_is_deleted_when_no_host_has_its_address_any_more() -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, A_UNRESOLVED)
    assert claims.see(A_EIGHT) == {WEB, SEVEN, EIGHT}
    assert claims.list_ptr() == {EIGHT: ["a"]}
    assert claims.find_end(SEVEN) is Evidence.HOSTNAME_REMOVED


def test_a_ptr_record_is_deleted_when_nobody_requests_its_host() -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, observe("a"))
    assert claims.list_ptr() == {}


def test_the_object_with_the_deciding_claim_decides_whether_addresses_of_other_objects_get_ptr_records() -> None:
    claims = Index(SOME)
    claims.see(B_EIGHT)
    assert claims.list_ptr() == {}
    assert claims.see(A_SEVEN_PTR) == {WEB, SEVEN, EIGHT}
    assert claims.list_ptr() == {SEVEN: ["a"], EIGHT: ["b"]}
    assert claims.see(A_SEVEN) == {WEB, SEVEN, EIGHT}
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
def test_a_ptr_record_that_ends_because_the_deciding_object_is_gone_has_evidence_about_both_objects(
    cause: Cause, evidence: Evidence
) -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, B_EIGHT, observe_gone("a", cause))
    assert claims.list_ptr() == {}
    assert claims.list_ended(EIGHT) == {("", "service/shop/a"): evidence, ("", "service/shop/b"): evidence}
    claims.see(A_SEVEN_PTR)
    assert claims.list_ptr() == {SEVEN: ["a"], EIGHT: ["b"]}
    assert claims.find_end(EIGHT) is None


def test_an_unresolved_claim_of_the_deciding_object_does_not_end_ptr_records_of_other_objects() -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, B_EIGHT, A_UNRESOLVED)
    assert claims.list_ptr() == {SEVEN: ["a"], EIGHT: ["b"]}
    assert (claims.find_end(SEVEN), claims.find_end(EIGHT)) == (None, None)


def test_a_ptr_record_kept_for_an_unresolved_deciding_claim_ends_when_its_own_object_changes() -> None:
    claims = Index(SOME)
    claims.see(A_SEVEN_PTR, B_EIGHT, A_UNRESOLVED, B_SEVEN)
    assert claims.list_ptr() == {SEVEN: ["a"]}
    assert claims.find_end(EIGHT) is Evidence.HOSTNAME_REMOVED


def test_an_unresolved_claim_of_another_object_does_not_keep_the_ptr_record_of_a_former_address() -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, B_UNRESOLVED, A_EIGHT)
    assert claims.list_ptr() == {EIGHT: ["a"]}


def test_a_ptr_record_stays_while_one_of_two_hosts_still_has_its_address() -> None:
    claims = Index(ALL)
    both = observe("a", request("a", "192.0.2.7"), build_claim("a", "shop", "192.0.2.7"))
    claims.see(both, A_SEVEN)
    assert claims.list_ptr() == {SEVEN: ["a"]}
    claims.see(both)
    assert claims.list_ptr() == {SEVEN: ["a", "a"]}


def test_the_order_in_which_an_object_first_requested_its_hosts_does_not_change_its_ptr_claims() -> None:
    one, other = Index(ALL), Index(ALL)
    web, shop = request("a", "192.0.2.7"), build_claim("a", "shop", "192.0.2.7")
    one.see(observe("a", web), observe("a", web, shop))
    other.see(observe("a", shop), observe("a", web, shop))
    assert one.claims(SEVEN) == other.claims(SEVEN)


def test_ptr_claims_are_derived_again_only_for_names_whose_claims_changed() -> None:
    claims = Index(ALL)
    other = build_claim("a", "shop", "192.0.2.8")
    claims.see(observe("a", request("a", "192.0.2.7"), other))
    assert claims.see(observe("a", request("a", "192.0.2.9"), other)) & {SEVEN, EIGHT} == {SEVEN}


@pytest.mark.parametrize(
    "arrivals",
    [pytest.param((A_SEVEN_NONE, B_EIGHT), id="a-first"), pytest.param((B_EIGHT, A_SEVEN_NONE), id="b-first")],
)
def test_during_the_first_listing_the_order_of_objects_gives_no_evidence_against_ptr_records(
    arrivals: tuple[Observed, ...],
) -> None:
    claims = Index(ALL)
    claims.see(*arrivals, is_planning=False)
    assert claims.list_ptr() == {}
    assert claims.find_end(EIGHT) is None


@each_end
def test_an_object_that_ends_during_the_first_listing_is_evidence_for_its_ptr_records(
    cause: Cause, evidence: Evidence
) -> None:
    claims = Index(ALL)
    claims.see(A_SEVEN, observe_gone("a", cause), is_planning=False)
    assert claims.find_end(SEVEN) == evidence


def test_the_unresolved_timeout_limits_a_ptr_record_only_if_its_host_was_unresolved_since_the_start() -> None:
    reverse = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
    types = ("--managed-record-types=A", "--managed-record-types=PTR")
    flags = (*types, "--create-ptr", "--unresolved-timeout=60s", "--max-delete-percent=100")
    world = start_cluster(service("web"), zones={ZONE: (), reverse: ()}, flags=flags)
    world.apply(service("web", address=None), for_s=300.0)
    assert world.list_records() == {}
    assert set(world.list_records(reverse)) == {"1.2.0.192.in-addr.arpa PTR"}
    world = world.restart(*flags, for_s=300.0)
    assert world.list_records(reverse) == {}


def test_a_host_of_a_ptr_record_stays_while_a_get_finds_its_object_that_a_list_lacked_before_planning_began() -> None:
    reverse = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
    flags = ("--managed-record-types=A", "--managed-record-types=PTR", "--create-ptr")
    world = start_cluster(service("api"), service("web"), zones={ZONE: (), reverse: ()}, flags=flags)
    published = {"1.2.0.192.in-addr.arpa PTR": ("api.example.org", "web.example.org")}
    assert world.list_records(reverse) == published
    world.set_phase(INGRESS, Phase.FAILING)
    world = world.restart(*flags)
    world.drop_from_list(service("api"), for_s=900.0)
    assert world.list_records(reverse) == published
