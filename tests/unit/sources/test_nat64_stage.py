"""A records embedded in AAAA records (docs/spec/sources.md 8.3)."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.model.claim import Claim, Derivation, Provenance, ResolvedClaim, TargetlessClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.resources.core import SERVICE
from extdns.sources.claim_stages import Nat64Stage, parse_nat64_networks
from tests.unit.sources.expected_claims import reduce_claims, resolved


def want(rtype: str, *targets: str) -> ResolvedClaim:
    endpoint = DesiredRecord(
        name=DnsName("a.t"),
        type=rtype,
        targets=targets,
        ttl_s=60,
        labels=StringMap.from_items({"resource": "service/shop/web"}),
    )
    ref = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source="service", ref=ref, field="f"))


@pytest.mark.parametrize(
    ("networks", "claim", "added"),
    [
        pytest.param(
            "64:ff9b::/96",
            want("AAAA", "64:ff9b::c000:20a"),
            [resolved("a.t", "A", "192.0.2.10", ttl_s=60)],
            id="8.3-the-example",
        ),
        pytest.param(
            "64:ff9b::/96",
            want("AAAA", "2001:db8::1", "64:ff9b::c000:20a", "64:ff9b::c000:209"),
            [resolved("a.t", "A", "192.0.2.10", "192.0.2.9", ttl_s=60)],
            id="8.3-addresses-inside-the-network",
        ),
        pytest.param(
            "2001:db8::/96 64:ff9b::/96",
            want("AAAA", "64:ff9b::102:304"),
            [resolved("a.t", "A", "1.2.3.4", ttl_s=60)],
            id="8.3-any-network",
        ),
        pytest.param(
            "64:ff9b::1/96",
            want("AAAA", "64:ff9b::102:304"),
            [resolved("a.t", "A", "1.2.3.4", ttl_s=60)],
            id="8.3-bits-beyond-the-prefix",
        ),
        pytest.param("64:ff9b::/96", want("AAAA", "64:ff9b:1::102:304"), [], id="8.3-outside"),
        pytest.param("64:ff9b::/96", want("AAAA", "lb.t"), [], id="8.3-host-name-embeds-no-address"),
        pytest.param("64:ff9b::/96", want("TXT", "64:ff9b::102:304"), [], id="8.3-aaaa-only"),
    ],
)
def test_an_a_record_is_added_for_ipv4_addresses_embedded_in_nat64_addresses(
    networks: str, claim: ResolvedClaim, added: list[Claim]
) -> None:
    first, *others = Nat64Stage(networks=parse_nat64_networks(networks.split()))(claim)
    assert first is claim
    assert reduce_claims(others) == added
    for other in others:
        assert isinstance(other, ResolvedClaim | TargetlessClaim)
        assert other.provenance.derivation is Derivation.NAT64
        assert other.desired.labels == claim.desired.labels


@given(st.ip_addresses(v=4), st.ip_addresses(v=6))
def test_the_ipv4_address_in_a_nat64_address_becomes_the_target_of_an_a_record(
    embedded: ipaddress.IPv4Address, prefix: ipaddress.IPv6Address
) -> None:
    inside = ipaddress.IPv6Address((int(prefix) >> 32 << 32) | int(embedded))
    _, added = Nat64Stage(networks=parse_nat64_networks([f"{prefix}/96"]))(want("AAAA", str(inside)))
    assert isinstance(added, ResolvedClaim)
    assert added.desired.targets == (str(embedded),)


# docs/spec/sources.md 8.3
@pytest.mark.parametrize(
    "text", ["64:ff9b::/64", "64:ff9b::", "64:ff9b::/96,2001:db8::/96", "10.0.0.0/8", "x/96", " 64:ff9b::/96", ""]
)
def test_a_nat64_network_that_is_not_an_ipv6_network_of_96_bits_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_nat64_networks([text])
    assert str(error.value) == (
        f"--nat64-networks={text} is not a NAT64 network\n  allowed: an IPv6 network of 96 bits, such as 64:ff9b::/96"
    )
