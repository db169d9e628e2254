"""Who may do what, what RBAC would see, and what is discovered."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.apiserver.probe import IN_SHOP, MERGE, SERVICES, Probe, service
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
            "PUT", "/api/v1/namespaces/a/status", "update", ("", "namespaces", "status", "", "a"), id="its-status"
        ),
        pytest.param("GET", "/api/v1", "get", ("", "", "", "", ""), id="discovery"),
        pytest.param("GET", "/healthz", "get", ("", "", "", "", ""), id="health"),
    ],
)
def test_requests_are_seen_as_rbac_sees_them(method: str, target: str, verb: str, rule: tuple[str, ...]) -> None:
    request = parse(method, target, {}, b"")
    seen = request.group, request.resource, request.subresource, request.namespace, request.name
    assert (request.verb, seen) == (verb, rule)


@pytest.mark.parametrize(("namespace", "allowed"), [("shop", False), ("other", True), ("", True)])
def test_a_review_says_what_is_forbidden_and_keeps_nothing(
    server: ApiServer, probe: Probe, namespace: str, allowed: bool
) -> None:
    server.access.forbid("list", "services", "shop")
    before = server.version
    asked = {"verb": "list", "group": "", "resource": "services", "namespace": namespace}
    body = {"kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": asked}}
    reply = probe.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
    assert (reply.code, reply.body["status"]) == (201, {"allowed": allowed})
    assert server.version == before


def test_what_is_forbidden_is_a_403_in_the_words_of_rbac(server: ApiServer, probe: Probe) -> None:
    server.forbid("list", "httproutes")
    reply = probe.get(ROUTES)
    words = (
        'httproutes.gateway.networking.k8s.io is forbidden: User "tester" cannot list resource "httproutes" '
        'in API group "gateway.networking.k8s.io" in the namespace "shop"'
    )
    assert (reply.code, reply.body["reason"], reply.body["message"]) == (403, "Forbidden", words)
    assert probe.get(SERVICES).code == 200
    server.permit("list", "httproutes")
    assert probe.get(ROUTES).code == 200


@pytest.mark.parametrize(
    ("namespace", "codes"),
    [
        pytest.param("*", (403, 403, 403), id="everywhere"),
        pytest.param("shop", (403, 200, 200), id="in-one-namespace"),
        pytest.param("", (200, 200, 403), id="over-all-of-them"),
    ],
)
def test_it_is_forbidden_in_a_namespace_or_over_all(
    server: ApiServer, probe: Probe, namespace: str, codes: tuple[int, ...]
) -> None:
    server.forbid("*", "services", namespace)
    paths = (IN_SHOP, "/api/v1/namespaces/other/services", SERVICES)
    assert tuple(probe.get(path).code for path in paths) == codes


def test_a_token_is_asked_for_and_may_change(probe: Probe, server: ApiServer) -> None:
    server.access.token = "one"
    bearer = {"Authorization": "Bearer one"}
    refused = probe.get()
    assert (refused.code, refused.body["reason"]) == (401, "Unauthorized")
    assert probe.ask("GET", SERVICES, headers=bearer).code == 200
    assert probe.ask("GET", SERVICES, headers={"Authorization": "bearer one"}).code == 200
    server.access.token = "two"
    assert probe.ask("GET", SERVICES, headers=bearer).code == 401


def test_the_log_tells_what_was_asked(server: ApiServer, probe: Probe) -> None:
    probe.get(limit=5)
    probe.ask("POST", IN_SHOP, service("a"))
    probe.ask("PATCH", f"{IN_SHOP}/a/status", {}, content_type=MERGE)
    listed, created, patched = server.log.requests()
    assert (listed.method, listed.path, listed.query, listed.user_agent) == ("GET", SERVICES, {"limit": "5"}, "probe/1")
    assert json.loads(created.body)["metadata"]["name"] == "a"
    assert (patched.subresource, patched.headers["content-type"]) == ("status", MERGE)
    assert server.log.rules() == {
        ("list", "", "services"),
        ("create", "", "services"),
        ("patch", "", "services/status"),
    }
    assert server.log.requests("create", "services") == (created,)
    server.log.clear()
    assert server.log.requests() == ()


def test_a_request_to_come_can_be_waited_for(server: ApiServer, probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(server.log.wait_for, "get", "services", count=2)
        probe.get(f"{IN_SHOP}/a")
        probe.get(f"{IN_SHOP}/b")
        assert waiting.result().name == "b"
    monkeypatch.setattr("tests.fakes.apiserver.log._PATIENCE_S", 0)
    with pytest.raises(AssertionError, match="watch services, 1 times, did not come"):
        server.log.wait_for("watch", "services")


def test_a_kubeconfig_leads_here(server: ApiServer, tmp_path: Path) -> None:
    server.access.token = "one"
    config = json.loads(server.kubeconfig(tmp_path / "config").read_text())
    assert config["clusters"][0]["cluster"] == {"server": server.url}
    assert config["users"][0]["user"] == {"token": "one"}
    assert config["current-context"] == config["contexts"][0]["name"]


def test_groups_versions_and_resources_are_discovered(server: ApiServer, probe: Probe) -> None:
    server.register(replace(server.catalogue.of("TCPRoute"), version="v1alpha2"))
    assert probe.get("/api").body["versions"] == ["v1"]
    groups = {group["name"]: group for group in probe.get("/apis").body["groups"]}
    gateway = groups["gateway.networking.k8s.io"]
    assert [version["version"] for version in gateway["versions"]] == ["v1", "v1alpha2"]
    assert gateway["preferredVersion"]["groupVersion"] == "gateway.networking.k8s.io/v1"
    assert probe.get("/apis/gateway.networking.k8s.io").body["name"] == "gateway.networking.k8s.io"
    found = {entry["name"]: entry for entry in probe.get("/api/v1").body["resources"]}
    assert (found["services"]["kind"], found["services"]["namespaced"]) == ("Service", True)
    assert found["services/status"]["verbs"] == ["get", "patch", "update"]
    assert found["nodes"]["namespaced"] is False
    assert len(probe.get("/apis/coordination.k8s.io/v1").body["resources"]) == 1


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3", "/apis/nope", "/apis/nope/v1", "/nope", "/api/v2"])
def test_what_is_not_there_is_not_discovered(probe: Probe, path: str) -> None:
    assert probe.get(path).code == 404
