"""References to objects: their resource labels, and their order by age.

See docs/spec/sources.md 1.8, docs/design/architecture.md.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.kind import Kind, ObjectKey, ObjectMeta, ObjectRef, build_key, build_ref, parse_namespace
from extdns.resources.core import NODE, SERVICE
from extdns.resources.externaldns import DNS_ENDPOINT
from extdns.resources.gateway_api import HTTP_ROUTE, TCP_ROUTE, TLS_ROUTE
from extdns.resources.networking import INGRESS

HTTP_PROXY = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", resource_prefix="HTTPProxy")
VIRTUAL_SERVER = Kind("cis.f5.com", "v1", "VirtualServer", "virtualservers", resource_prefix="f5-virtualserver")
CONFIG_MAP = Kind("", "v1", "ConfigMap", "configmaps")
FOO = Kind("example.org", "v1", "Foo", "foos", namespaced=False, resource_prefix="foo/")


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
        pytest.param(ref(FOO, "", "x"), "foo//x", "Foo x", id="1.8-unstructured-cluster-scoped"),
    ],
)
def test_an_object_reference_has_a_resource_label_and_a_text_form_for_messages(
    of: ObjectRef, resource: str, shown: str
) -> None:
    assert (of.key.resource, str(of)) == (resource, shown)


def test_object_references_are_sorted_by_age_with_unknown_age_last() -> None:
    young = ref(SERVICE, "a", "a", "2026-02-01T00:00:00Z")
    old = ref(SERVICE, "b", "b", "2026-01-01T00:00:00Z")
    ageless, other = ref(SERVICE, "a", "a"), ref(SERVICE, "a", "b")
    assert sorted([other, ageless, young, old], key=lambda of: of.age_sort_key) == [old, young, ageless, other]


def test_a_kind_lists_its_api_versions() -> None:
    assert (SERVICE.api_version, INGRESS.api_version) == ("v1", "networking.k8s.io/v1")
    group = "gateway.networking.k8s.io"
    assert TCP_ROUTE.api_version == f"{group}/v1"
    assert TLS_ROUTE.api_versions == (f"{group}/v1", f"{group}/v1alpha3", f"{group}/v1alpha2")


def test_a_namespaced_object_without_a_namespace_is_in_default() -> None:
    metadata = ObjectMeta(name="x", uid="u")
    assert build_ref(SERVICE, metadata) == ObjectRef(key=ObjectKey(SERVICE, "default", "x"), uid="u")
    assert build_key(SERVICE, replace(metadata, namespace="shop")).namespace == "shop"
    assert build_key(NODE, replace(metadata, namespace="shop")).namespace == ""


@pytest.mark.parametrize(
    ("resource", "namespace"), [("service/shop/web", "shop"), ("node/n1", ""), ("service", ""), ("", "")]
)
def test_the_namespace_of_a_resource_is_its_middle_part(resource: str, namespace: str) -> None:
    assert parse_namespace(resource) == namespace


def test_the_resource_of_a_kind_is_its_plural_with_its_group() -> None:
    assert (SERVICE.resource, INGRESS.resource) == ("services", "ingresses.networking.k8s.io")
