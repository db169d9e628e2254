"""Creates, updates and deletes (Kubernetes: "Resource versions", "Dry-run", "Finalizers", API conventions)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver.raw_client import IN_SHOP, MERGE, RawClient, build_service
from tests.fakes.apiserver.server import ApiServer
from tests.unit.fakes.apiserver.http_routes import build_route

ROUTES = "/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
WEB = f"{IN_SHOP}/web"


def lease(holder: str, **metadata: str) -> dict[str, Any]:
    spec = {"holderIdentity": holder, "renewTime": "2026-01-01T00:00:00.000000Z"}
    named = {"name": "leader"} | metadata
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": named, "spec": spec}


def test_a_create_returns_201_and_the_object_can_be_read(raw_client: RawClient) -> None:
    made = raw_client.send("POST", IN_SHOP, build_service("web"))
    assert made.code == 201
    metadata = made.body["metadata"]
    assert {"uid", "resourceVersion", "creationTimestamp", "managedFields"} <= metadata.keys()
    assert metadata["managedFields"][0]["manager"] == "raw_client"
    assert raw_client.get(WEB).body == made.body


def test_resource_versions_count_the_writes_of_all_kinds(raw_client: RawClient) -> None:
    first = raw_client.send("POST", IN_SHOP, build_service("web")).version
    second = raw_client.send("POST", ROUTES, build_route("r")).version
    assert int(second) == int(first) + 1


def test_a_create_with_generate_name_gets_a_unique_name(raw_client: RawClient) -> None:
    event = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"generateName": "web."}, "reason": "x"}
    path = "/apis/events.k8s.io/v1/namespaces/shop/events"
    names = [raw_client.send("POST", path, event).body["metadata"]["name"] for _ in range(2)]
    assert all(name.startswith("web.") for name in names)
    assert len(set(names)) == 2


def test_a_create_drops_the_status_of_a_kind_with_a_status_subresource(raw_client: RawClient) -> None:
    assert "status" not in raw_client.send("POST", ROUTES, build_route("r") | {"status": {"parents": []}}).body


@pytest.mark.parametrize(
    ("path", "body", "code", "reason"),
    [
        pytest.param(IN_SHOP, build_service("web"), 409, "AlreadyExists", id="name-exists"),
        pytest.param(IN_SHOP, {"metadata": {}}, 422, "Invalid", id="no-name"),
        pytest.param(IN_SHOP, build_service("A_b"), 422, "Invalid", id="bad-name"),
        pytest.param(IN_SHOP, build_service("a", "other"), 400, "BadRequest", id="another-namespace"),
        pytest.param(IN_SHOP, build_route("a"), 400, "BadRequest", id="another-version"),
        pytest.param(ROUTES, build_route("a") | {"kind": "Foo"}, 422, "Invalid", id="another-kind"),
        pytest.param(ROUTES, {"metadata": {"name": "a"}}, 400, "BadRequest", id="custom-object-without-kind"),
        pytest.param(ROUTES, [], 400, "BadRequest", id="no-object"),
        pytest.param(ROUTES, "{", 400, "BadRequest", id="no-json"),
        pytest.param(LEASES, lease("a", resourceVersion="5"), 500, None, id="version-set"),
    ],
)
def test_an_invalid_create_is_refused_with_a_reason(
    server: ApiServer, raw_client: RawClient, path: str, body: object, code: int, reason: str | None
) -> None:
    server.put(build_service("web"))
    reply = raw_client.send("POST", path, body)
    assert (reply.code, reply.body["kind"], reply.body.get("reason")) == (code, "Status", reason)


def test_a_service_can_be_created_without_kind_and_api_version(raw_client: RawClient) -> None:
    made = raw_client.send("POST", IN_SHOP, {"metadata": {"name": "web"}, "spec": {}})
    assert (made.code, made.body["kind"]) == (201, "Service")


def test_an_update_with_an_old_resource_version_is_a_conflict(raw_client: RawClient) -> None:
    old = raw_client.send("POST", LEASES, lease("a")).body
    new = raw_client.send(
        "PUT", f"{LEASES}/leader", old | lease("b", resourceVersion=old["metadata"]["resourceVersion"])
    )
    late = raw_client.send("PUT", f"{LEASES}/leader", old)
    assert (new.code, new.body["spec"]["holderIdentity"]) == (200, "b")
    assert (late.code, late.body["reason"]) == (409, "Conflict")
    assert "the object has been modified" in late.body["message"]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        pytest.param(WEB, build_service("web"), 200, id="services-may"),
        pytest.param(f"{ROUTES}/r", build_route("r"), 422, id="custom-objects-may-not"),
        pytest.param(f"{LEASES}/leader", lease("b"), 422, id="leases-may-not"),
    ],
)
def test_services_can_be_updated_without_a_resource_version_and_leases_and_custom_objects_cannot(
    server: ApiServer, raw_client: RawClient, path: str, body: dict[str, Any], code: int
) -> None:
    for obj in (build_service("web"), build_route("r"), lease("a", namespace="shop")):
        server.put(obj)
    assert raw_client.send("PUT", path, body).code == code


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        pytest.param(f"{LEASES}/leader", lease("a"), 200, id="lease-is-created"),
        pytest.param(f"{ROUTES}/r", build_route("r"), 404, id="route-is-not-created"),
    ],
)
def test_an_update_of_a_missing_lease_creates_it_and_an_update_of_a_missing_custom_object_does_not(
    raw_client: RawClient, path: str, body: dict[str, Any], code: int
) -> None:
    assert raw_client.send("PUT", path, body).code == code


def test_an_update_with_another_name_or_uid_is_refused(server: ApiServer, raw_client: RawClient) -> None:
    made = server.put(build_service("web"))
    other = made | {"metadata": made["metadata"] | {"name": "other"}}
    reborn = made | {"metadata": made["metadata"] | {"uid": "x"}}
    assert raw_client.send("PUT", WEB, other).code == 400
    assert raw_client.send("PUT", WEB, reborn).body["reason"] == "Conflict"


def test_an_update_without_changes_keeps_the_resource_version(server: ApiServer, raw_client: RawClient) -> None:
    made = server.put(build_service("web"))
    same = raw_client.send("PUT", WEB, made)
    assert (same.code, same.version) == (200, made["metadata"]["resourceVersion"])


def test_the_generation_counts_changes_of_the_spec_only(raw_client: RawClient) -> None:
    path = f"{ROUTES}/r"
    raw_client.send("POST", ROUTES, build_route("r"))
    steps = [
        (path, {"metadata": {"labels": {"a": "b"}}}),
        (path, {"spec": {"hostnames": ["a.example.org"]}}),
        (f"{path}/status", {"status": {"parents": []}}),
    ]
    seen = [
        raw_client.send("PATCH", at, patch, content_type=MERGE).body["metadata"]["generation"] for at, patch in steps
    ]
    assert seen == [1, 2, 2]


def test_services_have_no_generation(raw_client: RawClient) -> None:
    assert "generation" not in raw_client.send("POST", IN_SHOP, build_service("web")).body["metadata"]


def test_the_status_changes_only_through_the_status_subresource(server: ApiServer, raw_client: RawClient) -> None:
    server.put(build_route("r", hostnames=["a.example.org"]))
    assert "status" not in raw_client.send("PATCH", f"{ROUTES}/r", {"status": {"parents": []}}, content_type=MERGE).body
    made = server.put(build_route("r", hostnames=["a.example.org"]) | {"status": {"parents": []}})
    updated = made | {"spec": {"hostnames": []}, "status": {"parents": [{}]}}
    by_status = raw_client.send("PUT", f"{ROUTES}/r/status", updated).body
    assert (by_status["spec"], by_status["status"]) == (made["spec"], updated["status"])
    updated["metadata"] = by_status["metadata"]
    plain = raw_client.send("PUT", f"{ROUTES}/r", updated | {"status": {}}).body
    assert (plain["spec"], plain["status"]) == (updated["spec"], {"parents": [{}]})
    assert raw_client.get(f"{ROUTES}/r/status").body == plain


def test_a_delete_returns_success_with_the_uid_and_a_second_one_404(server: ApiServer, raw_client: RawClient) -> None:
    uid = server.put(build_route("r"))["metadata"]["uid"]
    gone = raw_client.send("DELETE", f"{ROUTES}/r")
    details = {"name": "r", "group": "gateway.networking.k8s.io", "kind": "httproutes", "uid": uid}
    assert (gone.code, gone.body["status"], gone.body["details"]) == (200, "Success", details)
    again = raw_client.send("DELETE", f"{ROUTES}/r")
    assert (again.code, again.body["reason"], raw_client.get(f"{ROUTES}/r").code) == (404, "NotFound", 404)


@pytest.mark.parametrize("precondition", [{"uid": "x"}, {"resourceVersion": "1"}])
def test_a_delete_with_another_uid_or_version_as_precondition_is_a_conflict(
    server: ApiServer, raw_client: RawClient, precondition: dict[str, str]
) -> None:
    server.put(build_service("web"))
    reply = raw_client.send("DELETE", WEB, {"preconditions": precondition})
    assert (reply.code, reply.body["reason"], raw_client.get(WEB).code) == (409, "Conflict", 200)


def test_a_deleted_object_stays_until_its_last_finalizer_is_removed(server: ApiServer, raw_client: RawClient) -> None:
    obj = build_service("web")
    obj["metadata"]["finalizers"] = ["service.kubernetes.io/load-balancer-cleanup"]
    server.put(obj)
    deleting = raw_client.send("DELETE", WEB).body
    assert deleting["metadata"]["deletionTimestamp"]
    assert raw_client.send("DELETE", WEB).version == deleting["metadata"]["resourceVersion"]
    with raw_client.watch(resourceVersion=server.version) as stream:
        raw_client.send("PATCH", WEB, {"metadata": {"finalizers": None}}, content_type=MERGE)
        assert stream.read_events(1) == [("DELETED", "web")]
    assert raw_client.get(WEB).code == 404


def test_a_dry_run_returns_the_result_and_stores_nothing(server: ApiServer, raw_client: RawClient) -> None:
    before = server.put(build_service("web"))
    dry = "?dryRun=All"
    assert raw_client.send("POST", IN_SHOP + dry, build_service("new")).code == 201
    changed = raw_client.send("PATCH", WEB + dry, {"spec": {"type": "ClusterIP"}}, content_type=MERGE)
    assert changed.body["spec"]["type"] == "ClusterIP"
    assert raw_client.send("DELETE", WEB + dry).code == 200
    assert server.objects("Service") == [before]


def test_namespaces_and_nodes_are_cluster_scoped(raw_client: RawClient) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    assert raw_client.send("POST", "/api/v1/namespaces", namespace).code == 201
    assert raw_client.get("/api/v1/namespaces/shop").body["metadata"]["name"] == "shop"
    assert raw_client.get("/api/v1/namespaces/shop/nodes").code == 404


@pytest.mark.parametrize(
    ("method", "headers", "code"),
    [
        pytest.param("POST", {"Content-Type": "text/plain"}, 415, id="unknown-body"),
        pytest.param("GET", {"Accept": "application/vnd.kubernetes.protobuf"}, 406, id="protobuf-only"),
        pytest.param("DELETE", {}, 405, id="deletecollection"),
    ],
)
def test_unsupported_content_types_and_methods_are_refused(
    raw_client: RawClient, method: str, headers: dict[str, str], code: int
) -> None:
    assert raw_client.send(method, IN_SHOP, {}, headers=headers).code == code
