"""Merge patches (RFC 7386), JSON patches (RFC 6902) and strategic merge patches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver import patches
from tests.fakes.apiserver.raw_client import IN_SHOP, JSON_PATCH, MERGE, STRATEGIC, RawClient, build_service
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.statuses import ApiError
from tests.unit.fakes.apiserver.http_routes import build_route

WEB = f"{IN_SHOP}/web"


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        pytest.param({"a": "b"}, {"a": "c"}, {"a": "c"}, id="replaces"),
        pytest.param({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}, id="adds"),
        pytest.param({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}, id="removes"),
        pytest.param({"a": ["b"]}, {"a": "c"}, {"a": "c"}, id="replaces-lists"),
        pytest.param({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}, id="merges-nested-objects"),
        pytest.param({"a": "foo"}, None, None, id="null"),
        pytest.param({"e": None}, {"a": 1}, {"e": None, "a": 1}, id="null-in-the-target-stays"),
        pytest.param({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}, id="null-is-never-added"),
    ],
)
def test_merge_patches_have_the_results_of_rfc_7386_appendix_a(target: Any, patch: Any, expected: Any) -> None:  # noqa: ANN401 - any JSON
    assert patches.apply_merge_patch(target, patch) == expected


@pytest.mark.parametrize(
    ("target", "operations", "expected"),
    [
        pytest.param({"a": 1}, [{"op": "add", "path": "/b", "value": 2}], {"a": 1, "b": 2}, id="A.1"),
        pytest.param([1, 3], [{"op": "add", "path": "/1", "value": 2}], [1, 2, 3], id="A.2"),
        pytest.param({"a": 1, "b": 2}, [{"op": "remove", "path": "/b"}], {"a": 1}, id="A.3"),
        pytest.param([1, 2, 3], [{"op": "remove", "path": "/1"}], [1, 3], id="A.4"),
        pytest.param({"a": 1}, [{"op": "replace", "path": "/a", "value": 2}], {"a": 2}, id="A.5"),
        pytest.param({"a": {"x": 1}}, [{"op": "move", "from": "/a/x", "path": "/y"}], {"a": {}, "y": 1}, id="A.6"),
        pytest.param({"a": [1]}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": [1], "b": [1]}, id="copy"),
        pytest.param({"a": 1}, [{"op": "test", "path": "/a", "value": 1}], {"a": 1}, id="A.8"),
        pytest.param({"/": 9, "~1": 10}, [{"op": "remove", "path": "/~01"}], {"/": 9}, id="A.14-escapes"),
        pytest.param({"a": [1]}, [{"op": "add", "path": "/a/-", "value": [2]}], {"a": [1, [2]]}, id="A.16"),
        pytest.param({"a": 1}, [{"op": "replace", "path": "/b", "value": 2}], {"a": 1, "b": 2}, id="not-there-yet"),
    ],
)  # fmt: skip
def test_json_patches_have_the_results_of_rfc_6902_appendix_a(target: Any, operations: Any, expected: Any) -> None:  # noqa: ANN401 - any JSON
    assert patches.apply_json_patch(target, operations) == expected


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param({"op": "remove", "path": "/nope"}, id="nothing-to-remove"),
        pytest.param({"op": "replace", "path": "/l/9", "value": 1}, id="no-item-to-replace"),
        pytest.param({"op": "replace", "path": "/nope/a", "value": 1}, id="no-parent-to-replace-in"),
        pytest.param({"op": "add", "path": "/a/b", "value": 1}, id="A.12-no-parent"),
        pytest.param({"op": "add", "path": "/l/5", "value": 1}, id="beyond-the-end"),
        pytest.param({"op": "test", "path": "/l", "value": [2]}, id="A.9-test-fails"),
        pytest.param({"op": "nope", "path": "/l"}, id="unknown"),
    ],
)
def test_a_json_patch_that_cannot_be_applied_is_refused_with_422(operation: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as raised:
        patches.apply_json_patch({"l": [1]}, [operation])
    assert raised.value.code == 422


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        pytest.param(
            {"ports": [{"port": 80, "name": "a"}, {"port": 81}]},
            {"$setElementOrder/ports": [{"port": 80}], "ports": [{"port": 80, "name": "b"}, {"port": 82}]},
            {"ports": [{"port": 80, "name": "b"}, {"port": 81}, {"port": 82}]},
            id="items-are-merged-by-key",
        ),
        pytest.param(
            {"ports": [{"port": 80}, {"port": 81}]},
            {"ports": [{"port": 80, "$patch": "delete"}]},
            {"ports": [{"port": 81}]},
            id="items-are-deleted",
        ),
        pytest.param(
            {"ports": [{"port": 80}]},
            {"ports": [{"$patch": "replace"}, {"port": 1}]},
            {"ports": [{"port": 1}]},
            id="lists-are-replaced",
        ),
        pytest.param({"a": {"b": 1}}, {"a": {"$patch": "replace", "c": 2}}, {"a": {"c": 2}}, id="maps-are-replaced"),
        pytest.param({"a": 1, "b": 2}, {"$retainKeys": ["a", "c"], "c": 3}, {"a": 1, "c": 3}, id="keys-are-retained"),
        pytest.param(
            {"finalizers": ["a"]}, {"finalizers": ["b"]}, {"finalizers": ["a", "b"]}, id="finalizers-are-joined"
        ),
        pytest.param(
            {"finalizers": ["a", "b"]},
            {"$deleteFromPrimitiveList/finalizers": ["a"]},
            {"finalizers": ["b"]},
            id="finalizers-are-removed",
        ),
        pytest.param({"a": ["x"]}, {"a": ["y"], "b": None}, {"a": ["y"]}, id="other-lists-are-replaced"),
    ],
)
def test_a_strategic_merge_patch_merges_lists_by_key(target: Any, patch: Any, expected: Any) -> None:  # noqa: ANN401 - any JSON
    assert patches.apply_strategic_patch(target, patch) == expected


@pytest.mark.parametrize(
    ("content_type", "patch"),
    [
        pytest.param(MERGE, {"metadata": {"annotations": {"a": "b"}}}, id="merge"),
        pytest.param(STRATEGIC, {"metadata": {"annotations": {"a": "b"}}}, id="strategic"),
        pytest.param(JSON_PATCH, [{"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}}], id="json"),
    ],
)
def test_a_patch_request_of_each_type_changes_the_stored_object(
    server: ApiServer, raw_client: RawClient, content_type: str, patch: object
) -> None:
    server.put(build_service("web"))
    patched = raw_client.send("PATCH", WEB, patch, content_type=content_type)
    assert (patched.code, patched.body["metadata"]["annotations"]) == (200, {"a": "b"})
    assert server.get("Service", "shop", "web") == patched.body


def test_a_patch_with_an_old_resource_version_is_a_conflict(server: ApiServer, raw_client: RawClient) -> None:
    version = server.put(build_service("web"))["metadata"]["resourceVersion"]
    patch = {"metadata": {"resourceVersion": version, "labels": {"a": "b"}}}
    assert raw_client.send("PATCH", WEB, patch, content_type=MERGE).code == 200
    assert raw_client.send("PATCH", WEB, patch, content_type=MERGE).body["reason"] == "Conflict"


@pytest.mark.parametrize(
    ("path", "content_type", "code"),
    [
        pytest.param(WEB, "application/json", 415, id="no-patch-type"),
        pytest.param("/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes/r", STRATEGIC, 415, id="custom"),
        pytest.param(f"{IN_SHOP}/nope", MERGE, 404, id="not-there"),
        pytest.param(f"{WEB}?force=true", MERGE, 422, id="force-is-for-apply"),
    ],
)
def test_an_invalid_patch_request_is_refused(
    server: ApiServer, raw_client: RawClient, path: str, content_type: str, code: int
) -> None:
    server.put(build_service("web"))
    server.put(build_route("r"))
    assert raw_client.send("PATCH", path, {}, content_type=content_type).code == code
