"""Server-side apply (Kubernetes: "Field management", "Conflicts" and "Transferring ownership")."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver.raw_client import APPLY, IN_SHOP, MERGE, RawClient, Reply
from tests.fakes.apiserver.server import ApiServer
from tests.unit.fakes.apiserver.http_routes import build_route

PATH = "/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes/r"


def apply(raw_client: RawClient, manager: str, config: object, *, force: bool = False, path: str = PATH) -> Reply:
    query = f"?fieldManager={manager}" + ("&force=true" if force else "")
    return raw_client.send("PATCH", path + query, config, content_type=APPLY)


def managers(reply: Reply) -> dict[str, Any]:
    return {entry["manager"]: entry["fieldsV1"] for entry in reply.body["metadata"]["managedFields"]}


def test_applying_a_missing_object_creates_it(raw_client: RawClient) -> None:
    made = apply(raw_client, "one", build_route("r", hostnames=["a"]))
    assert (made.code, made.body["spec"]) == (201, {"hostnames": ["a"]})
    assert managers(made) == {"one": {"f:spec": {".": {}, "f:hostnames": {}}}}
    assert made.body["metadata"]["managedFields"][0]["operation"] == "Apply"


def test_applying_the_same_configuration_twice_changes_nothing(raw_client: RawClient) -> None:
    first = apply(raw_client, "one", build_route("r", hostnames=["a"]))
    assert apply(raw_client, "one", build_route("r", hostnames=["a"])).body == first.body


def test_timestamps_in_an_applied_yaml_stay_strings(raw_client: RawClient) -> None:
    lease = "apiVersion: coordination.k8s.io/v1\nkind: Lease\nspec:\n  acquireTime: 2026-01-01T00:00:00Z\n"
    made = apply(raw_client, "one", lease, path="/apis/coordination.k8s.io/v1/namespaces/shop/leases/a")
    assert (made.code, made.body["spec"]) == (201, {"acquireTime": "2026-01-01T00:00:00Z"})


def test_applying_a_field_of_another_manager_is_a_conflict_that_names_the_manager(raw_client: RawClient) -> None:
    apply(raw_client, "one", build_route("r", hostnames=["a"]))
    reply = apply(raw_client, "two", build_route("r", hostnames=["b"]))
    assert (reply.code, reply.body["reason"]) == (409, "Conflict")
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.hostnames"}
    assert reply.body["details"]["causes"] == [cause]


def test_a_forced_apply_takes_the_field_from_its_manager(raw_client: RawClient) -> None:
    apply(raw_client, "one", build_route("r", hostnames=["a"], other=1))
    taken = apply(raw_client, "two", build_route("r", hostnames=["b"]), force=True)
    assert taken.body["spec"] == {"hostnames": ["b"], "other": 1}
    assert managers(taken) == {
        "one": {"f:spec": {".": {}, "f:other": {}}},
        "two": {"f:spec": {".": {}, "f:hostnames": {}}},
    }


def test_a_field_applied_by_several_managers_is_removed_when_the_last_of_them_no_longer_applies_it(
    raw_client: RawClient,
) -> None:
    apply(raw_client, "one", build_route("r", a={"x": 1}, b=1))
    second = apply(raw_client, "two", build_route("r", a={"x": 1}))
    assert second.code == 200
    assert apply(raw_client, "one", build_route("r", b=1)).body["spec"] == {"a": {"x": 1}, "b": 1}
    assert apply(raw_client, "two", build_route("r")).body["spec"] == {"b": 1}


def test_a_field_changed_by_a_patch_belongs_to_the_patcher_and_conflicts_with_apply(raw_client: RawClient) -> None:
    apply(raw_client, "one", build_route("r", hostnames=["a"]))
    patch = {"spec": {"hostnames": ["c"]}}
    patched = raw_client.send("PATCH", f"{PATH}?fieldManager=hand", patch, content_type=MERGE)
    assert managers(patched) == {"one": {"f:spec": {}}, "hand": {"f:spec": {"f:hostnames": {}}}}
    reply = apply(raw_client, "one", build_route("r", hostnames=["a"]))
    assert 'conflict with "hand" using gateway.networking.k8s.io/v1: .spec.hostnames' in reply.body["message"]


def test_applying_to_the_status_subresource_changes_only_the_status(server: ApiServer, raw_client: RawClient) -> None:
    server.put(build_route("r", hostnames=["a"]))
    kind = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute"}
    config = kind | {"spec": {"hostnames": ["b"]}, "status": {"parents": []}}
    done = apply(raw_client, "one", config, path=f"{PATH}/status")
    assert (done.code, done.body["spec"], done.body["status"]) == (200, {"hostnames": ["a"]}, {"parents": []})
    assert done.body["metadata"]["managedFields"][0]["subresource"] == "status"
    assert apply(raw_client, "one", config, path=f"{PATH}x/status").code == 404


@pytest.mark.parametrize(
    ("query", "config", "code"),
    [
        pytest.param("", build_route("r"), 422, id="no-manager"),
        pytest.param("?fieldManager=one", {"spec": {}}, 400, id="no-kind"),
        pytest.param("?fieldManager=one", "a: [", 400, id="no-yaml"),
        pytest.param(
            "?fieldManager=one", build_route("r") | {"metadata": {"managedFields": [{}]}}, 400, id="managed-fields"
        ),
    ],
)
def test_an_invalid_apply_request_is_refused(raw_client: RawClient, query: str, config: object, code: int) -> None:
    assert raw_client.send("PATCH", PATH + query, config, content_type=APPLY).code == code


def test_an_object_that_a_test_stores_directly_has_managed_fields(server: ApiServer) -> None:
    metadata = server.put(build_route("r", hostnames=["a"], rules=[{}]))["metadata"]
    assert metadata["managedFields"][0]["fieldsV1"] == {"f:spec": {".": {}, "f:hostnames": {}, "f:rules": {}}}


def test_a_service_can_be_applied(raw_client: RawClient) -> None:
    config = {"apiVersion": "v1", "kind": "Service", "metadata": {"annotations": {"a": "b"}}}
    assert apply(raw_client, "one", config, path=f"{IN_SHOP}/web").body["metadata"]["name"] == "web"
