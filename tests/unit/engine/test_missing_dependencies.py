"""A dependency that is not found as evidence for deletes (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observed
from extdns.model.change import Action
from extdns.model.claim import Claim
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey
from extdns.model.reason import Reason
from tests.builders import build_claim, build_unresolved, change_phase, observe, observe_gone, owned
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import Json, gateway, http_route, namespace
from tests.world import start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
GATEWAYS = Kind("gateway.networking.k8s.io", "v1", "Gateway", "gateways")
GATEWAY = ObjectKey(GATEWAYS, "shop", "front")


@pytest.mark.parametrize(
    "observations",
    [
        pytest.param(observe("web", cause=Cause.DEPENDENCY), id="dependency-changed"),
        pytest.param(observe("web", build_unresolved("web", "web", Reason.NO_ENDPOINTS)), id="no-endpoints"),
    ],
)
def test_a_missing_dependency_is_no_evidence_while_its_kind_cannot_be_read(observations: Observed) -> None:
    world = start_published(deletes=GRACE)
    world.run(change_phase(GATEWAYS), observations, for_s=5.0)
    world.run(change_phase(GATEWAYS, Phase.FAILING), for_s=600.0)
    assert ("A", Action.KEEP, Reason.SOURCE_DOWN) in world.list_decisions("web")
    world.run(change_phase(GATEWAYS), for_s=59.0)
    assert ("A", Action.KEEP, Reason.IN_GRACE) in world.list_decisions("web")


def test_a_missing_dependency_is_no_evidence_after_its_kind_was_not_served_until_the_object_is_computed_again() -> None:
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
def test_a_dependency_missing_from_a_list_is_evidence_only_after_a_get_confirms_that_it_is_gone(
    claims: tuple[Claim, ...], expected: str
) -> None:
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


def test_the_grace_period_starts_again_when_the_dependency_is_no_longer_missing() -> None:
    world = start_published(deletes=GRACE)
    world.run(
        change_phase(GATEWAYS), observe("web", cause=Cause.DEPENDENCY, missing_dependencies=(GATEWAY,)), for_s=30.0
    )
    world.run(observe("web", cause=Cause.DEPENDENCY), for_s=59.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE)]
    world.run(for_s=2.0)
    assert world.evidence == [Evidence.DEPENDENCY_CHANGED]


def start_with_route() -> ClusterWorld:
    """Start a process that publishes the address of a Gateway for an HTTPRoute."""
    world = start_cluster(gateway(), http_route("web"), namespace(), flags=["--source=gateway-httproute"])
    assert world.published() == {"web"}
    return world


@pytest.mark.parametrize("returns", [pytest.param(False, id="missing"), pytest.param(True, id="object-returns")])
@pytest.mark.parametrize(
    "missing",
    [
        pytest.param((gateway(), http_route("web")), id="dependency-first"),
        pytest.param((http_route("web"), gateway()), id="object-first"),
    ],
)
def test_a_record_stays_after_lists_lacked_its_object_and_a_dependency_that_both_exist(
    missing: tuple[Json, ...], returns: bool
) -> None:
    world = start_with_route()
    for one in missing:
        world.drop_from_list(one)
    if returns:
        world.apply(http_route("web"))
    world.run(for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]


def test_a_record_is_deleted_after_lists_lacked_its_dependency_and_then_its_object_that_is_gone() -> None:
    world = start_with_route()
    world.drop_from_list(gateway())
    world.drop_from_list(http_route("web"), exist=False, for_s=900.0)
    assert world.evidence == [Evidence.ABSENT]


def test_a_record_is_deleted_after_a_list_lacked_its_dependency_and_its_object_was_deleted() -> None:
    world = start_with_route()
    world.drop_from_list(gateway())
    world.delete(http_route("web"), for_s=65.0)
    assert world.published() == set()


def test_the_end_of_one_object_does_not_delay_the_check_of_a_dependency_that_another_object_lacks() -> None:
    first = [observe(name, build_claim(name, name)) for name in ("web", "api")]
    world = start_world(*owned("web"), *owned("api"), first=first, deletes=GRACE)
    ended = [observe(name, cause=Cause.DEPENDENCY, missing_dependencies=(GATEWAY,)) for name in ("web", "api")]
    world.run(change_phase(GATEWAYS), *ended, for_s=50.0)
    world.run(observe_gone("api"), for_s=15.0)
    assert world.calls.count("CheckExistence") == 1
