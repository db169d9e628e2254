"""What a Kubernetes API server promises of writes, asked of the fake and of the real machinery."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.apiserver import Rig, good, ingress
from tests.fakes.apiserver.probe import JSON_PATCH, MERGE

FIXED: Final = {"creationTimestamp": "2020-01-01T00:00:00Z", "uid": "mine", "generation": 7}


def test_a_create_is_stamped_by_the_server_and_has_no_status_yet(api: Rig) -> None:
    reply = api.probe.ask("POST", api.path, ingress("web", status={"loadBalancer": {}}, **FIXED))
    made = reply.body
    assert reply.code == 201
    assert "status" not in made
    metadata = made["metadata"]
    assert metadata.keys() >= {"uid", "creationTimestamp", "managedFields"}
    assert not metadata.items() & FIXED.items()
    assert (metadata["name"], metadata["namespace"], metadata["generation"]) == ("web", api.namespace, 1)
    assert metadata["resourceVersion"] == str(api.server.version)
    assert api.probe.get(f"{api.path}/web").body == made
    assert api.server.get("Ingress", api.namespace, "web") == made


def test_a_name_is_made_where_only_its_beginning_is_given(api: Rig) -> None:
    made = [good(api.probe.ask("POST", api.path, ingress("", generateName="web-")))["metadata"] for _ in range(2)]
    assert all(metadata["name"].startswith("web-") for metadata in made)
    assert {metadata["generateName"] for metadata in made} == {"web-"}
    assert len({metadata["name"] for metadata in made}) == 2


def test_a_dry_run_answers_and_stores_nothing(api: Rig) -> None:
    before = api.server.version
    reply = api.probe.ask("POST", f"{api.path}?dryRun=All", ingress("web"))
    assert (reply.code, reply.body["metadata"].get("resourceVersion")) == (201, None)
    assert (api.probe.get(api.path).names, api.server.version) == ([], before)


def test_an_update_needs_the_version_it_was_made_from(api: Rig) -> None:
    first = api.create("web")
    second = good(api.probe.ask("PUT", f"{api.path}/web", first | {"spec": {"n": 1}}))
    late = api.probe.ask("PUT", f"{api.path}/web", first | {"spec": {"n": 2}})
    assert (late.code, late.body["reason"]) == (409, "Conflict")
    assert api.probe.get(f"{api.path}/web").body == second
    assert int(second["metadata"]["resourceVersion"]) == int(first["metadata"]["resourceVersion"]) + 1


@pytest.mark.parametrize("way", ["update", "merge"])
def test_a_write_that_changes_nothing_is_no_change(api: Rig, way: str) -> None:
    made, before = api.create("web", labels={"a": "b"}), api.server.version
    if way == "update":
        reply = api.probe.ask("PUT", f"{api.path}/web", made)
    else:
        reply = api.patch("web", {"metadata": {"labels": {"a": "b"}}, "spec": {"none": None}}, MERGE)
    assert (good(reply), api.server.version) == (made, before)


@pytest.mark.parametrize(
    ("at", "change", "generation"),
    [
        pytest.param("web", {"spec": {"n": 1}}, 2, id="spec"),
        pytest.param("web", {"more": 1}, 2, id="anything-else"),
        pytest.param("web", {"metadata": {"labels": {"a": "b"}}}, 1, id="metadata"),
        pytest.param("web/status", {"status": {"n": 1}}, 1, id="status"),
    ],
)
def test_generation_counts_changes_of_what_is_wanted(
    api: Rig, at: str, change: dict[str, object], generation: int
) -> None:
    api.create("web")
    assert good(api.patch(at, change, MERGE))["metadata"]["generation"] == generation


def test_status_and_the_rest_are_written_apart(api: Rig) -> None:
    api.create("web", spec={"n": 0})
    both: dict[str, Any] = {"spec": {"n": 1}, "status": {"n": 1}}
    after_spec = good(api.patch("web", both, MERGE))
    assert (after_spec["spec"], after_spec.get("status")) == ({"n": 1}, None)
    after_status = good(api.patch("web/status", {"spec": {"n": 2}, "status": {"n": 2}}, MERGE))
    assert (after_status["spec"], after_status["status"]) == ({"n": 1}, {"n": 2})
    replaced = good(api.probe.ask("PUT", f"{api.path}/web", after_status | {"spec": {"n": 3}, "status": {}}))
    assert (replaced["spec"], replaced["status"]) == ({"n": 3}, {"n": 2})


def test_a_merge_patch_removes_by_null_and_replaces_lists(api: Rig) -> None:
    api.create("web", spec={"keep": 1, "drop": 1, "list": [1, 2], "map": {"a": 1}})
    merged = good(api.patch("web", {"spec": {"drop": None, "list": [3], "map": {"b": 2}}}, MERGE))
    assert merged["spec"] == {"keep": 1, "list": [3], "map": {"a": 1, "b": 2}}


def test_a_json_patch_is_made_in_order_or_not_at_all(api: Rig) -> None:
    api.create("web", spec={"list": [1, 2]})
    steps = [
        {"op": "test", "path": "/spec/list/0", "value": 1},
        {"op": "add", "path": "/spec/list/-", "value": 3},
        {"op": "remove", "path": "/spec/list/0"},
        {"op": "replace", "path": "/spec/list/0", "value": 9},
        {"op": "move", "from": "/spec/list", "path": "/spec/moved"},
        {"op": "copy", "from": "/spec/moved", "path": "/spec/copied"},
    ]
    assert good(api.patch("web", steps, JSON_PATCH))["spec"] == {"moved": [9, 3], "copied": [9, 3]}
    before = api.server.version
    failing = [{"op": "add", "path": "/spec/x", "value": 1}, {"op": "test", "path": "/spec/x", "value": 2}]
    assert api.patch("web", failing, JSON_PATCH).code == 422
    assert api.server.version == before


def test_a_delete_is_answered_with_what_is_gone(api: Rig) -> None:
    made = api.create("web")
    reply = api.probe.ask("DELETE", f"{api.path}/web", {"preconditions": {"uid": made["metadata"]["uid"]}})
    details = {"name": "web", "group": "networking.k8s.io", "kind": "ingresses", "uid": made["metadata"]["uid"]}
    assert (reply.code, reply.body["status"], reply.body["details"]) == (200, "Success", details)
    assert api.probe.get(f"{api.path}/web").code == 404


def test_finalizers_keep_an_object_until_the_last_is_gone(api: Rig) -> None:
    made = api.create("web", finalizers=["example.org/one"])
    marked = good(api.probe.ask("DELETE", f"{api.path}/web"))
    assert marked["metadata"]["deletionTimestamp"]
    assert (marked["metadata"]["deletionGracePeriodSeconds"], marked["metadata"]["generation"]) == (0, 2)
    assert good(api.probe.ask("DELETE", f"{api.path}/web")) == marked
    again = api.probe.ask("POST", api.path, ingress("web"))
    assert (again.code, again.body["reason"]) == (409, "AlreadyExists")
    assert again.body["message"].startswith("object is being deleted: ")
    good(api.patch("web", {"metadata": {"finalizers": None}}, MERGE))
    assert api.probe.get(f"{api.path}/web").code == 404
    then = made["metadata"]["resourceVersion"]
    assert api.frames(api.path, 2, resourceVersion=then) == [("MODIFIED", "web"), ("DELETED", "web")]


def test_an_object_of_the_same_name_is_another_one(api: Rig) -> None:
    first = api.create("web")
    api.server.delete("Ingress", api.namespace, "web")
    second = api.create("web")
    assert first["metadata"]["uid"] != second["metadata"]["uid"]
    metadata = second["metadata"] | {"uid": first["metadata"]["uid"]}
    reply = api.probe.ask("PUT", f"{api.path}/web", second | {"metadata": metadata})
    assert (reply.code, reply.body["reason"]) == (409, "Conflict")


# Server-side apply


def test_who_applies_owns_and_who_applies_again_changes_nothing(api: Rig) -> None:
    first = api.apply("one", "web", n=1, list=[1])
    assert first.code == 201
    (entry,) = first.body["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("one", "Apply")
    assert entry["fieldsV1"] == {"f:spec": {".": {}, "f:list": {}, "f:n": {}}}
    again = api.apply("one", "web", n=1, list=[1])
    assert (again.code, again.body) == (200, first.body)


def test_another_manager_may_agree_but_not_change(api: Rig) -> None:
    good(api.apply("one", "web", n=1))
    assert good(api.apply("two", "web", n=1))["spec"] == {"n": 1}
    refused = api.apply("two", "web", n=2, m=1)
    assert (refused.code, refused.body["reason"]) == (409, "Conflict")
    assert refused.body["message"] == 'Apply failed with 1 conflict: conflict with "one": .spec.n'
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.n"}
    assert refused.body["details"] == {"causes": [cause]}
    assert good(api.apply("two", "web", force=True, n=2, m=1))["spec"] == {"n": 2, "m": 1}
    several = api.apply("three", "web", n=3, m=3).body["message"]
    assert several == 'Apply failed with 2 conflicts: conflicts with "two":\n- .spec.m\n- .spec.n'
    late = api.apply("one", "web", n=1)
    assert (late.code, late.body["details"]["causes"][0]["message"]) == (409, 'conflict with "two"')


def test_what_its_only_owner_no_longer_applies_is_removed(api: Rig) -> None:
    good(api.apply("one", "web", n=1, shared=1, only={"a": {"b": 1}}))
    good(api.apply("two", "web", shared=1))
    assert good(api.apply("one", "web", n=1))["spec"] == {"n": 1, "shared": 1}


def test_an_update_takes_fields_from_who_applied_them(api: Rig) -> None:
    good(api.apply("one", "web", n=1))
    good(api.patch("web?fieldManager=hand", {"spec": {"n": 2}}, MERGE))
    refused = api.apply("one", "web", n=1)
    assert refused.code == 409
    assert 'conflict with "hand" using networking.k8s.io/v1: .spec.n' in refused.body["message"]
    assert good(api.apply("one", "web"))["spec"] == {"n": 2}


def test_a_map_of_which_an_apply_leaves_nothing_is_null(api: Rig) -> None:
    good(api.apply("one", "web", a={"b": []}))
    assert good(api.apply("one", "web", a={}))["spec"] == {"a": None}


def test_what_nobody_owns_belongs_to_nobody_known_once_something_is_applied(api: Rig) -> None:
    bare = {key: value for key, value in ingress("web").items() if key != "spec"}
    assert "managedFields" not in good(api.probe.ask("POST", api.path, bare))["metadata"]
    assert "managedFields" not in good(api.patch("web", {"spec": {"n": 1}}, MERGE))["metadata"]
    refused = api.apply("one", "web", n=2)
    assert refused.code == 409
    assert 'conflict with "before-first-apply" using networking.k8s.io/v1: .spec.n' in refused.body["message"]


def test_a_status_may_be_taken_away(api: Rig) -> None:
    api.create("web")
    good(api.patch("web/status", {"status": {"n": 1}}, MERGE))
    assert "status" not in good(api.patch("web/status", {"status": None}, MERGE))


def test_who_applies_again_after_somebody_else_changes_nothing(api: Rig) -> None:
    good(api.apply("one", "web", n=1))
    good(api.patch("web?fieldManager=hand", {"spec": {"m": 1}}, MERGE))
    before = good(api.apply("one", "web", n=1))
    assert [entry["manager"] for entry in before["metadata"]["managedFields"]] == ["one", "hand"]
    assert good(api.apply("one", "web", n=1)) == before
