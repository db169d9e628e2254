"""What the fake API server alone has: faults, access control, built-in kinds, and modes of older servers.

`tests/conformance/test_apiserver_fake*` compare everything else with a real API server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from typing import Any, Final

import pytest

from tests.fakes.apiserver import patches
from tests.fakes.apiserver.faults import Cut, Drop, Empty, Fault, Html, Refuse, Slow, Spoil, Stall, Truncated, Unknown
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.raw_client import IN_SHOP, MERGE, SERVICES, STRATEGIC, RawClient, build_service
from tests.fakes.apiserver.requests import parse
from tests.fakes.apiserver.server import ApiServer

STREAMED: Final = {
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
    "allowWatchBookmarks": "true",
}
ROUTES: Final = "/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes"
LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
LEASE: Final = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}, "spec": {}}


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        server.put_all([build_service("a"), build_service("b")])
        yield server


@pytest.fixture
def client(server: ApiServer) -> RawClient:
    return RawClient(server)


# Faults


def test_armed_faults(server: ApiServer, client: RawClient) -> None:
    """A fault affects the given number of requests that match; the first armed one is the first to act."""
    server.faults.arm(Refuse(code=500), verb="list", resource="services", namespace="shop", times=2)
    server.faults.arm(Refuse(code=503), resource="services", times=None)
    paths = (SERVICES, f"{IN_SHOP}/a", IN_SHOP, IN_SHOP, IN_SHOP, "/api")
    assert [client.get(path).code for path in paths] == [503, 503, 500, 500, 503, 200]
    server.faults.clear()
    assert client.get().code == 200


@pytest.mark.parametrize(
    ("fault", "code", "part"),
    [
        (Refuse(code=401), 401, '"reason": "Unauthorized"'),
        (Refuse(code=410), 410, '"reason": "Expired"'),
        (Refuse(code=429, retry_after_s=7), 429, '"retryAfterSeconds": 7'),
        (Html(), 200, "<html>"),
        (Truncated(), 200, '\\"kind\\":\\"ServiceList\\"'),
        (Empty(), 200, '"items": []'),
        (Empty(null=True), 200, '"items": null'),
        (Unknown(), 200, '"kind": "FooList", "apiVersion": "example.org/v99"'),
        (Spoil("a", {"spec": {"ports": "eighty"}}), 200, '"ports": "eighty"'),
        (Slow(step_bytes=64, every_s=0.0001), 200, '"name": "b"'),
        (Drop(), RemoteDisconnected, ""),
        (Cut(), IncompleteRead, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Fault) else None,
)
def test_fault_of_one_list(
    server: ApiServer, client: RawClient, fault: Fault, code: int | type[HTTPException], part: str
) -> None:
    server.faults.arm(fault)
    if isinstance(code, type):
        with pytest.raises(code):
            client.get()
    else:
        reply = client.get()
        assert (reply.code, part in json.dumps(reply.body)) == (code, True), reply
    assert client.get().names == ["a", "b"]


def test_faults_of_a_watch(server: ApiServer, client: RawClient) -> None:
    server.faults.arm(Refuse(code=500, framed=True), verb="watch")
    with client.watch() as stream:
        assert (stream.code, stream.read_events(2)) == (200, [("ERROR", ""), ("END", "")])
    server.faults.arm(Cut(lines=1), verb="watch")
    with client.watch() as stream:
        assert stream.read_events(1) == [("ADDED", "a")]
        with pytest.raises(IncompleteRead):
            stream.read_rest()
    server.faults.arm(Truncated(), verb="watch")
    with client.watch() as stream, pytest.raises(json.JSONDecodeError):
        stream.read_event()
    server.faults.arm(Empty(), verb="watch")
    with client.watch(**STREAMED) as stream:
        assert stream.read_events(1) == [("BOOKMARK", str(server.version))]


@pytest.mark.parametrize(("worked", "code"), [(False, 404), (True, 200)])
def test_dropped_create(server: ApiServer, client: RawClient, worked: bool, code: int) -> None:
    server.faults.arm(Drop(worked=worked), verb="create")
    with pytest.raises(RemoteDisconnected):
        client.send("POST", IN_SHOP, build_service("c"))
    assert client.get(f"{IN_SHOP}/c").code == code


@pytest.mark.parametrize("fault", [Stall(), Stall(lines=0), Slow(step_bytes=1, every_s=60)])
def test_released_fault(server: ApiServer, client: RawClient, fault: Fault) -> None:
    armed = server.faults.arm(fault)
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(client.get)
        armed.wait()
        assert not reply.done()
        armed.release()
        assert reply.result().names == ["a", "b"]


# Access control


@pytest.mark.parametrize(
    ("method", "target", "verb", "rule"),
    [
        ("GET", SERVICES, "list", ("", "services", "", "", "")),
        ("GET", f"{SERVICES}?watch=1", "watch", ("", "services", "", "", "")),
        ("GET", f"{SERVICES}?watch=false", "list", ("", "services", "", "", "")),
        ("GET", f"{ROUTES}/a", "get", ("gateway.networking.k8s.io", "httproutes", "", "shop", "a")),
        ("POST", IN_SHOP, "create", ("", "services", "", "shop", "")),
        ("PUT", f"{IN_SHOP}/a/status", "update", ("", "services", "status", "shop", "a")),
        ("PATCH", f"{IN_SHOP}/a", "patch", ("", "services", "", "shop", "a")),
        ("DELETE", f"{IN_SHOP}/a", "delete", ("", "services", "", "shop", "a")),
        ("DELETE", IN_SHOP, "deletecollection", ("", "services", "", "shop", "")),
        ("GET", "/api/v1/namespaces/shop", "get", ("", "namespaces", "", "", "shop")),
        ("PUT", "/api/v1/namespaces/a/status", "update", ("", "namespaces", "status", "", "a")),
        ("GET", "/api/v1", "get", ("", "", "", "", "")),
    ],
)
def test_verb_and_resource(method: str, target: str, verb: str, rule: tuple[str, ...]) -> None:
    """Kubernetes: "Determine the Request Verb"."""
    request = parse(method, target, {}, b"")
    assert request.verb == verb
    assert (request.group, request.resource, request.subresource, request.namespace, request.name) == rule


@pytest.mark.parametrize(
    ("namespace", "codes"), [("*", (403, 403, 403)), ("shop", (403, 200, 200)), ("", (200, 200, 403))]
)
def test_forbidden_verb(server: ApiServer, client: RawClient, namespace: str, codes: tuple[int, ...]) -> None:
    server.forbid("*", "services", namespace)
    paths = (IN_SHOP, "/api/v1/namespaces/other/services", SERVICES)
    assert tuple(client.get(path).code for path in paths) == codes
    review = {"resourceAttributes": {"verb": "list", "group": "", "resource": "services", "namespace": "shop"}}
    body = {"kind": "SelfSubjectAccessReview", "spec": review}
    reply = client.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
    assert (reply.code, reply.body["status"]) == (201, {"allowed": codes[0] == 200})


def test_message_of_rbac_and_wrong_token(server: ApiServer, client: RawClient) -> None:
    server.forbid("list", "httproutes")
    assert client.get(ROUTES).body["message"] == (
        'httproutes.gateway.networking.k8s.io is forbidden: User "tester" cannot list resource "httproutes" '
        'in API group "gateway.networking.k8s.io" in the namespace "shop"'
    )
    server.access.token = "one"
    assert client.get().body["reason"] == "Unauthorized"
    assert client.send("GET", SERVICES, headers={"Authorization": "bearer one"}).code == 200


# Built-in kinds


@pytest.mark.parametrize(
    ("method", "path", "body", "content_type", "code"),
    [
        pytest.param("POST", IN_SHOP, {"metadata": {"name": "c"}, "spec": {}}, "", 201, id="kind-can-be-left-out"),
        pytest.param("PUT", f"{IN_SHOP}/a", build_service("a"), "", 200, id="update-without-version"),
        pytest.param("PUT", f"{LEASES}/l", LEASE, "", 200, id="update-creates-a-lease"),
        pytest.param("PATCH", f"{IN_SHOP}/a", {"metadata": {"labels": {"x": "y"}}}, STRATEGIC, 200, id="strategic"),
        pytest.param("PATCH", f"{IN_SHOP}/a", {"spec": None}, MERGE, 200, id="merge"),
        pytest.param("DELETE", IN_SHOP, {}, "", 405, id="collection"),
        pytest.param("GET", "/api/v1/namespaces/shop/nodes", None, "", 404, id="cluster-scoped"),
        pytest.param("GET", "/apis/nope/v1", None, "", 404, id="unknown-group"),
    ],
)
def test_built_in_kinds(client: RawClient, method: str, path: str, body: Any, content_type: str, code: int) -> None:  # noqa: ANN401 - any JSON
    assert client.send(method, path, body, content_type=content_type or "application/json").code == code
    if path == f"{LEASES}/l":
        assert client.send("PUT", path, LEASE).code == 422, "an update of a lease needs a version"


def test_lists_and_bookmarks_of_built_in_kinds(server: ApiServer, client: RawClient) -> None:
    """Items of a list have no kind, Services no generation, and bookmarks the required fields with empty values."""
    (item, _) = client.get().body["items"]
    assert not {"kind", "apiVersion"} & item.keys()
    assert "generation" not in item["metadata"]
    path = "/apis/discovery.k8s.io/v1/endpointslices"
    with client.watch(path, resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        server.send_bookmarks()
        frame = stream.read_event()
    assert frame is not None
    metadata = {"resourceVersion": str(server.version), "creationTimestamp": None}
    required = {"addressType": "", "endpoints": None, "ports": None}
    assert frame["object"] == {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1"} | required | {
        "metadata": metadata
    }


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
        pytest.param({"a": {"b": 1}}, {"a": {"$patch": "replace", "c": 2}}, {"a": {"c": 2}}, id="maps-are-replaced"),
        pytest.param({"a": 1, "b": 2}, {"$retainKeys": ["a", "c"], "c": 3}, {"a": 1, "c": 3}, id="keys-are-retained"),
        pytest.param({"finalizers": ["a"]}, {"finalizers": ["b"]}, {"finalizers": ["a", "b"]}, id="lists-are-joined"),
        pytest.param({"a": ["x"]}, {"a": ["y"], "b": None}, {"a": ["y"]}, id="other-lists-are-replaced"),
    ],
)
def test_strategic_merge_patch(target: object, patch: object, expected: object) -> None:
    assert patches.apply_strategic_patch(target, patch) == expected


# Modes of older servers


@pytest.mark.parametrize(
    ("mode", "message"),
    [(WatchList.GATED, "feature gate"), (WatchList.UNKNOWN, "resourceVersionMatch is forbidden for watch")],
)
def test_without_streamed_lists(server: ApiServer, client: RawClient, mode: WatchList, message: str) -> None:
    server.api.watch_list = mode
    reply = client.get(watch="1", **STREAMED)
    assert (reply.code, message in reply.body["message"]) == (422, True)


def test_expired_version_as_status(server: ApiServer, client: RawClient) -> None:
    """An older server answers a watch from an expired version with 410, instead of an event."""
    version = server.version
    server.expire()
    server.api.gone_as_status = True
    assert client.get(watch="1", resourceVersion=version).body["reason"] == "Gone"
