"""Which object a mark names (spec sources 1.8)."""

from __future__ import annotations

import pytest

from extdns.engine.claims import ClaimIndex
from extdns.engine.judge import Judge
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.objects import NODE
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.engine.stage import SERVICE, engine_settings

FOO = Kind("example.org", "v1", "Foo", "foos", namespaced=False, mark="foo/")
HTTP_PROXY = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", mark="HTTPProxy")


def judge(*namespaces: str) -> Judge:
    kinds = {kind.label: kind for kind in (SERVICE, NODE, FOO, HTTP_PROXY)}
    provider = FaultyProvider(inner=InMemoryProvider())
    return Judge(ClaimIndex(), engine_settings(provider, kinds=kinds, namespaces=namespaces))


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(ObjectKey(SERVICE, "shop", "web"), id="service"),
        pytest.param(ObjectKey(NODE, "", "n1"), id="node"),
        pytest.param(ObjectKey(FOO, "", "x"), id="unstructured of the cluster"),
        pytest.param(ObjectKey(HTTP_PROXY, "shop", "web"), id="with capitals"),
    ],
)
def test_a_mark_names_its_object_and_back(key: ObjectKey) -> None:
    assert judge().object_of(key.resource) == key


@pytest.mark.parametrize("resource", ["", "service", "service/", "service//web", "service/shop/", "pod/a/b", "node/"])
def test_a_mark_that_names_nothing_names_no_object(resource: str) -> None:
    assert judge().object_of(resource) is None


def test_objects_outside_the_namespaces_are_nobodys_but_those_of_the_cluster_are() -> None:
    found = judge("other")
    assert found.object_of("service/shop/web") is None
    assert found.object_of("node/n1") == ObjectKey(NODE, "", "n1")
