"""The evidence for deletes, without grace period and budgets (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.health import find_failures
from extdns.engine.inputs import Cause, Input, Observed, ProblemChanged
from extdns.engine.scope import measure_scope
from extdns.model.change import Action
from extdns.model.claim import ExcludedClaim
from extdns.model.cluster import ObjectProblem, Phase
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.planner.settings import PlanSettings, Policy
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
    ref,
)
from tests.world import build_world, start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
REQUESTED = observe("web", build_claim("web", "web"))
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
        pytest.param(
            [observe("web", build_unresolved("web", "web", Reason.NO_GATEWAY), cause=Cause.DEPENDENCY)],
            Evidence.DEPENDENCY_CHANGED,
            id="gateway-deleted",
        ),
        pytest.param([observe_gone("web", Cause.MISSING)], Evidence.ABSENT, id="absent"),
        pytest.param(
            [observe("web", failure="broken"), observe_gone("web")], Evidence.OBJECT_DELETED, id="failed-then-deleted"
        ),
        pytest.param(
            [observe("web", failure="broken"), REQUESTED, REQUESTED, observe_gone("web")],
            Evidence.OBJECT_DELETED,
            id="failed-then-seen-twice-and-deleted",
        ),
        pytest.param(
            [observe_gone("web", Cause.MISSING), observe("web")], Evidence.HOSTNAME_REMOVED, id="missing-then-back"
        ),
    ],
)
def test_delete_has_the_evidence_with_which_its_claim_ended(observations: Sequence[Observed], expected: str) -> None:
    world = start_published()
    world.run(*observations)
    assert "web A" not in world.list_records()
    assert "a-web" not in world.list_ownership_labels()
    assert world.evidence == [expected]


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
def test_record_is_kept_without_evidence(observations: Sequence[Observed], reason: Reason) -> None:
    world = start_published()
    world.run(*observations, for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, reason)]


def test_delete_waits_while_its_source_is_down() -> None:
    world = start_published()
    world.run(change_phase(SERVICE, Phase.FAILING), observe_gone("web"))
    world.run(change_phase(SERVICE), for_s=1.0)
    assert world.evidence == [Evidence.OBJECT_DELETED]


def test_orphan_without_resource_is_deleted_with_compat() -> None:
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
def test_failure_deletes_nothing_with_compat(observations: Sequence[Observed]) -> None:
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
def test_record_without_resource_is_kept_while_anything_cannot_be_read(
    observations: Input, reason: Reason, *, compat: bool
) -> None:
    world = build_world(
        *owned("web", resource=""), plan=COMPAT if compat else PLAN, deletes=AT_ONCE if compat else GRACE
    )
    world.run(change_phase(SERVICE), change_phase(INGRESS), observations, for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, reason)]
    world.run(observe("web"), change_phase(INGRESS), for_s=600.0)
    assert world.list_records() == {} or not compat


@pytest.mark.parametrize("policy", [Policy.UPSERT_ONLY, Policy.CREATE_ONLY])
def test_unresolved_timeout_deletes_nothing_with_upsert_only_or_create_only(policy: Policy) -> None:
    world = start_published(plan=replace(PLAN, policy=policy), deletes=replace(GRACE, unresolved_timeout_s=100.0))
    world.run(observe("web", build_unresolved("web", "web")), for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS)]
    assert world.list_records() == {"web A": ("192.0.2.1",)}


# unmanaged types (docs/spec/plan.md 2.1)


@pytest.mark.parametrize("since_start", [True, False])
def test_deleted_if_its_name_is_requested_only_in_an_unmanaged_type(*, since_start: bool) -> None:
    mail = observe("web", build_claim("web", "web", "10 mx.test", rtype="MX"))
    if since_start:
        world = start_published(deletes=GRACE)
        world.run(mail, for_s=1.0)
    else:
        world = start_world(*owned("web"), first=[mail], deletes=GRACE)
    assert sorted(world.list_decisions("web")) == [
        ("A", Action.KEEP, Reason.IN_GRACE),
        ("MX", Action.NONE, Reason.TYPE_UNMANAGED),
    ]
    world.run(for_s=60.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.HOSTNAME_REMOVED]


def test_deleted_with_its_object_although_another_requests_an_unmanaged_type() -> None:
    world = start_published()
    world.run(observe("mail", build_claim("mail", "web", "10 mx.test", rtype="MX")), observe_gone("web"))
    assert world.list_records() == {}
    assert world.evidence == [Evidence.OBJECT_DELETED]


def problem(message: str, key: ObjectKey | None = None) -> ProblemChanged:
    """Build the change that the manifest at line 3 has a problem, or that it has none if *message* is empty."""
    return ProblemChanged(problem=ObjectProblem(location="shop.yaml:3", key=key, message=message))


# manifests that cannot be parsed


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(problem("not YAML"), id="unknown-object"),
        pytest.param(problem("not a Service", ref("web").key), id="known-object"),
    ],
)
@pytest.mark.parametrize(
    "plan", [pytest.param(PLAN, id="default"), pytest.param(replace(PLAN, compat=True), id="compat")]
)
def test_no_object_is_absent_while_a_manifest_cannot_be_parsed(broken: ProblemChanged, plan: PlanSettings) -> None:
    world = build_world(*owned("web"), once=True, plan=plan)
    world.run(broken, change_phase(SERVICE), change_phase(INGRESS))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert any("shop.yaml:3" in failure for failure in find_failures(world.engine))


def test_object_is_absent_after_all_manifests_can_be_parsed() -> None:
    world = build_world(*owned("web"))
    world.run(problem("not YAML"), change_phase(SERVICE), change_phase(INGRESS))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert not measure_scope(world.engine).knows_objects
    world.run(problem(""))
    assert world.list_records() == {}
    assert not find_failures(world.engine)


def test_names_that_wait_for_other_objects_are_not_planned_again_if_one_becomes_unreadable() -> None:
    many = observe("many", *(build_unresolved("many", f"many{number}") for number in range(9)))
    world = start_world(first=[many], names_per_step=2)
    assert world.engine.is_planned
    world.feed(problem("too large", ref("api").key))
    assert world.engine.is_planned


def test_record_in_its_grace_period_is_said_to_be_kept_once_its_object_is_unreadable() -> None:
    world = start_published(deletes=DeleteSettings(owner="me", grace_s=60.0))
    world.run(observe("web"))
    world.run(problem("too large", ref("web").key))
    assert world.decision("web").reason is Reason.OBJECT_FAILED
