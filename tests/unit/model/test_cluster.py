"""References to objects: how marks name them, and who was first (spec sources 1.8, design 4)."""

from __future__ import annotations

import pytest

from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.dnsendpoint import DNS_ENDPOINT
from extdns.model.gatewayapi import HTTP_ROUTE, TCP_ROUTE, TLS_ROUTE
from extdns.model.objects import INGRESS, NODE, SERVICE

HTTP_PROXY = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", mark="HTTPProxy")
VIRTUAL_SERVER = Kind("cis.f5.com", "v1", "VirtualServer", "virtualservers", mark="f5-virtualserver")
CONFIG_MAP = Kind("", "v1", "ConfigMap", "configmaps")
FOO = Kind("example.org", "v1", "Foo", "foos", namespaced=False, mark="foo/")


def ref(kind: Kind, namespace: str, name: str, created: str = "") -> ObjectRef:
    return ObjectRef(key=ObjectKey(kind, namespace, name), created=created)


@pytest.mark.parametrize(
    ("of", "resource", "shown"),
    [
        pytest.param(ref(SERVICE, "ns", "web"), "service/ns/web", "Service ns/web", id="1.8-service"),
        pytest.param(ref(INGRESS, "ns", "web"), "ingress/ns/web", "Ingress ns/web", id="1.8-ingress"),
        pytest.param(ref(NODE, "", "n1"), "node/n1", "Node n1", id="1.8-node"),
        pytest.param(ref(HTTP_ROUTE, "ns", "r"), "httproute/ns/r", "HTTPRoute ns/r", id="1.8-gateway"),
        pytest.param(ref(DNS_ENDPOINT, "ns", "d"), "crd/ns/d", "DNSEndpoint ns/d", id="1.8-crd"),
        pytest.param(ref(HTTP_PROXY, "ns", "p"), "HTTPProxy/ns/p", "HTTPProxy ns/p", id="1.8-contour-httpproxy"),
        pytest.param(ref(VIRTUAL_SERVER, "ns", "v"), "f5-virtualserver/ns/v", "VirtualServer ns/v", id="1.8-f5"),
        pytest.param(ref(CONFIG_MAP, "n", "c"), "configmap/n/c", "ConfigMap n/c", id="1.8-unstructured"),
        pytest.param(ref(FOO, "", "x"), "foo//x", "Foo x", id="1.8-unstructured-of-the-cluster"),
    ],
)
def test_a_reference_names_its_object(of: ObjectRef, resource: str, shown: str) -> None:
    assert (of.key.resource, str(of)) == (resource, shown)


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        pytest.param(SERVICE, "service", id="its name"),
        pytest.param(HTTP_PROXY, "HTTPProxy", id="another name"),
        pytest.param(FOO, "foo", id="an empty namespace"),
    ],
)
def test_the_first_part_of_a_mark_tells_the_kind(kind: Kind, label: str) -> None:
    assert kind.label == label
    assert ref(kind, "ns" if kind.namespaced else "", "x").key.resource.partition("/")[0] == label


def test_older_objects_come_first_and_unknown_ages_last() -> None:
    young = ref(SERVICE, "a", "a", "2026-02-01T00:00:00Z")
    old = ref(SERVICE, "b", "b", "2026-01-01T00:00:00Z")
    ageless, other = ref(SERVICE, "a", "a"), ref(SERVICE, "a", "b")
    assert sorted([other, ageless, young, old], key=lambda of: of.seniority) == [old, young, ageless, other]


def test_kinds_know_their_api_versions() -> None:
    assert (SERVICE.api_version, INGRESS.api_version) == ("v1", "networking.k8s.io/v1")
    group = "gateway.networking.k8s.io"
    assert TCP_ROUTE.api_version == f"{group}/v1"
    assert TLS_ROUTE.api_versions == (f"{group}/v1", f"{group}/v1alpha3", f"{group}/v1alpha2")
