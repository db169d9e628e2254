"""Policies, their effect on changes of type, and the objects that resource labels name.

See docs/spec/plan.md 2.8; docs/spec/sources.md 1.8; docs/design/delete-safety.md, "Evidence".
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action, Change
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate
from extdns.planner.settings import Planner
from extdns.resources.core import NODE
from tests.builders import SERVICE, create, delete, update
from tests.unit.planner.name_plan import (
    build_candidate,
    build_current,
    build_planner,
    find_decision,
    list_changes,
    plan,
    with_policy,
)

HELD = build_current("A", "1.1.1.1")
CNAME_EXISTS = build_current("CNAME", "lb.test")
CANDIDATE = build_candidate("A", "2.2.2.2")
UPDATE = update(HELD, CANDIDATE.desired)


A, AAAA = build_candidate("A", "1.1.1.1"), build_candidate("AAAA", "::1")
ROUTED = build_candidate("A", "1.1.1.1", set_identifier="v1")
CNAME = build_candidate("CNAME", "lb.test")


@pytest.mark.parametrize(
    ("policy", "current", "candidates", "expected", "reason"),
    [
        pytest.param("upsert-only", CNAME_EXISTS, (A,), [], Reason.POLICY_KEEPS_TYPE, id="2.8-cname-kept-so-no-a"),
        pytest.param("upsert-only", HELD, (CNAME,), [], Reason.POLICY_KEEPS_TYPE, id="2.8-a-kept-so-no-cname"),
        pytest.param("create-only", HELD, (CNAME,), [], Reason.POLICY_KEEPS_TYPE, id="2.8-create-only-no-cname"),
        pytest.param("upsert-only", HELD, (ROUTED,), [], Reason.POLICY_KEEPS_TYPE, id="6-simple-kept-so-no-routed"),
        pytest.param(
            "upsert-only", HELD, (AAAA,), [create(AAAA.desired)], Reason.REQUESTED, id="6-type-that-can-coexist"
        ),
        pytest.param("create-only", HELD, (A, AAAA), [create(AAAA.desired)], Reason.REQUESTED, id="2.8-further-type"),
        pytest.param("create-only", HELD, (CANDIDATE,), [], Reason.POLICY_KEEPS, id="2.8-create-only-no-update"),
        pytest.param("upsert-only", HELD, (CANDIDATE,), [UPDATE], Reason.CHANGED, id="2.8-upsert-updates"),
        pytest.param(
            "sync",
            CNAME_EXISTS,
            (A,),
            [create(A.desired), delete(CNAME_EXISTS, Evidence.REPLACED)],
            Reason.REQUESTED,
            id="2.8-sync",
        ),
    ],
)
def test_change_of_type_only_if_the_policy_allows_its_creates_and_deletes(
    policy: str, current: OwnedRecord, candidates: tuple[Candidate, ...], expected: list[Change], reason: Reason
) -> None:
    made = plan((current,), candidates, settings=with_policy(policy))
    last = candidates[-1].desired
    assert list_changes(made) == expected
    assert find_decision(made, last.type, last.set_identifier).reason is reason


def test_decision_about_a_kept_record_names_the_policy_flag() -> None:
    made = plan((HELD,), (), settings=with_policy("upsert-only"))
    (decision,) = made.decisions
    assert (decision.action, decision.reason) == (Action.KEEP, Reason.POLICY_KEEPS)
    assert decision.detail == "--policy=upsert-only"


FOO = Kind("example.org", "v1", "Foo", "foos", namespaced=False, resource_prefix="foo/")
HTTP_PROXY = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", resource_prefix="HTTPProxy")


def planner(*namespaces: str) -> Planner:
    kinds = {kind.label: kind for kind in (SERVICE, NODE, FOO, HTTP_PROXY)}
    return build_planner(kinds=kinds, namespaces=namespaces)


# resource labels


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(ObjectKey(SERVICE, "shop", "web"), id="service"),
        pytest.param(ObjectKey(NODE, "", "n1"), id="node"),
        pytest.param(ObjectKey(FOO, "", "x"), id="cluster-scoped custom resource"),
        pytest.param(ObjectKey(HTTP_PROXY, "shop", "web"), id="kind with capitals"),
    ],
)
def test_resource_label_is_parsed_to_the_key_of_its_object(key: ObjectKey) -> None:
    assert planner().find_object(key.resource) == key


@pytest.mark.parametrize("resource", ["", "service", "service/", "service//web", "service/shop/", "pod/a/b", "node/"])
def test_invalid_or_unknown_resource_label_gives_no_object(resource: str) -> None:
    assert planner().find_object(resource) is None


def test_resource_label_gives_no_object_outside_the_watched_namespaces() -> None:
    found = planner("other")
    assert found.find_object("service/shop/web") is None
    assert found.find_object("node/n1") == ObjectKey(NODE, "", "n1")
