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
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Final, Self

from tests.fakes.apiserver.faults import Empty
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.slow.chaos import checks
from tests.slow.chaos.audit_lines import (
    Json,
    describe_changes,
    find_audit_differences,
    find_repeated_changes,
    read_changes,
)
from tests.slow.chaos.cluster import Cluster
from tests.slow.chaos.events import REPLICAS, Event, list_names, write_script
from tests.slow.chaos.faults import Network, build_identity
from tests.slow.chaos.replicas import HANGS_S, Operator, Replica
from tests.slow.chaos.services import DnsService, Key
from tests.slow.chaos.writer import Writer

STATE: Final = ("ConfigMap", "default", "extdns-state")
"""The ConfigMap with the saved state: kind, namespace and name."""

FLAGS: Final = (
    "--source=service",
    "--source=ingress",
    "--source=crd",
    "--policy=sync",
    "--txt-owner-id=me",
    "--interval=3s",
    "--max-refresh-interval=3s",
    "--refresh-calls-per-minute=600",
    "--delete-grace-period=1s",
    "--max-delete-percent=100",
    "--max-delete-count=100000",
    "--metrics-address=127.0.0.1:0",
    "--web-address=127.0.0.1:0",
)
ELECTION: Final = (
    "--leader-elect",
    "--leader-elect-retry-period=200ms",
    "--leader-elect-lease-duration=14s",
    "--leader-elect-renew-deadline=2s",
)


@dataclass(kw_only=True)
class Report:
    """The result of a run.

    Attributes:
        violations: one line for each violation that the checks found.
        converged_s: seconds from the last event until the zones were as requested.
        audited: how many changes are in the audit logs.
    """

    violations: list[str] = field(default_factory=list)
    converged_s: float = 0.0
    events: int = 0
    writes: int = 0
    took: int = 0
    audited: int = 0


