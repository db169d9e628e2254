"""The real API server of the tests behaves as a cluster does, checked with a plain HTTP client."""

from __future__ import annotations

import pytest

from tests.conformance.apiserver import Rig, build_thing
from tests.kubernetes.cluster import Cluster


@pytest.fixture
def rig(cluster: Cluster) -> Rig:
    return Rig.with_new_namespace(cluster, cluster.raw_client)


def test_put_of_the_api_server_of_the_tests_replaces_spec_and_status_and_keeps_the_uid(rig: Rig) -> None:
    machinery = rig.server
    first = machinery.put(build_thing("web", namespace=rig.namespace, spec={"n": 1}, status={"n": 1}))
    again = machinery.put(build_thing("web", namespace=rig.namespace, spec={"n": 1}, status={"n": 1}))
    assert again == first
    bare = machinery.put(build_thing("web", namespace=rig.namespace, spec={"n": 2}))
    assert (bare["spec"], "status" in bare) == ({"n": 2}, False)
    assert bare["metadata"]["uid"] == first["metadata"]["uid"]


def test_delete_of_the_api_server_of_the_tests_removes_even_an_object_that_has_finalizers(rig: Rig) -> None:
    rig.create("web", finalizers=["example.org/keep"])
    rig.server.delete("Thing", rig.namespace, "web")
    assert rig.server.get("Thing", rig.namespace, "web") is None
    with pytest.raises(KeyError, match="web"):
        rig.server.delete("Thing", rig.namespace, "web")


def test_put_of_the_api_server_of_the_tests_raises_an_error_if_the_object_is_rejected(rig: Rig) -> None:
    with pytest.raises(RuntimeError, match="400"):
        rig.server.put(build_thing("web", namespace=rig.namespace, labels=5))


def test_a_watch_from_resource_version_1_ends_with_error_410(rig: Rig) -> None:
    for number in range(3):
        rig.server.put(build_thing("web", namespace=rig.namespace, spec={"n": number}))
    with rig.raw_client.watch(rig.path, resourceVersion=1) as stream:
        frame, end = stream.read_event(), stream.read_event()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 410, None)


def test_the_api_server_of_the_tests_serves_all_kinds_after_a_restart_that_drops_all_objects(rig: Rig) -> None:
    rig.create("web")
    rig.server.restart(keep=False)
    assert rig.server.objects("Thing") == []
    rig.server.put(build_thing("other", namespace=rig.namespace))
    assert rig.raw_client.get(rig.path).names == ["other"]


def test_a_killed_api_server_can_be_killed_again_and_refuses_connections(rig: Rig) -> None:
    rig.server.kill()
    rig.server.kill()
    with pytest.raises(ConnectionRefusedError):
        rig.server.unregister("Thing")
