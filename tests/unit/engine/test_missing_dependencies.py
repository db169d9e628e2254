"""A dependency that is not found as evidence for deletes (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

import pytest

from extdns.engine.delete_budget import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observed
from extdns.model.change import Action
from extdns.model.claim import Claim
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey
from extdns.model.reason import Reason
from tests.builders import build_unresolved, change_phase, observe
from tests.world import start_published

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
