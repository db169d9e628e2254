"""The pod source (docs/spec/sources.md 6.2)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.ports import NotSyncedError
from extdns.resources.core import NODE, Pod
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import DEFAULTS, build_source, settings_with
from tests.unit.sources.samples import PREFIX, list_resolved_claims, node, ours, pod

pytestmark = pytest.mark.usefixtures("cluster")

N1 = node("n1", external=["203.0.113.1"], internal=["10.0.0.1"])
DUAL = node("n2", external=["203.0.113.2"], internal=["10.0.0.2", "fd00::2"])
KOPS = {"dns.alpha.kubernetes.io/internal": "ki.t, kj.t", "dns.alpha.kubernetes.io/external": "ke.t"}
NO_NODE = "p.t: no-endpoints"


def claims(obj: Pod, *others: KubernetesObject, settings: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    return compute_claims(build_source("pod", settings), obj, *others, listed=[NODE])


def p1(annotations: dict[str, str], *, on: str = "n1", ip: str = "10.1.0.7", host_network: bool = False) -> Pod:
    return pod("app/p1", node_name=on, annotations=annotations, pod_ip=ip, host_network=host_network)


# docs/spec/sources.md 6.2
@pytest.mark.parametrize(("compat", "resource"), [(False, "pod/app/p1"), (True, "")], ids=["default", "compat"])
def test_a_pod_with_hostname_annotations_is_published(*, compat: bool, resource: str) -> None:
    obj = p1(ours(hostname="p.test", internal_hostname="pi.test"))
    found = list_resolved_claims(claims(obj, N1, settings=settings_with(pod_source_domain="pods.test", compat=compat)))
    assert reduce_claims(found) == ["p.test A 203.0.113.1", "p1.pods.test A 10.1.0.7", "pi.test A 10.1.0.7"]
    assert {claim.desired.resource for claim in found} == {resource}
    assert [claim.provenance.field.removeprefix(f"annotation {PREFIX}") for claim in found] == [
        "hostname",
        "metadata.name",
        "internal-hostname",
    ]


# docs/spec/sources.md 6.2
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            p1(ours(hostname="p.t", internal_hostname="pi.t", target="lb.t")),
            ["p.t CNAME lb.t", "pi.t CNAME lb.t"],
            id="6.2-target-replaces-both",
        ),
        pytest.param(
            p1(ours(hostname="p.t"), on="n2"),
            ["p.t A 203.0.113.2", "p.t AAAA fd00::2"],
            id="6.2-internal-ipv6-of-the-node-without-any-flag",
        ),
        pytest.param(p1(ours(hostname="p.t"), on="gone"), [NO_NODE], id="6.2-node-does-not-exist"),
        pytest.param(p1(ours(hostname="p.t"), on="bare"), [NO_NODE], id="6.2-node-without-public-address"),
        pytest.param(p1(ours(hostname="p.t"), on=""), ["p.t: no-address"], id="6.2-not-scheduled-yet"),
        pytest.param(p1(ours(internal_hostname="p.t"), ip=""), ["p.t: no-address"], id="6.2-no-pod-ip-yet"),
        pytest.param(p1(ours(internal_hostname="a.t,b.t")), ["a.t A 10.1.0.7", "b.t A 10.1.0.7"], id="2.2-list"),
        pytest.param(p1(ours(internal_hostname="p.t"), ip="fd00::7"), ["p.t AAAA fd00::7"], id="6.2-ipv6"),
        pytest.param(
            p1(ours(internal_hostname="p.t", ttl="60", set_identifier="x", aws_weight="1")),
            ["p.t 60 A 10.1.0.7"],
            id="6.2-ttl-but-no-properties",
        ),
        pytest.param(p1(KOPS), [], id="6.2-kops-only-if-enabled"),
        pytest.param(p1({}), [], id="6.2-no-hosts"),
    ],
)
def test_hosts_of_pods_get_the_annotated_target_the_addresses_of_the_node_or_that_of_the_pod(
    obj: Pod, expected: list[str]
) -> None:
    found = claims(obj, N1, DUAL, node("bare", internal=["10.0.0.3"]))
    assert reduce_claims(found) == expected


# docs/spec/sources.md 6.2
@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param(KOPS, ["ke.t A 203.0.113.1", "ki.t A 10.1.0.7", "kj.t A 10.1.0.7"], id="6.2-kops"),
        pytest.param(
            KOPS | ours(target="lb.t", hostname="p.t"),
            ["ke.t A 203.0.113.1", "ki.t A 10.1.0.7", "kj.t A 10.1.0.7", "p.t CNAME lb.t"],
            id="6.2-kops-knows-no-target",
        ),
    ],
)
def test_kops_annotations_of_pods_are_read_if_the_flag_for_them_is_set(
    annotations: dict[str, str], expected: list[str]
) -> None:
    assert (
        reduce_claims(claims(p1(annotations), N1, settings=settings_with(compatibility="kops-dns-controller")))
        == expected
    )


# docs/spec/sources.md 6.2
@pytest.mark.parametrize(
    ("host_network", "expected"),
    [
        pytest.param(True, "p.t A 203.0.113.1", id="6.2-on-the-host's-network"),
        pytest.param(False, "p.t: excluded by --ignore-non-host-network-pods", id="6.2-not-on-host-network"),
    ],
)
def test_pods_without_host_network_can_be_excluded(host_network: bool, expected: str) -> None:
    settings = settings_with(
        ignore_non_host_network_pods=True, pod_source_domain="d.t", compatibility="kops-dns-controller"
    )
    obj = p1(ours(hostname="p.t") | KOPS, host_network=host_network)
    found = reduce_claims(claims(obj, N1, settings=settings))
    assert expected in found
    assert len({"excluded by" in line for line in found}) == 1


def test_nodes_are_looked_up_only_if_a_host_of_a_pod_needs_node_addresses() -> None:
    source = build_source("pod")
    assert reduce_claims(compute_claims(source, p1(ours(internal_hostname="p.t")))) == ["p.t A 10.1.0.7"]
    with pytest.raises(NotSyncedError):
        compute_claims(source, p1(ours(hostname="p.t")))
