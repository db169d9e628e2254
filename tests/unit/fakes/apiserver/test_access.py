"""Authorization, tokens, the request log and discovery of the fake API server."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.apiserver.raw_client import IN_SHOP, MERGE, SERVICES, RawClient, build_service
from tests.fakes.apiserver.requests import parse
from tests.fakes.apiserver.server import ApiServer

ROUTES = "/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes"


@pytest.mark.parametrize(
    ("method", "target", "verb", "rule"),
    [
        pytest.param("GET", SERVICES, "list", ("", "services", "", "", ""), id="list"),
        pytest.param("GET", f"{SERVICES}?watch=1", "watch", ("", "services", "", "", ""), id="watch"),
        pytest.param("GET", f"{SERVICES}?watch=false", "list", ("", "services", "", "", ""), id="watch-false"),
        pytest.param("GET", f"{IN_SHOP}/a", "get", ("", "services", "", "shop", "a"), id="get"),
        pytest.param("POST", IN_SHOP, "create", ("", "services", "", "shop", ""), id="create"),
        pytest.param("PUT", f"{IN_SHOP}/a/status", "update", ("", "services", "status", "shop", "a"), id="status"),
        pytest.param("PATCH", f"{IN_SHOP}/a", "patch", ("", "services", "", "shop", "a"), id="patch"),
        pytest.param("DELETE", f"{IN_SHOP}/a", "delete", ("", "services", "", "shop", "a"), id="delete"),
        pytest.param("DELETE", IN_SHOP, "deletecollection", ("", "services", "", "shop", ""), id="deletecollection"),
        pytest.param(
            "GET", f"{ROUTES}/a", "get", ("gateway.networking.k8s.io", "httproutes", "", "shop", "a"), id="group"
        ),
        pytest.param("GET", "/api/v1/namespaces/shop", "get", ("", "namespaces", "", "", "shop"), id="namespace"),
        pytest.param(
            "PUT", "/api/v1/namespaces/a/status", "update", ("", "namespaces", "status", "", "a"), id="namespace-status"
        ),
        pytest.param("GET", "/api/v1", "get", ("", "", "", "", ""), id="discovery"),
        pytest.param("GET", "/healthz", "get", ("", "", "", "", ""), id="health"),
    ],
)
def test_each_request_is_recognized_as_a_verb_and_resource_as_kubernetes_authorization_names_them(
    method: str, target: str, verb: str, rule: tuple[str, ...]
) -> None:
    request = parse(method, target, {}, b"")
    seen = request.group, request.resource, request.subresource, request.namespace, request.name
    assert (request.verb, seen) == (verb, rule)


@pytest.mark.parametrize(("namespace", "allowed"), [("shop", False), ("other", True), ("", True)])
def test_an_access_review_reports_a_forbidden_verb_and_stores_nothing(
    server: ApiServer, raw_client: RawClient, namespace: str, allowed: bool
) -> None:
    server.access.forbid("list", "services", "shop")
    before = server.version
    attributes = {"verb": "list", "group": "", "resource": "services", "namespace": namespace}
    body = {"kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes}}
    reply = raw_client.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
    assert (reply.code, reply.body["status"]) == (201, {"allowed": allowed})
    assert server.version == before


def test_a_forbidden_request_gets_a_403_with_the_message_of_rbac(server: ApiServer, raw_client: RawClient) -> None:
    server.forbid("list", "httproutes")
    reply = raw_client.get(ROUTES)
    words = (
        'httproutes.gateway.networking.k8s.io is forbidden: User "tester" cannot list resource "httproutes" '
        'in API group "gateway.networking.k8s.io" in the namespace "shop"'
    )
    assert (reply.code, reply.body["reason"], reply.body["message"]) == (403, "Forbidden", words)
    assert raw_client.get(SERVICES).code == 200
    server.permit("list", "httproutes")
    assert raw_client.get(ROUTES).code == 200


@pytest.mark.parametrize(
    ("namespace", "codes"),
    [
        pytest.param("*", (403, 403, 403), id="everywhere"),
        pytest.param("shop", (403, 200, 200), id="in-one-namespace"),
        pytest.param("", (200, 200, 403), id="cluster-wide"),
    ],
)
def test_a_verb_can_be_forbidden_in_one_namespace_or_only_for_the_whole_cluster(
    server: ApiServer, raw_client: RawClient, namespace: str, codes: tuple[int, ...]
) -> None:
    server.forbid("*", "services", namespace)
    paths = (IN_SHOP, "/api/v1/namespaces/other/services", SERVICES)
    assert tuple(raw_client.get(path).code for path in paths) == codes


def test_a_request_with_a_missing_or_former_bearer_token_gets_a_401(raw_client: RawClient, server: ApiServer) -> None:
    server.access.token = "one"
    bearer = {"Authorization": "Bearer one"}
    refused = raw_client.get()
    assert (refused.code, refused.body["reason"]) == (401, "Unauthorized")
    assert raw_client.send("GET", SERVICES, headers=bearer).code == 200
    assert raw_client.send("GET", SERVICES, headers={"Authorization": "bearer one"}).code == 200
    server.access.token = "two"
    assert raw_client.send("GET", SERVICES, headers=bearer).code == 401


def test_the_request_log_contains_path_query_headers_body_and_required_permission_of_each_request(
    server: ApiServer, raw_client: RawClient
) -> None:
    raw_client.get(limit=5)
    raw_client.send("POST", IN_SHOP, build_service("a"))
    raw_client.send("PATCH", f"{IN_SHOP}/a/status", {}, content_type=MERGE)
    listed, created, patched = server.log.requests()
    assert (listed.method, listed.path, listed.query, listed.user_agent) == (
        "GET",
        SERVICES,
        {"limit": "5"},
        "raw_client/1",
    )
    assert json.loads(created.body)["metadata"]["name"] == "a"
    assert (patched.subresource, patched.headers["content-type"]) == ("status", MERGE)
    assert server.log.find_rules() == {
        ("list", "", "services"),
        ("create", "", "services"),
        ("patch", "", "services/status"),
    }
    assert server.log.requests("create", "services") == (created,)
    server.log.clear()
    assert server.log.requests() == ()


def test_a_test_can_wait_until_a_request_is_logged_or_a_timeout_ends(
    server: ApiServer, raw_client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(server.log.wait_for, "get", "services", count=2)
        raw_client.get(f"{IN_SHOP}/a")
        raw_client.get(f"{IN_SHOP}/b")
        assert waiting.result().name == "b"
    monkeypatch.setattr("tests.fakes.apiserver.log._TIMEOUT_S", 0)
    with pytest.raises(AssertionError, match="fewer than 1 requests watch services"):
        server.log.wait_for("watch", "services")


def test_the_kubeconfig_of_the_fake_server_has_its_url_and_token(server: ApiServer, tmp_path: Path) -> None:
    server.access.token = "one"
    config = json.loads(server.kubeconfig(tmp_path / "config").read_text())
    assert config["clusters"][0]["cluster"] == {"server": server.url}
    assert config["users"][0]["user"] == {"token": "one"}
    assert config["current-context"] == config["contexts"][0]["name"]


def test_discovery_lists_groups_versions_and_resources(server: ApiServer, raw_client: RawClient) -> None:
    server.register(replace(server.catalogue.find_by_name("TCPRoute"), version="v1alpha2"))
    assert raw_client.get("/api").body["versions"] == ["v1"]
    groups = {group["name"]: group for group in raw_client.get("/apis").body["groups"]}
    gateway = groups["gateway.networking.k8s.io"]
    assert [version["version"] for version in gateway["versions"]] == ["v1", "v1alpha2"]
    assert gateway["preferredVersion"]["groupVersion"] == "gateway.networking.k8s.io/v1"
    assert raw_client.get("/apis/gateway.networking.k8s.io").body["name"] == "gateway.networking.k8s.io"
    found = {entry["name"]: entry for entry in raw_client.get("/api/v1").body["resources"]}
    assert (found["services"]["kind"], found["services"]["namespaced"]) == ("Service", True)
    assert found["services/status"]["verbs"] == ["get", "patch", "update"]
    assert found["nodes"]["namespaced"] is False
    assert len(raw_client.get("/apis/coordination.k8s.io/v1").body["resources"]) == 1


@pytest.mark.parametrize("path", ["/openapi/v2", "/apis/nope", "/apis/nope/v1", "/nope", "/api/v2"])
def test_discovery_of_an_unknown_path_gets_a_404(raw_client: RawClient, path: str) -> None:
    assert raw_client.get(path).code == 404
