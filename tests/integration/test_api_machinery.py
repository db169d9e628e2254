"""The real API machinery does what a client must survive, and what tests tell it; seen by a plain client."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.apimachinery.kinds import KINDS
from tests.apimachinery.programs import Programs
from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiserver import ALL, Rig, ingress
from tests.fakes.apiserver.kinds import Kind


@pytest.fixture
def rig(api_machinery: ApiMachinery) -> Rig:
    return Rig.of(api_machinery, api_machinery.probe)


@pytest.fixture
def own(api_programs: Programs) -> Iterator[Rig]:
    with ApiMachinery(api_programs) as machinery:
        yield Rig.of(machinery, machinery.probe)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)
def test_every_kind_is_served_and_stored_as_a_cluster_would(rig: Rig, kind: Kind) -> None:
    before = {
        "metadata": {"name": "web", "namespace": rig.namespace, "labels": {"a": "b"}},
        "spec": {"any": [{"x": 1}]},
    }
    stored = rig.server.put({"apiVersion": kind.api_version, "kind": kind.kind, **before, "status": {"any": 1}})
    assert (stored["spec"], stored["status"]) == (before["spec"], {"any": 1})
    assert stored["metadata"].keys() >= {"uid", "generation", "creationTimestamp", "managedFields"}
    assert rig.server.get(kind, rig.namespace, "web") == stored
    assert stored in rig.server.objects(kind)


def test_its_kubeconfig_says_all_that_a_client_needs(api_machinery: ApiMachinery, tmp_path: Path) -> None:
    config = json.loads(api_machinery.kubeconfig(tmp_path / "config").read_text())
    assert config["clusters"][0]["cluster"].keys() == {"server", "certificate-authority-data"}
    assert config["users"][0]["user"].keys() == {"client-certificate-data", "client-key-data"}
    assert config["clusters"][0]["cluster"]["server"] == api_machinery.url


def test_who_does_not_know_its_ca_does_not_talk_to_it(api_machinery: ApiMachinery) -> None:
    connection = HTTPSConnection(urlsplit(api_machinery.url).netloc, context=ssl.create_default_context(), timeout=30)
    with pytest.raises(ssl.SSLCertVerificationError):
        connection.request("GET", ALL)


def test_a_put_replaces_with_its_status(rig: Rig) -> None:
    machinery = rig.server
    first = machinery.put(ingress("web", namespace=rig.namespace, spec={"n": 1}, status={"n": 1}))
    again = machinery.put(ingress("web", namespace=rig.namespace, spec={"n": 1}, status={"n": 1}))
    assert again == first
    bare = machinery.put(ingress("web", namespace=rig.namespace, spec={"n": 2}))
    assert (bare["spec"], "status" in bare) == ({"n": 2}, False)
    assert bare["metadata"]["uid"] == first["metadata"]["uid"]


def test_a_delete_does_not_mind_finalizers(rig: Rig) -> None:
    rig.create("web", finalizers=["example.org/keep"])
    rig.server.delete("Ingress", rig.namespace, "web")
    assert rig.server.get("Ingress", rig.namespace, "web") is None
    with pytest.raises(KeyError, match="web"):
        rig.server.delete("Ingress", rig.namespace, "web")


def test_what_the_server_refuses_is_not_put(rig: Rig) -> None:
    with pytest.raises(RuntimeError, match="400"):
        rig.server.put(ingress("web", namespace=rig.namespace, labels=5))


def test_a_watch_from_the_beginning_of_time_has_expired(rig: Rig) -> None:
    for number in range(3):
        rig.server.put(ingress("web", namespace=rig.namespace, spec={"n": number}))
    with rig.probe.watch(rig.path, resourceVersion=1) as stream:
        frame, end = stream.frame(), stream.frame()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 410, None)


def test_initial_events_need_a_store_that_tells_its_progress(rig: Rig) -> None:
    """An older etcd does not, and the server says so in an ERROR frame, in a 200."""
    rig.create("web")
    asked = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    with rig.probe.watch(rig.path, **asked) as stream:
        first = stream.frame()
        assert first is not None
        if first["type"] == "ERROR":
            assert "RequestWatchProgress is disabled" in first["object"]["message"]
            assert stream.frame() is None
        else:
            end = stream.frame()
            assert end is not None
            assert end["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_a_new_history_without_objects_keeps_their_kinds(own: Rig) -> None:
    own.create("web")
    own.server.restart(keep=False)
    assert own.server.objects("Ingress") == []
    own.create("other")
    assert own.probe.get(own.path).names == ["other"]


def test_a_server_that_is_not_running_has_nothing_to_wait_for(own: Rig) -> None:
    own.server.kill()
    own.server.kill()
    with pytest.raises(ConnectionRefusedError):
        own.server.unregister("Ingress")
