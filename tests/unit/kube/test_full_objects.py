"""Objects with all fields, for templates (docs/spec/sources.md 0.5)."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pytest
import yaml

from extdns.kube.live.responses import decode_object
from extdns.kube.local_store import DeltaTracker, is_unchanged
from extdns.kube.manifests.reader import read_manifests
from extdns.model.cluster import ObjectChange
from extdns.model.kind import KubernetesObject
from extdns.resources.core import NODE, SERVICE

WEB: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "resourceVersion": "7",
        "generation": 2,
        "managedFields": [{"manager": "kubectl"}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "b"},
    },
    "spec": {"sessionAffinity": "None", "ports": [{"port": 80}]},
    "status": {"conditions": [{"type": "Ready"}], "loadBalancer": {}},
}
FULL_OBJECT: Final = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop", "annotations": {"a": "b"}},
    "spec": {"sessionAffinity": "None", "ports": [{"port": 80}]},
    "status": {"loadBalancer": {}},
}


def from_manifest(text: str) -> KubernetesObject:
    (found,) = read_manifests(text.encode(), "web.yaml", [SERVICE]).found
    return found.obj


def from_watch(data: dict[str, Any]) -> KubernetesObject:
    (change,) = DeltaTracker(SERVICE, keep_full=True).receive_change(decode_object(json.dumps(data).encode()))
    assert isinstance(change, ObjectChange)
    assert change.new is not None
    return change.new


# docs/spec/sources.md 0.5
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(from_manifest(json.dumps(WEB)), id="json"),
        pytest.param(from_manifest(yaml.safe_dump(WEB)), id="yaml"),
        pytest.param(from_manifest(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [WEB]})), id="list"),
        pytest.param(from_watch(WEB), id="watch"),
    ],
)
def test_an_object_kept_in_full_lacks_only_versions_conditions_managed_fields_and_the_copy_of_kubectl(
    obj: KubernetesObject,
) -> None:
    assert msgspec.json.decode(obj.metadata.full_object) == FULL_OBJECT


def test_objects_are_kept_in_full_only_for_the_kinds_given_to_the_reader() -> None:
    (found,) = read_manifests(json.dumps(WEB).encode(), "web.json", [NODE]).found
    assert found.obj.metadata.full_object == b""


def test_a_field_in_a_manifest_cannot_replace_the_stored_full_object() -> None:
    (found,) = read_manifests(
        json.dumps({**WEB, "metadata": {"name": "web", "whole": "YQ=="}}).encode(), "web.json"
    ).found
    assert found.obj.metadata.full_object == b""


def test_an_object_kept_in_full_counts_as_changed_if_any_field_but_its_versions_differs() -> None:
    first = from_watch(WEB)
    again = from_watch({**WEB, "metadata": {**WEB["metadata"], "resourceVersion": "8", "generation": 3}})
    other = from_watch({**WEB, "spec": {"sessionAffinity": "ClientIP"}})
    assert is_unchanged(first, again)
    assert not is_unchanged(first, other)


def test_an_object_that_cannot_be_kept_in_full_does_not_affect_others() -> None:
    text = yaml.safe_dump_all([WEB, {**WEB, "metadata": {"name": "other"}}]).replace(
        "spec:", "spec:\n  a: 1\n  a: 2", 1
    )
    contents = read_manifests(text.encode(), "web.yaml", [SERVICE])
    assert [found.key.name for found in contents.found] == ["other"]
    (problem,) = contents.problems
    assert problem.key is not None
    assert problem.key.name == "web"
    assert "cannot be read with all fields, as templates need: spec.a is given again on line" in problem.message
