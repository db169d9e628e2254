"""A stand-in for an API server with N Services, in a process of its own: what it costs is nobody's figure.

Usage: apiserver COUNT KUBECONFIG; then one order a line on standard input, answered by one line each.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.bench.process import ROOT
from tests.bench.services import service
from tests.fakes.apiserver.server import ApiServer

_READY: Final = "ready"


class Remote:
    """The process, from outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def edit(self, number: int, address: str) -> float:
        """Give a Service another address; returns when, in monotonic seconds, which all processes share."""
        return float(self._order(f"edit {number} {address}"))

    def churn(self, pods: int) -> None:
        """Let so many Pods come, run and go."""
        self._order(f"churn {pods}")

    def wait(self) -> None:
        """Return once it serves."""
        if self._answer() != _READY:
            raise SystemExit("the stand-in for an API server did not start")

    def _order(self, line: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def serving(count: int, kubeconfig: Path) -> Iterator[Remote]:
    """Start it, and end it afterwards; *kubeconfig* is where it writes how to reach it."""
    command = [sys.executable, "-m", "tests.bench.apiserver", str(count), str(kubeconfig)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            remote = Remote(process)
            remote.wait()
            yield remote
        finally:
            process.terminate()


def main(count: str, kubeconfig: str) -> None:
    """Serve until standard input ends."""
    with ApiServer() as server:
        server.put_all(service(number) for number in range(int(count)))
        server.kubeconfig(Path(kubeconfig))
        _say(_READY)
        for line in sys.stdin:
            match line.split():
                case ["edit", number, address]:
                    began_s = time.monotonic()
                    server.put(service(int(number), address))
                    _say(str(began_s))
                case ["churn", pods]:
                    _churn(server, int(pods))
                    _say("gone")
                case other:
                    raise SystemExit(f"no order: {other}")


def _churn(server: ApiServer, pods: int) -> None:
    for number in range(pods):
        for phase in ("Pending", "Running", "Succeeded"):
            server.put(_pod(number, phase))
        server.delete("Pod", "jobs", f"job-{number}")


def _pod(number: int, phase: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"job-{number}", "namespace": "jobs", "labels": {"job-name": f"job-{number}"}},
        "spec": {"nodeName": f"node-{number % 50}", "containers": [{"name": "job", "image": "job:1"}]},
        "status": {"phase": phase, "podIP": f"10.1.{number // 256 % 256}.{number % 256}"},
    }


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
