"""The state machine of leader election, step by step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from extdns.kube.leader_election import (
    LeaderElectionConfig,
    LeaseRequest,
    LeaseStateMachine,
    ReadLease,
    WriteLease,
)
from extdns.kube.lease_store import LeaderElectionRecord

OURS, THEIRS = "us", "them"


def ours(version: str) -> LeaderElectionRecord:
    return LeaderElectionRecord(OURS, 30.0, version)


def theirs(version: str = "7", duration_s: float = 30.0) -> LeaderElectionRecord:
    return LeaderElectionRecord(THEIRS, duration_s, version)


def answer(election: LeaseStateMachine, record: LeaderElectionRecord | None, now_s: float) -> LeaseRequest | None:
    """Answer the open request with *record*, and return the next request."""
    election.record_answer(record, now_s)
    return election.take_request(now_s)


def fail(election: LeaseStateMachine, now_s: float) -> LeaseRequest | None:
    """Let the open request fail, and return the next request."""
    election.record_failure(now_s)
    return election.take_request(now_s)


def elect(now_s: float = 100.0) -> LeaseStateMachine:
    """Return a state machine that has just acquired the Lease, at version 1."""
    election = LeaseStateMachine(OURS, LeaderElectionConfig())
    assert election.take_request(now_s) == ReadLease()
    assert answer(election, None, now_s) == WriteLease(holder=OURS, expected_version="")
    assert answer(election, ours("1"), now_s) is None
    return election


def observe_other_holder(now_s: float = 100.0) -> LeaseStateMachine:
    """Return a state machine that has just read a Lease of another process."""
    election = LeaseStateMachine(OURS, LeaderElectionConfig())
    assert election.take_request(now_s) == ReadLease()
    assert answer(election, theirs(), now_s) is None
    return election


def test_the_remaining_time_of_a_lease_is_counted_from_the_sending_of_the_renewal() -> None:
    election = elect(100.0)
    assert election.take_request(102.0) == WriteLease(holder=OURS, expected_version="1")
    assert answer(election, ours("2"), 106.0) is None
    assert election.left_s(106.0) == 26.0


def test_a_lease_write_that_returns_the_old_version_is_not_a_renewal() -> None:
    election = elect(100.0)
    assert election.take_request(102.0) == WriteLease(holder=OURS, expected_version="1")
    assert answer(election, ours("1"), 102.0) is None
    assert election.left_s(102.0) == 28.0


def test_a_renewal_after_the_renew_deadline_restores_leadership() -> None:
    election = elect(100.0)
    assert election.take_request(102.0) == WriteLease(holder=OURS, expected_version="1")
    assert fail(election, 120.0) is None
    assert election.take_request(122.0) == ReadLease()
    assert answer(election, ours("1"), 122.0) == WriteLease(holder=OURS, expected_version="1")
    assert election.left_s(122.0) == 0.0
    term = election.term
    assert answer(election, ours("2"), 123.0) is None
    assert (election.left_s(123.0), election.term) == (29.0, term)


@pytest.mark.parametrize("read", [None, LeaderElectionRecord("", 30.0, "3")], ids=["deleted", "given-up"])
def test_a_lease_that_another_process_may_have_held_meanwhile_has_a_new_term(read: LeaderElectionRecord | None) -> None:
    election = elect(100.0)
    term = election.term
    assert election.take_request(102.0) == WriteLease(holder=OURS, expected_version="1")
    assert fail(election, 140.0) is None
    assert election.take_request(142.0) == ReadLease()
    election.record_answer(read, 142.0)
    assert election.term != term


def test_after_a_lost_response_to_a_write_the_lease_is_read_and_counts_as_not_held_until_confirmed() -> None:
    election = LeaseStateMachine(OURS, LeaderElectionConfig())
    assert election.take_request(100.0) == ReadLease()
    assert answer(election, None, 100.0) == WriteLease(holder=OURS, expected_version="")
    assert fail(election, 105.0) is None
    assert election.take_request(107.0) == ReadLease()
    assert answer(election, ours("1"), 107.0) == WriteLease(holder=OURS, expected_version="1")
    assert election.left_s(107.0) == 0.0
    assert answer(election, ours("2"), 107.0) is None
    assert election.left_s(107.0) == 30.0


def test_leader_election_sends_no_request_before_the_last_one_was_answered() -> None:
    election = LeaseStateMachine(OURS, LeaderElectionConfig())
    assert election.take_request(100.0) == ReadLease()
    assert election.take_request(200.0) is None


def test_a_renewal_by_the_holder_restarts_the_wait_of_other_processes() -> None:
    election = observe_other_holder(100.0)
    assert election.take_request(129.0) == ReadLease()
    assert answer(election, theirs("8"), 129.0) is None
    assert election.take_request(131.0) == ReadLease()
    assert answer(election, theirs("8"), 158.9) is None
    assert election.take_request(160.9) == WriteLease(holder=OURS, expected_version="8")


@pytest.mark.parametrize(
    ("duration_s", "free_s"),
    [
        pytest.param(60.0, 160.0, id="duration-in-the-lease"),
        pytest.param(0.0, 130.0, id="own-duration-if-the-lease-has-none"),
    ],
)
def test_the_wait_for_the_lease_of_another_process_is_the_duration_stated_in_that_lease(
    duration_s: float, free_s: float
) -> None:
    election = LeaseStateMachine(OURS, LeaderElectionConfig())
    assert election.take_request(100.0) == ReadLease()
    assert answer(election, theirs(duration_s=duration_s), 100.0) is None
    assert election.take_request(free_s - 0.1) == ReadLease()
    assert answer(election, theirs(duration_s=duration_s), free_s) == WriteLease(holder=OURS, expected_version="7")


def test_a_deleted_lease_still_belongs_to_its_holder_until_it_expires() -> None:
    election = observe_other_holder(100.0)
    assert election.take_request(129.0) == ReadLease()
    assert answer(election, None, 129.0) is None
    assert election.take_request(131.0) == WriteLease(holder=OURS, expected_version="")


def test_the_holder_of_a_deleted_lease_creates_it_again_before_it_leads_again() -> None:
    election = elect(100.0)
    assert election.take_request(102.0) == WriteLease(holder=OURS, expected_version="1")
    assert fail(election, 102.0) is None
    assert election.take_request(104.0) == ReadLease()
    assert answer(election, None, 104.0) == WriteLease(holder=OURS, expected_version="")
    assert election.left_s(104.0) == 0.0


def test_giving_the_lease_up_during_a_renewal_waits_for_the_response() -> None:
    election = elect(100.0)
    assert election.take_request(102.0) == WriteLease(holder=OURS, expected_version="1")
    election.release()
    assert election.take_request(103.0) is None
    assert answer(election, ours("2"), 104.0) == WriteLease(holder="", expected_version="2")
    assert election.left_s(104.0) == 0.0


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(fail, id="no-answer"),
        pytest.param(partial(answer, record=theirs()), id="another-holds-it"),
    ],
)
def test_a_process_that_does_not_hold_the_lease_does_not_give_it_up(
    last: Callable[..., LeaseRequest | None],
) -> None:
    election = LeaseStateMachine(OURS, LeaderElectionConfig())
    assert election.take_request(100.0) == ReadLease()
    election.release()
    assert election.take_request(100.0) is None
    assert last(election, now_s=101.0) is None
    assert election.take_request(200.0) is None
