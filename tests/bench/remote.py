"""The fakes that benchmarks use, in processes of their own, so that their cost is not measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.managers import BaseManager
from pathlib import Path
from typing import Any

from tests.bench.services import service
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.log import Call
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Fault


class RemoteRoute53:
    """The strict Route 53. Times of calls are monotonic seconds, which are the same in all processes of a machine."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - as `Route53`
        self._fake = Route53(**options)
        self._fake.start()

    def get_url(self) -> str:
        return self._fake.url

    def add_zone(self, name: str) -> str:
        return self._fake.add_zone(name)

    def shown(self, zone_id: str) -> list[dict[str, Any]]:
        return self._fake.shown(zone_id)

    def protect(self, zone_id: str, name: str, kind: str) -> None:
        self._fake.protect(zone_id, name, kind)

    def arm(self, fault: Fault, *, action: str | None = None, times: int = 1) -> None:
        self._fake.faults.arm(fault, action=action, times=times)

    def calls(self, *, clear: bool = False) -> tuple[Call, ...]:
        """Return the calls so far."""
        calls = self._fake.log.calls()
        if clear:
            self._fake.log.clear()
        return calls


class RemoteCluster:
    """The API server with *count* Services."""

    def __init__(self, count: int, kubeconfig: Path) -> None:
        self._server = ApiServer(tls=True, token="bench").__enter__()
        self._server.put_all(map(service, range(count)))
        self._server.kubeconfig(kubeconfig)

    def edit(self, number: int, address: str) -> float:
        """Change the address of a Service. Return the monotonic time of the edit, the same clock in all processes."""
        began_s = time.monotonic()
        self._server.put(service(number, address))
        return began_s

    def churn(self, pods: int) -> None:
        """Create, run and delete *pods* Pods."""
        for number in range(pods):
            for phase in ("Pending", "Running", "Succeeded"):
                self._server.put(_build_pod(number, phase))
            self._server.delete("Pod", "jobs", f"job-{number}")


def _build_pod(number: int, phase: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"job-{number}", "namespace": "jobs", "labels": {"job-name": f"job-{number}"}},
        "spec": {"nodeName": f"node-{number % 50}", "containers": [{"name": "job", "image": "job:1"}]},
        "status": {"phase": phase, "podIP": f"10.1.{number // 256 % 256}.{number % 256}"},
    }


class _Process(BaseManager):
    route53: Callable[..., RemoteRoute53]
    cluster: Callable[[int, Path], RemoteCluster]


_Process.register("route53", RemoteRoute53)
_Process.register("cluster", RemoteCluster)


@contextmanager
def run_route53(**options: Any) -> Iterator[RemoteRoute53]:  # noqa: ANN401 - as `Route53`
    """Run the fake Route 53 until the block ends."""
    with _Process(ctx=get_context("spawn")) as process:
        yield process.route53(**options)


@contextmanager
def serving(count: int, kubeconfig: Path) -> Iterator[RemoteCluster]:
    """Run the fake API server until the block ends; it writes its kubeconfig to *kubeconfig*."""
    with _Process(ctx=get_context("spawn")) as process:
        yield process.cluster(count, kubeconfig)
