"""Objects kept whole for templates (spec sources 0.5)."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pytest
import yaml

from extdns.kube.live.roll import Roll
from extdns.kube.live.wire import item
from extdns.kube.manifests.reader import read
from extdns.kube.store import unchanged
from extdns.model.cluster import ObjectChange
from extdns.model.objects import NODE, SERVICE, KubernetesObject

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
KEPT: Final = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop", "annotations": {"a": "b"}},
    "spec": {"sessionAffinity": "None", "ports": [{"port": 80}]},
    "status": {"loadBalancer": {}},
}


def from_manifest(text: str) -> KubernetesObject:
    (found,) = read(text.encode(), "web.yaml", [SERVICE]).found
    return found.obj


def from_watch(data: dict[str, Any]) -> KubernetesObject:
    (news,) = Roll(SERVICE, whole=True).change(item(json.dumps(data).encode()))
    assert isinstance(news, ObjectChange)
    assert news.new is not None
    return news.new


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(from_manifest(json.dumps(WEB)), id="json"),
        pytest.param(from_manifest(yaml.safe_dump(WEB)), id="yaml"),
        pytest.param(from_manifest(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [WEB]})), id="list"),
        pytest.param(from_watch(WEB), id="watch"),
    ],
)
def test_0_5_all_is_kept_but_the_books(obj: KubernetesObject) -> None:
    assert msgspec.json.decode(obj.metadata.whole) == KEPT


def test_only_the_kinds_asked_for_are_kept_whole() -> None:
    (found,) = read(json.dumps(WEB).encode(), "web.json", [NODE]).found
    assert found.obj.metadata.whole == b""


def test_an_object_cannot_bring_what_is_kept_itself() -> None:
    (found,) = read(json.dumps({**WEB, "metadata": {"name": "web", "whole": "YQ=="}}).encode(), "web.json").found
    assert found.obj.metadata.whole == b""


def test_a_field_that_no_source_reads_is_a_change_and_its_version_is_none() -> None:
    first = from_watch(WEB)
    again = from_watch({**WEB, "metadata": {**WEB["metadata"], "resourceVersion": "8", "generation": 3}})
    other = from_watch({**WEB, "spec": {"sessionAffinity": "ClientIP"}})
    assert unchanged(first, again)
    assert not unchanged(first, other)


def test_what_cannot_be_kept_fails_its_object_alone() -> None:
    text = yaml.safe_dump_all([WEB, {**WEB, "metadata": {"name": "other"}}]).replace(
        "spec:", "spec:\n  a: 1\n  a: 2", 1
    )
    contents = read(text.encode(), "web.yaml", [SERVICE])
    assert [found.key.name for found in contents.found] == ["other"]
    (flaw,) = contents.flaws
    assert flaw.key is not None
    assert flaw.key.name == "web"
    assert "not readable whole, as templates need it: spec.a is given again on line" in flaw.message
