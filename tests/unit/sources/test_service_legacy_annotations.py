"""Annotations of older tools on Services (docs/spec/sources.md 3.8)."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from extdns.model.claim import Claim, ResolvedClaim
from extdns.resources.core import Node, Service, ServiceSpec
from extdns.sources.common.annotation_names import BOTH_PREFIXES
from extdns.sources.common.claim_stages import validate_claim
from extdns.sources.service import Compatibility
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import load_balancer, node, ours, service

pytestmark = pytest.mark.usefixtures("cluster")

MATE: Final = "zalando.org/dnsname"
MOLECULE: Final = "domainName"
EXTERNAL: Final = "dns.alpha.kubernetes.io/external"
INTERNAL: Final = "dns.alpha.kubernetes.io/internal"
NODE_PORT: Final = ServiceSpec(type="NodePort")


def labelled(obj: Service, **labels: str) -> Service:
    return msgspec.structs.replace(obj, metadata=msgspec.structs.replace(obj.metadata, labels=labels))


def worker(obj: Node) -> Node:
    labels = {"node-role.kubernetes.io/node": ""}
    return msgspec.structs.replace(obj, metadata=msgspec.structs.replace(obj.metadata, labels=labels))


NODES: Final = (
    worker(node("n1", external=["203.0.113.1"], internal=["10.0.0.1", "2001:db8::1"], unschedulable=True)),
    worker(node("n2", internal=["10.0.0.2"])),
    node("n3", external=["203.0.113.3"], internal=["10.0.0.3"]),
)


def claims(
    mode: Compatibility,
    obj: Service,
    *,
    ignoring: bool = False,
    exposing: bool = False,
    nodes: bool = True,
    compat: bool = False,
) -> tuple[Claim, ...]:
    settings = settings_with(
        prefixes=BOTH_PREFIXES,
        ignore_hostname_annotation=ignoring,
        compatibility=mode,
        expose_internal_ipv6=exposing,
        compat=compat,
    )
    source = build_source("service", settings, stages=(validate_claim,))
    return compute_claims(source, obj, *(NODES if nodes else ()))


# docs/spec/sources.md 3.8
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            load_balancer({MATE: "a.t"}, "192.0.2.1", "lb.t"),
            ["a.t A 192.0.2.1", "a.t CNAME lb.t"],
            id="3.8-mate-status",
        ),
        pytest.param(
            load_balancer({MATE: "a.t", **ours(ttl="60", aws_weight="1")}, "192.0.2.1"),
            ["a.t A 192.0.2.1"],
            id="3.8-no-ttl-no-properties",
        ),
        pytest.param(
            service(
                {MATE: "a.t"},
                ServiceSpec(type="ClusterIP", external_ips=("192.0.2.9",)),
                load_balancer({}, "192.0.2.1").status,
            ),
            ["a.t A 192.0.2.1"],
            id="3.8-any-type-and-no-external-ips",
        ),
        pytest.param(
            load_balancer({MATE: "a.t"}, "192.0.2.1", "2001:db8::1"),
            ["a.t: invalid-endpoint"],
            id="3.8-an-ipv6-address-is-taken-for-an-a",
        ),
        pytest.param(
            load_balancer({MATE: "a.t"}), ["a.t: no-address"], id="3.8-load-balancer-without-address-is-unresolved"
        ),
        pytest.param(load_balancer({MATE: ""}, "192.0.2.1"), [], id="3.8-no-name"),
        pytest.param(
            load_balancer({MATE: "a.t,b.t"}, "192.0.2.1"),
            ["invalid-name: a.t,b.t"],
            id="3.8-mate-annotation-is-a-single-name",
        ),
        pytest.param(
            load_balancer({MATE: "a.t", **ours(hostname="b.t")}, "192.0.2.1"),
            ["b.t A 192.0.2.1"],
            id="3.8-only-without-hostname-annotations",
        ),
        pytest.param(
            service(
                {MATE: "a.t", **ours(hostname="b.t")},
                ServiceSpec(type="ClusterIP"),
                load_balancer({}, "1.1.1.1").status,
            ),
            ["b.t: excluded by --publish-internal-services", "a.t A 1.1.1.1"],
            id="3.8-name-without-endpoint-gives-no-claim",
        ),
    ],
)
def test_annotations_of_the_program_mate_are_read_with_its_compatibility_flag(
    obj: Service, expected: list[str]
) -> None:
    found = claims(Compatibility.MATE, obj)
    assert reduce_claims(found) == expected


# docs/spec/sources.md 3.8
def test_annotations_of_older_programs_are_read_even_if_the_hostname_annotation_is_ignored() -> None:
    obj = load_balancer({MATE: "a.t", **ours(hostname="b.t")}, "192.0.2.1")
    assert reduce_claims(claims(Compatibility.MATE, obj, ignoring=True)) == [
        "b.t: excluded by --ignore-hostname-annotation",
        "a.t A 192.0.2.1",
    ]


# docs/spec/sources.md 3.8
@pytest.mark.parametrize("compat", [False, True], ids=["default", "compat"])
def test_with_compat_records_from_annotations_of_older_programs_have_no_resource_label(*, compat: bool) -> None:
    obj = load_balancer({MATE: "a.t", **ours(set_identifier="v1")}, "192.0.2.1")
    (claim,) = claims(Compatibility.MATE, obj, compat=compat)
    assert isinstance(claim, ResolvedClaim)
    assert claim.desired.resource == ("" if compat else claim.provenance.ref.key.resource)
    assert not claim.desired.set_identifier
    assert claim.provenance.field == f"annotation {MATE}"


# docs/spec/sources.md 3.8
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            labelled(load_balancer({MOLECULE: "a.t, b.t,"}, "192.0.2.1"), dns="route53"),
            ["a.t A 192.0.2.1", "b.t A 192.0.2.1"],
            id="3.8-molecule-list",
        ),
        pytest.param(
            labelled(load_balancer({MOLECULE: "a.t"}, "192.0.2.1"), dns="other"), [], id="3.8-molecule-other-label"
        ),
        pytest.param(load_balancer({MOLECULE: "a.t"}, "192.0.2.1"), [], id="3.8-molecule-no-label"),
    ],
)
def test_annotations_of_the_program_molecule_are_read_with_its_compatibility_flag(
    obj: Service, expected: list[str]
) -> None:
    assert reduce_claims(claims(Compatibility.MOLECULE, obj)) == expected


# docs/spec/sources.md 3.8
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            load_balancer({EXTERNAL: "a.t, b.t", INTERNAL: "c.t"}, "192.0.2.1"),
            ["a.t A 192.0.2.1", "b.t A 192.0.2.1", "c.t A 192.0.2.1"],
            id="3.8-kops-load-balancer-both-keys",
        ),
        pytest.param(service({EXTERNAL: "a.t"}, NODE_PORT), ["a.t A 203.0.113.1"], id="3.8-kops-external-addresses"),
        pytest.param(
            service({INTERNAL: "a.t"}, NODE_PORT),
            ["a.t A 10.0.0.1, 10.0.0.2", "a.t AAAA 2001:db8::1"],
            id="3.8-kops-internal-addresses",
        ),
        pytest.param(service({EXTERNAL: "a.t", INTERNAL: "b.t"}, NODE_PORT), [], id="3.8-kops-both-keys-are-ignored"),
        pytest.param(
            service({EXTERNAL: "", INTERNAL: "b.t"}, NODE_PORT), [], id="3.8-kops-a-key-without-value-is-there-too"
        ),
        pytest.param(service({}, NODE_PORT), [], id="3.8-kops-neither"),
        pytest.param(service({EXTERNAL: "a.t"}, ServiceSpec(type="ClusterIP")), [], id="3.8-kops-other-types"),
    ],
)
def test_annotations_of_kops_are_read_with_its_compatibility_flag(obj: Service, expected: list[str]) -> None:
    assert reduce_claims(claims(Compatibility.KOPS, obj)) == expected


# docs/spec/sources.md 3.8
def test_kops_annotations_publish_internal_ipv6_addresses_if_the_flag_for_them_is_set() -> None:
    found = claims(Compatibility.KOPS, service({EXTERNAL: "a.t"}, NODE_PORT), exposing=True)
    assert reduce_claims(found) == ["a.t A 203.0.113.1", "a.t AAAA 2001:db8::1"]


def test_annotations_of_older_programs_are_ignored_without_a_compatibility_flag() -> None:
    obj = labelled(load_balancer({MATE: "a.t", MOLECULE: "b.t", EXTERNAL: "c.t"}, "192.0.2.1"), dns="route53")
    assert claims(Compatibility.NONE, obj) == ()
