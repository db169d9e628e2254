"""The steps of planning one name, and when they need facts (docs/design/architecture.md, "Planning one name")."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.model.change import Action
from extdns.model.claim import ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner import plan_name as module
from extdns.planner.plan_name import NamePlan, plan_name
from extdns.planner.view import UNGUARDED, NameView
from tests.builders import INGRESS, SERVICE, build_unresolved
from tests.unit.planner.name_plan import NAME, OLD, WEB, ZONE, build_current, build_facts, build_planner, claim

PAGE = Path(__file__).parents[3] / "docs" / "design" / "architecture.md"
CURRENT = build_current("A", "192.0.2.1", resource=WEB)


def build_view(*claims: ResolvedClaim, current: tuple[OwnedRecord, ...] = ()) -> NameView:
    return NameView(zone=ZONE, name=NAME, claims=claims, current=current)


def test_page_has_the_steps_of_the_code_in_their_order() -> None:
    steps = re.findall(r"# (\d) ([\w ]+)$", Path(str(module.__file__)).read_text(encoding="utf-8"), re.MULTILINE)
    assert [number for number, _ in steps] == list("123456789")
    table = PAGE.read_text(encoding="utf-8").partition("## Planning one name")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\d)\. ([\w ]+) \|", table, re.MULTILINE) == steps


@pytest.mark.parametrize(
    ("view", "action"),
    [
        pytest.param(build_view(claim("A", "192.0.2.1")), Action.CREATE, id="new"),
        pytest.param(build_view(claim("A", "192.0.2.1"), current=(CURRENT,)), Action.KEEP, id="in sync"),
        pytest.param(build_view(claim("A", "192.0.2.9"), current=(CURRENT,)), Action.UPDATE, id="other target"),
    ],
)
def test_no_facts_if_record_is_new_in_sync_or_gets_another_target(view: NameView, action: Action) -> None:
    plan = plan_name(view, build_planner())
    assert isinstance(plan, NamePlan)
    assert [one.action for one in plan.decisions] == [action]


@pytest.mark.parametrize(
    ("resource", "down", "expected"),
    [
        pytest.param(OLD, {INGRESS: Phase.FAILING}, (Action.KEEP, Reason.SOURCE_DOWN), id="unobserved"),
        pytest.param(WEB, {SERVICE: Phase.FAILING}, (Action.UPDATE, Reason.CHANGED), id="observed-before"),
        pytest.param(OLD, {SERVICE: Phase.FAILING}, (Action.UPDATE, Reason.CHANGED), id="another-kind-is-down"),
        pytest.param(OLD, {}, (Action.UPDATE, Reason.CHANGED), id="synced"),
    ],
)
def test_no_object_may_change_a_record_whose_own_object_cannot_be_observed(
    resource: str, down: dict[Kind, Phase], expected: tuple[Action, Reason]
) -> None:
    facts = build_facts(kinds_down=down)
    view = replace(
        build_view(claim("A", "192.0.2.9"), current=(build_current("A", "192.0.2.1", resource=resource),)), facts=facts
    )
    plan = plan_name(view, build_planner())
    assert isinstance(plan, NamePlan)
    assert expected in [(one.action, one.reason) for one in plan.decisions]
    assert bool(plan.sets) is (expected[0] is Action.UPDATE)


def test_claim_that_lost_a_contest_has_a_decision_although_the_record_is_as_requested() -> None:
    view = build_view(
        claim("A", "192.0.2.1"), claim("A", "192.0.2.9", resource="service/other/web"), current=(CURRENT,)
    )
    plan = plan_name(replace(view, facts=build_facts()), build_planner())
    assert isinstance(plan, NamePlan)
    assert [(one.action, one.reason) for one in plan.decisions] == [
        (Action.KEEP, Reason.PUBLISHED),
        (Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]


@pytest.mark.parametrize(
    ("name", "set_identifier", "is_requested"),
    [("web", "", True), ("web", "one", True), ("api", "", True), ("api", "one", False)],
)
def test_an_unresolved_claim_requests_the_records_of_its_object_and_of_its_set_identifier(
    name: str, set_identifier: str, *, is_requested: bool
) -> None:
    unresolved = build_unresolved(name, "foo", set_identifier=set_identifier)
    view = NameView(zone=ZONE, name=NAME, claims=(unresolved,), current=(CURRENT,))
    facts = build_facts(deletes={CURRENT.key: UNGUARDED})
    plan = plan_name(replace(view, facts=facts), build_planner())
    assert isinstance(plan, NamePlan)
    assert plan.requested == ({CURRENT.key} if is_requested else frozenset())


def test_an_unresolved_claim_that_has_its_record_requests_no_other_of_its_object() -> None:
    unresolved = build_unresolved("web", "foo", set_identifier="one")
    own = build_current("A", "192.0.2.1", resource=WEB, set_identifier="one")
    view = NameView(zone=ZONE, name=NAME, claims=(unresolved,), current=(CURRENT, own))
    facts = build_facts(deletes={CURRENT.key: UNGUARDED, own.key: UNGUARDED})
    plan = plan_name(replace(view, facts=facts), build_planner())
    assert isinstance(plan, NamePlan)
    assert plan.requested == {own.key}
