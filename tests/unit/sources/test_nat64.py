"""A records embedded in AAAA records (spec sources 8.3)."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.model.claim import Derivation, Provenance, Wanted
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint
from extdns.sources.nat64 import Nat64, nat64_networks
from tests.unit.sources.samples import said


def want(rtype: str, *targets: str) -> Wanted:
    endpoint = Endpoint(
        name=DnsName("a.t"), type=rtype, targets=targets, ttl_s=60, labels=Pairs.of({"resource": "service/shop/web"})
    )
    ref = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
    return Wanted(endpoint=endpoint, provenance=Provenance(source="service", ref=ref, field="f"))


@pytest.mark.parametrize(
    ("networks", "wanted", "beside"),
    [
        pytest.param(
            "64:ff9b::/96", want("AAAA", "64:ff9b::c000:20a"), ["a.t A 60 [192.0.2.10]"], id="8.3-the-example"
        ),
        pytest.param(
            "64:ff9b::/96",
            want("AAAA", "2001:db8::1", "64:ff9b::c000:20a", "64:ff9b::c000:209"),
            ["a.t A 60 [192.0.2.10, 192.0.2.9]"],
            id="8.3-those-inside",
        ),
        pytest.param(
            "2001:db8::/96 64:ff9b::/96", want("AAAA", "64:ff9b::102:304"), ["a.t A 60 [1.2.3.4]"], id="8.3-any-network"
        ),
        pytest.param(
            "64:ff9b::1/96", want("AAAA", "64:ff9b::102:304"), ["a.t A 60 [1.2.3.4]"], id="8.3-bits-beyond-the-prefix"
        ),
        pytest.param("64:ff9b::/96", want("AAAA", "64:ff9b:1::102:304"), [], id="8.3-outside"),
        pytest.param("64:ff9b::/96", want("AAAA", "lb.t"), [], id="8.3-a-host-embeds-nothing"),
        pytest.param("64:ff9b::/96", want("TXT", "64:ff9b::102:304"), [], id="8.3-aaaa-only"),
    ],
)
def test_the_embedded_addresses_stand_beside(networks: str, wanted: Wanted, beside: list[str]) -> None:
    first, *others = Nat64(networks=nat64_networks(networks.split()))(wanted)
    assert first is wanted
    assert said(others) == beside
    for other in others:
        assert other.provenance.derived is Derivation.NAT64
        assert other.endpoint.labels == wanted.endpoint.labels


@given(st.ip_addresses(v=4), st.ip_addresses(v=6))
def test_what_is_embedded_comes_out(embedded: ipaddress.IPv4Address, prefix: ipaddress.IPv6Address) -> None:
    inside = ipaddress.IPv6Address((int(prefix) >> 32 << 32) | int(embedded))
    _, beside = Nat64(networks=nat64_networks([f"{prefix}/96"]))(want("AAAA", str(inside)))
    assert beside.endpoint.targets == (str(embedded),)


@pytest.mark.parametrize(
    "text", ["64:ff9b::/64", "64:ff9b::", "64:ff9b::/96,2001:db8::/96", "10.0.0.0/8", "x/96", " 64:ff9b::/96", ""]
)
def test_8_3_any_other_network_stops_the_start(text: str) -> None:
    with pytest.raises(UsageError) as error:
        nat64_networks([text])
    assert str(error.value) == (
        f"--nat64-networks={text} is no NAT64 network\n  allowed: an IPv6 network of 96 bits, as 64:ff9b::/96"
    )
