"""Grace and held sets of one zone (design 6)."""

from __future__ import annotations

import pytest

from extdns.engine.budget import WINDOW_S, Limits
from extdns.model.change import Blocked
from extdns.model.evidence import Evidence
from extdns.model.held import Waiting
from extdns.model.reason import Reason
from tests.unit.engine.waiting import ENDING, GRACE_S, answers, deletes, end, go, owned, weigh


def test_a_delete_waits_until_its_evidence_has_held_for_the_grace() -> None:
    state = deletes()
    assert weigh(state, owned(1), 5.0) is Reason.IN_GRACE
    assert state.advance(5.0) == set()
    assert state.wake_s == 5.0 + GRACE_S
    assert state.advance(4.9 + GRACE_S) == set()
    assert state.advance(5.0 + GRACE_S) == {owned(1).record.name}
    assert weigh(state, owned(1), 5.0 + GRACE_S) is ENDING


def test_it_is_told_on_what_evidence_deletes_wait_and_when_their_graces_end() -> None:
    state = deletes()
    weigh(state, owned(1), 5.0)
    weigh(state, owned(2), 5.0, Evidence.ORPHAN_UNCLAIMED)
    state.advance(5.0)
    assert state.waiting == {
        owned(1).key: Waiting(evidence=ENDING, grace_ends_s=5.0 + GRACE_S),
        owned(2).key: Waiting(evidence=Evidence.ORPHAN_UNCLAIMED, grace_ends_s=None),
    }
    state.advance(5.0 + GRACE_S)
    assert state.waiting[owned(1).key].grace_ends_s is None
    state.planned(owned(1).record.name, {owned(1).key}, 70.0)
    assert owned(1).key not in state.waiting


def test_the_hold_of_stale_records_is_told_as_a_grace_is() -> None:
    state = deletes(stale_hold_s=600.0)
    state.unless_stale(owned(1), Blocked(reason=Reason.NO_ADDRESS, detail=""), 5.0)
    assert state.waiting[owned(1).key] == Waiting(evidence=Evidence.STALE, grace_ends_s=605.0)


def test_other_evidence_does_not_begin_anew() -> None:
    state = deletes()
    weigh(state, owned(1), 0.0, Evidence.HOSTNAME_REMOVED)
    weigh(state, owned(1), 30.0, Evidence.OBJECT_DELETED)
    assert state.advance(GRACE_S) == {owned(1).record.name}


def test_evidence_that_breaks_off_begins_anew() -> None:
    state = deletes()
    weigh(state, owned(1), 0.0)
    state.planned(owned(1).record.name, {owned(1).key}, 30.0)
    assert weigh(state, owned(1), 40.0) is Reason.IN_GRACE
    state.advance(40.0)
    assert state.wake_s == 40.0 + GRACE_S
    assert not state.budget.made


@pytest.mark.parametrize("evidence", [Evidence.ABSENT, Evidence.ORPHAN_GONE])
def test_what_was_confirmed_after_the_grace_waits_no_longer(evidence: Evidence) -> None:
    state = deletes()
    weigh(state, owned(1), 0.0, evidence)
    assert state.advance(0.0) == {owned(1).record.name}
    assert weigh(state, owned(1), 0.0, evidence) is evidence


def test_at_once_is_at_once() -> None:
    state = deletes(1, at_once=True)
    assert weigh(state, owned(1), 0.0, Evidence.ORPHAN_UNCLAIMED) is Evidence.ORPHAN_UNCLAIMED


def test_within_the_budget_all_go() -> None:
    state = deletes()
    assert len(end(state, range(30))) == 30
    assert answers(state, range(30)) == {ENDING}
    assert not state.releases.code


def test_over_the_budget_none_goes() -> None:
    state = deletes()
    assert len(end(state, range(31))) == 31
    assert answers(state, range(31)) == {Reason.HELD}
    assert len(state.held) == 31
    assert state.releases.code


def test_one_more_in_grace_holds_those_that_were_granted_and_not_yet_made() -> None:
    state = deletes()
    end(state, range(30))
    weigh(state, owned(30), GRACE_S)
    assert len(state.advance(GRACE_S)) == 30
    assert answers(state, range(30)) == {Reason.HELD}


def test_deletes_that_were_made_count_until_they_leave_the_window() -> None:
    state = deletes()
    end(state, range(30))
    for number in range(30):
        go(state, owned(number), GRACE_S)
    weigh(state, owned(30), GRACE_S)
    state.advance(GRACE_S)
    state.advance(2 * GRACE_S)
    assert answers(state, range(30, 31), now_s=2 * GRACE_S) == {Reason.HELD}
    assert state.wake_s == GRACE_S + WINDOW_S
    state.advance(GRACE_S + WINDOW_S)
    assert answers(state, range(30, 31), now_s=GRACE_S + WINDOW_S) == {ENDING}


