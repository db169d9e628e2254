"""Creates, updates and deletes, by "Resource versions", "Dry-run", "Finalizers" and the API conventions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver.probe import IN_SHOP, MERGE, Probe, route, service
from tests.fakes.apiserver.server import ApiServer

ROUTES = "/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
WEB = f"{IN_SHOP}/web"


def lease(holder: str, **metadata: str) -> dict[str, Any]:
    spec = {"holderIdentity": holder, "renewTime": "2026-01-01T00:00:00.000000Z"}
    named = {"name": "leader"} | metadata
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": named, "spec": spec}


def test_a_created_object_is_answered_201_and_can_be_read(probe: Probe) -> None:
    made = probe.ask("POST", IN_SHOP, service("web"))
    assert made.code == 201
    metadata = made.body["metadata"]
    assert {"uid", "resourceVersion", "creationTimestamp", "managedFields"} <= metadata.keys()
    assert metadata["managedFields"][0]["manager"] == "probe"
    assert probe.get(WEB).body == made.body


def test_versions_count_all_writes_of_any_kind(probe: Probe) -> None:
    first = probe.ask("POST", IN_SHOP, service("web")).version
    second = probe.ask("POST", ROUTES, route("r")).version
    assert int(second) == int(first) + 1


def test_a_name_is_made_from_generate_name(probe: Probe) -> None:
    event = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"generateName": "web."}, "reason": "x"}
    path = "/apis/events.k8s.io/v1/namespaces/shop/events"
    names = [probe.ask("POST", path, event).body["metadata"]["name"] for _ in range(2)]
    assert all(name.startswith("web.") for name in names)
    assert len(set(names)) == 2


def test_status_is_dropped_on_create_where_it_is_a_subresource(probe: Probe) -> None:
    assert "status" not in probe.ask("POST", ROUTES, route("r") | {"status": {"parents": []}}).body


@pytest.mark.parametrize(
    ("path", "body", "code", "reason"),
    [
        pytest.param(IN_SHOP, service("web"), 409, "AlreadyExists", id="it-is-there"),
        pytest.param(IN_SHOP, {"metadata": {}}, 422, "Invalid", id="no-name"),
        pytest.param(IN_SHOP, service("A_b"), 422, "Invalid", id="bad-name"),
        pytest.param(IN_SHOP, service("a", "other"), 400, "BadRequest", id="another-namespace"),
        pytest.param(IN_SHOP, route("a"), 400, "BadRequest", id="another-version"),
        pytest.param(ROUTES, route("a") | {"kind": "Foo"}, 422, "Invalid", id="another-kind"),
        pytest.param(ROUTES, {"metadata": {"name": "a"}}, 400, "BadRequest", id="a-custom-object-of-no-kind"),
        pytest.param(ROUTES, [], 400, "BadRequest", id="no-object"),
        pytest.param(ROUTES, "{", 400, "BadRequest", id="no-json"),
        pytest.param(LEASES, lease("a", resourceVersion="5"), 500, None, id="version-set"),
    ],
)
def test_a_create_that_makes_no_sense_is_refused(
    server: ApiServer, probe: Probe, path: str, body: object, code: int, reason: str | None
) -> None:
    server.put(service("web"))
    reply = probe.ask("POST", path, body)
    assert (reply.code, reply.body["kind"], reply.body.get("reason")) == (code, "Status", reason)


def test_a_core_object_need_not_say_its_kind(probe: Probe) -> None:
    made = probe.ask("POST", IN_SHOP, {"metadata": {"name": "web"}, "spec": {}})
    assert (made.code, made.body["kind"]) == (201, "Service")


def test_an_update_from_an_old_version_is_a_conflict(probe: Probe) -> None:
    old = probe.ask("POST", LEASES, lease("a")).body
    new = probe.ask("PUT", f"{LEASES}/leader", old | lease("b", resourceVersion=old["metadata"]["resourceVersion"]))
    late = probe.ask("PUT", f"{LEASES}/leader", old)
    assert (new.code, new.body["spec"]["holderIdentity"]) == (200, "b")
    assert (late.code, late.body["reason"]) == (409, "Conflict")
    assert "the object has been modified" in late.body["message"]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        pytest.param(WEB, service("web"), 200, id="services-may"),
        pytest.param(f"{ROUTES}/r", route("r"), 422, id="custom-objects-may-not"),
        pytest.param(f"{LEASES}/leader", lease("b"), 422, id="leases-may-not"),
    ],
)
def test_some_kinds_may_be_updated_without_a_version(
    server: ApiServer, probe: Probe, path: str, body: dict[str, Any], code: int
) -> None:
    for obj in (service("web"), route("r"), lease("a", namespace="shop")):
        server.put(obj)
    assert probe.ask("PUT", path, body).code == code


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        pytest.param(f"{LEASES}/leader", lease("a"), 200, id="a-lease-is-made"),
        pytest.param(f"{ROUTES}/r", route("r"), 404, id="a-route-is-not"),
    ],
)
def test_an_update_of_what_is_not_there_makes_only_some_kinds(
    probe: Probe, path: str, body: dict[str, Any], code: int
) -> None:
    assert probe.ask("PUT", path, body).code == code


def test_an_update_must_be_of_the_same_object(server: ApiServer, probe: Probe) -> None:
    made = server.put(service("web"))
    other = made | {"metadata": made["metadata"] | {"name": "other"}}
    reborn = made | {"metadata": made["metadata"] | {"uid": "x"}}
    assert probe.ask("PUT", WEB, other).code == 400
    assert probe.ask("PUT", WEB, reborn).body["reason"] == "Conflict"


def test_an_update_that_changes_nothing_is_no_event(server: ApiServer, probe: Probe) -> None:
    made = server.put(service("web"))
    same = probe.ask("PUT", WEB, made)
    assert (same.code, same.version) == (200, made["metadata"]["resourceVersion"])


def test_generation_counts_changes_of_the_wish_alone(probe: Probe) -> None:
    path = f"{ROUTES}/r"
    probe.ask("POST", ROUTES, route("r"))
    steps = [
        (path, {"metadata": {"labels": {"a": "b"}}}),
        (path, {"spec": {"hostnames": ["a.example.org"]}}),
        (f"{path}/status", {"status": {"parents": []}}),
    ]
    seen = [probe.ask("PATCH", at, patch, content_type=MERGE).body["metadata"]["generation"] for at, patch in steps]
    assert seen == [1, 2, 2]


def test_services_have_no_generation(probe: Probe) -> None:
    assert "generation" not in probe.ask("POST", IN_SHOP, service("web")).body["metadata"]


def test_the_status_subresource_changes_the_status_alone_and_nothing_else_does(server: ApiServer, probe: Probe) -> None:
    server.put(route("r", hostnames=["a.example.org"]))
    assert "status" not in probe.ask("PATCH", f"{ROUTES}/r", {"status": {"parents": []}}, content_type=MERGE).body
    made = server.put(route("r", hostnames=["a.example.org"]) | {"status": {"parents": []}})
    wanted = made | {"spec": {"hostnames": []}, "status": {"parents": [{}]}}
    by_status = probe.ask("PUT", f"{ROUTES}/r/status", wanted).body
    assert (by_status["spec"], by_status["status"]) == (made["spec"], wanted["status"])
    wanted["metadata"] = by_status["metadata"]
    plain = probe.ask("PUT", f"{ROUTES}/r", wanted | {"status": {}}).body
    assert (plain["spec"], plain["status"]) == (wanted["spec"], {"parents": [{}]})
    assert probe.get(f"{ROUTES}/r/status").body == plain


def test_a_delete_answers_what_was_deleted(server: ApiServer, probe: Probe) -> None:
    uid = server.put(route("r"))["metadata"]["uid"]
    gone = probe.ask("DELETE", f"{ROUTES}/r")
    details = {"name": "r", "group": "gateway.networking.k8s.io", "kind": "httproutes", "uid": uid}
    assert (gone.code, gone.body["status"], gone.body["details"]) == (200, "Success", details)
    again = probe.ask("DELETE", f"{ROUTES}/r")
    assert (again.code, again.body["reason"], probe.get(f"{ROUTES}/r").code) == (404, "NotFound", 404)


@pytest.mark.parametrize("precondition", [{"uid": "x"}, {"resourceVersion": "1"}])
def test_a_delete_of_another_object_is_a_conflict(
    server: ApiServer, probe: Probe, precondition: dict[str, str]
) -> None:
    server.put(service("web"))
    reply = probe.ask("DELETE", WEB, {"preconditions": precondition})
    assert (reply.code, reply.body["reason"], probe.get(WEB).code) == (409, "Conflict", 200)


def test_finalizers_keep_an_object_until_the_last_is_gone(server: ApiServer, probe: Probe) -> None:
    obj = service("web")
    obj["metadata"]["finalizers"] = ["service.kubernetes.io/load-balancer-cleanup"]
    server.put(obj)
    marked = probe.ask("DELETE", WEB).body
    assert marked["metadata"]["deletionTimestamp"]
    assert probe.ask("DELETE", WEB).version == marked["metadata"]["resourceVersion"]
    with probe.watch(resourceVersion=server.version) as stream:
        probe.ask("PATCH", WEB, {"metadata": {"finalizers": None}}, content_type=MERGE)
        assert stream.brief(1) == [("DELETED", "web")]
    assert probe.get(WEB).code == 404


def test_a_dry_run_answers_and_stores_nothing(server: ApiServer, probe: Probe) -> None:
    before = server.put(service("web"))
    dry = "?dryRun=All"
    assert probe.ask("POST", IN_SHOP + dry, service("new")).code == 201
    changed = probe.ask("PATCH", WEB + dry, {"spec": {"type": "ClusterIP"}}, content_type=MERGE)
    assert changed.body["spec"]["type"] == "ClusterIP"
    assert probe.ask("DELETE", WEB + dry).code == 200
    assert server.objects("Service") == [before]


def test_namespaces_and_nodes_are_cluster_wide(probe: Probe) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    assert probe.ask("POST", "/api/v1/namespaces", namespace).code == 201
    assert probe.get("/api/v1/namespaces/shop").body["metadata"]["name"] == "shop"
    assert probe.get("/api/v1/namespaces/shop/nodes").code == 404


@pytest.mark.parametrize(
    ("method", "headers", "code"),
    [
        pytest.param("POST", {"Content-Type": "text/plain"}, 415, id="unknown-body"),
        pytest.param("GET", {"Accept": "application/vnd.kubernetes.protobuf"}, 406, id="protobuf-only"),
        pytest.param("DELETE", {}, 405, id="deletecollection"),
    ],
)
def test_what_is_not_spoken_here_is_refused(probe: Probe, method: str, headers: dict[str, str], code: int) -> None:
    assert probe.ask(method, IN_SHOP, {}, headers=headers).code == code
