"""Headless Services (spec sources 3.6)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim, Withheld
from extdns.model.objects import (
    ENDPOINT_SLICE,
    POD,
    EndpointSlice,
    KubernetesObject,
    Service,
    ServiceSpec,
    SliceEndpoint,
)
from extdns.ports import NotReadyError
from extdns.sources.service.settings import ServiceSettings
from extdns.sources.service.source import ServiceSource
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import HEADLESS, endpoints, member, meta, node, ours, pod, said, service, wanted

pytestmark = pytest.mark.usefixtures("cluster")

APP = {"app": "pg"}
PG_0 = pod("db/pg-0", hostname="pg-0", labels=APP, host_ip="10.0.0.1", node_name="n1")
PG_1 = pod("db/pg-1", labels=APP, host_ip="10.0.0.2", node_name="n2")
N1 = node("n1", external=["203.0.113.1"], internal=["10.0.0.1", "fd00::1"], unschedulable=True)
SLICE = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4", "10.1.0.99"), member("pg-1", "10.1.0.5", ready=True))


def pg(annotations: dict[str, str] | None = None, spec: ServiceSpec = HEADLESS) -> Service:
    return service(ours(hostname="pg.acme.test") | (annotations or {}), spec, place="db/pg")


def claims(obj: Service, *others: KubernetesObject, settings: ServiceSettings | None = None) -> tuple[Claim, ...]:
    source = ServiceSource(settings=settings or ServiceSettings())
    return shown(source, obj, *others, listed=[POD, ENDPOINT_SLICE])


NOT_READY = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4"), member("pg-1", "10.1.0.5", ready=False))
NEVER_READY = ServiceSpec(cluster_ip="None", selector=APP, publish_not_ready_addresses=True)


def test_3_6_worked_example() -> None:
    found = claims(pg(), PG_0, PG_1, NOT_READY)
    assert said(found) == ["pg-0.pg.acme.test A - [10.1.0.4]", "pg.acme.test A - [10.1.0.4]"]
    assert {claim.endpoint.resource for claim in wanted(found)} == {"service/db/pg"}


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        pytest.param(NEVER_READY, ServiceSettings(), id="3.6-worked-example-by-the-service"),
        pytest.param(HEADLESS, ServiceSettings(always_publish_not_ready_addresses=True), id="3.6-by-the-flag"),
    ],
)
def test_what_is_not_ready_can_be_published(spec: ServiceSpec, settings: ServiceSettings) -> None:
    assert said(claims(pg(spec=spec), PG_0, PG_1, NOT_READY, settings=settings)) == [
        "pg-0.pg.acme.test A - [10.1.0.4]",
        "pg.acme.test A - [10.1.0.4, 10.1.0.5]",
    ]


@pytest.mark.parametrize(
    ("annotations", "settings", "expected"),
    [
        pytest.param({}, ServiceSettings(), "10.1.0.4 10.1.0.5", id="3.6-first-address-of-each-endpoint"),
        pytest.param(ours(endpoints_type="HostIP"), ServiceSettings(), "10.0.0.1 10.0.0.2", id="3.6-host-ip"),
        pytest.param({}, ServiceSettings(publish_host_ip=True), "10.0.0.1 10.0.0.2", id="3.6-publish-host-ip"),
        pytest.param(
            ours(endpoints_type="NodeExternalIP"), ServiceSettings(), "203.0.113.1", id="3.6-node-external-ip"
        ),
        pytest.param(
            ours(endpoints_type="NodeExternalIP"),
            ServiceSettings(expose_internal_ipv6=True, publish_host_ip=True),
            "203.0.113.1 fd00::1",
            id="3.6-node-external-ip-wins-and-exposes-ipv6",
        ),
        pytest.param(ours(endpoints_type="hostip"), ServiceSettings(), "10.1.0.4 10.1.0.5", id="2.3-else-as-absent"),
    ],
)
def test_endpoints_type_chooses_the_addresses(
    annotations: dict[str, str], settings: ServiceSettings, expected: str
) -> None:
    found = wanted(claims(pg(annotations), PG_0, PG_1, SLICE, N1, settings=settings))
    targets = [target for claim in found if claim.name == "pg.acme.test" for target in claim.endpoint.targets]
    assert " ".join(targets) == expected
    assert [notice.allowed for notice in found[0].notices] == (
        ["NodeExternalIP or HostIP"] if annotations == ours(endpoints_type="hostip") else []
    )


def test_3_6_a_pod_s_target_annotation_comes_first() -> None:
    marked = pod("db/pg-0", hostname="pg-0", labels=APP, annotations=ours(target="198.51.100.4,lb.t"))
    assert said(claims(pg(), marked, PG_1, SLICE, settings=ServiceSettings(publish_host_ip=True))) == [
        "pg-0.pg.acme.test A - [198.51.100.4]",
        "pg-0.pg.acme.test CNAME - [lb.t]",
        "pg.acme.test A - [10.0.0.2, 198.51.100.4]",
        "pg.acme.test CNAME - [lb.t]",
    ]


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
def test_an_endpoint_that_names_no_pod_of_the_service_is_skipped(skipped: SliceEndpoint) -> None:
    slices = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4"), skipped)
    found = claims(pg(), PG_0, PG_1, pod("db/stray"), slices)
    assert said(found) == ["pg-0.pg.acme.test A - [10.1.0.4]", "pg.acme.test A - [10.1.0.4]"]


def test_3_6_slices_of_other_services_and_namespaces_do_not_count() -> None:
    others = [endpoints("db/x", "my", member("pg-0", "10.1.0.8")), endpoints("ns/pg", "pg", member("pg-0", "10.1.0.9"))]
    found = claims(pg(), PG_0, PG_1, SLICE, *others)
    assert said(found)[1] == "pg.acme.test A - [10.1.0.4, 10.1.0.5]"


FQDN = endpoints("db/pg-x", "pg", member("pg-0", "pg-0.elsewhere.t"), address_type="FQDN")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(ServiceSettings(), ["pg.acme.test no-endpoints"], id="3.6-not-for-pod-addresses"),
        pytest.param(
            ServiceSettings(publish_host_ip=True),
            ["pg-0.pg.acme.test A - [10.0.0.1]", "pg.acme.test A - [10.0.0.1]"],
            id="3.6-for-other-addresses",
        ),
    ],
)
def test_slices_of_names_count_where_their_addresses_do_not(settings: ServiceSettings, expected: list[str]) -> None:
    assert said(claims(pg(), PG_0, FQDN, settings=settings)) == expected


def test_3_6_two_families_make_two_records() -> None:
    six = endpoints("db/pg-y", "pg", member("pg-0", "2001:db8::4"), address_type="IPv6")
    assert said(claims(pg(), PG_0, PG_1, SLICE, six)) == [
        "pg-0.pg.acme.test A - [10.1.0.4]",
        "pg-0.pg.acme.test AAAA - [2001:db8::4]",
        "pg.acme.test A - [10.1.0.4, 10.1.0.5]",
        "pg.acme.test AAAA - [2001:db8::4]",
    ]


def test_3_6_without_selector_every_pod_of_the_namespace_counts() -> None:
    found = claims(pg(spec=ServiceSpec(cluster_ip="None")), pod("db/pg-0"), SLICE)
    assert said(found) == ["pg.acme.test A - [10.1.0.4]"]


def test_each_name_without_target_is_withheld_by_itself() -> None:
    pods = [PG_0, pod("db/pg-1", hostname="pg-1", labels=APP)]
    found = claims(pg(ours(set_identifier="blue")), *pods, NOT_READY)
    assert said(found) == [
        "pg-0.pg.acme.test A - [10.1.0.4]",
        "pg.acme.test A - [10.1.0.4]",
        "pg-1.pg.acme.test no-endpoints",
    ]
    assert isinstance(found[2], Withheld)
    assert found[2].set_identifier == "blue"


def test_complete_data_without_endpoints_withholds_the_host() -> None:
    assert said(claims(pg())) == ["pg.acme.test no-endpoints"]


@pytest.mark.parametrize(
    ("nodes", "settings", "detail"),
    [
        pytest.param([node("n2")], ServiceSettings(), "none of its endpoints", id="3.6-unknown-node"),
        pytest.param([node("n1")], ServiceSettings(), "none of its endpoints", id="3.6-node-without-external-ip"),
        pytest.param(
            [], ServiceSettings(service_types=frozenset({"ClusterIP"})), "nodes are not read", id="3.6-no-node-cache"
        ),
    ],
)
def test_node_addresses_may_be_missing(nodes: list[EndpointSlice], settings: ServiceSettings, detail: str) -> None:
    slices = endpoints("db/pg-x", "pg", member("pg-0", "10.1.0.4"))
    found = claims(pg(ours(endpoints_type="NodeExternalIP")), PG_0, slices, *nodes, settings=settings)
    assert said(found) == ["pg-0.pg.acme.test no-endpoints", "pg.acme.test no-endpoints"]
    assert isinstance(found[0], Withheld)
    assert found[0].detail.startswith(detail)


def test_3_6_a_name_too_long_costs_only_itself() -> None:
    long = pod("db/pg-0", hostname="h" * 63, labels=APP)
    obj = Service(metadata=meta("db/pg", ours(hostname=f"{'.'.join(['x' * 60] * 4)}")), spec=HEADLESS)
    found = claims(obj, long, endpoints("db/x", "pg", member("pg-0", "10.1.0.4")))
    assert [line.partition(" ")[0] for line in said(found)] == [".".join(["x" * 60] * 4), "invalid-name"]


def test_3_3_internal_hosts_are_the_same() -> None:
    found = claims(service(ours(internal_hostname="pg.t"), HEADLESS, place="db/pg"), PG_1, SLICE)
    assert said(found) == ["pg.t A - [10.1.0.5]"]


def test_nodes_are_asked_for_node_addresses_only() -> None:
    with pytest.raises(NotReadyError, match="Node"):
        claims(pg(ours(endpoints_type="NodeExternalIP")), PG_0, SLICE)
    with pytest.raises(NotReadyError, match="Pod"):
        shown(ServiceSource(settings=ServiceSettings()), pg(), listed=[ENDPOINT_SLICE])
    with pytest.raises(NotReadyError, match="EndpointSlice"):
        shown(ServiceSource(settings=ServiceSettings()), pg(), listed=[POD])
