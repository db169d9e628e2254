"""NodePort Services (docs/spec/sources.md 3.5)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.ports import NotSyncedError
from extdns.resources.core import NODE, Service, ServicePort, ServiceSpec
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import invalid, reduce_claims, resolved
from tests.unit.sources.made import DEFAULTS, build_source, settings_with
from tests.unit.sources.samples import list_resolved_claims, meta, node, ours, pod, service

pytestmark = pytest.mark.usefixtures("cluster")

SSH = (ServicePort(protocol="TCP", node_port=30022),)
SRV = "_ssh._tcp.ssh.acme.test SRV 0 50 30022 ssh.acme.test."
APP = {"app": "ssh"}


def claims(obj: Service, *others: KubernetesObject, settings: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    source = build_source("service", settings)
    return compute_claims(source, obj, *others, listed=[NODE])


def ssh(
    annotations: dict[str, str] | None = None, *, ports: tuple[ServicePort, ...] = SSH, local: bool = False
) -> Service:
    policy = "Local" if local else "Cluster"
    spec = ServiceSpec(type="NodePort", external_traffic_policy=policy, selector=APP, ports=ports)
    return service(ours(hostname="ssh.acme.test") | (annotations or {}), spec, location="ops/ssh")


def build_expected(*targets: str) -> list[str]:
    return [SRV, resolved("ssh.acme.test", "A", *targets)]


BOTH_KINDS = node("n1", external=["203.0.113.1", "2001:db8::1"], internal=["10.0.0.1", "fd00::1"])
INTERNAL_ONLY = node("n2", internal=["10.0.0.2", "fd00::2"])


@pytest.mark.parametrize(
    ("access", "nodes", "expose", "expected"),
    [
        pytest.param(None, [BOTH_KINDS], False, "203.0.113.1 2001:db8::1", id="3.5-external-if-there-is-one"),
        pytest.param(
            None, [INTERNAL_ONLY], False, "10.0.0.2 fd00::2", id="3.5-internal-addresses-without-external-ones"
        ),
        pytest.param(
            None, [BOTH_KINDS, INTERNAL_ONLY], False, "203.0.113.1 2001:db8::1", id="3.5-one-external-address-suffices"
        ),
        pytest.param(None, [BOTH_KINDS], True, "203.0.113.1 2001:db8::1 fd00::1", id="3.5-internal-ipv6-exposed"),
        pytest.param(None, [INTERNAL_ONLY], True, "10.0.0.2 fd00::2", id="3.5-internal-addresses-with-the-expose-flag"),
        pytest.param("public", [BOTH_KINDS], False, "203.0.113.1 2001:db8::1", id="3.5-public"),
        pytest.param("public", [BOTH_KINDS], True, "203.0.113.1 2001:db8::1 fd00::1", id="3.5-public-exposed"),
        pytest.param("public", [INTERNAL_ONLY], False, "", id="3.5-public-even-if-empty"),
        pytest.param("private", [BOTH_KINDS], False, "10.0.0.1 fd00::1", id="3.5-private"),
        pytest.param("Public", [BOTH_KINDS], False, "203.0.113.1 2001:db8::1", id="2.3-other-values-count-as-absent"),
    ],
)
def test_the_access_annotation_selects_external_or_internal_node_addresses(
    access: str | None, nodes: list[KubernetesObject], expose: bool, expected: str
) -> None:
    annotations = {} if access is None else ours(access=access)
    found = claims(ssh(annotations), *nodes, settings=settings_with(expose_internal_ipv6=expose))
    addresses = [
        target
        for claim in list_resolved_claims(found)
        if claim.desired.type != "SRV"
        for target in claim.desired.targets
    ]
    assert " ".join(addresses) == expected


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param([], id="3.5-no-nodes"),
        pytest.param([node("n1")], id="3.5-no-address"),
        pytest.param([node("n1", external=["203.0.113.1"], unschedulable=True)], id="3.5-only-unschedulable"),
    ],
)
def test_srv_records_of_a_node_port_service_are_published_even_if_no_node_has_an_address(
    nodes: list[KubernetesObject],
) -> None:
    assert reduce_claims(claims(ssh(), *nodes)) == [SRV, "ssh.acme.test: no-endpoints"]


# docs/spec/sources.md 3.5
def test_unschedulable_nodes_are_included_if_the_flag_says_so() -> None:
    nodes = [node("n1", external=["203.0.113.1"], unschedulable=True), node("n2", external=["203.0.113.2"])]
    assert reduce_claims(claims(ssh(), *nodes)) == build_expected("203.0.113.2")
    included = claims(ssh(), *nodes, settings=settings_with(exclude_unschedulable=False))
    assert reduce_claims(included) == build_expected("203.0.113.1", "203.0.113.2")


NODES = tuple(node(f"n{number}", external=[f"203.0.113.{number}"]) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param(
            [pod("ops/a", node_name="n1", labels=APP), pod("ops/b", node_name="n2", labels=APP, ready=False)],
            ["203.0.113.1"],
            id="3.5-ready-before-not-ready",
        ),
        pytest.param(
            [pod("ops/a", node_name="n1", labels=APP, going=True), pod("ops/b", node_name="n2", labels=APP)],
            ["203.0.113.2"],
            id="3.5-staying-before-going",
        ),
        pytest.param(
            [
                pod("ops/a", node_name="n1", labels=APP, going=True),
                pod("ops/b", node_name="n2", labels=APP, ready=False),
                pod("ops/c", node_name="n3", labels=APP, ready=False, going=True),
            ],
            ["203.0.113.1"],
            id="3.5-going-before-not-ready",
        ),
        pytest.param(
            [
                pod("ops/a", node_name="n1", labels=APP, ready=False),
                pod("ops/b", node_name="n3", labels=APP, ready=False),
            ],
            ["203.0.113.1", "203.0.113.3"],
            id="3.5-not-ready-is-better-than-none",
        ),
        pytest.param(
            [pod("ops/a", node_name="n1", labels=APP, ready=False), pod("ops/b", node_name="n1", labels=APP)],
            ["203.0.113.1"],
            id="3.5-a-node-s-rank-is-its-best-pod",
        ),
        pytest.param(
            [
                pod("ops/a", node_name="n1", labels=APP, phase="Pending"),
                pod("ops/b", node_name="gone", labels=APP),
                pod("ops/c", node_name="n2", labels=APP, ready=False),
                pod("ops/d", node_name="n3"),
                pod("other/e", node_name="n3", labels=APP),
            ],
            ["203.0.113.2"],
            id="3.5-running-on-a-known-node-selected-in-the-namespace",
        ),
    ],
)
def test_with_local_traffic_policy_only_nodes_whose_pods_are_in_the_best_state_are_used(
    pods: list[KubernetesObject], expected: list[str]
) -> None:
    assert reduce_claims(claims(ssh(local=True), *NODES, *pods)) == build_expected(*expected)


# docs/spec/sources.md 3.5
def test_unschedulable_nodes_are_excluded_only_after_nodes_were_ranked_by_their_pods() -> None:
    nodes = [node("n1", external=["203.0.113.1"], unschedulable=True), NODES[1]]
    pods = [pod("ops/a", node_name="n1", labels=APP), pod("ops/b", node_name="n2", labels=APP, ready=False)]
    assert reduce_claims(claims(ssh(local=True), *nodes, *pods)) == [SRV, "ssh.acme.test: no-endpoints"]


# docs/spec/sources.md 3.5
@pytest.mark.parametrize("selector", [None, {}])
def test_a_service_with_local_traffic_and_no_selector_uses_all_pods_of_its_namespace(
    selector: dict[str, str] | None,
) -> None:
    spec = ServiceSpec(type="NodePort", external_traffic_policy="Local", selector=selector)
    found = claims(service(ours(hostname="h.t"), spec, location="ops/ssh"), *NODES, pod("ops/a", node_name="n2"))
    assert reduce_claims(found) == ["h.t A 203.0.113.2"]


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        pytest.param((), [], id="3.5-no-port"),
        pytest.param((ServicePort(protocol="TCP"),), [], id="3.5-port-without-node-port"),
        pytest.param(
            (ServicePort(node_port=30022),), ["_ssh._tcp.h.t SRV 0 50 30022 h.t."], id="3.5-tcp-is-the-default"
        ),
        pytest.param(
            (ServicePort(protocol="UDP", node_port=30053), ServicePort(protocol="TCP", node_port=30022)),
            ["_ssh._tcp.h.t SRV 0 50 30022 h.t.", "_ssh._udp.h.t SRV 0 50 30053 h.t."],
            id="3.5-one-for-each-protocol",
        ),
        pytest.param(
            (ServicePort(protocol="TCP", node_port=30443), ServicePort(protocol="TCP", node_port=30080)),
            ["_ssh._tcp.h.t SRV 0 50 30080 h.t., 0 50 30443 h.t."],
            id="3.5-ports-of-one-protocol-merge",
        ),
    ],
)
def test_srv_records_contain_the_service_name_and_protocol_of_each_port(
    ports: tuple[ServicePort, ...], expected: list[str]
) -> None:
    found = claims(ssh(ours(hostname="h.t"), ports=ports), NODES[0])
    assert reduce_claims(found) == [*expected, "h.t A 203.0.113.1"]


# docs/spec/sources.md 3.5
def test_with_compat_an_srv_record_whose_target_is_an_address_has_no_trailing_dot() -> None:
    found = claims(ssh(ours(hostname="192.0.2.1")), NODES[0], settings=settings_with(compat=True))
    assert reduce_claims(found)[1] == "_ssh._tcp.192.0.2.1 SRV 0 50 30022 192.0.2.1"


# docs/spec/sources.md 3.3
def test_srv_and_address_records_of_a_service_have_the_same_ttl_and_set_identifier() -> None:
    found = list_resolved_claims(claims(ssh(ours(ttl="60", set_identifier="blue", aws_weight="1")), NODES[0]))
    assert {(claim.desired.ttl_s, claim.set_identifier, claim.desired.properties) for claim in found} == {
        (60, "blue", (("aws/weight", "1"),))
    }


# docs/spec/sources.md 3.3
def test_internal_hostnames_of_a_node_port_service_get_srv_records_like_external_ones() -> None:
    spec = ServiceSpec(type="NodePort", ports=SSH)
    found = claims(service(ours(internal_hostname="ssh.acme.test"), spec, location="ops/ssh"), NODES[0])
    assert reduce_claims(found) == build_expected("203.0.113.1")


# docs/spec/sources.md 1.2
def test_a_service_name_too_long_for_a_label_affects_only_the_srv_record() -> None:
    name = "s" * 63
    obj = Service(metadata=meta(f"ops/{name}", ours(hostname="h.t")), spec=ServiceSpec(type="NodePort", ports=SSH))
    assert reduce_claims(claims(obj, NODES[0])) == [
        "h.t A 203.0.113.1",
        invalid(Reason.INVALID_NAME, f"_{name}._tcp.h.t"),
    ]


def test_a_node_port_service_looks_up_pods_only_with_local_traffic_policy() -> None:
    with pytest.raises(NotSyncedError, match="Pod"):
        claims(ssh(local=True), *NODES)
    with pytest.raises(NotSyncedError, match="Node"):
        compute_claims(build_source("service"), ssh())
