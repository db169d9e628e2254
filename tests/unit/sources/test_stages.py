"""The stages after a source (docs/spec/sources.md 0.2, 1.6, 8.2-8.5)."""

from __future__ import annotations

import ipaddress
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.model.claim import ClaimWarning, Derivation, ExcludedClaim, Provenance, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.resources.core import SERVICE
from extdns.sources.common.claim_stages import (
    DefaultTargetsStage,
    Nat64Stage,
    TargetNetworkStage,
    parse_default_targets,
    parse_nat64_networks,
    parse_target_networks,
    warn_about_record_type,
)
from tests.unit.sources.expected_claims import reduce_claims

WHERE: Final = Provenance(source="crd", ref=ObjectRef(key=ObjectKey(SERVICE, "shop", "web")), field="spec.endpoints[0]")
GROUPS: Final = parse_default_targets(["203.0.113.50", "2001:DB8::50", "lb.t.", "203.0.113.7"])


def want(rtype: str, *targets: str) -> ResolvedClaim:
    endpoint = DesiredRecord(
        name=DnsName("a.t"),
        type=rtype,
        targets=targets,
        ttl_s=60,
        set_identifier="v1",
        labels=StringMap.from_items({"resource": "crd/shop/web"}),
        properties=StringMap.from_items({"aws/weight": "1"}),
    )
    return ResolvedClaim(desired=endpoint, provenance=WHERE)


@pytest.mark.parametrize(
    ("claim", "force"),
    [
        pytest.param(want("A"), False, id="8.2-no-targets"),
        pytest.param(want("TXT"), False, id="8.2-without-targets-for-any-record-type"),
        pytest.param(want("SRV", "0 50 1 a.t."), True, id="8.2-forced-for-any-record-type"),
    ],
)
def test_default_targets_replace_a_claim_by_one_claim_for_each_of_their_record_types(
    claim: ResolvedClaim, *, force: bool
) -> None:
    claims = DefaultTargetsStage(groups=GROUPS, force=force)(claim)
    assert reduce_claims(claims) == [
        "a.t 60 A 203.0.113.50, 203.0.113.7",
        "a.t 60 AAAA 2001:db8::50",
        "a.t 60 CNAME lb.t",
    ]
    for result in claims:
        assert result.provenance == WHERE
        assert result.set_identifier == "v1"
        assert result.desired.labels == claim.desired.labels
        assert result.desired.properties == claim.desired.properties


# docs/spec/sources.md 8.2
def test_default_targets_do_not_change_records_that_have_targets() -> None:
    claim = want("A", "192.0.2.1")
    assert DefaultTargetsStage(groups=GROUPS)(claim) == (claim,)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", "an IP address without zone, or a host name"),
        ("..", "an IP address without zone, or a host name"),
        ("fe80::1%eth0", "an address without zone: fe80::1"),
        ("192.0.2.300", "an IPv4 address: four numbers from 0 to 255, such as 192.0.2.1"),
    ],
)
def test_an_invalid_default_target_is_a_usage_error(text: str, allowed: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_default_targets(["192.0.2.1", text])
    assert str(error.value) == f"--default-targets={text} is not a target\n  allowed: {allowed}"


# A records embedded in AAAA records (docs/spec/sources.md 8.3)


def expect_nat64(rtype: str, *targets: str) -> ResolvedClaim:
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
            "64:ff9b::/96", expect_nat64("AAAA", "64:ff9b::c000:20a"), ["a.t 60 A 192.0.2.10"], id="8.3-the-example"
        ),
        pytest.param(
            "64:ff9b::/96",
            expect_nat64("AAAA", "2001:db8::1", "64:ff9b::c000:20a", "64:ff9b::c000:209"),
            ["a.t 60 A 192.0.2.10, 192.0.2.9"],
            id="8.3-addresses-inside-the-network",
        ),
        pytest.param(
            "2001:db8::/96 64:ff9b::/96",
            expect_nat64("AAAA", "64:ff9b::102:304"),
            ["a.t 60 A 1.2.3.4"],
            id="8.3-any-network",
        ),
        pytest.param(
            "64:ff9b::1/96",
            expect_nat64("AAAA", "64:ff9b::102:304"),
            ["a.t 60 A 1.2.3.4"],
            id="8.3-bits-beyond-the-prefix",
        ),
        pytest.param("64:ff9b::/96", expect_nat64("AAAA", "64:ff9b:1::102:304"), [], id="8.3-outside"),
        pytest.param("64:ff9b::/96", expect_nat64("AAAA", "lb.t"), [], id="8.3-host-name-embeds-no-address"),
        pytest.param("64:ff9b::/96", expect_nat64("TXT", "64:ff9b::102:304"), [], id="8.3-aaaa-only"),
    ],
)
def test_an_a_record_is_added_for_ipv4_addresses_embedded_in_nat64_addresses(
    networks: str, claim: ResolvedClaim, added: list[str]
) -> None:
    first, *others = Nat64Stage(networks=parse_nat64_networks(networks.split()))(claim)
    assert first is claim
    assert reduce_claims(others) == added
    for other in others:
        assert isinstance(other, ResolvedClaim)
        assert other.provenance.derivation is Derivation.NAT64
        assert other.desired.labels == claim.desired.labels


