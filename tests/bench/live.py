"""Measure a live cluster of N Services as a pod reads it: start, edits, memory, idle CPU, and Pods that it ignores.

Usage: live COUNT [idle] [pods].
"""

from __future__ import annotations

import base64
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from extdns.app import assembly
from extdns.config import parse
from extdns.kube import cluster_access
from extdns.kube.live.cluster import LiveCluster
from extdns.model.change import Action, Decision
from tests.bench.counting import CountingProvider
from tests.bench.fullpass import FLAGS
from tests.bench.onechange import Watcher
from tests.bench.process import cpu_s, print_figures, rss_bytes
from tests.bench.remote import RemoteCluster, serving
from tests.bench.running import configure, running
from tests.bench.services import EDITED, ZONE

if TYPE_CHECKING:
    from extdns.app.assembly import Assembly

_IDLE_S: Final = 60.0
_PODS: Final = 6_000
_CALM_S: Final = 0.2


class Listener(Watcher):
    """A `Watcher` that also notes when names are planned.

    Attributes:
        start_s: CPU seconds of the process when all names were planned.
        planned_at: monotonic seconds at which the update to the expected address was planned.
    """

    def __init__(self, count: int) -> None:
        super().__init__()
        self.start_s = self.planned_at = 0.0
        self._missing = count

    def report(self, decisions: Sequence[Decision]) -> None:
        """Note when all names are planned, and when the expected address is."""
        self._missing -= len(decisions)
        if self._missing <= 0 and not self.start_s:
            self.start_s = cpu_s()
        for decision in decisions:
            if decision.action is Action.UPDATE and decision.desired and self.address in decision.desired.targets:
                self.planned_at = time.monotonic()
        super().report(decisions)


def main(count: str, *extra: str) -> None:
    configure()
    listener, provider = Listener(int(count)), CountingProvider()
    with TemporaryDirectory() as folder:
        kubeconfig = Path(folder, "kubeconfig")
        with serving(int(count), kubeconfig) as server:
            program = _assemble(_pod(kubeconfig), provider, listener)
            with program.server, running(program):
                time.sleep(_CALM_S)
                print_figures(
                    start_s=listener.start_s,
                    edit_s=statistics.median(_edits(int(count), server, program, provider, listener)),
                    rss_bytes=rss_bytes(),
                    idle_share=_idle_share(provider) if "idle" in extra else 0.0,
                    pods_bytes=_growth(server) if "pods" in extra else 0,
                )


def _pod(kubeconfig: Path) -> dict[str, str]:
    """Return the environment of a pod in the cluster of *kubeconfig*, and write its service account files."""
    known = json.loads(kubeconfig.read_text())
    cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
    token, certificate = kubeconfig.with_name("token"), kubeconfig.with_name("ca.crt")
    token.write_text(user["token"])
    certificate.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    cluster_access.__dict__.update(SERVICE_ACCOUNT=kubeconfig.parent)
    address = urlsplit(cluster["server"])
    return {
        "KUBERNETES_SERVICE_HOST": str(address.hostname),
        "KUBERNETES_SERVICE_PORT": str(address.port),
        "POD_NAMESPACE": "extdns",
        "HOME": str(kubeconfig.parent),
        "KUBECONFIG": "",
    }


def _assemble(environ: dict[str, str], provider: CountingProvider, listener: Listener) -> Assembly:
    os.environ |= environ
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}"]
    return assembly.assemble(parse(flags, {}), follow=listener.report, service=(provider, provider))


def _edits(
    count: int, server: RemoteCluster, program: Assembly, provider: CountingProvider, listener: Listener
) -> Iterator[float]:
    """Yield the seconds from each edit to its planned update, and check that nothing else was computed."""
    cluster, observer = program.controller._parts.cluster, program.controller._parts.observer
    assert isinstance(cluster, LiveCluster)
    for number in range(min(EDITED, count)):
        address = f"198.51.100.{number + 2}"
        listener.expect(address)
        provider.counts.clear()
        before = cluster.decoded + observer.computed
        edited_s = server.edit(number, address)
        listener.wait()
        done = (cluster.decoded + observer.computed - before, len(provider.counts.planned))
        if done != (2, 1):
            raise SystemExit(f"objects decoded and computed, names planned: {done}; expected (2, 1)")
        yield listener.planned_at - edited_s
        time.sleep(_CALM_S)  # so that each edit follows a quiet time


def _idle_share(provider: CountingProvider) -> float:
    """Return the share of a CPU in an idle minute after a refresh.

    The first page of a refresh sorts the records of the zone once, which is not measured.
    """
    provider.counts.clear()
    while not provider.counts.reads:
        time.sleep(_CALM_S)
    time.sleep(_CALM_S)
    start_s = cpu_s()
    time.sleep(_IDLE_S)
    return (cpu_s() - start_s) / _IDLE_S


def _growth(server: RemoteCluster) -> int:
    before = rss_bytes()
    server.churn(_PODS)
    time.sleep(_CALM_S)
    return rss_bytes() - before


if __name__ == "__main__":
    main(*sys.argv[1:])
