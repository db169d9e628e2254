"""Headless Services (docs/spec/sources.md 3.6)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim, ClaimWarning, UnresolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.ports import NotSyncedError
from extdns.resources.core import POD, Service, ServiceSpec
from extdns.resources.discovery import ENDPOINT_SLICE, EndpointSlice, SliceEndpoint
from extdns.sources.common import annotations as annotation_reader
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import invalid, reduce_claims, resolved
from tests.unit.sources.made import DEFAULTS, build_source, settings_with
from tests.unit.sources.samples import HEADLESS, endpoints, list_resolved_claims, member, meta, node, ours, pod, service

pytestmark = pytest.mark.usefixtures("cluster")

APP = {"app": "pg"}
PG_0 = pod("db/pg-0", hostname="pg-0", labels=APP, host_ip="10.0.0.1", node_name="n1")
PG_1 = pod("db/pg-1", labels=APP, host_ip="10.0.0.2", node_name="n2")
N1 = node("n1", external=["203.0.113.1"], internal=["10.0.0.1", "fd00::1"], unschedulable=True)
SLICE = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4", "10.1.0.99"), member("pg-1", "10.1.0.5", ready=True))


def pg(annotations: dict[str, str] | None = None, spec: ServiceSpec = HEADLESS) -> Service:
    return service(ours(hostname="pg.acme.test") | (annotations or {}), spec, location="db/pg")


def claims(obj: Service, *others: KubernetesObject, settings: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    source = build_source("service", settings)
    return compute_claims(source, obj, *others, listed=[POD, ENDPOINT_SLICE])


NOT_READY = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4"), member("pg-1", "10.1.0.5", ready=False))
NEVER_READY = ServiceSpec(cluster_ip="None", selector=APP, publish_not_ready_addresses=True)


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        pytest.param(NEVER_READY, settings_with(), id="3.6-worked-example-by-the-service"),
        pytest.param(HEADLESS, settings_with(always_publish_not_ready_addresses=True), id="3.6-by-the-flag"),
    ],
)
def test_endpoints_that_are_not_ready_are_published_if_the_service_or_a_flag_says_so(
    spec: ServiceSpec, settings: SourceSettings
) -> None:
    assert reduce_claims(claims(pg(spec=spec), PG_0, PG_1, NOT_READY, settings=settings)) == [
        "pg-0.pg.acme.test A 10.1.0.4",
        "pg.acme.test A 10.1.0.4, 10.1.0.5",
    ]


def test_of_the_annotations_of_pods_only_the_target_is_read_and_no_warning_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[frozenset[str]] = []

    def find_misspelled_keys(keys: frozenset[str], _prefix: str) -> tuple[ClaimWarning, ...]:
        read.append(keys)
        return ()

    monkeypatch.setattr(annotation_reader, "find_misspelled_keys", find_misspelled_keys)
    odd = pod("db/pg-0", labels=APP, annotations=ours(target="198.51.100.4") | {"odd": "x"})
    claims(pg({"own": "x"}), odd, PG_1, SLICE)
    assert read == [{"own"}]


@pytest.mark.parametrize(
    ("annotations", "settings", "expected"),
    [
        pytest.param({}, settings_with(), "10.1.0.4 10.1.0.5", id="3.6-first-address-of-each-endpoint"),
        pytest.param(ours(endpoints_type="HostIP"), settings_with(), "10.0.0.1 10.0.0.2", id="3.6-host-ip"),
        pytest.param({}, settings_with(publish_host_ip=True), "10.0.0.1 10.0.0.2", id="3.6-publish-host-ip"),
        pytest.param(ours(endpoints_type="NodeExternalIP"), settings_with(), "203.0.113.1", id="3.6-node-external-ip"),
        pytest.param(
            ours(endpoints_type="NodeExternalIP"),
            settings_with(expose_internal_ipv6=True, publish_host_ip=True),
            "203.0.113.1 fd00::1",
            id="3.6-node-external-ip-wins-and-exposes-ipv6",
        ),
        pytest.param(
            ours(endpoints_type="hostip"), settings_with(), "10.1.0.4 10.1.0.5", id="2.3-other-values-count-as-absent"
        ),
    ],
)
def test_the_endpoints_type_annotation_selects_addresses_of_pods_or_of_their_nodes(
    annotations: dict[str, str], settings: SourceSettings, expected: str
) -> None:
    found = list_resolved_claims(claims(pg(annotations), PG_0, PG_1, SLICE, N1, settings=settings))
    targets = [target for claim in found if claim.name == "pg.acme.test" for target in claim.desired.targets]
    assert " ".join(targets) == expected
    assert [warning.allowed for warning in found[0].warnings] == (
        ["NodeExternalIP or HostIP"] if annotations == ours(endpoints_type="hostip") else []
    )


# docs/spec/sources.md 3.6
def test_the_target_annotation_of_a_pod_replaces_its_addresses() -> None:
    annotated = pod("db/pg-0", hostname="pg-0", labels=APP, annotations=ours(target="198.51.100.4,lb.t"))
    assert reduce_claims(claims(pg(), annotated, PG_1, SLICE, settings=settings_with(publish_host_ip=True))) == [
        "pg-0.pg.acme.test A 198.51.100.4",
        "pg-0.pg.acme.test CNAME lb.t",
        "pg.acme.test A 10.0.0.2, 198.51.100.4",
        "pg.acme.test CNAME lb.t",
    ]
    found = list_resolved_claims(claims(pg(), annotated, PG_1, SLICE))
    assert all(claim.provenance.states_targets for claim in found if "198.51.100.4" in claim.desired.targets)
    assert not any(one.provenance.states_targets for one in list_resolved_claims(claims(pg(), PG_0, PG_1, SLICE)))


@pytest.mark.parametrize(
    "skipped",
    [
        pytest.param(member("pg-1", "10.1.0.5", kind="VM"), id="3.6-not-a-pod"),
        pytest.param(member("pg-1", "10.1.0.5", api_version="v1"), id="3.6-with-api-version"),
        pytest.param(member("pg-2", "10.1.0.5"), id="3.6-unknown-pod"),
        pytest.param(member("stray", "10.1.0.5"), id="3.6-pod-the-selector-leaves-out"),
        pytest.param(SliceEndpoint(addresses=("10.1.0.5",)), id="3.6-no-target-ref"),
        pytest.param(member("pg-1"), id="3.6-no-address"),
    ],
)
def test_endpoints_whose_pod_is_not_of_the_service_are_skipped(skipped: SliceEndpoint) -> None:
    slices = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4"), skipped)
    found = claims(pg(), PG_0, PG_1, pod("db/stray"), slices)
    assert reduce_claims(found) == ["pg-0.pg.acme.test A 10.1.0.4", "pg.acme.test A 10.1.0.4"]


# docs/spec/sources.md 3.6
def test_endpoint_slices_of_other_services_and_namespaces_are_ignored() -> None:
    others = [endpoints("db/x", "my", member("pg-0", "10.1.0.8")), endpoints("ns/pg", "pg", member("pg-0", "10.1.0.9"))]
    found = claims(pg(), PG_0, PG_1, SLICE, *others)
    assert reduce_claims(found)[1] == "pg.acme.test A 10.1.0.4, 10.1.0.5"


FQDN = endpoints("db/pg-x", "pg", member("pg-0", "pg-0.elsewhere.t"), address_type="FQDN")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(settings_with(), ["pg.acme.test: no-endpoints"], id="3.6-not-for-pod-addresses"),
        pytest.param(
            settings_with(publish_host_ip=True),
            ["pg-0.pg.acme.test A 10.0.0.1", "pg.acme.test A 10.0.0.1"],
            id="3.6-for-other-addresses",
        ),
    ],
)
def test_endpoint_slices_of_type_fqdn_are_used_for_host_ips_but_not_for_pod_ips(
    settings: SourceSettings, expected: list[str]
) -> None:
    assert reduce_claims(claims(pg(), PG_0, FQDN, settings=settings)) == expected


# docs/spec/sources.md 3.6
def test_dual_stack_endpoints_give_a_and_aaaa_records() -> None:
    six = endpoints("db/pg-y", "pg", member("pg-0", "2001:db8::4"), address_type="IPv6")
    assert reduce_claims(claims(pg(), PG_0, PG_1, SLICE, six)) == [
        "pg-0.pg.acme.test A 10.1.0.4",
        "pg-0.pg.acme.test AAAA 2001:db8::4",
        "pg.acme.test A 10.1.0.4, 10.1.0.5",
        "pg.acme.test AAAA 2001:db8::4",
    ]


# docs/spec/sources.md 3.6
def test_a_headless_service_without_selector_uses_all_pods_of_its_namespace() -> None:
    found = claims(pg(spec=ServiceSpec(cluster_ip="None")), pod("db/pg-0"), SLICE)
    assert reduce_claims(found) == ["pg.acme.test A 10.1.0.4"]


def test_each_name_of_a_headless_service_without_targets_has_its_own_unresolved_claim() -> None:
    pods = [PG_0, pod("db/pg-1", hostname="pg-1", labels=APP)]
    found = claims(pg(ours(set_identifier="blue")), *pods, NOT_READY)
    assert reduce_claims(found) == [
        "pg-0.pg.acme.test A 10.1.0.4",
        "pg.acme.test A 10.1.0.4",
        "pg-1.pg.acme.test: no-endpoints",
    ]
    assert isinstance(found[2], UnresolvedClaim)
    assert found[2].set_identifier == "blue"


@pytest.mark.parametrize(
    ("nodes", "settings", "detail"),
    [
        pytest.param([node("n2")], settings_with(), "no endpoint meets all conditions", id="3.6-unknown-node"),
        pytest.param(
            [node("n1")], settings_with(), "no endpoint meets all conditions", id="3.6-node-without-external-ip"
        ),
        pytest.param(
            [], settings_with(service_type_filter=("ClusterIP",)), "Nodes are not read", id="3.6-no-node-cache"
        ),
    ],
)
def test_a_pod_on_a_node_without_addresses_adds_no_targets(
    nodes: list[EndpointSlice], settings: SourceSettings, detail: str
) -> None:
    slices = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4"))
    found = claims(pg(ours(endpoints_type="NodeExternalIP")), PG_0, slices, *nodes, settings=settings)
    assert reduce_claims(found) == ["pg-0.pg.acme.test: no-endpoints", "pg.acme.test: no-endpoints"]
    assert isinstance(found[0], UnresolvedClaim)
    assert found[0].detail.startswith(detail)


# docs/spec/sources.md 3.6
def test_a_pod_name_too_long_for_dns_does_not_affect_other_pods() -> None:
    long = pod("db/pg-0", hostname="h" * 63, labels=APP)
    obj = Service(metadata=meta("db/pg", ours(hostname=f"{'.'.join(['x' * 60] * 4)}")), spec=HEADLESS)
    found = claims(obj, long, endpoints("db/x", "pg", member("pg-0", "10.1.0.4")))
    assert reduce_claims(found) == [
        resolved(".".join(["x" * 60] * 4), "A", "10.1.0.4"),
        invalid(Reason.INVALID_NAME, f"{'h' * 63}.{'.'.join(['x' * 60] * 4)}"),
    ]


# docs/spec/sources.md 3.3
def test_internal_hostnames_of_a_headless_service_get_the_addresses_of_its_endpoints() -> None:
    found = claims(service(ours(internal_hostname="pg.t"), HEADLESS, location="db/pg"), PG_1, SLICE)
    assert reduce_claims(found) == ["pg.t A 10.1.0.5"]


def test_a_headless_service_waits_for_pods_endpoint_slices_and_nodes_whose_addresses_it_publishes() -> None:
    with pytest.raises(NotSyncedError, match="Node"):
        claims(pg(ours(endpoints_type="NodeExternalIP")), PG_0, SLICE)
    with pytest.raises(NotSyncedError, match="Pod"):
        compute_claims(build_source("service"), pg(), listed=[ENDPOINT_SLICE])
    with pytest.raises(NotSyncedError, match="EndpointSlice"):
        compute_claims(build_source("service"), pg(), listed=[POD])
