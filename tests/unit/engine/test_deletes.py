"""Grace, held sets and releases of one zone (design 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from extdns.engine.budget import WINDOW_S, Limits
from extdns.engine.deletes import Deletes
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.releases import RELEASE_S
from extdns.model.change import Blocked
from extdns.model.evidence import Evidence
from extdns.model.held import Waiting
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import Zone

ZONE = Zone(name=DnsName("acme.test"), id="Z1")
GRACE_S = 60.0
ENDING = Evidence.OBJECT_DELETED


def owned(number: int, target: str = "192.0.2.1") -> Owned:
    name = DnsName(f"h{number}.acme.test")
    return Owned(record=Record(name=name, type="A", targets=(target,), ttl_s=300), owner="me", ours=True)


def deletes(records: int = 100, **settings: Any) -> Deletes:  # noqa: ANN401 - any field of DeleteSettings
    made = Deletes(ZONE, replace(DeleteSettings(owner="me", grace_s=GRACE_S), **settings))
    made.budget.own(records, 0.0)
    return made


def weigh(state: Deletes, one: Owned, now_s: float, evidence: Evidence = ENDING) -> Evidence | Reason:
    """Plan a name at which only *one* stands."""
    answer = state.weigh(one, evidence, now_s)
    state.planned(one.record.name, {one.key}, now_s)
    return answer.reason if isinstance(answer, Blocked) else answer


def go(state: Deletes, one: Owned, now_s: float) -> None:
    """The record is gone, and its name is planned."""
    state.planned(one.record.name, set(), now_s)
    state.budget.own(-1, now_s)


def end(state: Deletes, numbers: range, evidence: Evidence = ENDING) -> set[DnsName]:
    """The evidence for all of *numbers* began at 0 and has held for the grace; returns the names that moved."""
    for number in numbers:
        weigh(state, owned(number), 0.0, evidence)
    state.advance(0.0)
    return state.advance(GRACE_S)


def answers(
    state: Deletes, numbers: range, evidence: Evidence = ENDING, now_s: float = GRACE_S
) -> set[Evidence | Reason]:
    return {weigh(state, owned(number), now_s, evidence) for number in numbers}


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


def test_a_release_lets_go_what_was_shown_and_does_not_count() -> None:
    state = deletes()
    end(state, range(31))
    assert state.release(state.releases.code, GRACE_S)
    weigh(state, owned(40), GRACE_S)
    assert len(state.advance(GRACE_S)) == 31
    assert answers(state, range(31)) == {ENDING}
    for number in range(31):
        go(state, owned(number), GRACE_S)
    state.advance(2 * GRACE_S)
    assert weigh(state, owned(40), 2 * GRACE_S) is ENDING
    assert not state.budget.made


def test_a_release_concerns_exactly_what_was_shown() -> None:
    state = deletes()
    end(state, range(31))
    code = state.releases.code
    answers(state, range(1), now_s=GRACE_S)
    weigh(state, owned(0, "192.0.2.99"), GRACE_S)
    weigh(state, owned(99), GRACE_S)
    state.release(code, GRACE_S)
    state.advance(2 * GRACE_S)
    assert answers(state, range(1, 31), now_s=2 * GRACE_S) == {ENDING}
    assert weigh(state, owned(0, "192.0.2.99"), 2 * GRACE_S) is ENDING, "two are within the budget again"
    assert state.releases.code == ""


def test_a_release_ends_after_a_day() -> None:
    state = deletes()
    end(state, range(31))
    state.release(state.releases.code, GRACE_S)
    state.advance(GRACE_S)
    assert state.wake_s == GRACE_S + RELEASE_S
    assert len(state.advance(GRACE_S + RELEASE_S)) == 31
    assert answers(state, range(31), now_s=GRACE_S + RELEASE_S) == {Reason.HELD}


def test_an_unknown_code_releases_nothing() -> None:
    state = deletes()
    end(state, range(31))
    assert not state.release("0000-0000", GRACE_S)
    assert state.advance(GRACE_S) == set()


def test_a_code_given_at_start_releases_the_set_that_shows_it_and_no_other() -> None:
    asked = deletes()
    end(asked, range(31))
    code = asked.releases.code
    told = deletes(releases=(code,))
    end(told, range(31))
    assert answers(told, range(31)) == {ENDING}
    other = deletes(releases=(code,))
    end(other, range(32))
    assert answers(other, range(32)) == {Reason.HELD}


@pytest.mark.parametrize(
    "changes",
    [pytest.param({"owner": "you"}, id="owner"), pytest.param({"zone": structs.replace(ZONE, id="Z2")}, id="zone")],
)
def test_the_code_says_whose_and_where(changes: dict[str, object]) -> None:
    one = deletes()
    end(one, range(31))
    two = Deletes(
        changes.get("zone", ZONE),  # type: ignore[arg-type]
        DeleteSettings(owner=str(changes.get("owner", "me")), grace_s=GRACE_S),
    )
    two.budget.own(100, 0.0)
    end(two, range(31))
    assert one.releases.code != two.releases.code


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
