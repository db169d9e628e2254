"""Several processes, one Lease, and everything that can come between them, in virtual time.

However requests and answers are late or lost, whoever dies, and however much clocks differ: nobody else gets the Lease
while a process was told that there is time left, so that never two may write at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from math import inf

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from extdns.kube.leases.election import (
    Election,
    Failed,
    Found,
    Input,
    Leave,
    Look,
    Put,
    Request,
    Rules,
    Term,
    Tick,
    Written,
)

RULES = Rules()
LEAST_S = 12.0  # no write begins with less left
TIMEOUT_S = 4.0

processes = st.integers(0, 2)


class Link(Enum):
    """How a process reaches the API server."""

    GOOD = auto()
    SLOW = auto()  # answers take a while
    DEAF = auto()  # answers are lost
    CUT = auto()  # requests wait, and may be carried out much later


ANSWERED_S = {Link.GOOD: 0.0, Link.SLOW: TIMEOUT_S - 1.0, Link.DEAF: inf, Link.CUT: inf}


@dataclass(eq=False)
class Message:
    """A request on its way, or its answer."""

    request: Request
    sent_s: float
    answer: Input | None = None


@dataclass(eq=False)
class Process:
    """One candidate, whose clock has its own beginning and runs at its own rate.

    Attributes:
        asked: the request that it waits for.
        safe_until_s: until when nobody else may hold the Lease, as this one was told.
    """

    election: Election
    offset_s: float
    rate: float
    link: Link = Link.GOOD
    asked: Message | None = None
    safe_until_s: float = 0.0

    def left_s(self, now_s: float) -> float:
        return self.election.left_s(self.clock_s(now_s))

    def clock_s(self, now_s: float) -> float:
        return self.offset_s + now_s * self.rate


class ElectionMachine(RuleBasedStateMachine):
    """The API server carries out requests one by one."""

    @initialize(
        offsets=st.tuples(*[st.floats(0, 1e6)] * 3),
        rates=st.tuples(*[st.sampled_from((1.0, 1.0, 0.98, 1.02))] * 3),
    )
    def start(self, offsets: tuple[float, ...], rates: tuple[float, ...]) -> None:
        self.now_s = 0.0
        self.drift_s = 0.001 + RULES.duration_s * (1 / min(rates) - 1 / max(rates))
        self.names = map("process-{}".format, count())
        self.versions = map(str, count(1))
        self.lease: Term | None = None
        self.late: list[Message] = []
        self.gone: list[Process] = []
        self.processes = [
            Process(Election(next(self.names), RULES), offset_s, rate)
            for offset_s, rate in zip(offsets, rates, strict=True)
        ]

    @rule(seconds=st.integers(1, 40))
    def pass_time(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now_s += 1.0
            for process in self.processes:
                self.live(process)
                self.check()

    @rule(number=processes, link=st.sampled_from(Link))
    def change_the_link(self, number: int, link: Link) -> None:
        self.processes[number].link = link

    @rule()
    def what_was_late_arrives(self) -> None:
        """Nobody waits for it any more, and the API server does not know that."""
        for message in self.late:
            self.serve(message.request)
        self.late = []

    @rule(number=processes)
    def a_process_dies_and_another_takes_its_place(self, number: int) -> None:
        dead = self.processes[number]
        self.gone.append(dead)
        self.processes[number] = Process(Election(next(self.names), RULES), dead.offset_s, dead.rate)

    @rule(number=processes)
    def a_process_ends_in_order_and_another_takes_its_place(self, number: int) -> None:
        """It does not write any more when it gives the Lease up."""
        leaving = self.processes[number]
        leaving.safe_until_s = 0.0
        self.step(leaving, Leave())
        if leaving.asked is not None and leaving.link is not Link.CUT:
            self.serve(leaving.asked.request)
        self.processes[number] = Process(Election(next(self.names), RULES), leaving.offset_s, leaving.rate)

    def live(self, process: Process) -> None:
        """Let everything happen that is due."""
        self.step(process, Tick())
        for _ in range(2):
            if (asked := process.asked) is not None:
                self.carry(process, asked)

    def carry(self, process: Process, asked: Message) -> None:
        waited_s = self.now_s - asked.sent_s
        if asked.answer is None and process.link is not Link.CUT:
            asked.answer = self.serve(asked.request)
        if asked.answer is not None and waited_s >= ANSWERED_S[process.link]:
            process.asked = None
            self.step(process, asked.answer)
        elif waited_s >= TIMEOUT_S:
            process.asked = None
            if asked.answer is None:
                self.late.append(asked)
            self.step(process, Failed())

    def step(self, process: Process, item: Input) -> None:
        request = process.election.step(item, process.clock_s(self.now_s))
        if request is not None:
            process.asked = Message(request, self.now_s)

    def serve(self, request: Request) -> Input:
        match request:
            case Look():
                return Found(term=self.lease)
            case Put(holder=holder, over=over):
                if over != (self.lease.version if self.lease else ""):
                    return Failed()
                self.check_safe(holder)
                self.lease = Term(holder, RULES.duration_s, next(self.versions))
                return Written(term=self.lease)

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
