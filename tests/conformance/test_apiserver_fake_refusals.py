"""Conformance tests of refused requests of a Kubernetes API server, run against the fake and the real server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.conformance.apiserver import Rig, build_thing
from tests.fakes.apiserver.raw_client import APPLY, JSON_PATCH, MERGE, STRATEGIC

JSON: Final = "application/json"
REASONS: Final = {
    400: "BadRequest",
    404: "NotFound",
    409: "Conflict",
    415: "UnsupportedMediaType",
    422: "Invalid",
    500: None,
}
WEB: Final = 'things.acme.test "web"'
LATE: Final = (
    f"Operation cannot be fulfilled on {WEB}: the object has been modified; "
    "please apply your changes to the latest version and try again"
)
ABSENT: Final = 'things.acme.test "none" not found'
NAMELESS: Final = 'Thing.acme.test "" is invalid: metadata.name: Required value: name or generateName is required'
VERSIONED: Final = "resourceVersion should not be set on objects to be created"
ELSEWHERE: Final = "the namespace of the provided object does not match the namespace sent on the request"
OF_VERSION: Final = "the API version in the data ({}) does not match the expected API version (acme.test/v1)"
OF_KIND: Final = 'Foo.acme.test "a" is invalid: kind: Invalid value: "Foo": must be Thing'
BLIND: Final = f"{WEB} is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"
NAME_MISMATCH: Final = "the name of the object (other) does not match the name on the URL (web)"
NAME_TAKEN: Final = "the name of the object (web based on URL) was undeterminable: name must be provided"
UNPATCHABLE: Final = "the server rejected our request due to an error in our request"
OWNED: Final = "metadata.managedFields must be nil"
BAD_PATCH: Final = 'PatchOptions.meta.k8s.io "" is invalid: '
BAD_LIST: Final = 'ListOptions.meta.k8s.io "" is invalid: '
MATCH: Final = f"{BAD_LIST}resourceVersionMatch: Forbidden: "
NO_VERSION: Final = f"{MATCH}resourceVersionMatch is forbidden unless resourceVersion is provided"
NO_INITIAL: Final = f"{MATCH}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
NO_MATCH: Final = f"{MATCH}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
UNKNOWN_MATCH: Final = (
    f'{BAD_LIST}resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""'
)
INITIAL_LIST: Final = f"{BAD_LIST}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
NO_NUMBER: Final = 'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": '


@dataclass(frozen=True, kw_only=True)
class Case:
    """A request about a namespace with an Thing `web`, and the expected refusal.

    Attributes:
        at: the path below the collection of Things, and the query.
        code: the expected HTTP status.
        message: the expected message, or None if it comes from a JSON or YAML decoder and may differ.
    """

    method: str
    at: str
    body: object
    content_type: str
    code: int
    message: str | None


def refuse_get(at: str, code: int, message: str | None = None) -> Case:
    return Case(method="GET", at=at, body=None, content_type=JSON, code=code, message=message)


def refuse_post(body: object, code: int, message: str | None = None, content_type: str = JSON) -> Case:
    return Case(method="POST", at="", body=body, content_type=content_type, code=code, message=message)


def refuse_put(at: str, body: object, code: int, message: str | None = None) -> Case:
    return Case(method="PUT", at=at, body=body, content_type=JSON, code=code, message=message)


def refuse_patch(at: str, content_type: str, body: object, code: int, message: str | None = None) -> Case:
    return Case(method="PATCH", at=at, body=body, content_type=content_type, code=code, message=message)


def refuse_delete(at: str, code: int, message: str | None = None, **preconditions: str) -> Case:
    body = {"preconditions": preconditions} if preconditions else None
    return Case(method="DELETE", at=at, body=body, content_type=JSON, code=code, message=message)


def build_named(name: str, **metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return build_thing(name, **metadata)


CREATES: Final = [
    pytest.param(refuse_post(build_named("web"), 409, f"{WEB} already exists"), id="create-twice"),
    pytest.param(refuse_post(build_named(""), 422, NAMELESS), id="create-without-a-name"),
    pytest.param(refuse_post(build_named("Not_OK"), 422), id="create-under-a-bad-name"),
    pytest.param(refuse_post(build_named("a", resourceVersion="5"), 500, VERSIONED), id="create-with-a-version"),
    pytest.param(refuse_post(build_named("a", namespace="another"), 400, ELSEWHERE), id="create-in-another-namespace"),
    pytest.param(refuse_post({"metadata": {"name": "a"}}, 400), id="create-of-no-kind"),
    pytest.param(refuse_post({"kind": "Thing"}, 400, OF_VERSION.format("")), id="create-of-no-version"),
    pytest.param(
        refuse_post(build_named("a") | {"apiVersion": "v2"}, 400, OF_VERSION.format("v2")),
        id="create-of-another-version",
    ),
    pytest.param(refuse_post(build_named("a") | {"kind": "Foo"}, 422, OF_KIND), id="create-of-another-kind"),
    pytest.param(refuse_post("{", 400), id="create-from-half-a-body"),
    pytest.param(refuse_post([], 400), id="create-from-a-list"),
    pytest.param(refuse_post("a=b", 415, content_type="text/plain"), id="create-from-text"),
    pytest.param(refuse_post(build_named("a") | {"metadata": 5}, 400), id="create-with-a-number-for-metadata"),
    pytest.param(refuse_post(build_named("a", labels={"a": 1}), 400), id="create-with-a-number-in-labels"),
    pytest.param(refuse_post(build_named("a", labels=5), 400), id="create-with-a-number-for-labels"),
    pytest.param(refuse_post(build_named("a", finalizers=[5]), 400), id="create-with-a-number-in-finalizers"),
]
UPDATES: Final = [
    pytest.param(refuse_put("/web", build_named("web", resourceVersion="1"), 409, LATE), id="update-late"),
    pytest.param(refuse_put("/web", build_named("web"), 422, BLIND), id="update-from-no-version"),
    pytest.param(
        refuse_put("/web", build_named("other", resourceVersion="1"), 400, NAME_MISMATCH),
        id="update-under-another-name",
    ),
    pytest.param(
        refuse_put("/none", build_named("none", resourceVersion="1"), 404, ABSENT), id="update-what-is-not-there"
    ),
    pytest.param(refuse_put("/none", build_named("none"), 404, ABSENT), id="update-makes-nothing"),
    pytest.param(refuse_delete("/none", 404, ABSENT), id="delete-what-is-not-there"),
    pytest.param(refuse_delete("/web", 409, uid="x"), id="delete-of-another-uid"),
    pytest.param(refuse_delete("/web", 409, resourceVersion="1"), id="delete-late"),
]
PATCHES: Final = [
    pytest.param(refuse_patch("/web", MERGE, {"metadata": {"resourceVersion": "1"}}, 409, LATE), id="merge-late"),
    pytest.param(refuse_patch("/none", MERGE, {}, 404, ABSENT), id="merge-what-is-not-there"),
    pytest.param(refuse_patch("/web", MERGE, "{", 400), id="merge-half-a-body"),
    pytest.param(refuse_patch("/web", MERGE, [], 400), id="merge-a-list"),
    pytest.param(refuse_patch("/web", MERGE, {"metadata": None}, 400, NAME_TAKEN), id="merge-takes-the-metadata"),
    pytest.param(
        refuse_patch(
            "/web?force=true", MERGE, {}, 422, f"{BAD_PATCH}force: Forbidden: may not be specified for non-apply patch"
        ),
        id="merge-by-force",
    ),
    pytest.param(
        refuse_patch("/web", JSON_PATCH, [{"op": "test", "path": "/spec", "value": 1}], 422, UNPATCHABLE),
        id="json-patch-whose-test-fails",
    ),
    pytest.param(
        refuse_patch("/web", JSON_PATCH, [{"op": "remove", "path": "/spec/none"}], 422, UNPATCHABLE),
        id="json-patch-of-what-is-not-there",
    ),
    pytest.param(refuse_patch("/web", JSON_PATCH, {"op": "remove"}, 400), id="json-patch-that-is-no-list"),
    pytest.param(refuse_patch("/web", STRATEGIC, {}, 415), id="strategic-patch-of-a-custom-object"),
    pytest.param(refuse_patch("/web", JSON, {}, 415), id="patch-of-no-type"),
    pytest.param(
        refuse_patch(
            "/web",
            APPLY,
            build_named("web"),
            422,
            f"{BAD_PATCH}fieldManager: Required value: is required for apply patch",
        ),
        id="apply-by-nobody",
    ),
    pytest.param(
        refuse_patch("/web?fieldManager=m", APPLY, {}, 400, "invalid object type: /, Kind="), id="apply-of-no-kind"
    ),
    pytest.param(refuse_patch("/web?fieldManager=m", APPLY, "{", 400), id="apply-half-a-body"),
    pytest.param(
        refuse_patch("/web?fieldManager=m", APPLY, build_named("other"), 400, NAME_MISMATCH),
        id="apply-under-another-name",
    ),
    pytest.param(
        refuse_patch("/web?fieldManager=m", APPLY, build_named("web", resourceVersion="1"), 409, LATE), id="apply-late"
    ),
    pytest.param(
        refuse_patch("/web?fieldManager=m", APPLY, build_named("web", managedFields=[{"manager": "m"}]), 400, OWNED),
        id="apply-with-owners",
    ),
    pytest.param(
        refuse_patch("/none/status?fieldManager=m", APPLY, build_named("none"), 404, ABSENT),
        id="apply-the-status-of-nothing",
    ),
]
READS: Final = [
    pytest.param(refuse_get("/none", 404, ABSENT), id="get-what-is-not-there"),
    pytest.param(refuse_get("?fieldSelector=spec.x%3D1", 400, "field label not supported: spec.x"), id="unknown-field"),
    pytest.param(refuse_get("?labelSelector=%3D%3Dx", 400), id="label-without-a-key"),
    pytest.param(refuse_get("?labelSelector=a+in", 400), id="label-in-nothing"),
    pytest.param(refuse_get("?resourceVersion=x", 400, f"{NO_NUMBER}invalid syntax"), id="list-at-no-number"),
    pytest.param(refuse_get("?resourceVersionMatch=Exact", 422, NO_VERSION), id="match-without-a-version"),
    pytest.param(refuse_get("?resourceVersionMatch=Foo&resourceVersion=1", 422, UNKNOWN_MATCH), id="unknown-match"),
    pytest.param(refuse_get("?sendInitialEvents=true", 422, INITIAL_LIST), id="list-with-initial-events"),
    pytest.param(refuse_get("?limit=1&continue=abc", 400), id="a-token-of-nobody"),
    pytest.param(
        refuse_get("?limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'), id="limit-that-is-no-number"
    ),
    pytest.param(refuse_get("?watch=1&resourceVersion=x", 500), id="watch-from-no-number"),
    pytest.param(
        refuse_get("?watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1", 422, NO_INITIAL),
        id="watch-with-a-match",
    ),
    pytest.param(refuse_get("?watch=1&sendInitialEvents=true", 422, NO_MATCH), id="initial-events-without-a-match"),
]


@pytest.mark.parametrize("case", [*CREATES, *UPDATES, *PATCHES, *READS])
def test_the_api_server_refuses_an_invalid_request_with_the_expected_status_and_changes_nothing(
    api: Rig, case: Case
) -> None:
    api.create("web")
    before = api.server.version
    reply = api.raw_client.send(case.method, f"{api.path}{case.at}", case.body, content_type=case.content_type)
    body = reply.body
    assert (reply.code, body.get("code"), body["kind"], body["status"]) == (case.code, case.code, "Status", "Failure")
    if case.message is not None:
        assert body["message"] == case.message
    reason = "AlreadyExists" if body["message"].endswith("already exists") else REASONS[case.code]
    assert body.get("reason") == reason
    assert api.server.version == before
