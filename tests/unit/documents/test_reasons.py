"""Reasons: their severity is the same everywhere, and `extdns explain` shows the right one, in a case for each code."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from extdns.controller.exit_codes import compute_exit_code
from extdns.controller.statistics import count_statistics
from extdns.documents.document import ProcessReference
from extdns.documents.name import NameDocument, build_name
from extdns.documents.names import NameState, find_state, is_rejected
from extdns.documents.object import build_object
from extdns.documents.records import WaitingDeleteDocument
from extdns.documents.snapshot import EngineSnapshot
from extdns.engine.decisions import is_held_decision
from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.inputs import Cause
from extdns.metrics.metrics import Metrics
from extdns.model.change import Action, Decision
from extdns.model.dns_name import DnsName
from extdns.model.reason import Category, EventWhen, Reason
from tests.builders import build_unresolved, observe, observe_gone, owned
from tests.fakes.clocks import BEGINNING
from tests.fakes.event_list import record_events
from tests.unit.documents.cases import (
    CONFIG,
    INVALID_VALUES,
    NAMES,
    OTHER_NAMES,
    REQUESTED,
    UNRESOLVED_TIMEOUT,
    WEB,
    explain,
    look,
    render,
    run_on,
    start_dry,
)
from tests.world import World


def list_decisions(world: World, reason: Reason) -> list[Decision]:
    return [one for one in world.engine.decisions if one.reason is reason]


@pytest.mark.parametrize("reason", NAMES)
def test_the_exit_code_the_number_of_failures_and_the_state_of_a_reason_follow_from_its_row(reason: Reason) -> None:
    world = NAMES[reason]()
    about = list_decisions(world, reason)
    fails, holds = reason.row.fails, any(map(is_held_decision, about))
    assert compute_exit_code(world.engine) == (reason.row.exit_code if about else 0)
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
    messages = record_events(lambda recorder: recorder.record_decisions(about))
    assert {message.reason for message in messages} == ({reason.event} if expected else set())


@pytest.mark.parametrize("reason", INVALID_VALUES)
def test_an_object_with_an_invalid_value_gets_the_event_of_the_reason(reason: Reason) -> None:
    claims = [claim for _, found in INVALID_VALUES[reason]().engine.claims.objects() for claim in found]
    messages = record_events(lambda recorder: recorder.record_invalid_claims(claims))
    assert {message.reason for message in messages} == {reason.event}
    assert reason.row.event_rule is EventWhen.ALWAYS


# `extdns explain` shows the right reason code, in one case for each code


def list_codes(document: NameDocument) -> set[str]:
    """Return all reason codes in the explanation of a name."""
    outcomes = [one for claim in document.claims for one in claim.outcomes] + [
        one.outcome for one in document.records if one.outcome
    ]
    return {document.reason or "", *(one.reason for one in outcomes)}


def test_every_reason_code_has_a_test_case() -> None:
    assert set(NAMES) | set(INVALID_VALUES) == set(Reason)


@pytest.mark.parametrize("reason", NAMES)
def test_the_explanation_of_a_name_contains_its_reason_code(reason: Reason) -> None:
    document = explain(NAMES[reason](), OTHER_NAMES.get(reason, WEB))
    assert reason in list_codes(document), document
    assert f"[{reason}]" in render(document)


def explain_in_process(world: World, *, later_s: float = 0.0) -> NameDocument:
    """Return the explanation of the name by a running process, *later_s* seconds after the last step of *world*."""
    live = look(world, at_s=world.now_s + later_s)
    document = build_name(live.engine, DnsName(WEB), CONFIG, missing=(), live=live)
    return replace(document, process=ProcessReference("http://127.0.0.1:7980", "me", "files shop.yaml"))


def find_waiting(document: NameDocument) -> WaitingDeleteDocument | None:
    (record,) = document.records
    assert record.outcome is not None
    return record.outcome.waiting


def test_a_running_process_explains_a_waiting_delete_with_its_evidence_and_the_end_of_its_grace_period() -> None:
    document = explain_in_process(NAMES[Reason.IN_GRACE]())
    assert find_waiting(document) == WaitingDeleteDocument(
        evidence="object-deleted", grace_ends=BEGINNING + timedelta(seconds=55.02)
    )
    text = render(document)
    assert text.startswith(
        f"{WEB} exists, but no object requests it; it is deleted after the grace period.  [in-grace]"
    )
    assert "  evidence for a delete: [object-deleted]\n" in text
    assert "  the grace period ends at 2026-11-20 09:15:26 UTC, in 55s\n" in text
    assert text.endswith("let an object request the name before the grace period ends")


def test_without_saved_state_the_explanation_of_a_delete_by_absence_says_why_it_waits_ten_minutes() -> None:
    settings = DeleteSettings(owner="me", grace_s=60.0, stateless_wait_s=600.0)
    world = run_on(
        start_dry(*owned("web"), first=[REQUESTED], deletes=settings), observe_gone("web", Cause.MISSING), for_s=100.0
    )
    text = render(explain_in_process(world))
    assert "  no saved state is known: deletes by absence wait until extdns has run for ten minutes\n" in text
    assert "  the grace period ends at 2026-11-20 09:22:50 UTC, in 8m\n" in text


def test_the_explanation_of_a_retained_record_shows_when_the_unresolved_timeout_ends() -> None:
    world = run_on(
        start_dry(*owned("web"), first=[observe("web", build_unresolved("web", "web"))], deletes=UNRESOLVED_TIMEOUT),
        for_s=20.0,
    )
    text = render(explain_in_process(world))
    assert "  evidence for a delete: [unresolved-expired]\n" in text
    assert "  --unresolved-timeout ends at " in text


def test_the_explanation_of_a_delete_held_for_another_cluster_does_not_mention_the_unresolved_timeout() -> None:
    text = render(explain_in_process(NAMES[Reason.OTHER_CLUSTER]()))
    assert "  evidence for a delete: [object-deleted]\n" in text
    assert "  the grace period ended at 2026-11-20 09:14:26 UTC\n" in text
    assert "--unresolved-timeout" not in text


def test_the_explanation_of_a_change_held_for_another_cluster_shows_its_id_and_how_to_accept_it() -> None:
    world = NAMES[Reason.OTHER_CLUSTER]()
    text = render(explain_in_process(world))
    assert f"  the objects come from cluster {world.engine.delete_guard.cluster.other_id}\n" in text
    assert "\nNext: to continue with the cluster of the objects, see how to accept it: extdns status" in text


@pytest.mark.parametrize("reason", [Reason.ABSENCE_UNCONFIRMED, Reason.SOURCE_DOWN, Reason.POLICY_KEEPS])
def test_the_explanation_of_a_kept_record_says_that_no_object_requests_it_and_what_to_do(
    reason: Reason,
) -> None:
    text = render(explain(NAMES[reason](), WEB))
    assert text.partition("\n")[0].startswith(f"{WEB} exists, but no object requests it")
    assert f"Next: {reason.row.next_step}" in text


def test_a_held_delete_is_explained_with_its_evidence_and_how_to_approve_it() -> None:
    document = explain_in_process(NAMES[Reason.HELD]())
    assert find_waiting(document) == WaitingDeleteDocument(evidence="object-deleted", grace_ends=None)
    assert render(document).endswith("and how to approve them: extdns status --controller=http://127.0.0.1:7980")


def test_a_single_pass_explains_a_waiting_delete_without_the_end_of_its_grace_period() -> None:
    document = explain(NAMES[Reason.IN_GRACE](), WEB)
    assert (document.at, find_waiting(document)) == (
        None,
        WaitingDeleteDocument(evidence="object-deleted", grace_ends=None),
    )


@pytest.mark.parametrize("reason", INVALID_VALUES)
def test_the_explanation_of_an_object_lists_its_invalid_values(reason: Reason) -> None:
    document = build_object(EngineSnapshot(INVALID_VALUES[reason]().engine), "service/shop/web", CONFIG, ())
    assert [one.reason for one in document.problems] == [reason]
