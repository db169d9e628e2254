"""The property `record-type` of records that cannot have PTR records (docs/spec/sources.md 8.5)."""

from __future__ import annotations

import pytest

from extdns.model.claim import ClaimWarning, Provenance, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.resources.core import SERVICE
from extdns.sources.claim_stages import warn_about_record_type


def build_claim(rtype: str, target: str, *, name: str = "a.t", **properties: str) -> ResolvedClaim:
    """Build a claim with *properties*, written with _ for -."""
    endpoint = DesiredRecord(
        name=DnsName(name),
        type=rtype,
        targets=(target,),
        properties=StringMap.from_items({key.replace("_", "-"): value for key, value in properties.items()}),
    )
    ref = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source="service", ref=ref, field="f"))


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_claim("CNAME", "lb.t", record_type="ptr"), id="8.5-no-address"),
        pytest.param(build_claim("A", "192.0.2.7", name="*.a.t", record_type="ptr"), id="8.5-wildcard"),
    ],
)
def test_requesting_a_ptr_record_for_a_record_that_cannot_have_one_gives_a_warning(claim: ResolvedClaim) -> None:
    (noticed,) = warn_about_record_type(claim)
    assert noticed.desired == claim.desired
    assert noticed.warnings == (
        ClaimWarning(
            reason=Reason.INVALID_ANNOTATION,
            field="annotation record-type",
            value="ptr",
            allowed="nothing: only A and AAAA records without wildcard get a PTR",
        ),
    )


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_claim("A", "192.0.2.7", record_type="ptr"), id="8.5-address"),
        pytest.param(build_claim("CNAME", "lb.t"), id="8.5-nothing-requested"),
    ],
)
def test_a_record_that_can_have_the_ptr_record_it_requests_or_requests_none_gets_no_warning(
    claim: ResolvedClaim,
) -> None:
    assert warn_about_record_type(claim) == (claim,)
