"""Properties of sources: they never fail, and order does not matter (laws 3 and 9)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.model.claim import ExcludedClaim, InvalidClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.validation import validate_record
from extdns.ports import Source
from extdns.resources.core import Service, ServicePort, ServiceSpec
from extdns.sources.common.annotation_names import OLD_PREFIX, PREFIX
from extdns.sources.common.claim_stages import validate_claim
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims, resolved
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import balanced, endpoints, ingress, member, node, pod, service

pytestmark = pytest.mark.usefixtures("cluster")
few = settings(max_examples=30)  # few examples, because each one is sent to the cluster

NAMES = [
    "access",
    "alias",
    "aws-weight",
    "cloudflare-proxied",
    "controller",
    "endpoints-type",
    "hostname",
    "ingress-hostname-source",
    "internal-hostname",
    "record-type",
    "set-identifier",
    "target",
    "ttl",
]
GOOD = ("a.t", "b.t,a.t", "192.0.2.1", "2001:db8::1", "60", "true", "public", "HostIP", "annotation-only", "x" * 64)
TEXTS = st.text(max_size=12) | st.sampled_from(GOOD)
KEYS = st.builds("{}{}".format, st.sampled_from([PREFIX, OLD_PREFIX, ""]), st.sampled_from(NAMES) | st.text(max_size=3))
HOSTS = st.dictionaries(st.sampled_from([PREFIX + "hostname", PREFIX + "internal-hostname"]), TEXTS)
ANNOTATIONS = st.builds(lambda some, hosts: some | hosts, st.dictionaries(KEYS, TEXTS, max_size=6), HOSTS)
POINTS = st.lists(TEXTS, max_size=3)
SPECS = st.builds(
    ServiceSpec,
    type=st.sampled_from(["", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Odd"]),
    cluster_ip=st.sampled_from(["None", "", "10.0.0.1"]) | TEXTS,
    external_name=TEXTS,
    external_ips=st.none() | st.lists(TEXTS, max_size=2).map(tuple),
    external_traffic_policy=st.sampled_from(["", "Local"]),
    ports=st.none() | st.just((ServicePort(protocol="TCP", node_port=30000), ServicePort())),
)
SERVICES = st.builds(
    lambda annotations, spec, points: service(annotations, spec, balanced(*points), "ns/web"),
    ANNOTATIONS,
    SPECS,
    POINTS,
)
INGRESSES = st.builds(
    lambda annotations, points, rules, tls: ingress(*points, rules=rules, tls=[tls], annotations=annotations),
    ANNOTATIONS,
    POINTS,
    POINTS,
    POINTS,
)
OTHERS: tuple[KubernetesObject, ...] = (
    node("n1", external=["203.0.113.1"], internal=["10.0.0.1", "odd one"]),
    pod("ns/p", node_name="n1", hostname="p..p", host_ip="10.0.0.1"),
    pod("ns/q", node_name="n1", hostname="q", host_ip="10.0.0.2"),
    endpoints("ns/web-x", "web", member("p", "10.1.0.1"), member("q", "10.1.0.2")),
)


def source_of(obj: KubernetesObject, *, exposing: bool = True) -> Source:
    settings = settings_with(publish_internal_services=exposing, expose_internal_ipv6=exposing)
    return build_source("service" if isinstance(obj, Service) else "ingress", settings, stages=(validate_claim,))


@few
@given(SERVICES | INGRESSES, st.booleans())
def test_any_service_or_ingress_gives_valid_claims(obj: KubernetesObject, exposing: bool) -> None:
    source = source_of(obj, exposing=exposing)
    for claim in compute_claims(source, obj, *OTHERS):
        match claim:
            case ResolvedClaim():
                assert validate_record(claim.desired) is None
                assert claim.desired.targets
                assert claim.name == DnsName.parse(claim.name)
                assert claim.provenance.source == source.name
            case UnresolvedClaim():
                assert claim.detail
            case InvalidClaim():
                assert claim.allowed
            case ExcludedClaim():
                assert claim.excluded_by


@few
@given(SERVICES | INGRESSES)
def test_each_name_has_resolved_claims_or_one_that_is_not_and_never_both_unless_a_target_is_invalid(
    obj: KubernetesObject,
) -> None:
    claims = compute_claims(source_of(obj), obj, *OTHERS)
    list_resolved_claims = [claim for claim in claims if isinstance(claim, ResolvedClaim)]
    keys = [
        (claim.desired.key, claim.desired.targets if claim.desired.type == "CNAME" else ())
        for claim in list_resolved_claims
    ]
    assert len(set(keys)) == len(keys)
    others = [
        claim.name
        for claim in claims
        if (isinstance(claim, UnresolvedClaim) and claim.reason not in {Reason.INVALID_TARGET, Reason.INVALID_ENDPOINT})
        or (isinstance(claim, ExcludedClaim) and claim.name is not None)
    ]
    assert len({*others, *(claim.name for claim in list_resolved_claims)}) == len(others) + len(
        {claim.name for claim in list_resolved_claims}
    )


@few
@given(
    ANNOTATIONS.flatmap(
        lambda annotations: st.tuples(st.just(annotations), st.permutations(list(annotations.items())).map(dict))
    )
)
def test_claims_do_not_depend_on_the_order_of_annotations(spellings: tuple[dict[str, str], dict[str, str]]) -> None:
    spec, status = ServiceSpec(type="LoadBalancer", cluster_ip="10.0.0.1"), balanced("192.0.2.1")
    services = [service(annotations, spec, status) for annotations in spellings]
    ingresses = [ingress("192.0.2.1", rules=["a.t"], annotations=annotations) for annotations in spellings]
    for source, first_and_second in ((source_of(services[0]), services), (source_of(ingresses[0]), ingresses)):
        first, second = (compute_claims(source, obj) for obj in first_and_second)
        assert first == second


@few
@given(SPECS, st.permutations(OTHERS))
def test_claims_do_not_depend_on_the_order_of_objects(spec: ServiceSpec, others: list[KubernetesObject]) -> None:
    obj = service({PREFIX + "hostname": "a.t"}, spec, location="ns/web")
    assert compute_claims(source_of(obj), obj, *others) == compute_claims(source_of(obj), obj, *OTHERS)


@pytest.mark.parametrize("text", ["a.t", "web.shop.example.org"])
@few
@given(blanks=st.lists(st.sampled_from(["", " ", "  "]), min_size=3, max_size=3))
def test_claims_do_not_depend_on_spaces_and_duplicates_in_a_list_annotation(text: str, blanks: list[str]) -> None:
    spec, status = ServiceSpec(type="LoadBalancer"), balanced("192.0.2.1")
    obj = service({PREFIX + "hostname": f"{blanks[0]}{text}{blanks[1]},{text}.{blanks[2]},"}, spec, status)
    assert reduce_claims(compute_claims(source_of(obj), obj)) == [resolved(text, "A", "192.0.2.1")]
