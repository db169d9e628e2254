"""Kill and restart the fake API server, drop its history, and register and remove kinds."""

from __future__ import annotations

import shutil
from contextlib import closing
from http.client import HTTPConnection, IncompleteRead
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3

from tests.fakes.apiserver.faults import Stall
from tests.fakes.apiserver.kinds import DNS_ENDPOINT, INGRESS, SERVICE, Kind
from tests.fakes.apiserver.raw_client import SERVICES, TIMEOUT_S, RawClient, build_service
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

ENDPOINTS = "/apis/externaldns.k8s.io/v1alpha1/dnsendpoints"


def endpoint(name: str, version: str = "v1alpha1") -> dict[str, Any]:
    named = {"name": name, "namespace": "shop"}
    return {"apiVersion": f"externaldns.k8s.io/{version}", "kind": "DNSEndpoint", "metadata": named, "spec": {}}


def test_a_killed_api_server_refuses_connections_and_restarts_on_the_same_port(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.put(build_service("a"))
    url = server.url
    server.kill()
    with pytest.raises(ConnectionRefusedError):
        raw_client.get()
    server.start()
    assert (server.url, raw_client.get().names) == (url, ["a"])


def test_killing_the_api_server_cuts_open_and_stalled_watches(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Stall(lines=1), times=2)
    with (
        raw_client.watch(resourceVersion=server.version) as one,
        raw_client.watch(resourceVersion=server.version) as other,
    ):
        server.kill()
        for stream in (one, other):
            with pytest.raises(IncompleteRead):
                stream.read_rest()


def test_a_watch_that_a_test_cuts_ends_without_the_final_http_chunk(server: ApiServer, raw_client: RawClient) -> None:
    with raw_client.watch(resourceVersion=server.version) as stream:
        server.end_watches(Order.CUT, "Service")
        with pytest.raises(IncompleteRead):
            stream.read_rest()


def test_after_a_restart_that_keeps_the_history_a_watch_can_continue_from_an_old_version(
    server: ApiServer, raw_client: RawClient
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.put(build_service("b"))
    server.restart(new_history=False)
    with raw_client.watch(resourceVersion=version) as stream:
        assert stream.read_events(1) == [("ADDED", "b")]


def test_after_a_restart_with_a_new_history_the_same_objects_have_lower_resource_versions(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.put_all([build_service("b"), build_service("a")])
    before = raw_client.get()
    server.restart()
    after = raw_client.get()
    assert after.names == before.names
    for old, new in zip(before.body["items"], after.body["items"], strict=True):
        assert int(new["metadata"]["resourceVersion"]) < int(old["metadata"]["resourceVersion"])
        assert new["metadata"]["uid"] == old["metadata"]["uid"]
    assert int(after.version) < int(before.version)


def test_after_a_restart_with_a_new_history_a_former_resource_version_counts_as_a_future_one(
    server: ApiServer, raw_client: RawClient
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.restart()
    assert raw_client.get(resourceVersion=version).code == 504
    with raw_client.watch(resourceVersion=version) as stream:
        server.put(build_service("b"))
        server.end_watches()
        assert stream.read_event() is None


def test_a_test_can_restart_the_server_without_its_objects(server: ApiServer, raw_client: RawClient) -> None:
    server.put(build_service("a"))
    server.restart(keep=False)
    assert raw_client.get().body["items"] == []
    server.put(build_service("b"))
    assert raw_client.get().names == ["b"]


def test_listing_an_unknown_kind_gets_a_plain_text_404(raw_client: RawClient) -> None:
    reply = raw_client.get("/apis/externaldns.k8s.io/v1alpha1/nopes")
    assert (reply.code, reply.headers["Content-Type"], reply.body) == (
        404,
        "text/plain; charset=utf-8",
        "404 page not found\n",
    )


def test_removing_a_crd_deletes_its_objects_and_ends_its_watches(server: ApiServer, raw_client: RawClient) -> None:
    server.put_all([endpoint("a"), endpoint("b")])
    with raw_client.watch(ENDPOINTS, resourceVersion=server.version) as stream:
        server.unregister("DNSEndpoint")
        assert stream.read_events(3) == [("DELETED", "a"), ("DELETED", "b"), ("END", "")]
    assert raw_client.get(ENDPOINTS).code == 404
    server.register(DNS_ENDPOINT)
    assert raw_client.get(ENDPOINTS).body["items"] == []


def test_objects_stay_stored_while_their_api_version_is_not_served(server: ApiServer, raw_client: RawClient) -> None:
    server.put(endpoint("a"))
    with raw_client.watch(ENDPOINTS, resourceVersion=server.version) as stream:
        server.unregister("DNSEndpoint", deleting=False)
        assert stream.read_events(1) == [("END", "")]
    assert raw_client.get(ENDPOINTS).code == 404
    server.register(DNS_ENDPOINT)
    assert raw_client.get(ENDPOINTS).names == ["a"]


def test_all_api_versions_of_a_kind_serve_the_same_stored_objects(server: ApiServer, raw_client: RawClient) -> None:
    server.register(
        Kind(group=DNS_ENDPOINT.group, version="v1", kind="DNSEndpoint", plural="dnsendpoints", custom=True)
    )
    server.put(endpoint("a", "v1"))
    item = raw_client.get(ENDPOINTS).body["items"][0]
    assert (item["apiVersion"], item["metadata"]["name"]) == ("externaldns.k8s.io/v1alpha1", "a")


def test_a_test_can_set_the_uid_and_creation_time_of_an_object_it_stores(server: ApiServer) -> None:
    obj = build_service("a")
    obj["metadata"] |= {"uid": "u-1", "creationTimestamp": "2020-01-01T00:00:00Z"}
    made = server.put(obj)["metadata"]
    assert (made["uid"], made["creationTimestamp"]) == ("u-1", "2020-01-01T00:00:00Z")
    again = server.put(build_service("a", changed="yes"))["metadata"]
    assert (again["uid"], again["creationTimestamp"]) == ("u-1", "2020-01-01T00:00:00Z")


def test_a_test_can_read_and_delete_stored_objects(server: ApiServer) -> None:
    server.put_all(
        [build_service("b"), build_service("a"), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}]
    )
    assert [obj["metadata"]["name"] for obj in server.objects(SERVICE)] == ["a", "b"]
    assert server.get("Node", "", "n") is not None
    server.delete("services", "shop", "a")
    assert server.get("Service", "shop", "a") is None


@pytest.mark.parametrize("kind", ["Nope", "DNSEndpoint"])
def test_an_ambiguous_or_unserved_kind_name_raises_a_key_error(server: ApiServer, kind: str) -> None:
    server.register(Kind(group="other.example", version="v1", kind="DNSEndpoint", plural="dnsendpoints", custom=True))
    with pytest.raises(KeyError, match=kind):
        server.objects(kind)
    with pytest.raises(KeyError, match="does not serve"):
        server.put({"apiVersion": "v9", "kind": "Service", "metadata": {"name": "a"}})


def test_only_the_kinds_given_to_the_server_are_served() -> None:
    with ApiServer(kinds=[INGRESS]) as server:
        assert RawClient(server).get(SERVICES).code == 404
        assert RawClient(server).get("/apis/networking.k8s.io/v1/ingresses").body["items"] == []


def test_one_connection_serves_many_requests(server: ApiServer) -> None:
    with closing(HTTPConnection(urlsplit(server.url).netloc, timeout=TIMEOUT_S)) as connection:
        connection.connect()
        first = connection.sock
        for path in (SERVICES, "/nope", f"{SERVICES}?watch=1&timeoutSeconds=1", SERVICES):
            connection.request("GET", path)
            connection.getresponse().read()
        assert connection.sock is first


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl command: TLS of the fake server is untried")
def test_a_tls_server_is_trusted_only_with_its_own_ca() -> None:
    with ApiServer(tls=True) as server:
        assert server.url.startswith("https://")
        with urllib3.PoolManager(ca_cert_data=server.ca.decode()) as trusting:
            assert trusting.request("GET", f"{server.url}/version").json()["gitVersion"].startswith("v1.")
            server.restart()
            assert trusting.request("GET", f"{server.url}/healthz").data == b"ok"
        with urllib3.PoolManager(retries=False) as wary, pytest.raises(urllib3.exceptions.SSLError):
            wary.request("GET", f"{server.url}/version")
