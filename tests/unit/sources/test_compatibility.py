"""Annotations of older tools on Services (spec sources 3.8)."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from extdns.model.claim import Claim, Wanted
from extdns.model.objects import Node, Service, ServiceSpec
from extdns.model.pairs import NONE
from extdns.sources.annotations import BOTH
from extdns.sources.refine import Refined, validated
from extdns.sources.selection import Selection
from extdns.sources.service.settings import Compatibility, ServiceSettings
from extdns.sources.service.source import ServiceSource
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import load_balancer, node, ours, said, service

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
    mode: Compatibility, obj: Service, *, ignoring: bool = False, exposing: bool = False, nodes: bool = True
) -> tuple[Claim, ...]:
    settings = ServiceSettings(
        selection=Selection(prefixes=BOTH, ignore_hostname_annotation=ignoring),
        compatibility=mode,
        expose_internal_ipv6=exposing,
    )
    source = Refined(source=ServiceSource(settings=settings), stages=(validated,))
    return shown(source, obj, *(NODES if nodes else ()))


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            load_balancer({MATE: "a.t"}, "192.0.2.1", "lb.t"),
            ["a.t A - [192.0.2.1]", "a.t CNAME - [lb.t]"],
            id="3.8-mate-status",
        ),
        pytest.param(
            load_balancer({MATE: "a.t", **ours(ttl="60", aws_weight="1")}, "192.0.2.1"),
            ["a.t A - [192.0.2.1]"],
            id="3.8-no-ttl-no-properties",
        ),
        pytest.param(
            service(
                {MATE: "a.t"},
                ServiceSpec(type="ClusterIP", external_ips=("192.0.2.9",)),
                load_balancer({}, "192.0.2.1").status,
            ),
            ["a.t A - [192.0.2.1]"],
            id="3.8-any-type-and-no-external-ips",
        ),
        pytest.param(
            load_balancer({MATE: "a.t"}, "192.0.2.1", "2001:db8::1"),
            ["a.t invalid-endpoint"],
            id="3.8-an-ipv6-address-is-taken-for-an-a",
        ),
        pytest.param(load_balancer({MATE: "a.t"}), ["a.t no-address"], id="3.8-pending-is-withheld"),
        pytest.param(load_balancer({MATE: ""}, "192.0.2.1"), [], id="3.8-no-name"),
        pytest.param(
            load_balancer({MATE: "a.t,b.t"}, "192.0.2.1"), ["a.t,b.t A - [192.0.2.1]"], id="3.8-mate-is-one-name"
        ),
        pytest.param(
            load_balancer({MATE: "a.t", **ours(hostname="b.t")}, "192.0.2.1"),
            ["b.t A - [192.0.2.1]"],
            id="3.8-only-where-annotations-yield-nothing",
        ),
        pytest.param(
            service(
                {MATE: "a.t", **ours(hostname="b.t")},
                ServiceSpec(type="ClusterIP"),
                load_balancer({}, "1.1.1.1").status,
            ),
            ["b.t by --publish-internal-services", "a.t A - [1.1.1.1]"],
            id="3.8-a-name-without-endpoint-is-nothing",
        ),
    ],
)
def test_mate(obj: Service, expected: list[str]) -> None:
    found = claims(Compatibility.MATE, obj)
    assert said(found) == expected


def test_3_8_it_runs_where_the_hostname_annotation_is_ignored() -> None:
    obj = load_balancer({MATE: "a.t", **ours(hostname="b.t")}, "192.0.2.1")
    assert said(claims(Compatibility.MATE, obj, ignoring=True)) == [
        "b.t by --ignore-hostname-annotation",
        "a.t A - [192.0.2.1]",
    ]


def test_3_8_marks_name_no_object() -> None:
    (claim,) = claims(Compatibility.MATE, load_balancer({MATE: "a.t", **ours(set_identifier="v1")}, "192.0.2.1"))
    assert isinstance(claim, Wanted)
    assert (claim.endpoint.labels, claim.endpoint.set_identifier) == (NONE, "")
    assert claim.provenance.field == f"annotation {MATE}"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            labelled(load_balancer({MOLECULE: "a.t, b.t,"}, "192.0.2.1"), dns="route53"),
            ["a.t A - [192.0.2.1]", "b.t A - [192.0.2.1]"],
            id="3.8-molecule-list",
        ),
        pytest.param(
            labelled(load_balancer({MOLECULE: "a.t"}, "192.0.2.1"), dns="other"), [], id="3.8-molecule-other-label"
        ),
        pytest.param(load_balancer({MOLECULE: "a.t"}, "192.0.2.1"), [], id="3.8-molecule-no-label"),
    ],
)
def test_molecule(obj: Service, expected: list[str]) -> None:
    assert said(claims(Compatibility.MOLECULE, obj)) == expected


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            load_balancer({EXTERNAL: "a.t, b.t", INTERNAL: "c.t"}, "192.0.2.1"),
            ["a.t A - [192.0.2.1]", "b.t A - [192.0.2.1]", "c.t A - [192.0.2.1]"],
            id="3.8-kops-load-balancer-both-keys",
        ),
        pytest.param(
            service({EXTERNAL: "a.t"}, NODE_PORT), ["a.t A - [203.0.113.1]"], id="3.8-kops-external-addresses"
        ),
        pytest.param(
            service({INTERNAL: "a.t"}, NODE_PORT),
            ["a.t A - [10.0.0.1, 10.0.0.2]", "a.t AAAA - [2001:db8::1]"],
            id="3.8-kops-internal-addresses",
        ),
        pytest.param(service({EXTERNAL: "a.t", INTERNAL: "b.t"}, NODE_PORT), [], id="3.8-kops-both-keys-are-neither"),
        pytest.param(
            service({EXTERNAL: "", INTERNAL: "b.t"}, NODE_PORT), [], id="3.8-kops-a-key-without-value-is-there-too"
        ),
        pytest.param(service({}, NODE_PORT), [], id="3.8-kops-neither"),
        pytest.param(service({EXTERNAL: "a.t"}, ServiceSpec(type="ClusterIP")), [], id="3.8-kops-other-types"),
    ],
)
def test_kops(obj: Service, expected: list[str]) -> None:
    assert said(claims(Compatibility.KOPS, obj)) == expected


def test_3_8_kops_exposes_internal_ipv6_where_told() -> None:
    found = claims(Compatibility.KOPS, service({EXTERNAL: "a.t"}, NODE_PORT), exposing=True)
    assert said(found) == ["a.t A - [203.0.113.1]", "a.t AAAA - [2001:db8::1]"]


def test_without_a_mode_older_annotations_say_nothing() -> None:
    obj = labelled(load_balancer({MATE: "a.t", MOLECULE: "b.t", EXTERNAL: "c.t"}, "192.0.2.1"), dns="route53")
    assert claims(Compatibility.NONE, obj) == ()
