"""Server-side apply, by "Field management", "Conflicts" and "Transferring ownership"."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver.probe import APPLY, IN_SHOP, MERGE, Probe, Reply, route
from tests.fakes.apiserver.server import ApiServer

PATH = "/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes/r"


def apply(probe: Probe, manager: str, config: object, *, force: bool = False, path: str = PATH) -> Reply:
    query = f"?fieldManager={manager}" + ("&force=true" if force else "")
    return probe.ask("PATCH", path + query, config, content_type=APPLY)


def managers(reply: Reply) -> dict[str, Any]:
    return {entry["manager"]: entry["fieldsV1"] for entry in reply.body["metadata"]["managedFields"]}


def test_what_is_not_there_is_created(probe: Probe) -> None:
    made = apply(probe, "one", route("r", hostnames=["a"]))
    assert (made.code, made.body["spec"]) == (201, {"hostnames": ["a"]})
    assert managers(made) == {"one": {"f:spec": {".": {}, "f:hostnames": {}}}}
    assert made.body["metadata"]["managedFields"][0]["operation"] == "Apply"


def test_applying_the_same_again_changes_nothing(probe: Probe) -> None:
    first = apply(probe, "one", route("r", hostnames=["a"]))
    assert apply(probe, "one", route("r", hostnames=["a"])).body == first.body


def test_yaml_is_read_with_timestamps_as_strings(probe: Probe) -> None:
    lease = "apiVersion: coordination.k8s.io/v1\nkind: Lease\nspec:\n  acquireTime: 2026-01-01T00:00:00Z\n"
    made = apply(probe, "one", lease, path="/apis/coordination.k8s.io/v1/namespaces/shop/leases/a")
    assert (made.code, made.body["spec"]) == (201, {"acquireTime": "2026-01-01T00:00:00Z"})


def test_another_managers_field_is_a_conflict_that_names_it(probe: Probe) -> None:
    apply(probe, "one", route("r", hostnames=["a"]))
    reply = apply(probe, "two", route("r", hostnames=["b"]))
    assert (reply.code, reply.body["reason"]) == (409, "Conflict")
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.hostnames"}
    assert reply.body["details"]["causes"] == [cause]


def test_force_takes_the_field(probe: Probe) -> None:
    apply(probe, "one", route("r", hostnames=["a"], other=1))
    taken = apply(probe, "two", route("r", hostnames=["b"]), force=True)
    assert taken.body["spec"] == {"hostnames": ["b"], "other": 1}
    assert managers(taken) == {
        "one": {"f:spec": {".": {}, "f:other": {}}},
        "two": {"f:spec": {".": {}, "f:hostnames": {}}},
    }


def test_the_same_value_is_shared_and_goes_with_the_last_owner(probe: Probe) -> None:
    apply(probe, "one", route("r", a={"x": 1}, b=1))
    shared = apply(probe, "two", route("r", a={"x": 1}))
    assert shared.code == 200
    assert apply(probe, "one", route("r", b=1)).body["spec"] == {"a": {"x": 1}, "b": 1}
    assert apply(probe, "two", route("r")).body["spec"] == {"b": 1}


def test_an_update_takes_what_it_changes_and_apply_then_conflicts_with_it(probe: Probe) -> None:
    apply(probe, "one", route("r", hostnames=["a"]))
    patch = {"spec": {"hostnames": ["c"]}}
    patched = probe.ask("PATCH", f"{PATH}?fieldManager=hand", patch, content_type=MERGE)
    assert managers(patched) == {"one": {"f:spec": {}}, "hand": {"f:spec": {"f:hostnames": {}}}}
    reply = apply(probe, "one", route("r", hostnames=["a"]))
    assert 'conflict with "hand" using gateway.networking.k8s.io/v1: .spec.hostnames' in reply.body["message"]


def test_status_is_applied_through_its_subresource_alone(server: ApiServer, probe: Probe) -> None:
    server.put(route("r", hostnames=["a"]))
    kind = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute"}
    config = kind | {"spec": {"hostnames": ["b"]}, "status": {"parents": []}}
    done = apply(probe, "one", config, path=f"{PATH}/status")
    assert (done.code, done.body["spec"], done.body["status"]) == (200, {"hostnames": ["a"]}, {"parents": []})
    assert done.body["metadata"]["managedFields"][0]["subresource"] == "status"
    assert apply(probe, "one", config, path=f"{PATH}x/status").code == 404


@pytest.mark.parametrize(
    ("query", "config", "code"),
    [
        pytest.param("", route("r"), 422, id="no-manager"),
        pytest.param("?fieldManager=one", {"spec": {}}, 400, id="no-kind"),
        pytest.param("?fieldManager=one", "a: [", 400, id="no-yaml"),
        pytest.param("?fieldManager=one", route("r") | {"metadata": {"managedFields": [{}]}}, 400, id="managed-fields"),
    ],
)
def test_an_apply_that_makes_no_sense_is_refused(probe: Probe, query: str, config: object, code: int) -> None:
    assert probe.ask("PATCH", PATH + query, config, content_type=APPLY).code == code


def test_objects_that_tests_put_have_managed_fields_too(server: ApiServer) -> None:
    metadata = server.put(route("r", hostnames=["a"], rules=[{}]))["metadata"]
    assert metadata["managedFields"][0]["fieldsV1"] == {"f:spec": {".": {}, "f:hostnames": {}, "f:rules": {}}}


def test_a_core_kind_is_applied_alike(probe: Probe) -> None:
    config = {"apiVersion": "v1", "kind": "Service", "metadata": {"annotations": {"a": "b"}}}
    assert apply(probe, "one", config, path=f"{IN_SHOP}/web").body["metadata"]["name"] == "web"
