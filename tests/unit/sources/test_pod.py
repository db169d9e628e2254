"""The pod source (spec sources 6.2)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim
from extdns.model.objects import NODE, KubernetesObject, Pod
from extdns.ports import NotReadyError
from extdns.sources.pod import PodSettings, PodSource
from extdns.sources.selection import Selection
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import PREFIX, load_balancer, node, ours, pod, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")

N1 = node("n1", external=["203.0.113.1"], internal=["10.0.0.1"])
DUAL = node("n2", external=["203.0.113.2"], internal=["10.0.0.2", "fd00::2"])
KOPS = {"dns.alpha.kubernetes.io/internal": "ki.t, kj.t", "dns.alpha.kubernetes.io/external": "ke.t"}
NO_NODE = "p.t no-endpoints"


def claims(obj: Pod, *others: KubernetesObject, settings: PodSettings | None = None) -> tuple[Claim, ...]:
    return shown(PodSource(settings=settings or PodSettings()), obj, *others, listed=[NODE])


def p1(annotations: dict[str, str], *, on: str = "n1", ip: str = "10.1.0.7", host_network: bool = False) -> Pod:
    return pod("app/p1", node_name=on, annotations=annotations, pod_ip=ip, host_network=host_network)


def test_6_2_worked_example() -> None:
    obj = p1(ours(hostname="p.test", internal_hostname="pi.test"))
    found = wanted(claims(obj, N1, settings=PodSettings(pod_source_domain="pods.test")))
    assert said(found) == ["p.test A - [203.0.113.1]", "p1.pods.test A - [10.1.0.7]", "pi.test A - [10.1.0.7]"]
    assert {claim.endpoint.resource for claim in found} == {""}
    assert [claim.provenance.field.removeprefix(f"annotation {PREFIX}") for claim in found] == [
        "hostname",
        "metadata.name",
        "internal-hostname",
    ]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            p1(ours(hostname="p.t", internal_hostname="pi.t", target="lb.t")),
            ["p.t CNAME - [lb.t]", "pi.t CNAME - [lb.t]"],
            id="6.2-target-replaces-both",
        ),
        pytest.param(
            p1(ours(hostname="p.t"), on="n2"),
            ["p.t A - [203.0.113.2]", "p.t AAAA - [fd00::2]"],
            id="6.2-internal-ipv6-of-the-node-without-any-flag",
        ),
        pytest.param(p1(ours(hostname="p.t"), on="gone"), [NO_NODE], id="6.2-node-that-is-not-there"),
        pytest.param(p1(ours(hostname="p.t"), on="bare"), [NO_NODE], id="6.2-node-without-public-address"),
        pytest.param(p1(ours(hostname="p.t"), on=""), ["p.t no-address"], id="6.2-on-no-node-yet"),
        pytest.param(p1(ours(internal_hostname="p.t"), ip=""), ["p.t no-address"], id="6.2-no-pod-ip-yet"),
        pytest.param(
            p1(ours(internal_hostname="a.t,b.t")), ["a.t A - [10.1.0.7]", "b.t A - [10.1.0.7]"], id="2.2-list"
        ),
        pytest.param(p1(ours(internal_hostname="p.t"), ip="fd00::7"), ["p.t AAAA - [fd00::7]"], id="6.2-ipv6"),
        pytest.param(
            p1(ours(internal_hostname="p.t", ttl="60", set_identifier="x", aws_weight="1")),
            ["p.t A 60 [10.1.0.7]"],
            id="6.2-ttl-but-no-properties",
        ),
        pytest.param(p1(KOPS), [], id="6.2-kops-only-where-it-is-asked-for"),
        pytest.param(p1({}), [], id="6.2-asks-for-nothing"),
    ],
)
def test_6_2_hosts(obj: Pod, expected: list[str]) -> None:
    found = claims(obj, N1, DUAL, node("bare", internal=["10.0.0.3"]))
    assert said(found) == expected


def test_6_2_neither_set_identifier_nor_properties_are_read() -> None:
    (found,) = wanted(claims(p1(ours(internal_hostname="p.t", set_identifier="x", aws_weight="1"))))
    assert (found.set_identifier, tuple(found.endpoint.properties)) == ("", ())


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param(KOPS, ["ke.t A - [203.0.113.1]", "ki.t A - [10.1.0.7]", "kj.t A - [10.1.0.7]"], id="6.2-kops"),
        pytest.param(
            KOPS | ours(target="lb.t", hostname="p.t"),
            ["ke.t A - [203.0.113.1]", "ki.t A - [10.1.0.7]", "kj.t A - [10.1.0.7]", "p.t CNAME - [lb.t]"],
            id="6.2-kops-knows-no-target",
        ),
    ],
)
def test_6_2_annotations_of_kops(annotations: dict[str, str], expected: list[str]) -> None:
    assert said(claims(p1(annotations), N1, settings=PodSettings(kops=True))) == expected


@pytest.mark.parametrize(
    ("host_network", "expected"),
    [
        pytest.param(True, "p.t A - [203.0.113.1]", id="6.2-on-the-host's-network"),
        pytest.param(False, "p.t by --ignore-non-host-network-pods", id="6.2-on-its-own"),
    ],
)
def test_6_2_pods_off_the_host_s_network_may_be_ignored(host_network: bool, expected: str) -> None:
    settings = PodSettings(ignore_non_host_network_pods=True, pod_source_domain="d.t", kops=True)
    obj = p1(ours(hostname="p.t") | KOPS, host_network=host_network)
    found = said(claims(obj, N1, settings=settings))
    assert expected in found
    assert len({one.partition(" ")[2].startswith("by ") for one in found}) == 1


def test_6_2_the_hostname_annotation_cannot_be_ignored() -> None:
    settings = PodSettings(selection=Selection(ignore_hostname_annotation=True))
    assert said(claims(p1(ours(internal_hostname="p.t")), settings=settings)) == ["p.t A - [10.1.0.7]"]


def test_6_2_a_pod_left_out_says_by_what() -> None:
    settings = PodSettings(selection=Selection(namespace="shop"))
    assert said(claims(p1(ours(internal_hostname="p.t")), settings=settings)) == ["all by --namespace"]


def test_nodes_are_asked_for_only_where_a_pod_needs_them() -> None:
    source = PodSource(settings=PodSettings())
    assert said(shown(source, p1(ours(internal_hostname="p.t")))) == ["p.t A - [10.1.0.7]"]
    with pytest.raises(NotReadyError):
        shown(source, p1(ours(hostname="p.t")))


def test_other_objects_are_a_defect() -> None:
    with pytest.raises(TypeError, match="Pods only"):
        PodSource(settings=PodSettings()).claims(load_balancer(None), FakeView())
