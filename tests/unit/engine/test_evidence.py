"""The evidence for deletes, without grace period and budgets (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Input, Observed
from extdns.model.change import Action
from extdns.model.claim import ExcludedClaim
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.planner.settings import Policy
from extdns.resources.core import POD
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    build_claim,
    build_unresolved,
    change_phase,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
    ref,
)
from tests.world import build_world, start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
FILTERED = ExcludedClaim(ref=ref("web"), excluded_by="--label-filter")
COMPAT = replace(PLAN, compat=True)
AT_ONCE = DeleteSettings(
    owner="me", grace_s=0.0, limits=DeleteLimits(percent=100), unresolved_timeout_s=0.0, immediate=True
)


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        pytest.param([observe_gone("web")], Evidence.OBJECT_DELETED, id="object-deleted"),
        pytest.param([observe("web")], Evidence.HOSTNAME_REMOVED, id="hostname-removed"),
        pytest.param([observe("web", build_claim("web", "api"))], Evidence.HOSTNAME_REMOVED, id="another-hostname"),
        pytest.param([observe("web", FILTERED)], Evidence.FILTERED_OUT, id="filtered-out"),
        pytest.param(
            [
                observe(
                    "web",
                    ExcludedClaim(ref=ref("web"), excluded_by="--ingress-class", name=build_claim("web", "web").name),
                )
            ],
            Evidence.FILTERED_OUT,
            id="one-name-filtered-out",
        ),
        pytest.param([observe("web", cause=Cause.DEPENDENCY)], Evidence.DEPENDENCY_CHANGED, id="dependency-changed"),
        pytest.param(
            [observe("web", build_unresolved("web", "web", Reason.NO_ENDPOINTS))],
            Evidence.NO_ENDPOINTS,
            id="no-endpoints",
        ),
        pytest.param([observe_gone("web", Cause.MISSING)], Evidence.ABSENT, id="absent"),
        pytest.param(
            [observe("web", failure="broken"), observe_gone("web")], Evidence.OBJECT_DELETED, id="failed-then-deleted"
        ),
        pytest.param(
            [observe_gone("web", Cause.MISSING), observe("web")], Evidence.HOSTNAME_REMOVED, id="missing-then-back"
        ),
    ],
)
def test_a_delete_has_the_evidence_with_which_its_claim_ended(observations: Sequence[Observed], expected: str) -> None:
    world = start_published()
    world.run(*observations)
    assert "web A" not in world.list_records()
    assert "a-web" not in world.list_ownership_labels()
    assert world.evidence == [expected]


def test_after_repeated_unchanged_observations_the_deletion_of_an_object_is_still_evidence() -> None:
    world = start_published()
    world.run(observe("web", build_claim("web", "web")), observe("web", build_claim("web", "web")))
    world.run(observe_gone("web"))
    assert world.evidence == [Evidence.OBJECT_DELETED]


@pytest.mark.parametrize(
    ("observations", "reason"),
    [
        pytest.param([observe("web", build_unresolved("web", "web"))], Reason.NO_ADDRESS, id="status-blank"),
        pytest.param([observe("web", failure="broken")], Reason.PUBLISHED, id="claims-not-computable"),
        pytest.param([observe("web", failure="no pods", awaited_kind=POD)], Reason.PUBLISHED, id="waits-for-a-kind"),
        pytest.param([change_phase(SERVICE, Phase.FAILING)], Reason.PUBLISHED, id="source-failing"),
        pytest.param([change_phase(SERVICE, Phase.NOT_SERVED)], Reason.PUBLISHED, id="source-not-served"),
        pytest.param(
            [change_phase(SERVICE, Phase.FAILING), observe_gone("web", Cause.MISSING)],
            Reason.SOURCE_DOWN,
            id="missing-and-down",
        ),
        pytest.param(
            [change_phase(SERVICE, Phase.NOT_SERVED), observe_gone("web")], Reason.SOURCE_DOWN, id="deleted-while-down"
        ),
    ],
)
def test_a_record_without_evidence_is_kept(observations: Sequence[Observed], reason: Reason) -> None:
    world = start_published()
    world.run(*observations, for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, reason)]


def test_the_delete_of_a_record_waits_while_its_source_is_down_and_is_made_afterwards() -> None:
    world = start_published()
    world.run(change_phase(SERVICE, Phase.FAILING), observe_gone("web"))
    world.run(change_phase(SERVICE), for_s=1.0)
    assert world.evidence == [Evidence.OBJECT_DELETED]


@pytest.mark.parametrize(
    "observations",
    [
        pytest.param([observe("web", build_unresolved("web", "web"))], id="status-blank"),
        pytest.param([observe_gone("web", Cause.MISSING)], id="missing"),
        pytest.param([observe("web")], id="hostname-removed"),
    ],
)
def test_with_compat_an_unrequested_record_is_deleted_at_once(observations: Sequence[Observed]) -> None:
    world = start_published(plan=COMPAT)
    world.exists = lambda _: None
    world.run(*observations)
    assert world.list_records() == {}


def test_with_compat_an_orphan_without_a_resource_is_deleted() -> None:
    assert start_world(*owned("web", resource=""), plan=COMPAT).list_records() == {}


@pytest.mark.parametrize(
    "observations",
    [
        pytest.param([observe("web", failure="broken"), observe("web", failure="broken")], id="object-failed"),
        pytest.param([change_phase(SERVICE, Phase.FAILING), observe_gone("web", Cause.MISSING)], id="source-down"),
        pytest.param([observe("web", build_unresolved("web", "web", Reason.INVALID_TARGET))], id="invalid-target"),
        pytest.param([observe("web", build_unresolved("web", "web", Reason.UNSUPPORTED))], id="unsupported-target"),
    ],
)
def test_with_compat_no_record_is_deleted_because_of_a_failure(observations: Sequence[Observed]) -> None:
    world = start_published(plan=COMPAT, deletes=AT_ONCE)
    world.run(*observations)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


@pytest.mark.parametrize("compat", [pytest.param(True, id="compat"), pytest.param(False, id="default")])
@pytest.mark.parametrize(
    ("observations", "reason"),
    [
        pytest.param(observe("web", failure="broken"), Reason.OBJECT_FAILED, id="object-failed"),
        pytest.param(change_phase(INGRESS, Phase.NOT_SERVED), Reason.SOURCE_DOWN, id="source-down"),
    ],
)
def test_a_record_without_a_resource_is_kept_while_any_object_or_source_cannot_be_read(
    observations: Input, reason: Reason, *, compat: bool
) -> None:
    world = build_world(
        *owned("web", resource=""), plan=COMPAT if compat else PLAN, deletes=AT_ONCE if compat else GRACE
    )
    world.run(change_phase(SERVICE), change_phase(INGRESS), observations, for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, reason)]
    world.run(observe("web"), change_phase(INGRESS), for_s=600.0)
    assert world.list_records() == {} or not compat


def test_a_record_of_another_owner_is_never_deleted() -> None:
    world = start_world(record("web"), ownership_record("web", owner="other"))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")), observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.evidence == []


@pytest.mark.parametrize("policy", [Policy.UPSERT_ONLY, Policy.CREATE_ONLY])
def test_with_policy_upsert_only_or_create_only_the_unresolved_timeout_deletes_nothing(policy: Policy) -> None:
    world = start_published(plan=replace(PLAN, policy=policy), deletes=replace(GRACE, unresolved_timeout_s=100.0))
    world.run(observe("web", build_unresolved("web", "web")), for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS)]
    assert world.list_records() == {"web A": ("192.0.2.1",)}
