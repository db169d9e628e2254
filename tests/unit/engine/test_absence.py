"""A record stays while an object that requested it, or that its object depends on, may exist although a list lacks it.

See docs/design/delete-safety.md, "Evidence".
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observed, TimePassed
from extdns.model.change import Action
from extdns.model.claim import Claim, InvalidClaim, ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey
from extdns.model.reason import Reason
from extdns.model.value import EMPTY_MAP
from tests.builders import (
    INGRESS,
    PODS,
    SERVICE,
    build_claim,
    build_unresolved,
    change_phase,
    observe,
    observe_gone,
    origin,
    owned,
)
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import gateway, http_route, ingress, namespace, node, service
from tests.unit.engine.forty_services import DELETES
from tests.world import build_world, start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        pytest.param([False], [Evidence.ABSENT], id="gone"),
        pytest.param([None, None, False], [Evidence.ABSENT], id="gone-after-two-failed-gets"),
        pytest.param([True], [], id="exists"),
        pytest.param([True, True, False], [Evidence.ABSENT], id="gone-later"),
    ],
)
def test_object_is_absent_only_after_a_get_confirms_it(answers: list[bool | None], expected: list[str]) -> None:
    world = start_published()
    left = iter(answers)
    world.exists = lambda _: next(left)
    world.run(observe_gone("web", Cause.MISSING), for_s=100.0 if len(answers) == 1 else 700.0)
    assert world.evidence == expected
    assert world.calls.count("CheckExistence") == len(answers)
    if not expected:
        assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]


def test_answer_is_ignored_if_object_was_observed_after_the_request() -> None:
    world = start_published()
    world.feed(observe_gone("web", Cause.MISSING))
    world.now_s += 0.1
    world.feed(TimePassed())
    late = world.answer()
    world.exists = lambda _: None
    world.feed(observe("web", build_claim("web", "web")))
    world.feed(observe_gone("web", Cause.MISSING))
    world.feed(late)
    world.run(for_s=20.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    assert world.evidence == []


def test_get_without_answer_is_retried_with_exponential_backoff() -> None:
    world = start_published()
    requested_at: list[float] = []
    began_s = world.now_s
    world.exists = lambda _: requested_at.append(world.now_s - began_s)
    world.run(observe_gone("web", cause=Cause.MISSING), for_s=1500.0)
    assert [later - earlier for earlier, later in pairwise(requested_at)] == [30, 60, 120, 240, 300, 300, 300]
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    assert world.decision("web").detail == "waiting for confirmation that the object is gone"


@pytest.mark.parametrize(
    ("exists", "evidence", "reason"),
    [
        pytest.param(False, [Evidence.ORPHAN_GONE], None, id="gone"),
        pytest.param(True, [], Reason.ABSENCE_UNCONFIRMED, id="exists"),
        pytest.param(None, [], Reason.ABSENCE_UNCONFIRMED, id="unknown"),
    ],
)
def test_one_get_decides_in_a_single_pass(exists: bool | None, evidence: list[Evidence], reason: Reason | None) -> None:
    world = build_world(*owned("web"), once=True)
    world.exists = lambda _: exists
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    assert world.calls.count("CheckExistence") == 1
    assert world.evidence == evidence
    assert world.list_decisions("web") == ([("A", Action.KEEP, reason)] if reason else [])
    assert world.engine.is_idle


def test_one_get_after_the_grace_period_confirms_that_a_missing_object_is_gone() -> None:
    world = start_published(deletes=DELETES)
    world.run(observe_gone("web", Cause.MISSING), for_s=59.0)
    assert "CheckExistence" not in world.calls
    world.run(for_s=2.0)
    assert world.calls.count("CheckExistence") == 1
    assert world.list_records() == {}
    assert world.evidence == [Evidence.ABSENT]


HOST: Final = "web.example.org"
FIRST: Final = service("api", HOST, created="2025-01-01T00:00:00Z")
SECOND: Final = service("web", HOST)
FLAGS: Final = ("--max-delete-percent=100",)


def assert_that_it_stays(world: ClusterWorld) -> None:
    """Assert that the record `web` stays for a quarter of an hour, until a GET finds that its requester is gone."""
    world.run(for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    world.objects.clear()
    world.run(for_s=900.0)
    assert "web" not in world.published()


# several requesters


@pytest.mark.parametrize("is_missing_first", [pytest.param(True, id="missing-first"), pytest.param(False, id="last")])
@pytest.mark.parametrize("is_deleted", [pytest.param(True, id="deleted"), pytest.param(False, id="another-hostname")])
def test_record_stays_after_its_object_ended_while_another_is_unlisted(
    *, is_missing_first: bool, is_deleted: bool
) -> None:
    world = start_cluster(FIRST, SECOND, flags=FLAGS)
    assert world.decision("web").current.resource == "service/shop/api"  # type: ignore[union-attr]
    if is_missing_first:
        world.drop_from_list(SECOND)
    if is_deleted:
        world.delete(FIRST)
    else:
        world.apply(service("api"))
    if not is_missing_first:
        world.drop_from_list(SECOND)
    assert_that_it_stays(world)


@pytest.mark.parametrize(
    "others", [pytest.param((), id="gone"), pytest.param((service("old"),), id="requests-another")]
)
def test_record_of_former_object_stays_while_a_list_lacks_its_requester(others: tuple[dict[str, object], ...]) -> None:
    world = start_cluster(SECOND, *others, flags=FLAGS, records=owned("web", resource="service/shop/old"))
    world.run(for_s=700.0)
    world.drop_from_list(SECOND)
    assert_that_it_stays(world)


def test_absence_of_former_requester_is_confirmed_before_the_grace_period() -> None:
    world = start_cluster(FIRST, SECOND, flags=FLAGS)
    world.drop_from_list(SECOND, exist=False)
    world.delete(FIRST, for_s=119.0)
    assert world.published() == {"web"}
    world.run(for_s=5.0)
    assert world.evidence == [Evidence.OBJECT_DELETED]


ACCEPTED: Final = {"has_state_store": True, "settings_digest": "today"}
"""Settings that the first pass accepts, so that `orphan-unclaimed` is enough for a delete."""


def request(name: str, *targets: str) -> ResolvedClaim:
    """Build a claim of the Service *name* to `web` that names no resource, as those of Pods and PTR records."""
    made = build_claim(name, "web", *targets)
    return replace(made, desired=replace(made.desired, labels=EMPTY_MAP))


A: Final = observe("a", request("a", "192.0.2.1"))
B: Final = observe("b", request("b", "192.0.2.2"))


# ownership records that name no object


@pytest.mark.parametrize("is_deleted_last", [pytest.param(True, id="last"), pytest.param(False, id="first")])
def test_record_without_resource_stays_while_another_requester_may_exist(*, is_deleted_last: bool) -> None:
    world = start_world(*owned("web", "192.0.2.1", "192.0.2.2", resource=""), first=(A, B), **ACCEPTED)
    world.exists = lambda _: True
    gone = [observe_gone("b", Cause.MISSING), observe_gone("a")]
    for one in gone if is_deleted_last else reversed(gone):
        world.run(one, for_s=100.0)
    world.run(for_s=1000.0)
    assert "web A" in world.list_records()
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED


SAME: Final = observe("b", request("b", "192.0.2.1"))


def test_record_without_resource_stays_while_a_dependency_is_missing() -> None:
    world = start_world(*owned("web", "192.0.2.1", resource=""), first=(A, SAME), **ACCEPTED)
    world.exists = lambda _: True
    pod = ObjectKey(PODS, "shop", "web-1")
    world.run(observe("a", cause=Cause.DEPENDENCY, missing_dependencies=(pod,)), for_s=100.0)
    world.run(observe_gone("b"), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_record_without_resource_stays_if_its_namespace_loses_the_name() -> None:
    invalid = InvalidClaim(provenance=origin("a"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")
    request_v6 = build_claim("a", "web", "2001:db8::1", rtype="AAAA", namespace="lab")
    request_cname = build_claim("b", "web", "b.test", rtype="CNAME", namespace="lab")  # contests the name as a whole
    world = start_world(
        *owned("web", "192.0.2.1", resource="service/shop/a"),
        *owned("web", "2001:db8::1", rtype="AAAA", resource=""),
        first=(
            observe("a", invalid),
            observe("c", build_unresolved("c", "web", Reason.NO_ENDPOINTS)),
            observe("a", replace(request_v6, desired=replace(request_v6.desired, labels=EMPTY_MAP)), namespace="lab"),
            observe("b", request_cname, namespace="lab"),
        ),
        **ACCEPTED,
    )
    world.run(for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}


def test_unresolved_timeout_ends_only_after_other_requester_is_gone() -> None:
    deletes = DeleteSettings(owner="me", unresolved_timeout_s=100.0, limits=DeleteLimits(percent=100))
    unresolved = observe("b", build_unresolved("b", "web"))
    world = start_world(*owned("web", resource=""), first=(A, unresolved), deletes=deletes, **ACCEPTED)
    world.exists = lambda _: True
    world.run(observe_gone("a", Cause.MISSING), for_s=1000.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.decision("web").reason is Reason.NO_ADDRESS
    world.exists = lambda _: False
    world.run(for_s=1000.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.UNRESOLVED_EXPIRED]


GATEWAYS = Kind("gateway.networking.k8s.io", "v1", "Gateway", "gateways")
GATEWAY = ObjectKey(GATEWAYS, "shop", "front")


# dependencies


@pytest.mark.parametrize(
    "observations",
    [
        pytest.param(observe("web", cause=Cause.DEPENDENCY), id="dependency-changed"),
        pytest.param(observe("web", build_unresolved("web", "web", Reason.NO_ENDPOINTS)), id="no-endpoints"),
    ],
)
def test_missing_dependency_is_no_evidence_while_its_kind_cannot_be_read(observations: Observed) -> None:
    world = start_published(deletes=GRACE)
    world.run(change_phase(GATEWAYS), observations, for_s=5.0)
    world.run(change_phase(GATEWAYS, Phase.FAILING), for_s=600.0)
    assert ("A", Action.KEEP, Reason.SOURCE_DOWN) in world.list_decisions("web")
    world.run(change_phase(GATEWAYS), for_s=59.0)
    assert ("A", Action.KEEP, Reason.IN_GRACE) in world.list_decisions("web")


def test_no_evidence_after_kind_of_dependency_was_not_served() -> None:
    world = start_published(deletes=GRACE)
    world.run(change_phase(GATEWAYS), observe("web", cause=Cause.DEPENDENCY), for_s=5.0)
    world.run(change_phase(GATEWAYS, Phase.NOT_SERVED), change_phase(GATEWAYS), for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    world.run(observe("web", cause=Cause.DEPENDENCY), for_s=600.0)
    assert world.evidence == [Evidence.DEPENDENCY_CHANGED], "the object was computed again"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param((), Evidence.DEPENDENCY_CHANGED, id="dependency-changed"),
        pytest.param((build_unresolved("web", "web", Reason.NO_ENDPOINTS),), Evidence.NO_ENDPOINTS, id="no-endpoints"),
    ],
)
def test_missing_dependency_is_evidence_only_after_a_get_confirms_it(claims: tuple[Claim, ...], expected: str) -> None:
    world = start_published(deletes=GRACE)
    world.exists = lambda key: key == GATEWAY
    world.run(
        change_phase(GATEWAYS),
        observe("web", *claims, cause=Cause.DEPENDENCY, missing_dependencies=(GATEWAY,)),
        for_s=600.0,
    )
    assert ("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED) in world.list_decisions("web")
    world.run(observe("web", *claims, missing_dependencies=(GATEWAY,)), for_s=600.0)
    assert ("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED) in world.list_decisions("web"), (
        "observing the object again confirms nothing"
    )
    world.exists = lambda _: False
    world.run(for_s=600.0)
    assert world.evidence == [expected]


def test_grace_period_restarts_when_dependency_is_no_longer_missing() -> None:
    world = start_published(deletes=GRACE)
    world.run(
        change_phase(GATEWAYS), observe("web", cause=Cause.DEPENDENCY, missing_dependencies=(GATEWAY,)), for_s=30.0
    )
    world.run(observe("web", cause=Cause.DEPENDENCY), for_s=59.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE)]
    world.run(for_s=2.0)
    assert world.evidence == [Evidence.DEPENDENCY_CHANGED]


@pytest.mark.parametrize(("is_deleted", "evidence"), [(False, Evidence.ABSENT), (True, Evidence.OBJECT_DELETED)])
def test_record_is_deleted_with_its_object_although_a_dependency_is_unlisted(
    *, is_deleted: bool, evidence: Evidence
) -> None:
    world = start_cluster(gateway(), http_route("web"), namespace(), flags=["--source=gateway-httproute"])
    assert world.published() == {"web"}
    world.drop_from_list(gateway())
    if is_deleted:
        world.delete(http_route("web"), for_s=65.0)
    else:
        world.drop_from_list(http_route("web"), exist=False, for_s=900.0)
    assert world.published() == set()
    assert world.evidence == [evidence]


def test_end_of_one_object_does_not_delay_check_for_another() -> None:
    first = [observe(name, build_claim(name, name)) for name in ("web", "api")]
    world = start_world(*owned("web"), *owned("api"), first=first, deletes=GRACE)
    ended = [observe(name, cause=Cause.DEPENDENCY, missing_dependencies=(GATEWAY,)) for name in ("web", "api")]
    world.run(change_phase(GATEWAYS), *ended, for_s=50.0)
    world.run(observe_gone("api"), for_s=15.0)
    assert world.calls.count("CheckExistence") == 1


OBJECTS: Final = (
    gateway(),
    http_route("api"),
    http_route("web"),
    namespace(),
    ingress("shop", "shop.example.org"),
    service("ports", type="NodePort", clusterIP="10.0.0.1"),
    node("n0", "192.0.2.10"),
    node("n1", "192.0.2.11"),
)
LISTS: Final = st.tuples(st.sets(st.sampled_from(range(len(OBJECTS))), min_size=1, max_size=3), st.booleans())
SECONDS: Final = st.sampled_from([0.5, 61.0, 700.0])


# law 2


@given(st.lists(st.tuples(LISTS, SECONDS), max_size=10))
def test_no_order_of_incomplete_lists_ends_a_record_while_objects_exist(
    lists: list[tuple[tuple[set[int], bool], float]],
) -> None:
    world = start_cluster(*OBJECTS, flags=["--source=gateway-httproute", "--max-delete-percent=100"])
    published = world.list_records()
    assert set(published) == {"api A", "web A", "shop A", "ports A"}
    for (numbers, returns), seconds in lists:
        found = [OBJECTS[number] for number in sorted(numbers)]
        if returns:
            world.apply(*found, for_s=seconds)
        else:
            world.drop_from_list(*found, for_s=seconds)
    assert world.list_records() == published