class Chaos:
    """A chaos run, from `__enter__` to `__exit__`; logs are written into *folder*.

    The script takes *seconds*. At the end, nothing may be written for *quiet_s*.
    """

    def __init__(self, service: DnsService, folder: Path, *, seed: int, seconds: float, quiet_s: float) -> None:
        self.service = service
        self._quiet_s = quiet_s
        self._script = write_script(seed, seconds)
        self._stack = ExitStack()
        self._server = self._stack.enter_context(ApiServer())
        self._server.put(build_identity("here"))
        self._server.api.watch_list = Random(seed).choice(list(WatchList))
        kubeconfig = self._server.kubeconfig(folder / "kubeconfig")
        replicas = REPLICAS if service.is_conditional else 1
        flags = (*FLAGS, *(ELECTION if replicas > 1 else ()), *service.flags, f"--kubeconfig={kubeconfig}")
        self._audit_logs = [folder / f"audit-{number}.log" for number in range(replicas)]
        self.replicas = [
            Replica(str(number), folder, (*flags, f"--audit-log={path}"), service.environ)
            for number, path in enumerate(self._audit_logs)
        ]
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
        for number, name in enumerate((*list_names("x"), *list_names("f"))):
            self.writer.write_own(name, f"198.51.100.{number + 1}")
        initial = self.service.read()
        first = [event for event in self._script if event.at_s == 0.0]
        for event in first:
            self.handle(event)
        if violations := self._start():
            return Report(violations=["before the first event:", *violations, *self._explain(violations)])
        self._play(self._script[len(first) :])
        ended_s, ended_at = time.monotonic(), datetime.now(UTC)
        violations = self._wait_until_empty(self._find_all)
        converged_s = time.monotonic() - ended_s
        if violations := violations or self._check_quiet(ended_at):
            violations += self._explain(violations)
        violations += checks.find_broken_laws(self.service, initial)
        violations += [
            f"exit code {code} at the end" for replica in self.replicas if (code := replica.end(signal.SIGTERM))
        ]
        violations += checks.find_process_problems(self.replicas)
        changes = self._read_changes()
        violations += find_audit_differences(self.service, changes)
        return Report(
            violations=violations,
            converged_s=converged_s,
            events=len(self._script),
            writes=len(self.service.list_writes()),
            took=self.writer.took,
            audited=len(changes),
        )

    def _start(self) -> list[str]:
        """Start the replicas, after another process has published the first names and saved its state.

        Without that state the first leader would delay deletes by absence by ten minutes
        (docs/design/delete-safety.md, "Without saved state").

        Returns:
            What keeps the run from beginning, after a long wait.
        """
        earlier = self.replicas[0]
        earlier.start()
        if violations := self._wait_until_empty(lambda: [*self._find_all(), *self._find_unsaved()]):
            return violations
        if code := earlier.end(signal.SIGTERM):
            return [f"exit code {code} before the first event"]
        began_at = datetime.now(UTC)
        for replica in self.replicas:
            replica.start()
        return self._wait_until_empty(lambda: self._find_waits(began_at))

    def handle(self, event: Event) -> None:
        match event.actor:
            case "cluster":
                self.cluster.handle(event)
            case "writer":
                self.writer.handle(event)
            case "operator":
                # A process that begins with an empty list cannot know of the objects without records.
                self._server.faults.disarm(Empty)
                self._operator.handle(event)
            case _:
                self._network.handle(event)

    def _find_all(self) -> list[str]:
        with self.service.lock():
            return checks.find_all(self.service, self.cluster.list_requested(), self.writer, self.refused)

    def _find_unsaved(self) -> list[str]:
        """Return a line if no process has saved its state yet."""
        return [] if (self._server.get(*STATE) or {}).get("data") else ["no saved state"]

    def _find_waits(self, since: datetime) -> list[str]:
        """Return what the leader still waits for, with zones read before *since*, or that there is not one leader."""
        leaders = self._list_leaders()
        return checks.find_waits(leaders[0], since) if len(leaders) == 1 else [f"{len(leaders)} replicas are leaders"]

    def _explain(self, violations: Sequence[str]) -> list[str]:
        leaders = self._list_leaders()
        return checks.explain(leaders[0], violations) if leaders else ["no replica is the leader"]

    def _list_leaders(self) -> list[Replica]:
        return [replica for replica in self.replicas if replica.is_running and replica.is_leader()]

    def _play(self, events: Sequence[Event]) -> None:
        began_s = time.monotonic()
        for event in events:
            time.sleep(max(0.0, began_s + event.at_s - time.monotonic()))
            self.handle(event)

    def _wait_until_empty(self, find: Callable[[], list[str]]) -> list[str]:
        """Call *find* until it returns nothing, a process has ended by itself, or `HANGS_S` have passed.

        Returns:
            What *find* returned last.
        """
        began_s = time.monotonic()
        while (found := find()) and time.monotonic() - began_s < HANGS_S:
            if any(not replica.is_running and replica.exits for replica in self.replicas):
                break
            time.sleep(0.25)
        return found

    def _check_quiet(self, ended_at: datetime) -> list[str]:
        """Wait until nothing waits, and then for the quiet time. Return violations, what waits, and writes since.

        Only changes that the service refuses for ever may be tried again, at most once by each process.
        """
        if violations := self._wait_until_empty(lambda: self._find_waits(ended_at)):
            return violations
        earlier, began_at = len(self.service.list_writes()), datetime.now(UTC)
        time.sleep(self._quiet_s)
        violations = [*self._find_all(), *self._wait_until_empty(lambda: self._find_waits(ended_at))]
        changes = [line for line in self._read_changes() if datetime.fromisoformat(line["at"]) > began_at]
        written = checks.find_unexpected_writes(self.service.list_writes()[earlier:], self.refused)
        if written := [*written, *find_repeated_changes(changes)]:
            violations += [f"in {self._quiet_s:g} s in which nothing changed:", *written, *describe_changes(changes)]
        return violations

    def _read_changes(self) -> list[Json]:
        return read_changes(path for path in self._audit_logs if path.exists())