@given(st.ip_addresses(v=4), st.ip_addresses(v=6))
def test_the_ipv4_address_in_a_nat64_address_becomes_the_target_of_an_a_record(
    embedded: ipaddress.IPv4Address, prefix: ipaddress.IPv6Address
) -> None:
    inside = ipaddress.IPv6Address((int(prefix) >> 32 << 32) | int(embedded))
    _, added = Nat64Stage(networks=parse_nat64_networks([f"{prefix}/96"]))(expect_nat64("AAAA", str(inside)))
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


# The target net filter (docs/spec/sources.md 8.4)


REF = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))


def expect_filtered(rtype: str, *targets: str) -> ResolvedClaim:
    endpoint = DesiredRecord(name=DnsName("a.t"), type=rtype, targets=targets)
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source="service", ref=REF, field="f"))


def nets(include: str = "", exclude: str = "") -> TargetNetworkStage:
    return TargetNetworkStage(
        include=parse_target_networks(include.split())[0], exclude=parse_target_networks(exclude.split())[0]
    )


@pytest.mark.parametrize(
    ("stage", "claim", "expected"),
    [
        pytest.param(nets(), expect_filtered("A", "192.0.2.1"), ("192.0.2.1",), id="8.4-no-network-no-filter"),
        pytest.param(nets(), expect_filtered("A"), (), id="8.4-no-network-drops-nothing"),
        pytest.param(
            nets("192.0.2.0/24"),
            expect_filtered("A", "192.0.2.1", "198.51.100.1"),
            ("192.0.2.1",),
            id="8.4-inside-an-include",
        ),
        pytest.param(
            nets("192.0.2.0/24 198.51.100.0/24"),
            expect_filtered("A", "198.51.100.1"),
            ("198.51.100.1",),
            id="8.4-any-include",
        ),
        pytest.param(
            nets("192.0.2.0/24", "192.0.2.128/25"),
            expect_filtered("A", "192.0.2.1", "192.0.2.200"),
            ("192.0.2.1",),
            id="8.4-an-exclude-wins",
        ),
        pytest.param(nets("", "10.0.0.0/8"), expect_filtered("CNAME", "lb.t"), ("lb.t",), id="8.4-hosts-pass-excludes"),
        pytest.param(
            nets("192.0.2.0/24"),
            expect_filtered("AAAA", "::ffff:192.0.2.1"),
            ("::ffff:192.0.2.1",),
            id="8.4-mapped-is-ipv4",
        ),
        pytest.param(nets("::/0"), expect_filtered("AAAA", "2001:db8::1"), ("2001:db8::1",), id="8.4-ipv6"),
        pytest.param(
            nets("192.0.2.77/24"), expect_filtered("A", "192.0.2.1"), ("192.0.2.1",), id="8.4-bits-beyond-the-prefix"
        ),
        pytest.param(
            nets("junk 192.0.2.1"),
            expect_filtered("A", "10.0.0.1"),
            ("10.0.0.1",),
            id="8.4-only-invalid-networks-filter-nothing",
        ),
    ],
)
def test_the_target_network_stage_keeps_only_targets_inside_allowed_networks(
    stage: TargetNetworkStage, claim: ResolvedClaim, expected: tuple[str, ...]
) -> None:
    (remaining,) = stage(claim)
    assert isinstance(remaining, ResolvedClaim)
    assert remaining.desired.targets == expected
    assert (remaining is claim) is (expected == claim.desired.targets)


@pytest.mark.parametrize(
    ("stage", "claim", "by"),
    [
        pytest.param(nets("192.0.2.0/24"), expect_filtered("A", "10.0.0.1"), "--target-net-filter", id="8.4-outside"),
        pytest.param(
            nets("192.0.2.0/24"), expect_filtered("CNAME", "lb.t"), "--target-net-filter", id="8.4-hosts-meet-includes"
        ),
        pytest.param(nets("0.0.0.0/0"), expect_filtered("AAAA", "::1"), "--target-net-filter", id="8.4-other-family"),
        pytest.param(
            nets("", "10.0.0.0/8"), expect_filtered("A", "10.0.0.1"), "--exclude-target-net", id="8.4-excluded"
        ),
        pytest.param(nets("", "10.0.0.0/8"), expect_filtered("A"), "--exclude-target-net", id="8.4-had-none"),
    ],
)
def test_a_name_that_has_only_targets_outside_the_allowed_networks_is_excluded(
    stage: TargetNetworkStage, claim: ResolvedClaim, by: str
) -> None:
    assert stage(claim) == (ExcludedClaim(ref=REF, excluded_by=by, name=DnsName("a.t")),)


def test_parsing_target_networks_returns_valid_networks_and_invalid_texts() -> None:
    texts = [" 192.0.2.0/24 ", "2001:db8::/32", "192.0.2.1", "x/8", "10.0.0.0/33", "10.0.0.0/255.0.0.0", "/8", ""]
    read, ignored = parse_target_networks(texts)
    assert read == (ipaddress.ip_network("192.0.2.0/24"), ipaddress.ip_network("2001:db8::/32"))
    assert ignored == tuple(texts[2:])


# The property `record-type` of records that cannot have PTR records (docs/spec/sources.md 8.5)


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
