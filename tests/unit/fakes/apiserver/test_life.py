"""Death, restarts, forgotten history, and kinds that come and go."""

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
from tests.fakes.apiserver.probe import PATIENCE_S, SERVICES, Probe, service
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

ENDPOINTS = "/apis/externaldns.k8s.io/v1alpha1/dnsendpoints"


def endpoint(name: str, version: str = "v1alpha1") -> dict[str, Any]:
    named = {"name": name, "namespace": "shop"}
    return {"apiVersion": f"externaldns.k8s.io/{version}", "kind": "DNSEndpoint", "metadata": named, "spec": {}}


def test_a_killed_server_refuses_connections_and_comes_back_on_its_port(server: ApiServer, probe: Probe) -> None:
    server.put(service("a"))
    url = server.url
    server.kill()
    with pytest.raises(ConnectionRefusedError):
        probe.get()
    server.start()
    assert (server.url, probe.get().names) == (url, ["a"])


def test_killing_cuts_open_watches_and_what_stalls(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Stall(lines=1), times=2)
    with probe.watch(resourceVersion=server.version) as one, probe.watch(resourceVersion=server.version) as other:
        server.kill()
        for stream in (one, other):
            with pytest.raises(IncompleteRead):
                stream.rest()
    assert server.watching("Service") == 0


def test_a_cut_watch_ends_without_a_last_chunk(server: ApiServer, probe: Probe) -> None:
    with probe.watch(resourceVersion=server.version) as stream:
        server.end_watches(Order.CUT, "Service")
        with pytest.raises(IncompleteRead):
            stream.rest()


def test_a_restart_with_its_history_goes_on_where_it_was(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.put(service("b"))
    server.restart(new_history=False)
    with probe.watch(resourceVersion=version) as stream:
        assert stream.brief(1) == [("ADDED", "b")]


def test_a_new_history_has_lower_versions_and_the_same_objects(server: ApiServer, probe: Probe) -> None:
    server.put_all([service("b"), service("a")])
    before = probe.get()
    server.restart()
    after = probe.get()
    assert after.names == before.names
    for old, new in zip(before.body["items"], after.body["items"], strict=True):
        assert int(new["metadata"]["resourceVersion"]) < int(old["metadata"]["resourceVersion"])
        assert new["metadata"]["uid"] == old["metadata"]["uid"]
    assert int(after.version) < int(before.version)


def test_versions_of_the_old_history_are_still_to_come_in_the_new_one(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.restart()
    assert probe.get(resourceVersion=version).code == 504
    with probe.watch(resourceVersion=version) as stream:
        server.put(service("b"))
        server.end_watches()
        assert stream.frame() is None


def test_a_new_history_may_be_empty(server: ApiServer, probe: Probe) -> None:
    server.put(service("a"))
    server.restart(keep=False)
    assert probe.get().body["items"] == []
    server.put(service("b"))
    assert probe.get().names == ["b"]


def test_an_unknown_kind_is_no_status_but_a_page_not_found(probe: Probe) -> None:
    reply = probe.get("/apis/externaldns.k8s.io/v1alpha1/nopes")
    assert (reply.code, reply.headers["Content-Type"], reply.body) == (
        404,
        "text/plain; charset=utf-8",
        "404 page not found\n",
    )


def test_removing_a_crd_deletes_its_objects_then_ends_its_watches(server: ApiServer, probe: Probe) -> None:
    server.put_all([endpoint("a"), endpoint("b")])
    with probe.watch(ENDPOINTS, resourceVersion=server.version) as stream:
        server.unregister("DNSEndpoint")
        assert stream.brief(3) == [("DELETED", "a"), ("DELETED", "b"), ("END", "")]
    assert probe.get(ENDPOINTS).code == 404
    server.register(DNS_ENDPOINT)
    assert probe.get(ENDPOINTS).body["items"] == []


def test_a_version_that_is_served_no_longer_keeps_its_objects(server: ApiServer, probe: Probe) -> None:
    server.put(endpoint("a"))
    with probe.watch(ENDPOINTS, resourceVersion=server.version) as stream:
        server.unregister("DNSEndpoint", deleting=False)
        assert stream.brief(1) == [("END", "")]
    assert probe.get(ENDPOINTS).code == 404
    server.register(DNS_ENDPOINT)
    assert probe.get(ENDPOINTS).names == ["a"]


def test_versions_of_a_kind_share_its_objects(server: ApiServer, probe: Probe) -> None:
    server.register(
        Kind(group=DNS_ENDPOINT.group, version="v1", kind="DNSEndpoint", plural="dnsendpoints", custom=True)
    )
    server.put(endpoint("a", "v1"))
    item = probe.get(ENDPOINTS).body["items"][0]
    assert (item["apiVersion"], item["metadata"]["name"]) == ("externaldns.k8s.io/v1alpha1", "a")


def test_a_test_may_choose_uid_and_age(server: ApiServer) -> None:
    obj = service("a")
    obj["metadata"] |= {"uid": "u-1", "creationTimestamp": "2020-01-01T00:00:00Z"}
    made = server.put(obj)["metadata"]
    assert (made["uid"], made["creationTimestamp"]) == ("u-1", "2020-01-01T00:00:00Z")
    again = server.put(service("a", changed="yes"))["metadata"]
    assert (again["uid"], again["creationTimestamp"]) == ("u-1", "2020-01-01T00:00:00Z")


def test_tests_see_what_is_stored(server: ApiServer) -> None:
    server.put_all([service("b"), service("a"), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}])
    assert [obj["metadata"]["name"] for obj in server.objects(SERVICE)] == ["a", "b"]
    assert server.get("Node", "", "n") is not None
    server.delete("services", "shop", "a")
    assert server.get("Service", "shop", "a") is None


@pytest.mark.parametrize("kind", ["Nope", "DNSEndpoint"])
def test_a_kind_that_is_not_there_once_is_a_mistake_of_the_test(server: ApiServer, kind: str) -> None:
    server.register(Kind(group="other.example", version="v1", kind="DNSEndpoint", plural="dnsendpoints", custom=True))
    with pytest.raises(KeyError, match=kind):
        server.objects(kind)
    with pytest.raises(KeyError, match="not served"):
        server.put({"apiVersion": "v9", "kind": "Service", "metadata": {"name": "a"}})


def test_only_kinds_that_were_asked_for_are_served() -> None:
    with ApiServer(kinds=[INGRESS]) as server:
        assert Probe(server).get(SERVICES).code == 404
        assert Probe(server).get("/apis/networking.k8s.io/v1/ingresses").body["items"] == []


def test_one_connection_serves_many_requests(server: ApiServer) -> None:
    with closing(HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE_S)) as connection:
        connection.connect()
        first = connection.sock
        for path in (SERVICES, "/nope", f"{SERVICES}?watch=1&timeoutSeconds=1", SERVICES):
            connection.request("GET", path)
            connection.getresponse().read()
        assert connection.sock is first


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl command: TLS of the fake server is untried")
def test_tls_is_spoken_with_a_ca_of_its_own() -> None:
    with ApiServer(tls=True) as server:
        assert server.url.startswith("https://")
        with urllib3.PoolManager(ca_cert_data=server.ca.decode()) as trusting:
            assert trusting.request("GET", f"{server.url}/version").json()["gitVersion"].startswith("v1.")
            server.restart()
            assert trusting.request("GET", f"{server.url}/healthz").data == b"ok"
        with urllib3.PoolManager(retries=False) as wary, pytest.raises(urllib3.exceptions.SSLError):
            wary.request("GET", f"{server.url}/version")
