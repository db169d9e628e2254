"""Several processes compete for one Lease over a faulty network, in virtual time.

While one process has time left on the Lease, no other process acquires it, even if requests and responses are late or
lost, processes die, or clocks differ. So two processes never write at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from math import inf
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from extdns.kube.leader_election import (
    LeaderElectionConfig,
    LeaseRequest,
    LeaseStateMachine,
    ReadLease,
    WriteLease,
)
from extdns.kube.lease_store import LeaderElectionRecord

RULES = LeaderElectionConfig()
LEAST_S = 12.0  # the least time left on the Lease with which a write starts
TIMEOUT_S = 4.0

processes = st.integers(0, 2)


class Link(Enum):
    """State of the network between a process and the API server."""

    GOOD = auto()
    SLOW = auto()  # responses are slow
    DEAF = auto()  # responses are lost
    CUT = auto()  # requests are delayed, and may take effect much later


ANSWERED_S = {Link.GOOD: 0.0, Link.SLOW: TIMEOUT_S - 1.0, Link.DEAF: inf, Link.CUT: inf}


class Answer(NamedTuple):
    """The response to a request that the API server executed: the Lease, unless it refused the request."""

    record: LeaderElectionRecord | None = None
    is_conflict: bool = False


@dataclass(eq=False)
class Message:
    """A request to the API server, and its response."""

    request: LeaseRequest
    sent_s: float
    answer: Answer | None = None


@dataclass(eq=False)
class Process:
    """A process that competes for the Lease. Its clock has its own offset and rate.

    Attributes:
        open_request: the request without a response.
        safe_until_s: the time until which this process relies on holding the Lease.
    """

    election: LeaseStateMachine
    offset_s: float
    rate: float
    link: Link = Link.GOOD
    open_request: Message | None = None
    safe_until_s: float = 0.0

    def left_s(self, now_s: float) -> float:
        return self.election.left_s(self.clock_s(now_s))

    def clock_s(self, now_s: float) -> float:
        return self.offset_s + now_s * self.rate


class ElectionMachine(RuleBasedStateMachine):
    """Processes that compete for one Lease. The API server executes their requests one at a time."""

    @initialize(
        offsets=st.tuples(*[st.floats(0, 1e6)] * 3),
        rates=st.tuples(*[st.sampled_from((1.0, 1.0, 0.98, 1.02))] * 3),
    )
    def start(self, offsets: tuple[float, ...], rates: tuple[float, ...]) -> None:
        self.now_s = 0.0
        self.drift_s = 0.001 + RULES.lease_duration_s * (1 / min(rates) - 1 / max(rates))
        self.names = map("process-{}".format, count())
        self.versions = map(str, count(1))
        self.lease: LeaderElectionRecord | None = None
        self.late: list[Message] = []
        self.gone: list[Process] = []
        self.processes = [
            Process(LeaseStateMachine(next(self.names), RULES), offset_s, rate)
            for offset_s, rate in zip(offsets, rates, strict=True)
        ]

    @rule(seconds=st.integers(1, 40))
    def pass_time(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now_s += 1.0
            for process in self.processes:
                self.advance_processes(process)
                self.check()

    @rule(number=processes, link=st.sampled_from(Link))
    def change_the_link(self, number: int, link: Link) -> None:
        self.processes[number].link = link

    @rule()
    def a_late_request_arrives(self) -> None:
        """Execute requests whose senders no longer wait for a response."""
        for message in self.late:
            self.serve(message.request)
        self.late = []

    @rule(number=processes)
    def a_process_dies_and_another_starts(self, number: int) -> None:
        dead = self.processes[number]
        self.gone.append(dead)
        self.processes[number] = Process(LeaseStateMachine(next(self.names), RULES), dead.offset_s, dead.rate)

    @rule(number=processes)
    def a_process_releases_the_lease_and_another_starts(self, number: int) -> None:
        """Let a process stop writing and release the Lease, and start another one."""
        leaving = self.processes[number]
        leaving.safe_until_s = 0.0
        leaving.election.release()
        self.send(leaving)
        if leaving.open_request is not None and leaving.link is not Link.CUT:
            self.serve(leaving.open_request.request)
        self.processes[number] = Process(LeaseStateMachine(next(self.names), RULES), leaving.offset_s, leaving.rate)

    def advance_processes(self, process: Process) -> None:
        """Let *process* handle its response, if one arrived, and send its next request, if one is due."""
        self.send(process)
        for _ in range(2):
            if (open_request := process.open_request) is not None:
                self.transmit(process, open_request)

    def transmit(self, process: Process, open_request: Message) -> None:
        waited_s = self.now_s - open_request.sent_s
        if open_request.answer is None and process.link is not Link.CUT:
            open_request.answer = self.serve(open_request.request)
        if open_request.answer is not None and waited_s >= ANSWERED_S[process.link]:
            self.end_request(process, open_request.answer)
        elif waited_s >= TIMEOUT_S:
            if open_request.answer is None:
                self.late.append(open_request)
            self.end_request(process, None)

    def end_request(self, process: Process, answer: Answer | None) -> None:
        """Pass *answer* to *process*, None for none, and let it send its next request, if one is due."""
        process.open_request = None
        if answer is None or answer.is_conflict:
            process.election.record_failure(process.clock_s(self.now_s))
        else:
            process.election.record_answer(answer.record, process.clock_s(self.now_s))
        self.send(process)

    def send(self, process: Process) -> None:
        request = process.election.take_request(process.clock_s(self.now_s))
        if request is not None:
            process.open_request = Message(request, self.now_s)

    def serve(self, request: LeaseRequest) -> Answer:
        match request:
            case ReadLease():
                return Answer(self.lease)
            case WriteLease(holder=holder, expected_version=over):
                if over != (self.lease.version if self.lease else ""):
                    return Answer(is_conflict=True)
                self.check_safe(holder)
                self.lease = LeaderElectionRecord(holder, RULES.lease_duration_s, next(self.versions))
                return Answer(self.lease)

    def check_safe(self, holder: str) -> None:
        for other in (*self.processes, *self.gone):
            assert other.election._identity == holder or not holder or other.safe_until_s <= self.now_s

    def check(self) -> None:
        lefts_s = [process.left_s(self.now_s) for process in self.processes]
        assert sum(left_s >= LEAST_S for left_s in lefts_s) <= 1
        for process, left_s in zip(self.processes, lefts_s, strict=True):
            if left_s > 0.0:
                process.safe_until_s = self.now_s + left_s - self.drift_s


TestElection = ElectionMachine.TestCase
TestElection.settings = settings(stateful_step_count=20)
