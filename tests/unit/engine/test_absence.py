"""Objects missing from a list are absent once a GET confirms it (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

from itertools import pairwise

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, TimePassed
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, observe, observe_gone, owned
from tests.world import build_world, start_published

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
def test_an_object_missing_from_a_list_is_absent_only_after_a_get_confirms_it(
    answers: list[bool | None], expected: list[str]
) -> None:
    world = start_published()
    left = iter(answers)
    world.exists = lambda _: next(left)
    world.run(observe_gone("web", Cause.MISSING), for_s=100.0 if len(answers) == 1 else 700.0)
    assert world.evidence == expected
    assert world.calls.count("CheckExistence") == len(answers)
    if not expected:
        assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]


def test_a_record_is_kept_while_the_absence_of_its_object_is_not_confirmed() -> None:
    world = start_published()
    world.exists = lambda _: None
    world.run(observe_gone("web", Cause.MISSING), for_s=300.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    assert world.decision("web").detail == "waiting for confirmation that the object is gone"


def test_an_object_that_reappears_in_the_list_is_not_absent() -> None:
    world = start_published()
    world.exists = lambda _: None
    world.run(observe_gone("web", Cause.MISSING), for_s=10.0)
    world.run(observe("web", build_claim("web", "web")), for_s=100.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.calls.count("CheckExistence") == 1


def test_the_answer_of_a_get_is_ignored_if_the_object_was_observed_after_the_request() -> None:
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


def test_a_get_without_an_answer_is_retried_with_exponential_backoff() -> None:
    world = start_published()
    requested_at: list[float] = []
    began_s = world.now_s
    world.exists = lambda _: requested_at.append(world.now_s - began_s)
    world.run(observe_gone("web", cause=Cause.MISSING), for_s=1500.0)
    assert [later - earlier for earlier, later in pairwise(requested_at)] == [
        30.0,
        60.0,
        120.0,
        240.0,
        300.0,
        300.0,
        300.0,
    ]


@pytest.mark.parametrize(
    ("exists", "evidence", "reason"),
    [
        pytest.param(False, [Evidence.ORPHAN_GONE], None, id="gone"),
        pytest.param(True, [], Reason.ABSENCE_UNCONFIRMED, id="exists"),
        pytest.param(None, [], Reason.ABSENCE_UNCONFIRMED, id="unknown"),
    ],
)
def test_in_a_single_pass_one_get_decides_whether_an_object_that_a_list_lacks_is_absent(
    exists: bool | None, evidence: list[Evidence], reason: Reason | None
) -> None:
    world = build_world(*owned("web"), once=True)
    world.exists = lambda _: exists
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    assert world.calls.count("CheckExistence") == 1
    assert world.evidence == evidence
    assert world.list_decisions("web") == ([("A", Action.KEEP, reason)] if reason else [])
    assert world.engine.is_idle


def test_a_single_pass_waits_for_the_get_that_checks_whether_a_missing_object_exists() -> None:
    world = build_world(*owned("web"), once=True)
    world.exists = lambda _: True
    world.feed(change_phase(SERVICE))
    world.feed(change_phase(INGRESS))
    while "CheckExistence" not in world.calls:
        assert not world.engine.is_planned
        world.feed(world.answer())
    assert world.engine.is_planned


def test_a_deleted_object_needs_confirmation_by_a_get_if_its_kind_was_not_served_meanwhile() -> None:
    world = start_published(deletes=GRACE)
    world.run(observe_gone("web"), for_s=5.0)
    world.run(change_phase(SERVICE, Phase.NOT_SERVED), for_s=600.0)
    world.run(change_phase(SERVICE), for_s=30.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    world.run(for_s=40.0)
    assert world.evidence == [Evidence.ABSENT]
