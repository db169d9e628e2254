"""The target net filter (docs/spec/sources.md 8.4)."""

from __future__ import annotations

import ipaddress

import pytest
from msgspec.structs import replace

from extdns.model.claim import ExcludedClaim, Provenance, ResolvedClaim, TargetlessClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.record import DesiredRecord
from extdns.resources.core import SERVICE
from extdns.sources.claim_stages import TargetNetworkStage, parse_target_networks

REF = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))


def want(rtype: str, *targets: str) -> ResolvedClaim:
    endpoint = DesiredRecord(name=DnsName("a.t"), type=rtype, targets=targets)
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source="service", ref=REF, field="f"))


def nets(include: str = "", exclude: str = "") -> TargetNetworkStage:
    return TargetNetworkStage(
        include=parse_target_networks(include.split())[0], exclude=parse_target_networks(exclude.split())[0]
    )


@pytest.mark.parametrize(
    ("stage", "claim", "expected"),
    [
        pytest.param(nets(), want("A", "192.0.2.1"), ("192.0.2.1",), id="8.4-no-network-no-filter"),
        pytest.param(nets(), want("A"), (), id="8.4-no-network-drops-nothing"),
        pytest.param(
            nets("192.0.2.0/24"), want("A", "192.0.2.1", "198.51.100.1"), ("192.0.2.1",), id="8.4-inside-an-include"
        ),
        pytest.param(
            nets("192.0.2.0/24 198.51.100.0/24"), want("A", "198.51.100.1"), ("198.51.100.1",), id="8.4-any-include"
        ),
        pytest.param(
            nets("192.0.2.0/24", "192.0.2.128/25"),
            want("A", "192.0.2.1", "192.0.2.200"),
            ("192.0.2.1",),
            id="8.4-an-exclude-wins",
        ),
        pytest.param(nets("", "10.0.0.0/8"), want("CNAME", "lb.t"), ("lb.t",), id="8.4-hosts-pass-excludes"),
        pytest.param(
            nets("192.0.2.0/24"),
            want("AAAA", "::ffff:192.0.2.1"),
            ("::ffff:192.0.2.1",),
            id="8.4-mapped-is-ipv4",
        ),
        pytest.param(nets("::/0"), want("AAAA", "2001:db8::1"), ("2001:db8::1",), id="8.4-ipv6"),
        pytest.param(nets("192.0.2.77/24"), want("A", "192.0.2.1"), ("192.0.2.1",), id="8.4-bits-beyond-the-prefix"),
        pytest.param(
            nets("junk 192.0.2.1"), want("A", "10.0.0.1"), ("10.0.0.1",), id="8.4-only-invalid-networks-filter-nothing"
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
        pytest.param(nets("192.0.2.0/24"), want("A", "10.0.0.1"), "--target-net-filter", id="8.4-outside"),
        pytest.param(nets("192.0.2.0/24"), want("CNAME", "lb.t"), "--target-net-filter", id="8.4-hosts-meet-includes"),
        pytest.param(nets("0.0.0.0/0"), want("AAAA", "::1"), "--target-net-filter", id="8.4-other-family"),
        pytest.param(nets("", "10.0.0.0/8"), want("A", "10.0.0.1"), "--exclude-target-net", id="8.4-excluded"),
        pytest.param(nets("", "10.0.0.0/8"), want("A"), "--exclude-target-net", id="8.4-had-none"),
    ],
)
def test_a_name_that_has_only_targets_outside_the_allowed_networks_is_excluded(
    stage: TargetNetworkStage, claim: ResolvedClaim, by: str
) -> None:
    bare = replace(claim.desired, targets=())
    assert stage(claim) == (
        ExcludedClaim(ref=REF, excluded_by=by, name=DnsName("a.t")),
        TargetlessClaim(desired=bare, provenance=claim.provenance),
    )


def test_parsing_target_networks_returns_valid_networks_and_invalid_texts() -> None:
    texts = [" 192.0.2.0/24 ", "2001:db8::/32", "192.0.2.1", "x/8", "10.0.0.0/33", "10.0.0.0/255.0.0.0", "/8", ""]
    read, ignored = parse_target_networks(texts)
    assert read == (ipaddress.ip_network("192.0.2.0/24"), ipaddress.ip_network("2001:db8::/32"))
    assert ignored == tuple(texts[2:])
