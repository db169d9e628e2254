"""One chaos run: carry out the script in real time, then wait until the zones are as requested, and check them.

script (events.py) ─▶ cluster.py    objects at the API server
                   ─▶ writer.py     edits of the zones by the second writer
                   ─▶ replicas.py   processes killed and started
                   ─▶ faults.py     calls that fail
afterwards         ─▶ checks.py     zones, owners, waits, logs
"""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Final, Self

from tests.chaos import checks
from tests.chaos.cluster import Cluster
from tests.chaos.events import REPLICAS, Event, list_names, write_script
from tests.chaos.faults import Network
from tests.chaos.replicas import Operator, Replica
from tests.chaos.services import DnsService, Key
from tests.chaos.writer import Writer
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer

CONVERGES_S: Final = 120.0
"""Seconds after the last event within which the zones are as requested: a minute until a refused change is
retried, and another one for a slow machine."""
QUIET_S: Final = 15.0
"""Seconds without a write before the last checks; many times `--interval` and the refresh time of a zone."""

FLAGS: Final = (
    "--source=service",
    "--source=ingress",
    "--source=crd",
    "--policy=sync",
    "--txt-owner-id=me",
    "--interval=3s",
    "--refresh-calls-per-minute=600",
    "--delete-grace-period=1s",
    "--max-delete-percent=100",
    "--max-delete-count=100000",
    "--leader-elect",
    "--leader-elect-retry-period=200ms",
    "--leader-elect-lease-duration=14s",
    "--leader-elect-renew-deadline=2s",
    "--metrics-address=127.0.0.1:0",
    "--web-address=127.0.0.1:0",
)


@dataclass(kw_only=True)
class Report:
    """The result of a run.

    Attributes:
        violations: one line for each violation that the checks found.
        converged_s: seconds from the last event until the zones were as requested.
    """

    violations: list[str] = field(default_factory=list)
    converged_s: float = 0.0
    events: int = 0
    writes: int = 0
    took: int = 0


class Chaos:
    """A chaos run, from `__enter__` to `__exit__`; logs are written into *folder*."""

    def __init__(self, service: DnsService, folder: Path, *, seed: int, seconds: float) -> None:
        self.service = service
        self._script = write_script(seed, seconds)
        self._stack = ExitStack()
        self._server = self._stack.enter_context(ApiServer())
        self._server.api.watch_list = Random(seed).choice(list(WatchList))
        kubeconfig = self._server.kubeconfig(folder / "kubeconfig")
        flags = (*FLAGS, *service.flags, f"--kubeconfig={kubeconfig}")
        self.replicas = [Replica(str(number), folder, flags, service.environ) for number in range(REPLICAS)]
        self.cluster = Cluster(self._server, has_routing=service.has_routing)
        self.writer = Writer(service)
        self._operator = Operator(self.replicas)
        self._network = Network(self._server, service)
        self.refused = [name for name in list_names("p") if service.protect(Key(name.partition(".")[2], name, "A"))]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        for replica in self.replicas:
            replica.end(signal.SIGKILL)
        self._network.handle(Event(at_s=0.0, actor="network", verb="recover"))
        self._stack.close()

    def run(self) -> Report:
        """Carry out the script, wait until the zones are as requested, and run all checks."""
        for number, name in enumerate((*list_names("x"), *list_names("f"))):
            self.writer.write_own(name, f"198.51.100.{number + 1}")
        initial = self.service.read()
        first = [event for event in self._script if event.at_s == 0.0]
        for event in first:
            self.handle(event)
        for replica in self.replicas:
            replica.start()
        violations, _ = self.wait_until_converged()
        if violations:
            return Report(violations=["before the first event:", *violations])
        self._play(self._script[len(first) :])
        violations, converged_s = self.wait_until_converged()
        violations += self._explain(violations) if violations else self._check_quiet()
        violations += checks.find_broken_laws(self.service, initial)
        violations += [
            f"exit code {code} at the end" for replica in self.replicas if (code := replica.end(signal.SIGTERM))
        ]
        violations += checks.find_process_problems(self.replicas)
        return Report(
            violations=violations,
            converged_s=converged_s,
            events=len(self._script),
            writes=self.service.count_writes(),
            took=self.writer.took,
        )

    def handle(self, event: Event) -> None:
        """Carry out *event* now."""
        match event.actor:
            case "cluster":
                self.cluster.handle(event)
            case "writer":
                self.writer.handle(event)
            case "operator":
                self._operator.handle(event)
            case _:
                self._network.handle(event)

    def wait_until_converged(self, within_s: float = CONVERGES_S) -> tuple[list[str], float]:
        """Wait until the zones are as requested. Return the remaining violations and the seconds it took."""
        began_s = time.monotonic()
        while True:
            violations = self._find_all()
            passed_s = time.monotonic() - began_s
            if not violations or passed_s > within_s:
                return violations, passed_s
            time.sleep(0.25)

    def _find_all(self) -> list[str]:
        with self.service.lock():
            return checks.find_all(self.service, self.cluster.list_requested(), self.writer, self.refused)

    def _explain(self, violations: Sequence[str]) -> list[str]:
        """Return the decisions of the leader about the names in *violations*."""
        leaders = [replica for replica in self.replicas if replica.is_running and replica.is_leader()]
        return checks.explain(leaders[0], violations) if leaders else ["no replica is the leader"]

    def _play(self, events: Sequence[Event]) -> None:
        began_s = time.monotonic()
        for event in events:
            time.sleep(max(0.0, began_s + event.at_s - time.monotonic()))
            self.handle(event)

    def _check_quiet(self, within_s: float = CONVERGES_S) -> list[str]:
        """Wait for `QUIET_S` without a write, then return violations and decisions that still wait."""
        began_s = quiet_since_s = time.monotonic()
        writes = self.service.count_writes()
        while time.monotonic() - quiet_since_s < QUIET_S:
            if time.monotonic() - began_s > within_s:
                return ["extdns does not stop writing"]
            time.sleep(0.25)
            if (count := self.service.count_writes()) != writes:
                writes, quiet_since_s = count, time.monotonic()
        violations = self._find_all()
        leaders = [replica for replica in self.replicas if replica.is_running and replica.is_leader()]
        if len(leaders) != 1:
            return [*violations, f"{len(leaders)} replicas are leaders"]
        return [*violations, *checks.find_waits(leaders[0])]