def test_absence_has_its_own_smaller_budget() -> None:
    state = deletes()
    end(state, range(7), Evidence.ABSENT)
    assert answers(state, range(7), Evidence.ABSENT) == {Reason.HELD}
    for number in range(30, 60):
        weigh(state, owned(number), GRACE_S)
    state.advance(GRACE_S)
    state.advance(2 * GRACE_S)
    assert answers(state, range(30, 60), now_s=2 * GRACE_S) == {ENDING}


def test_a_claim_that_comes_back_makes_room_again() -> None:
    state = deletes()
    end(state, range(31))
    state.planned(owned(30).record.name, {owned(30).key}, GRACE_S)
    assert len(state.advance(GRACE_S)) == 30
    assert answers(state, range(30)) == {ENDING}


def test_unclaimed_orphans_are_held_and_not_counted() -> None:
    state = deletes(10)
    end(state, range(8), Evidence.ORPHAN_UNCLAIMED)
    assert answers(state, range(8), Evidence.ORPHAN_UNCLAIMED) == {Reason.ORPHAN_UNCLAIMED}
    assert state.undecided
    for number in range(8, 10):
        weigh(state, owned(number), GRACE_S, Evidence.ABSENT)
    state.advance(GRACE_S)
    assert answers(state, range(8, 10), Evidence.ABSENT) == {Evidence.ABSENT}


def test_with_accepted_settings_orphans_go_after_the_grace_within_the_budget_for_absence() -> None:
    state = deletes()
    state.accept(0.0)
    end(state, range(6), Evidence.ORPHAN_UNCLAIMED)
    assert answers(state, range(6), Evidence.ORPHAN_UNCLAIMED) == {Evidence.ORPHAN_UNCLAIMED}
    state = deletes()
    state.accept(0.0)
    end(state, range(7), Evidence.ORPHAN_UNCLAIMED)
    assert answers(state, range(7), Evidence.ORPHAN_UNCLAIMED) == {Reason.HELD}


@pytest.mark.parametrize(
    ("first", "then"), [(Evidence.STALE, ENDING), (Evidence.ORPHAN_UNCLAIMED, Evidence.STALE)], ids=str
)
def test_what_is_stale_and_what_ended_wait_by_times_of_their_own(first: Evidence, then: Evidence) -> None:
    state = deletes(stale_hold_s=3600.0)
    weigh(state, owned(1), 0.0, first)
    state.advance(0.0)
    weigh(state, owned(1), 3599.0, then)
    state.advance(3599.0)
    due_s = 3599.0 + (3600.0 if then is Evidence.STALE else GRACE_S)
    state.advance(due_s - 1.0)
    assert weigh(state, owned(1), due_s - 1.0, then) is Reason.IN_GRACE
    state.advance(due_s)
    assert weigh(state, owned(1), due_s, then) is then


def test_what_passes_on_to_another_object_waits_for_the_grace_alone() -> None:
    state = deletes(40)
    for number in range(20):
        state.weigh(owned(number), ENDING, 0.0, passes_on=True)
    weigh(state, owned(30), 0.0)
    state.advance(0.0)
    state.advance(GRACE_S)
    assert {state.weigh(owned(number), ENDING, GRACE_S, passes_on=True) for number in range(20)} == {ENDING}
    assert weigh(state, owned(30), GRACE_S) is ENDING, "the others do not count"


def test_what_belongs_to_another_zone_now_is_not_pending_here() -> None:
    state = deletes()
    end(state, range(32))
    state.retain(lambda name: name != owned(0).record.name)
    state.advance(GRACE_S)
    assert len(state.held) == 31
    state.retain(lambda _: False)
    state.advance(GRACE_S)
    assert not state.held
    assert state.releases.code == ""


def test_a_stale_record_goes_when_its_time_is_over() -> None:
    state = deletes(stale_hold_s=3600.0)
    assert weigh(state, owned(1), 0.0, Evidence.STALE) is Reason.IN_GRACE
    state.advance(0.0)
    assert state.wake_s == 3600.0
    state.advance(3600.0)
    assert weigh(state, owned(1), 3600.0, Evidence.STALE) is Evidence.STALE


def test_100_percent_lets_everything_go() -> None:
    state = deletes(limits=Limits(count=0, percent=100))
    end(state, range(90))
    assert answers(state, range(90)) == {ENDING}
