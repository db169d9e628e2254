"""The fake cluster view behaves as the port `ClusterView` specifies."""

from __future__ import annotations

import pytest

from extdns.model.kubernetes_object import ObjectMeta
from extdns.ports import ClusterView, NotSyncedError
from extdns.resources.core import NODE, POD, SERVICE, Node, Pod
from tests.fakes.view import FakeView


def pod(namespace: str, name: str, **labels: str) -> Pod:
    return Pod(metadata=ObjectMeta(namespace=namespace, name=name, labels=labels or None))


PODS = (pod("b", "x", app="a"), pod("a", "y", app="a", tier="1"), pod("a", "x", app="b"), pod("", "z"))
VIEW: ClusterView = FakeView(*PODS, Node(metadata=ObjectMeta(name="n1")))


def test_the_fake_view_finds_an_object_by_namespace_and_name() -> None:
    assert VIEW.get(POD, "a", "x") is PODS[2]
    assert VIEW.get(POD, "default", "z") is PODS[3]
    assert VIEW.get(NODE, "", "n1") is not None
    assert VIEW.get(POD, "a", "z") is None


@pytest.mark.parametrize(
    ("namespace", "labels", "expected"),
    [
        pytest.param("", {}, ["a/x", "a/y", "b/x", "/z"], id="all-by-namespace-and-name"),
        pytest.param("a", {}, ["a/x", "a/y"], id="one-namespace"),
        pytest.param("", {"app": "a"}, ["a/y", "b/x"], id="one-label"),
        pytest.param("", {"app": "a", "tier": "1"}, ["a/y"], id="every-label-counts"),
        pytest.param("c", {}, [], id="none"),
    ],
)
def test_the_fake_view_selects_objects_by_namespace_and_labels(
    namespace: str, labels: dict[str, str], expected: list[str]
) -> None:
    found = VIEW.select(POD, namespace, labels)
    assert [f"{obj.metadata.namespace}/{obj.metadata.name}" for obj in found] == expected


def test_in_the_fake_view_a_lookup_of_a_kind_that_was_not_listed_raises_a_not_synced_error() -> None:
    with pytest.raises(NotSyncedError, match="Service"):
        VIEW.get(SERVICE, "a", "x")
    with pytest.raises(NotSyncedError, match="Service"):
        VIEW.select(SERVICE, "", {})


def test_in_the_fake_view_a_listed_kind_without_objects_is_synced() -> None:
    view = FakeView(listed=[SERVICE])
    assert view.get(SERVICE, "a", "x") is None
    assert view.select(SERVICE, "", {}) == []
