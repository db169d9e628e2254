"""How long a take-over takes, and how many calls an election costs (docs/design/replicas.md), in virtual time."""

from __future__ import annotations

from itertools import count

import pytest

from extdns.errors import ConflictError
from extdns.kube.leader_election import (
    LeaderElectionConfig,
    LeaseRequest,
    LeaseStateMachine,
    ReadLease,
)
from extdns.kube.lease_store import LeaderElectionRecord

CONFIGS = [
    pytest.param(LeaderElectionConfig(), id="defaults"),
    pytest.param(LeaderElectionConfig(lease_duration_s=31.0), id="no-multiple-of-the-retry-period"),
]
STEP_S = 0.125  # without rounding errors


class ApiServer:
    """Has one Lease, and counts the requests of each process."""

    def __init__(self, config: LeaderElectionConfig) -> None:
        self.config = config
        self.record: LeaderElectionRecord | None = None
        self.requests: list[tuple[str, float]] = []
        self._versions = map(str, count(1))

    def answer(self, request: LeaseRequest) -> LeaderElectionRecord | None:
        if isinstance(request, ReadLease):
            return self.record
        if request.expected_version != (self.record.version if self.record else ""):
            raise ConflictError("the Lease has changed")
        self.record = LeaderElectionRecord(request.holder, self.config.lease_duration_s, next(self._versions))
        return self.record


class Replica:
    """One process, which acts whenever its state machine is due."""

    def __init__(self, name: str, server: ApiServer) -> None:
        self.name = name
        self.machine = LeaseStateMachine(name, server.config)
        self._server = server

    def act(self, now_s: float) -> None:
        while request := self.machine.take_request(now_s):
            self._server.requests.append((self.name, now_s))
            try:
                self.machine.record_answer(self._server.answer(request), now_s)
            except ConflictError:
                self.machine.record_failure(now_s)


def run(replicas: list[Replica], from_s: float, until_s: float) -> None:
    """Let *replicas* act whenever they are due."""
    for number in range(round(from_s / STEP_S), round(until_s / STEP_S)):
        for one in replicas:
            if number * STEP_S >= one.machine.next_at_s:
                one.act(number * STEP_S)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("offset_s", [0.0, 0.125, 1.0, 1.5, 1.875])
@pytest.mark.parametrize("killed_s", [60.125, 60.75, 61.875])
def test_a_standby_leads_at_most_two_seconds_after_the_lease_of_a_killed_leader_expired(
    config: LeaderElectionConfig, offset_s: float, killed_s: float
) -> None:
    server = ApiServer(config)
    leader, standby = Replica("leader", server), Replica("standby", server)
    run([leader], 0.0, 10.0 + offset_s)
    run([leader, standby], 10.0 + offset_s, killed_s)
    latest_s = killed_s + config.lease_duration_s + 2.0
    run([standby], killed_s, latest_s)
    assert standby.machine.left_s(latest_s) > 0


@pytest.mark.parametrize("config", CONFIGS)
def test_each_replica_makes_at_most_one_call_in_a_retry_period(config: LeaderElectionConfig) -> None:
    server = ApiServer(config)
    replicas = [Replica(name, server) for name in ("leader", "standby", "other")]
    run(replicas, 0.0, 3600.0)
    for one in replicas:
        times_s = [at_s for name, at_s in server.requests if name == one.name]
        assert len(times_s) <= 3600 / config.retry_period_s + 1
