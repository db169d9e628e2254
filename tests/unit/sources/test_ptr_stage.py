"""PTR records (docs/spec/sources.md 8.5)."""

from __future__ import annotations

import pytest

from extdns.model.claim import ClaimWarning, Derivation, Provenance, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.resources.core import SERVICE
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.sources.claim_stages import PtrStage
from tests.unit.sources.samples import format_claims

V6 = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"


def want(rtype: str, *targets: str, name: str = "a.t", **properties: str) -> ResolvedClaim:
    endpoint = DesiredRecord(
        name=DnsName(name),
        type=rtype,
        targets=targets,
        ttl_s=300,
        set_identifier="v1",
        labels=StringMap.from_items({"resource": "service/shop/web"}),
        properties=StringMap.from_items({key.replace("_", "-"): value for key, value in properties.items()}),
    )
    ref = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source="service", ref=ref, field="f"))


@pytest.mark.parametrize(
    ("enabled", "claim", "pointers"),
    [
        pytest.param(
            True,
            want("A", "192.0.2.7", "192.0.2.8"),
            ["7.2.0.192.in-addr.arpa PTR 300 [a.t]", "8.2.0.192.in-addr.arpa PTR 300 [a.t]"],
            id="8.5-one-an-address",
        ),
        pytest.param(True, want("AAAA", "2001:db8::1"), [f"{V6} PTR 300 [a.t]"], id="8.5-nibbles"),
        pytest.param(
            True, want("AAAA", "::ffff:192.0.2.7"), ["7.2.0.192.in-addr.arpa PTR 300 [a.t]"], id="8.5-mapped-is-ipv4"
        ),
        pytest.param(True, want("CNAME", "lb.t"), [], id="8.5-addresses-only"),
        pytest.param(True, want("A", "192.0.2.7", name="*.a.t"), [], id="8.5-no-wildcards"),
        pytest.param(True, want("A", "lb.t", alias="true"), [], id="8.5-hosts-are-skipped"),
        pytest.param(False, want("A", "192.0.2.7"), [], id="8.5-off"),
        pytest.param(
            False,
            want("A", "192.0.2.7", record_type="PTR"),
            ["7.2.0.192.in-addr.arpa PTR 300 [a.t]"],
            id="8.5-the-property-enables",
        ),
        pytest.param(True, want("A", "192.0.2.7", record_type="none"), [], id="8.5-any-other-disables"),
        pytest.param(True, want("A", "192.0.2.7", record_type=""), [], id="8.5-empty-disables"),
    ],
)
def test_ptr_records_are_added_for_addresses(claim: ResolvedClaim, pointers: list[str], *, enabled: bool) -> None:
    first, *others = PtrStage(enabled=enabled)(claim)
    assert first is claim
    assert format_claims(others) == pointers
    for other in others:
        assert other.provenance.derivation is Derivation.PTR
        endpoint = other.desired
        assert (endpoint.labels, endpoint.properties, endpoint.set_identifier) == (EMPTY_MAP, EMPTY_MAP, "")


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(want("CNAME", "lb.t", record_type="ptr"), id="8.5-no-address"),
        pytest.param(want("A", "192.0.2.7", name="*.a.t", record_type="ptr"), id="8.5-wildcard"),
    ],
)
def test_a_record_that_cannot_have_a_requested_ptr_gets_a_warning(claim: ResolvedClaim) -> None:
    (noticed,) = PtrStage(enabled=True)(claim)
    assert noticed.desired == claim.desired
    assert noticed.warnings == (
        ClaimWarning(
            reason=Reason.INVALID_ANNOTATION,
            field="annotation record-type",
            value="ptr",
            allowed="nothing: only A and AAAA records without wildcard get a PTR",
        ),
    )
