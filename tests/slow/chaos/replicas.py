"""The processes of a chaos run: several replicas of extdns that are killed and started again."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

from tests.program.fork_client import Started, request
from tests.program.process import ROOT, environment, start_fork_server
from tests.slow.chaos.events import Event

HANGS_S: Final = 600.0
"""The longest wait for anything, in seconds; much longer than a busy machine needs, so only a defect takes as long."""


class Replica:
    """One replica, with at most one process at a time; each process writes its own log into *folder*.

    Attributes:
        exits: the exit codes of processes that ended without a signal.
    """

    def __init__(self, name: str, folder: Path, flags: Sequence[str], environ: Mapping[str, str]) -> None:
        self.name = name
        self.exits: list[int] = []
        self._folder = folder
        self._flags = flags
        self._environ = environ
        self._process: Started | Popen[bytes] | None = None
        self._logs: list[Path] = []

    @property
    def is_running(self) -> bool:
        self._note_exit()
        return self._process is not None

    def start(self) -> None:
        """Start a process, unless one is running."""
        if self.is_running:
            return
        self._logs.append(self._folder / f"replica-{self.name}-{len(self._logs)}.log")
        environ = environment(POD_NAME=f"extdns-{self.name}", **self._environ)
        with self._logs[-1].open("wb") as log, open(os.devnull, "rb") as null:  # noqa: PTH123 - a device
            self._process = self._spawn(self._flags, environ, (null.fileno(), log.fileno(), log.fileno()))

    def _spawn(
        self, flags: Sequence[str], environ: Mapping[str, str], streams: Sequence[int]
    ) -> Started | Popen[bytes]:
        return request(start_fork_server(), flags, environ, ROOT, streams)

    def end(self, number: signal.Signals) -> int:
        """Send a signal, wait, and return the exit code.

        Returns 0 if no process runs, or if the signal ended it while it was still loading.
        """
        if not self.is_running:
            return 0
        assert self._process is not None
        loading = not self._logs[-1].stat().st_size
        self._process.send_signal(number)
        code = self._process.wait(HANGS_S)
        self._process = None
        return 0 if loading and code == -number else code

    def send_signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def read_peak_kib(self) -> int:
        """Return the peak of the resident memory of the running process, in KiB."""
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0])

    def read_logs(self) -> list[str]:
        return [line for path in self._logs for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]

    def get(self, path: str, *, page: bool = False) -> tuple[int, str]:
        """Request *path* from the running process, from its metrics port or with *page* from its page."""
        event = "Serving the live page" if page else "Serving health and metrics"
        connection = http.client.HTTPConnection("127.0.0.1", self._find_port(event), timeout=HANGS_S)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def get_document(self, path: str) -> dict[str, Any]:
        status, body = self.get(f"/api/v1/{path}", page=True)
        document: dict[str, Any] = json.loads(body)
        assert status == http.client.OK, document
        return document

    def is_leader(self) -> bool:
        return "\nextdns_leader 1.0" in self.get("/metrics")[1]

    def _find_port(self, event: str) -> int:
        deadline_s = time.monotonic() + HANGS_S
        while self.is_running and time.monotonic() < deadline_s:
            for line in self._logs[-1].read_text(encoding="utf-8", errors="replace").splitlines():
                if event in line:
                    return int(line.rpartition("port=")[2].split()[0].strip('"'))
            time.sleep(0.05)
        raise AssertionError(f"replica {self.name} never said: {event}")

    def _note_exit(self) -> None:
        if self._process is not None and (code := self._process.poll()) is not None:
            self.exits.append(code)
            self._process = None


class Operator:
    """Kills and starts replicas as the script says."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._replicas = replicas

    def handle(self, event: Event) -> None:
        replica = self._replicas[int(event.about) % len(self._replicas)]
        match event.verb:
            case "start":
                replica.start()
            case "kill":
                replica.end(signal.SIGKILL)
            case "terminate":
                if code := replica.end(signal.SIGTERM):
                    replica.exits.append(code)
            case _:
                raise AssertionError(event)
