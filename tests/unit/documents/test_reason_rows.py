"""Each reason has the same severity in exit code, Events, metrics and states."""

from __future__ import annotations

import pytest

from extdns.controller.exit_codes import compute_exit_code
from extdns.controller.statistics import count_statistics
from extdns.documents.names import NameState, find_state, is_rejected
from extdns.engine.decisions import is_held_decision
from extdns.kube.event_recorder import EventMessageBuilder
from extdns.metrics.metrics import Metrics
from extdns.model.change import Action, Decision
from extdns.model.reason import Reason
from extdns.model.reason_row import Category, EventWhen
from tests.builders import SERVICE
from tests.unit.documents.cases import INVALID_VALUES, NAMES
from tests.world import World

SOURCE_OR_ZONE_FAILS = frozenset(
    {Reason.POLICY_UNAVAILABLE, Reason.SOURCE_DOWN, Reason.ZONES_UNKNOWN, Reason.ZONE_UNREAD}
)
"""The source, the zone or the rules fail instead of the record. It fails the run once, not for each name."""


def build_messages() -> EventMessageBuilder:
    return EventMessageBuilder(owner="me", kinds={"service": SERVICE}, emitted_reasons=(), emits_problems=True)


def list_decisions(world: World, reason: Reason) -> list[Decision]:
    return [one for one in world.engine.decisions if one.reason is reason]


@pytest.mark.parametrize("reason", NAMES)
def test_the_exit_code_the_number_of_failures_and_the_state_of_a_reason_follow_from_its_row(reason: Reason) -> None:
    world = NAMES[reason]()
    about = list_decisions(world, reason)
    fails, holds = reason.row.fails, any(map(is_held_decision, about))
    assert compute_exit_code(world.engine) == (
        1 if reason in SOURCE_OR_ZONE_FAILS else reason.row.exit_code if about else 0
    )
    assert world.engine.decisions.failing == (len(about) if fails else 0)
    assert {find_state(one) is NameState.FAILING for one in about} <= {fails}
    assert {find_state(one) is NameState.HELD for one in about} <= {holds}
    metrics = Metrics()
    metrics.set_statistics(count_statistics(world.engine, "me", 0))
    assert (f'extdns_decisions{{reason="{reason}"}} {float(len(about))}' in metrics.render().decode()) is bool(about)


STATES = {
    Category.IN_SYNC: NameState.PUBLISHED,
    Category.EXCLUDED: NameState.EXCLUDED,
    Category.UNREAD: NameState.UNKNOWN,
}
"""The state of a record without a change, for the categories that decide it."""


@pytest.mark.parametrize("reason", NAMES)
def test_the_category_of_each_reason_matches_the_state_and_the_ownership_of_the_record(reason: Reason) -> None:
    category = reason.row.category
    unchanged = [one for one in list_decisions(NAMES[reason](), reason) if one.action is Action.NONE]
    assert all((STATES.get(category) or find_state(one)) is find_state(one) for one in unchanged)
    assert all(is_rejected(one) is (category is Category.REJECTED) for one in unchanged)
    if category is Category.FOREIGN:
        assert not any(one.current.is_ours for one in unchanged if one.current)


@pytest.mark.parametrize("reason", NAMES)
def test_the_objects_that_request_a_record_get_the_event_of_its_reason_if_the_row_of_the_reason_says_so(
    reason: Reason,
) -> None:
    about = list_decisions(NAMES[reason](), reason)
    requested = any(one.requested_by for one in about)
    retained = any(one.action is Action.KEEP and one.requested_by for one in about)
    expected = {EventWhen.ALWAYS: requested, EventWhen.RETAINED: retained}.get(reason.row.event_rule, False)
    assert {message.reason for message in build_messages().describe_decisions(about)} == (
        {reason.event} if expected else set()
    )


@pytest.mark.parametrize("reason", INVALID_VALUES)
def test_an_object_with_an_invalid_value_gets_the_event_of_the_reason(reason: Reason) -> None:
    claims = [claim for _, found in INVALID_VALUES[reason]().engine.claims.objects() for claim in found]
    assert {message.reason for message in build_messages().describe_invalid_claims(claims)} == {reason.event}
    assert reason.row.event_rule is EventWhen.ALWAYS


@pytest.mark.parametrize("reason", list(Reason))
def test_every_failing_reason_has_an_event_unless_the_failure_is_transient(reason: Reason) -> None:
    if reason.row.fails:
        assert (reason.row.event_rule is EventWhen.ALWAYS) is not reason.row.transient
