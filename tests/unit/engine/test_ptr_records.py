"""PTR records of hosts with unresolved claims (docs/design/delete-safety.md, docs/spec/sources.md 8.5)."""

from __future__ import annotations

from typing import Final

from extdns.engine.claims import ClaimIndex
from extdns.engine.inputs import Cause, Observation
from extdns.model.claim import Claim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.resources.core import SERVICE
from extdns.sources.claim_stages import PtrStage

KEY: Final = ObjectKey(SERVICE, "shop", "web")
WHERE: Final = Provenance(source="service", ref=ObjectRef(key=KEY), field="f")
HOST: Final = DnsName("a.t")
SEVEN: Final = DnsName("7.2.0.192.in-addr.arpa")
EIGHT: Final = DnsName("8.2.0.192.in-addr.arpa")


def claim_address(address: str) -> tuple[Claim, ...]:
    """Build the claims of the host `a.t` with *address*: its A record and its PTR record."""
    claim = ResolvedClaim(desired=DesiredRecord(name=HOST, type="A", targets=(address,)), provenance=WHERE)
    return PtrStage(enabled=True)(claim)


def claim_unresolved() -> tuple[Claim, ...]:
    """Build the claims of the host `a.t` while it has no address."""
    return (
        UnresolvedClaim(name=HOST, set_identifier="", provenance=WHERE, reason=Reason.NO_ADDRESS, detail="no address"),
    )


def build_index(*versions: tuple[Claim, ...]) -> ClaimIndex:
    """Build an index of claims that observed one object with *versions* of claims, one after the other."""
    found = ClaimIndex()
    for claims in versions:
        seen = Observation(source="service", key=KEY, cause=Cause.VERSION, claims=claims, failure="")
        found.update(seen)
    return found


def test_a_ptr_record_is_retained_while_the_claim_of_its_host_is_unresolved() -> None:
    claims = build_index(claim_address("192.0.2.7"), claim_unresolved(), claim_unresolved())
    assert isinstance(claims.claims(HOST)[0], UnresolvedClaim)
    assert [type(claim) for claim in claims.claims(SEVEN)] == [ResolvedClaim]
    assert claims.find_ended((SEVEN, ""), "") is None


def test_a_ptr_record_is_deleted_when_its_host_has_another_address() -> None:
    claims = build_index(claim_address("192.0.2.7"), claim_unresolved(), claim_address("192.0.2.8"))
    assert claims.claims(SEVEN) == ()
    assert claims.find_ended((SEVEN, ""), "") is Evidence.HOSTNAME_REMOVED
    assert [type(claim) for claim in claims.claims(EIGHT)] == [ResolvedClaim]


def test_a_ptr_record_is_deleted_when_nobody_requests_its_host() -> None:
    claims = build_index(claim_address("192.0.2.7"), ())
    assert (claims.claims(HOST), claims.claims(SEVEN)) == ((), ())
