"""The service source: filters, hosts, and the types that need no lookup (docs/spec/sources.md 3.1-3.4, 3.7)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim
from extdns.model.kind import build_ref
from extdns.model.reason import Reason
from extdns.ports import Source
from extdns.resources.core import SERVICE, Service, ServiceSpec
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, invalid, reduce_claims, resolved
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import load_balancer, ours, service

pytestmark = pytest.mark.usefixtures("cluster")

DEFAULTS = settings_with()
PUBLISHING = settings_with(publish_internal_services=True)
HIDDEN = "--publish-internal-services"
CLUSTER_IP = ServiceSpec(cluster_ip="10.3.0.9")
HOST = ours(hostname="h.t")
INTERNAL = ours(internal_hostname="i.t")


def claims(obj: Service, settings: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    """Return the claims of *obj* in a cluster in which no kind is synced, so that any lookup fails."""
    source: Source = build_source("service", settings)
    return compute_claims(source, obj)


def spec(service_type: str, *, cluster_ip: str = "", external_ips: tuple[str, ...] = (), name: str = "") -> ServiceSpec:
    return ServiceSpec(type=service_type, cluster_ip=cluster_ip, external_ips=external_ips, external_name=name)


@pytest.mark.parametrize(
    ("annotations", "of", "settings", "expected"),
    [
        pytest.param(
            INTERNAL, spec("LoadBalancer", cluster_ip="None"), DEFAULTS, ["i.t: no-endpoints"], id="3.3-lb-none"
        ),
        pytest.param(INTERNAL, spec("LoadBalancer"), DEFAULTS, ["i.t: no-address"], id="3.3-lb-without-cluster-ip"),
        pytest.param(HOST, CLUSTER_IP, DEFAULTS, [excluded(HIDDEN, "h.t")], id="3.3-cluster-ip-hidden"),
        pytest.param(HOST, CLUSTER_IP, PUBLISHING, ["h.t A 10.3.0.9"], id="3.3-cluster-ip-published"),
        pytest.param(INTERNAL, CLUSTER_IP, DEFAULTS, ["i.t A 10.3.0.9"], id="3.3-cluster-ip-internal"),
        pytest.param(INTERNAL, spec("ClusterIP"), DEFAULTS, ["i.t: no-address"], id="3.3-cluster-ip-unassigned"),
        pytest.param(
            HOST, spec("ClusterIP", cluster_ip="2001:db8::9"), PUBLISHING, ["h.t AAAA 2001:db8::9"], id="3.3-v6"
        ),
        pytest.param(
            HOST,
            spec("LoadBalancer", external_ips=("192.0.2.9", "2001:db8::9")),
            DEFAULTS,
            ["h.t A 192.0.2.9", "h.t AAAA 2001:db8::9"],
            id="3.4-external-ips",
        ),
        pytest.param(
            HOST, spec("LoadBalancer", external_ips=("",)), DEFAULTS, ["h.t: invalid-target"], id="3.4-empty-ip"
        ),
        pytest.param(
            HOST, spec("ExternalName", name="db.t."), DEFAULTS, ["h.t CNAME db.t"], id="3.7-external-name-with-dot"
        ),
        pytest.param(INTERNAL, spec("ExternalName", name="db.t"), DEFAULTS, ["i.t CNAME db.t"], id="3.3-name-internal"),
        pytest.param(HOST, spec("ExternalName", name="192.0.2.9"), DEFAULTS, ["h.t A 192.0.2.9"], id="3.7-address"),
        pytest.param(
            HOST,
            spec("ExternalName", name="db.t", external_ips=("192.0.2.9", "2001:db8::9")),
            DEFAULTS,
            ["h.t A 192.0.2.9", "h.t AAAA 2001:db8::9"],
            id="3.7-external-ips-first",
        ),
        pytest.param(HOST, spec("ExternalName"), DEFAULTS, ["h.t: invalid-target"], id="3.3-external-name-empty"),
        pytest.param(
            HOST, spec("ExternalName", name="a b"), DEFAULTS, ["h.t: invalid-target"], id="external-name-no-name"
        ),
        pytest.param(HOST, spec("Odd"), DEFAULTS, ["h.t: invalid-object"], id="unknown-type"),
    ],
)
def test_the_type_of_a_service_decides_which_addresses_its_hosts_get(
    annotations: dict[str, str], of: ServiceSpec, settings: SourceSettings, expected: list[str]
) -> None:
    assert reduce_claims(claims(service(annotations, of), settings)) == expected


# docs/spec/sources.md 3.3
@pytest.mark.parametrize("of", [spec(kind, cluster_ip="None") for kind in ("LoadBalancer", "ClusterIP", "NodePort")])
@pytest.mark.parametrize("host", [HOST, INTERNAL], ids=["hostname", "internal-hostname"])
def test_the_target_annotation_of_a_service_replaces_all_other_targets(of: ServiceSpec, host: dict[str, str]) -> None:
    found = reduce_claims(claims(service(host | ours(target="198.51.100.1, x.t.,2001:db8::9"), of)))
    name = "h.t" if host is HOST else "i.t"
    assert found == [
        resolved(name, "A", "198.51.100.1"),
        resolved(name, "AAAA", "2001:db8::9"),
        resolved(name, "CNAME", "x.t"),
    ]


# docs/spec/sources.md 3.2
def test_the_hostname_and_internal_hostname_annotations_of_a_service_are_both_read() -> None:
    found = claims(load_balancer(ours(hostname="b.t,c.t", internal_hostname="a.t, c.t"), "192.0.2.1"))
    assert reduce_claims(found) == ["a.t A 10.3.0.9", "b.t A 192.0.2.1", "c.t A 10.3.0.9, 192.0.2.1"]


@pytest.mark.parametrize(
    ("value", "of", "expected"),
    [
        pytest.param([], "NodePort", [], id="3.1-empty-list"),
        pytest.param(["LoadBalancer", ""], "NodePort", [], id="3.1-empty-element-disables"),
        pytest.param(["LoadBalancer"], "LoadBalancer", [], id="3.1-listed"),
        pytest.param(["LoadBalancer"], "NodePort", ["excluded by --service-type-filter"], id="3.1-not-listed"),
        pytest.param(["NodePort"], "", ["excluded by --service-type-filter"], id="3.1-no-type-is-cluster-ip"),
        pytest.param(["ClusterIP"], "", [], id="3.1-cluster-ip-is-the-default"),
    ],
)
def test_the_service_type_filter_excludes_services_of_other_types(
    value: list[str], of: str, expected: list[str]
) -> None:
    found = claims(service(None, ServiceSpec(type=of)), settings_with(service_type_filter=value))
    assert reduce_claims(found) == expected


def test_an_excluded_service_gives_one_excluded_claim_for_all_its_hosts() -> None:
    settings = settings_with(namespace="other")
    obj = load_balancer(ours(hostname="a.t,b.t,c..t", ttl="x"), "192.0.2.1")
    (claim,) = claims(obj, settings)
    assert reduce_claims([claim]) == ["excluded by --namespace"]
    assert claim.ref == build_ref(SERVICE, obj.metadata)  # type: ignore[union-attr]


def test_a_service_without_hostname_annotations_gives_no_claims() -> None:
    assert claims(load_balancer(None, "192.0.2.1")) == ()
    assert claims(load_balancer({"other/hostname": "a.t"}, "192.0.2.1")) == ()
    assert claims(load_balancer(ours(ttl="60"), "192.0.2.1")) == ()


def test_an_invalid_host_does_not_affect_other_hosts_of_a_service() -> None:
    found = claims(load_balancer(ours(hostname=f"a.t,,b..t,{'x' * 64}.t,c.t"), "192.0.2.1"))
    assert reduce_claims(found) == [
        "a.t A 192.0.2.1",
        "c.t A 192.0.2.1",
        "invalid-name: b..t",
        invalid(Reason.INVALID_NAME, f"{'x' * 64}.t"),
    ]
