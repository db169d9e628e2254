"""The real API server of the tests behaves as a cluster does, checked with a plain HTTP client."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.apimachinery.kinds import KINDS
from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiserver import ALL, Rig, build_ingress
from tests.fakes.apiserver.kinds import Kind


@pytest.fixture
def rig(api_machinery: ApiMachinery) -> Rig:
    return Rig.with_new_namespace(api_machinery, api_machinery.raw_client)


@pytest.fixture
def own() -> Iterator[Rig]:
    with ApiMachinery() as machinery:
        yield Rig.with_new_namespace(machinery, machinery.raw_client)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)
def test_the_api_server_stores_and_returns_objects_of_every_kind(rig: Rig, kind: Kind) -> None:
    before = {
        "metadata": {"name": "web", "namespace": rig.namespace, "labels": {"a": "b"}},
        "spec": {"any": [{"x": 1}]},
    }
    stored = rig.server.put({"apiVersion": kind.api_version, "kind": kind.kind, **before, "status": {"any": 1}})
    assert (stored["spec"], stored["status"]) == (before["spec"], {"any": 1})
    assert stored["metadata"].keys() >= {"uid", "generation", "creationTimestamp", "managedFields"}
    assert rig.server.get(kind, rig.namespace, "web") == stored
    assert stored in rig.server.objects(kind)


def test_the_kubeconfig_of_the_api_server_has_address_ca_and_client_certificate(
    api_machinery: ApiMachinery, tmp_path: Path
) -> None:
    config = json.loads(api_machinery.kubeconfig(tmp_path / "config").read_text())
    assert config["clusters"][0]["cluster"].keys() == {"server", "certificate-authority-data"}
    assert config["users"][0]["user"].keys() == {"client-certificate-data", "client-key-data"}
    assert config["clusters"][0]["cluster"]["server"] == api_machinery.url


def test_tls_verification_fails_for_a_client_without_the_ca_of_the_api_server(api_machinery: ApiMachinery) -> None:
    connection = HTTPSConnection(urlsplit(api_machinery.url).netloc, context=ssl.create_default_context(), timeout=30)
    with pytest.raises(ssl.SSLCertVerificationError):
        connection.request("GET", ALL)


def test_put_of_the_api_server_of_the_tests_replaces_spec_and_status_and_keeps_the_uid(rig: Rig) -> None:
    machinery = rig.server
    first = machinery.put(build_ingress("web", namespace=rig.namespace, spec={"n": 1}, status={"n": 1}))
    again = machinery.put(build_ingress("web", namespace=rig.namespace, spec={"n": 1}, status={"n": 1}))
    assert again == first
    bare = machinery.put(build_ingress("web", namespace=rig.namespace, spec={"n": 2}))
    assert (bare["spec"], "status" in bare) == ({"n": 2}, False)
    assert bare["metadata"]["uid"] == first["metadata"]["uid"]


def test_delete_of_the_api_server_of_the_tests_removes_even_an_object_that_has_finalizers(rig: Rig) -> None:
    rig.create("web", finalizers=["example.org/keep"])
    rig.server.delete("Ingress", rig.namespace, "web")
    assert rig.server.get("Ingress", rig.namespace, "web") is None
    with pytest.raises(KeyError, match="web"):
        rig.server.delete("Ingress", rig.namespace, "web")


def test_put_of_the_api_server_of_the_tests_raises_an_error_if_the_object_is_rejected(rig: Rig) -> None:
    with pytest.raises(RuntimeError, match="400"):
        rig.server.put(build_ingress("web", namespace=rig.namespace, labels=5))


def test_a_watch_from_resource_version_1_ends_with_error_410(rig: Rig) -> None:
    for number in range(3):
        rig.server.put(build_ingress("web", namespace=rig.namespace, spec={"n": number}))
    with rig.raw_client.watch(rig.path, resourceVersion=1) as stream:
        frame, end = stream.read_event(), stream.read_event()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 410, None)


def test_a_streamed_list_ends_with_a_bookmark_or_with_an_error_if_etcd_cannot_report_progress(rig: Rig) -> None:
    """Accept both answers: an etcd without progress requests ends the stream with an ERROR frame in a 200."""
    rig.create("web")
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    with rig.raw_client.watch(rig.path, **query) as stream:
        first = stream.read_event()
        assert first is not None
        if first["type"] == "ERROR":
            assert "RequestWatchProgress is disabled" in first["object"]["message"]
            assert stream.read_event() is None
        else:
            end = stream.read_event()
            assert end is not None
            assert end["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_the_api_server_of_the_tests_serves_all_kinds_after_a_restart_that_drops_all_objects(own: Rig) -> None:
    own.create("web")
    own.server.restart(keep=False)
    assert own.server.objects("Ingress") == []
    own.create("other")
    assert own.raw_client.get(own.path).names == ["other"]


def test_a_killed_api_server_can_be_killed_again_and_refuses_connections(own: Rig) -> None:
    own.server.kill()
    own.server.kill()
    with pytest.raises(ConnectionRefusedError):
        own.server.unregister("Ingress")
