"""A fake API server with N Services, in a process of its own, so that its cost is not measured.

Usage: apiserver COUNT KUBECONFIG; then one command per line on standard input, each answered by one line.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from tests.bench.remote import READY
from tests.bench.services import service
from tests.fakes.apiserver.server import ApiServer


def main(count: str, kubeconfig: str) -> None:
    """Serve until standard input ends."""
    with ApiServer(tls=True, token="bench") as server:
        server.put_all(service(number) for number in range(int(count)))
        server.kubeconfig(Path(kubeconfig))
        _print_line(READY)
        for line in sys.stdin:
            match line.split():
                case ["edit", number, address]:
                    began_s = time.monotonic()
                    server.put(service(int(number), address))
                    _print_line(str(began_s))
                case ["churn", pods]:
                    _churn(server, int(pods))
                    _print_line("gone")
                case other:
                    raise SystemExit(f"unknown command: {other}")


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


def _print_line(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
