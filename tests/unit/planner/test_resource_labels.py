"""Which object the resource label of an ownership record names (docs/spec/sources.md 1.8)."""

from __future__ import annotations

import pytest

from extdns.model.kind import Kind, ObjectKey
from extdns.planner.settings import Planner
from extdns.resources.core import NODE
from tests.builders import SERVICE
from tests.unit.planner.name_plan import build_planner

FOO = Kind("example.org", "v1", "Foo", "foos", namespaced=False, resource_prefix="foo/")
HTTP_PROXY = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", resource_prefix="HTTPProxy")


def planner(*namespaces: str) -> Planner:
    """Build a planner that is limited to *namespaces*."""
    kinds = {kind.label: kind for kind in (SERVICE, NODE, FOO, HTTP_PROXY)}
    return build_planner(kinds=kinds, namespaces=namespaces)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(ObjectKey(SERVICE, "shop", "web"), id="service"),
        pytest.param(ObjectKey(NODE, "", "n1"), id="node"),
        pytest.param(ObjectKey(FOO, "", "x"), id="cluster-scoped custom resource"),
        pytest.param(ObjectKey(HTTP_PROXY, "shop", "web"), id="kind with capitals"),
    ],
)
def test_a_resource_label_is_parsed_to_the_key_of_the_object_that_it_names(key: ObjectKey) -> None:
    assert planner().find_object(key.resource) == key


@pytest.mark.parametrize("resource", ["", "service", "service/", "service//web", "service/shop/", "pod/a/b", "node/"])
def test_an_invalid_or_unknown_resource_label_gives_no_object(resource: str) -> None:
    assert planner().find_object(resource) is None


def test_a_resource_label_gives_no_object_outside_the_watched_namespaces_unless_it_has_no_namespace() -> None:
    found = planner("other")
    assert found.find_object("service/shop/web") is None
    assert found.find_object("node/n1") == ObjectKey(NODE, "", "n1")
