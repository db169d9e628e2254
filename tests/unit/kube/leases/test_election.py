"""Who holds a Lease, step by step."""

from __future__ import annotations

import pytest

from extdns.kube.leases.election import (
    Election,
    Failed,
    Found,
    Input,
    Leave,
    Look,
    Put,
    Rules,
    Term,
    Tick,
    Written,
)

OURS, THEIRS = "us", "them"


def theirs(version: str = "7", duration_s: float = 30.0) -> Found:
    return Found(term=Term(THEIRS, duration_s, version))


def holding(now_s: float = 100.0) -> Election:
    """One that has just got the Lease, in version 1."""
    election = Election(OURS, Rules())
    assert election.step(Tick(), now_s) == Look()
    assert election.step(Found(term=None), now_s) == Put(holder=OURS, over="")
    assert election.step(Written(term=Term(OURS, 30.0, "1")), now_s) is None
    return election


def waiting(now_s: float = 100.0) -> Election:
    """One that has just seen that another holds the Lease."""
    election = Election(OURS, Rules())
    assert election.step(Tick(), now_s) == Look()
    assert election.step(theirs(), now_s) is None
    return election


def test_a_lease_that_nobody_has_made_is_made_and_held() -> None:
    election = holding(100.0)
    assert (election.left_s(101.0), election.holder) == (29.0, OURS)


def test_the_time_left_counts_from_when_the_renewal_was_sent() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")
    assert election.step(Written(term=Term(OURS, 30.0, "2")), 106.0) is None
    assert election.left_s(106.0) == 26.0


def test_a_renewal_that_changed_nothing_does_not_count() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")
    assert election.step(Written(term=Term(OURS, 30.0, "1")), 102.0) is None
    assert election.left_s(102.0) == 28.0


def test_it_is_renewed_at_every_retry_and_not_before() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 101.9) is None
    assert election.wake_s == 102.0
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")


def test_it_is_not_held_any_more_once_the_deadline_is_over_though_nobody_else_may_have_it_yet() -> None:
    election = holding(100.0)
    assert election.left_s(114.9) == pytest.approx(15.1)
    assert election.left_s(115.0) == 0.0


def test_a_renewal_after_the_deadline_counts_again() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")
    assert election.step(Failed(), 120.0) is None
    assert election.step(Tick(), 122.0) == Look()
    assert election.step(Found(term=Term(OURS, 30.0, "1")), 122.0) == Put(holder=OURS, over="1")
    assert election.left_s(122.0) == 0.0
    assert election.step(Written(term=Term(OURS, 30.0, "2")), 123.0) is None
    assert election.left_s(123.0) == 29.0


def test_a_lost_answer_is_looked_up_and_does_not_count_until_it_is_confirmed() -> None:
    election = Election(OURS, Rules())
    assert election.step(Tick(), 100.0) == Look()
    assert election.step(Found(term=None), 100.0) == Put(holder=OURS, over="")
    assert election.step(Failed(), 105.0) is None
    assert election.step(Tick(), 107.0) == Look()
    assert election.step(Found(term=Term(OURS, 30.0, "1")), 107.0) == Put(holder=OURS, over="1")
    assert election.left_s(107.0) == 0.0
    assert election.step(Written(term=Term(OURS, 30.0, "2")), 107.0) is None
    assert election.left_s(107.0) == 30.0


def test_while_a_request_is_on_its_way_nothing_else_is_asked() -> None:
    election = Election(OURS, Rules())
    assert election.step(Tick(), 100.0) == Look()
    assert election.step(Tick(), 200.0) is None


def test_a_lease_of_another_is_looked_at_until_it_has_stood_for_its_duration() -> None:
    election = waiting(100.0)
    for now_s in range(102, 130, 2):
        assert election.step(Tick(), float(now_s)) == Look()
        assert election.step(theirs(), float(now_s)) is None
    assert election.step(Tick(), 130.0) == Put(holder=OURS, over="7")


def test_a_renewal_of_another_begins_its_time_anew() -> None:
    election = waiting(100.0)
    assert election.step(Tick(), 129.0) == Look()
    assert election.step(theirs("8"), 129.0) is None
    assert election.step(Tick(), 131.0) == Look()
    assert election.step(theirs("8"), 158.9) is None
    assert election.step(Tick(), 160.9) == Put(holder=OURS, over="8")


@pytest.mark.parametrize(
    ("duration_s", "free_s"),
    [
        pytest.param(60.0, 160.0, id="what-the-holder-said-counts"),
        pytest.param(0.0, 130.0, id="ours-if-it-said-nothing"),
    ],
)
def test_the_time_that_a_lease_is_left_alone(duration_s: float, free_s: float) -> None:
    election = Election(OURS, Rules())
    assert election.step(Tick(), 100.0) == Look()
    assert election.step(theirs(duration_s=duration_s), 100.0) is None
    assert election.step(Tick(), free_s - 0.1) == Look()
    assert election.step(theirs(duration_s=duration_s), free_s) == Put(holder=OURS, over="7")


def test_a_lease_that_was_given_up_is_taken_at_once() -> None:
    election = waiting(100.0)
    assert election.step(Tick(), 102.0) == Look()
    assert election.step(Found(term=Term("", 30.0, "8")), 102.0) == Put(holder=OURS, over="8")


def test_a_lease_that_a_person_deleted_stays_its_holders_for_its_time() -> None:
    election = waiting(100.0)
    assert election.step(Tick(), 129.0) == Look()
    assert election.step(Found(term=None), 129.0) is None
    assert election.step(Tick(), 131.0) == Put(holder=OURS, over="")


def test_a_holder_whose_lease_was_deleted_does_not_hold_it_until_it_has_made_it_again() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")
    assert election.step(Failed(), 102.0) is None
    assert election.step(Tick(), 104.0) == Look()
    assert election.step(Found(term=None), 104.0) == Put(holder=OURS, over="")
    assert election.left_s(104.0) == 0.0


def test_a_holder_that_finds_another_one_stops_at_once() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")
    assert election.step(Failed(), 102.0) is None
    assert election.step(Tick(), 104.0) == Look()
    assert election.step(theirs(), 104.0) is None
    assert (election.left_s(104.0), election.holder) == (0.0, THEIRS)


def test_who_leaves_stops_first_and_then_gives_it_up() -> None:
    election = holding(100.0)
    assert election.step(Leave(), 101.0) == Put(holder="", over="1")
    assert election.left_s(101.0) == 0.0
    assert election.step(Written(term=Term("", 30.0, "2")), 101.0) is None
    assert election.step(Tick(), 200.0) is None
    assert election.left_s(101.0) == 0.0


def test_who_leaves_amid_a_renewal_gives_it_up_after_the_answer() -> None:
    election = holding(100.0)
    assert election.step(Tick(), 102.0) == Put(holder=OURS, over="1")
    assert election.step(Leave(), 103.0) is None
    assert election.step(Written(term=Term(OURS, 30.0, "2")), 104.0) == Put(holder="", over="2")
    assert election.left_s(104.0) == 0.0


@pytest.mark.parametrize(
    "last", [pytest.param(Failed(), id="no-answer"), pytest.param(theirs(), id="another-holds-it")]
)
def test_who_leaves_and_may_not_hold_it_writes_nothing(last: Input) -> None:
    election = Election(OURS, Rules())
    assert election.step(Tick(), 100.0) == Look()
    assert election.step(Leave(), 100.0) is None
    assert election.step(last, 101.0) is None
    assert election.step(Tick(), 200.0) is None
