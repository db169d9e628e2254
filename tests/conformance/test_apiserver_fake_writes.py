"""Conformance tests of writes of a Kubernetes API server, run against the fake and the real server."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.apiserver import Rig, build_thing, check_success
from tests.fakes.apiserver.raw_client import JSON_PATCH, MERGE

FIXED: Final = {"creationTimestamp": "2020-01-01T00:00:00Z", "uid": "mine", "generation": 7}


def test_the_api_server_sets_uid_and_creation_time_of_a_created_object_and_drops_its_status(api: Rig) -> None:
    reply = api.raw_client.send("POST", api.path, build_thing("web", status={"loadBalancer": {}}, **FIXED))
    made = reply.body
    assert reply.code == 201
    assert "status" not in made
    metadata = made["metadata"]
    assert metadata.keys() >= {"uid", "creationTimestamp", "managedFields"}
    assert not metadata.items() & FIXED.items()
    assert (metadata["name"], metadata["namespace"], metadata["generation"]) == ("web", api.namespace, 1)
    assert metadata["resourceVersion"] == str(api.server.version)
    assert api.raw_client.get(f"{api.path}/web").body == made
    assert api.server.get("Thing", api.namespace, "web") == made


def test_an_object_with_generate_name_gets_a_unique_name_with_that_prefix(api: Rig) -> None:
    made = [
        check_success(api.raw_client.send("POST", api.path, build_thing("", generateName="web-")))["metadata"]
        for _ in range(2)
    ]
    assert all(metadata["name"].startswith("web-") for metadata in made)
    assert {metadata["generateName"] for metadata in made} == {"web-"}
    assert len({metadata["name"] for metadata in made}) == 2


def test_a_dry_run_create_returns_the_object_and_stores_nothing(api: Rig) -> None:
    before = api.server.version
    reply = api.raw_client.send("POST", f"{api.path}?dryRun=All", build_thing("web"))
    assert (reply.code, reply.body["metadata"].get("resourceVersion")) == (201, None)
    assert (api.raw_client.get(api.path).names, api.server.version) == ([], before)


def test_an_update_with_an_old_resource_version_is_refused_as_a_conflict(api: Rig) -> None:
    first = api.create("web")
    second = check_success(api.raw_client.send("PUT", f"{api.path}/web", first | {"spec": {"n": 1}}))
    late = api.raw_client.send("PUT", f"{api.path}/web", first | {"spec": {"n": 2}})
    assert (late.code, late.body["reason"]) == (409, "Conflict")
    assert api.raw_client.get(f"{api.path}/web").body == second
    assert int(second["metadata"]["resourceVersion"]) == int(first["metadata"]["resourceVersion"]) + 1


@pytest.mark.parametrize("way", ["update", "merge"])
def test_a_write_without_effect_keeps_the_resource_version(api: Rig, way: str) -> None:
    made, before = api.create("web", labels={"a": "b"}), api.server.version
    if way == "update":
        reply = api.raw_client.send("PUT", f"{api.path}/web", made)
    else:
        reply = api.patch("web", {"metadata": {"labels": {"a": "b"}}, "spec": {"none": None}}, MERGE)
    assert (check_success(reply), api.server.version) == (made, before)


@pytest.mark.parametrize(
    ("at", "change", "generation"),
    [
        pytest.param("web", {"spec": {"n": 1}}, 2, id="spec"),
        pytest.param("web", {"more": 1}, 2, id="anything-else"),
        pytest.param("web", {"metadata": {"labels": {"a": "b"}}}, 1, id="metadata"),
        pytest.param("web/status", {"status": {"n": 1}}, 1, id="status"),
    ],
)
def test_generation_increases_with_changes_outside_of_metadata_and_status(
    api: Rig, at: str, change: dict[str, object], generation: int
) -> None:
    api.create("web")
    assert check_success(api.patch(at, change, MERGE))["metadata"]["generation"] == generation


def test_writes_to_the_status_subresource_change_only_the_status_and_other_writes_never_change_it(api: Rig) -> None:
    api.create("web", spec={"n": 0})
    both: dict[str, Any] = {"spec": {"n": 1}, "status": {"n": 1}}
    after_spec = check_success(api.patch("web", both, MERGE))
    assert (after_spec["spec"], after_spec.get("status")) == ({"n": 1}, None)
    after_status = check_success(api.patch("web/status", {"spec": {"n": 2}, "status": {"n": 2}}, MERGE))
    assert (after_status["spec"], after_status["status"]) == ({"n": 1}, {"n": 2})
    replaced = check_success(
        api.raw_client.send("PUT", f"{api.path}/web", after_status | {"spec": {"n": 3}, "status": {}})
    )
    assert (replaced["spec"], replaced["status"]) == ({"n": 3}, {"n": 2})


def test_a_merge_patch_removes_fields_set_to_null_and_replaces_lists(api: Rig) -> None:
    api.create("web", spec={"keep": 1, "drop": 1, "list": [1, 2], "map": {"a": 1}})
    merged = check_success(api.patch("web", {"spec": {"drop": None, "list": [3], "map": {"b": 2}}}, MERGE))
    assert merged["spec"] == {"keep": 1, "list": [3], "map": {"a": 1, "b": 2}}


def test_a_json_patch_applies_its_operations_in_order_or_none_of_them(api: Rig) -> None:
    api.create("web", spec={"list": [1, 2]})
    steps = [
        {"op": "test", "path": "/spec/list/0", "value": 1},
        {"op": "add", "path": "/spec/list/-", "value": 3},
        {"op": "remove", "path": "/spec/list/0"},
        {"op": "replace", "path": "/spec/list/0", "value": 9},
        {"op": "move", "from": "/spec/list", "path": "/spec/moved"},
        {"op": "copy", "from": "/spec/moved", "path": "/spec/copied"},
    ]
    assert check_success(api.patch("web", steps, JSON_PATCH))["spec"] == {"moved": [9, 3], "copied": [9, 3]}
    before = api.server.version
    failing = [{"op": "add", "path": "/spec/x", "value": 1}, {"op": "test", "path": "/spec/x", "value": 2}]
    assert api.patch("web", failing, JSON_PATCH).code == 422
    assert api.server.version == before


def test_the_response_to_a_delete_describes_the_deleted_object(api: Rig) -> None:
    made = api.create("web")
    reply = api.raw_client.send("DELETE", f"{api.path}/web", {"preconditions": {"uid": made["metadata"]["uid"]}})
    details = {"name": "web", "group": "acme.test", "kind": "things", "uid": made["metadata"]["uid"]}
    assert (reply.code, reply.body["status"], reply.body["details"]) == (200, "Success", details)
    assert api.raw_client.get(f"{api.path}/web").code == 404


def test_a_deleted_object_exists_until_its_last_finalizer_is_removed(api: Rig) -> None:
    made = api.create("web", finalizers=["example.org/one"])
    terminating = check_success(api.raw_client.send("DELETE", f"{api.path}/web"))
    assert terminating["metadata"]["deletionTimestamp"]
    assert (terminating["metadata"]["deletionGracePeriodSeconds"], terminating["metadata"]["generation"]) == (0, 2)
    assert check_success(api.raw_client.send("DELETE", f"{api.path}/web")) == terminating
    again = api.raw_client.send("POST", api.path, build_thing("web"))
    assert (again.code, again.body["reason"]) == (409, "AlreadyExists")
    assert again.body["message"].startswith("object is being deleted: ")
    check_success(api.patch("web", {"metadata": {"finalizers": None}}, MERGE))
    assert api.raw_client.get(f"{api.path}/web").code == 404
    then = made["metadata"]["resourceVersion"]
    assert api.read_events(api.path, 2, resourceVersion=then) == [("MODIFIED", "web"), ("DELETED", "web")]


def test_an_object_that_is_deleted_and_created_again_has_another_uid(api: Rig) -> None:
    first = api.create("web")
    api.server.delete("Thing", api.namespace, "web")
    second = api.create("web")
    assert first["metadata"]["uid"] != second["metadata"]["uid"]
    metadata = second["metadata"] | {"uid": first["metadata"]["uid"]}
    reply = api.raw_client.send("PUT", f"{api.path}/web", second | {"metadata": metadata})
    assert (reply.code, reply.body["reason"]) == (409, "Conflict")


# Server-side apply


def test_server_side_apply_makes_the_manager_own_the_fields_and_repeating_it_changes_nothing(api: Rig) -> None:
    first = api.apply("one", "web", n=1, list=[1])
    assert first.code == 201
    (entry,) = first.body["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("one", "Apply")
    assert entry["fieldsV1"] == {"f:spec": {".": {}, "f:list": {}, "f:n": {}}}
    again = api.apply("one", "web", n=1, list=[1])
    assert (again.code, again.body) == (200, first.body)


def test_apply_by_a_second_manager_conflicts_if_it_changes_a_field_unless_forced(api: Rig) -> None:
    check_success(api.apply("one", "web", n=1))
    assert check_success(api.apply("two", "web", n=1))["spec"] == {"n": 1}
    refused = api.apply("two", "web", n=2, m=1)
    assert (refused.code, refused.body["reason"]) == (409, "Conflict")
    assert refused.body["message"] == 'Apply failed with 1 conflict: conflict with "one": .spec.n'
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.n"}
    assert refused.body["details"] == {"causes": [cause]}
    assert check_success(api.apply("two", "web", force=True, n=2, m=1))["spec"] == {"n": 2, "m": 1}
    several = api.apply("three", "web", n=3, m=3).body["message"]
    assert several == 'Apply failed with 2 conflicts: conflicts with "two":\n- .spec.m\n- .spec.n'
    late = api.apply("one", "web", n=1)
    assert (late.code, late.body["details"]["causes"][0]["message"]) == (409, 'conflict with "two"')


def test_a_field_that_its_only_manager_no_longer_applies_is_removed(api: Rig) -> None:
    check_success(api.apply("one", "web", n=1, shared=1, only={"a": {"b": 1}}))
    check_success(api.apply("two", "web", shared=1))
    assert check_success(api.apply("one", "web", n=1))["spec"] == {"n": 1, "shared": 1}


def test_a_patch_by_another_manager_takes_over_the_ownership_of_the_applied_field_that_it_changes(api: Rig) -> None:
    check_success(api.apply("one", "web", n=1))
    check_success(api.patch("web?fieldManager=hand", {"spec": {"n": 2}}, MERGE))
    refused = api.apply("one", "web", n=1)
    assert refused.code == 409
    assert 'conflict with "hand" using acme.test/v1: .spec.n' in refused.body["message"]
    assert check_success(api.apply("one", "web"))["spec"] == {"n": 2}


def test_a_map_that_server_side_apply_replaces_by_an_empty_one_becomes_null(api: Rig) -> None:
    check_success(api.apply("one", "web", a={"b": []}))
    assert check_success(api.apply("one", "web", a={}))["spec"] == {"a": None}


def test_after_the_first_apply_fields_of_no_manager_belong_to_the_manager_called_before_first_apply(api: Rig) -> None:
    bare = {key: value for key, value in build_thing("web").items() if key != "spec"}
    assert "managedFields" not in check_success(api.raw_client.send("POST", api.path, bare))["metadata"]
    assert "managedFields" not in check_success(api.patch("web", {"spec": {"n": 1}}, MERGE))["metadata"]
    refused = api.apply("one", "web", n=2)
    assert refused.code == 409
    assert 'conflict with "before-first-apply" using acme.test/v1: .spec.n' in refused.body["message"]


def test_a_status_patch_with_null_removes_the_status(api: Rig) -> None:
    api.create("web")
    check_success(api.patch("web/status", {"status": {"n": 1}}, MERGE))
    assert "status" not in check_success(api.patch("web/status", {"status": None}, MERGE))


def test_repeating_an_apply_after_another_manager_wrote_changes_nothing(api: Rig) -> None:
    check_success(api.apply("one", "web", n=1))
    check_success(api.patch("web?fieldManager=hand", {"spec": {"m": 1}}, MERGE))
    before = check_success(api.apply("one", "web", n=1))
    assert [entry["manager"] for entry in before["metadata"]["managedFields"]] == ["one", "hand"]
    assert check_success(api.apply("one", "web", n=1)) == before
