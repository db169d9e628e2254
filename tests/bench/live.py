"""A live cluster of N Services, seen from a pod: start, edits, memory, idleness, and Pods that nobody reads.

Usage: live COUNT [idle] [pods].
"""

from __future__ import annotations

import base64
import gc
import importlib
import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from extdns import log
from extdns.app import assembly
from extdns.commands.run import ALLOCATIONS
from extdns.config import parse
from extdns.kube.live.cluster import LiveCluster
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import Reason
from tests.bench.counting import PATIENCE_S, CountingProvider
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, rss_bytes, tell
from tests.bench.remote import Remote, serving
from tests.bench.services import EDITED, ZONE

if TYPE_CHECKING:
    from extdns.app.assembly import Assembly

_IDLE_S: Final = 60.0
_PODS: Final = 6_000
_CALM_S: Final = 0.2


class Listener:
    """Hears when names are planned; implements `extdns.ports.Reporter`.

    Attributes:
        start_s: CPU seconds of the process when all names had been planned.
        heard_s: monotonic seconds at which the change to the address awaited was planned.
    """

    def __init__(self, count: int) -> None:
        self.start_s = self.heard_s = 0.0
        self._missing = count
        self._address = ""
        self._stands = threading.Event()

    def tell(self, decisions: Sequence[Decision]) -> None:
        """Note what was planned first, and the address that is awaited."""
        self._missing -= len(decisions)
        if self._missing <= 0 and not self.start_s:
            self.start_s = cpu_s()
        for decision in decisions:
            if decision.wanted and self._address in decision.wanted.targets:
                if decision.verdict is Verdict.UPDATE:
                    self.heard_s = time.monotonic()
                elif decision.reason is Reason.PROGRAMMED:
                    self._stands.set()

    def expect(self, address: str) -> None:
        """Say what the next `wait` is for."""
        self._address = address
        self._stands.clear()

    def wait(self) -> None:
        """Return once the change is planned and made."""
        if not self._stands.wait(PATIENCE_S):
            raise SystemExit(f"{self._address} was not published")


def main(count: str, *extra: str) -> None:
    """Tell what each of these costs."""
    gc.set_threshold(ALLOCATIONS)  # as the program has it
    log.configure(format="text", level="error")
    listener, provider = Listener(int(count)), CountingProvider()
    with TemporaryDirectory() as folder:
        kubeconfig = Path(folder, "kubeconfig")
        with serving(int(count), kubeconfig) as server, _running(_pod(kubeconfig), provider, listener) as running:
            time.sleep(_CALM_S)
            tell(
                start_s=listener.start_s,
                edit_s=statistics.median(_edits(int(count), server, running, provider, listener)),
                rss_bytes=rss_bytes(),
                idle_share=_idle_share(provider) if "idle" in extra else 0.0,
                pods_bytes=_growth(server) if "pods" in extra else 0,
            )


def _pod(kubeconfig: Path) -> dict[str, str]:
    """What a pod has in its environment, where the cluster is that *kubeconfig* names; its account is put in place."""
    known = json.loads(kubeconfig.read_text())
    cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
    token, certificate = kubeconfig.with_name("token"), kubeconfig.with_name("ca.crt")
    token.write_text(user["token"])
    certificate.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    account = importlib.import_module("kubernetes.config.incluster_config")  # loaded by now, and no more of it
    account.__dict__.update(SERVICE_TOKEN_FILENAME=str(token), SERVICE_CERT_FILENAME=str(certificate))
    place = urlsplit(cluster["server"])
    return {
        "KUBERNETES_SERVICE_HOST": str(place.hostname),
        "KUBERNETES_SERVICE_PORT": str(place.port),
        "POD_NAMESPACE": "extdns",
        "HOME": str(kubeconfig.parent),
        "KUBECONFIG": "",
    }


@contextmanager
def _running(environ: dict[str, str], provider: CountingProvider, listener: Listener) -> Iterator[Assembly]:
    """The program, from when everything is written for the first time."""
    os.environ |= environ
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}"]
    running = assembly.assemble(parse(flags, {}), reporter=listener, service=(provider, provider))
    thread = threading.Thread(target=running.controller.run, kwargs={"once": False})
    with running.server:
        thread.start()
        try:
            if not running.controller.settled.wait(PATIENCE_S * 10):
                raise SystemExit("the first pass did not end")
            yield running
        finally:
            running.controller.stop()
            thread.join()


def _edits(
    count: int, server: Remote, running: Assembly, provider: CountingProvider, listener: Listener
) -> Iterator[float]:
    """Seconds from each edit on the server to the change that is planned; also checks that nothing else was done."""
    cluster, observer = running.controller._parts.cluster, running.controller._parts.observer
    assert isinstance(cluster, LiveCluster)
    for number in range(min(EDITED, count)):
        address = f"198.51.100.{number + 2}"
        listener.expect(address)
        provider.counts.clear()
        before = cluster.decoded + observer.asked
        edited_s = server.edit(number, address)
        listener.wait()
        done = (cluster.decoded + observer.asked - before, len(provider.counts.planned))
        if done != (2, 1):
            raise SystemExit(f"objects decoded and asked, names planned: {done}; expected (2, 1)")
        yield listener.heard_s - edited_s
        time.sleep(_CALM_S)  # so that each edit is an event after quiet


def _idle_share(provider: CountingProvider) -> float:
    """A minute's CPU, from when the zone is audited: its records are put in order once, at the first page."""
    provider.counts.clear()
    while not provider.counts.reads:
        time.sleep(_CALM_S)
    time.sleep(_CALM_S)
    start_s = cpu_s()
    time.sleep(_IDLE_S)
    return (cpu_s() - start_s) / _IDLE_S


def _growth(server: Remote) -> int:
    before = rss_bytes()
    server.churn(_PODS)
    time.sleep(_CALM_S)
    return rss_bytes() - before


if __name__ == "__main__":
    main(*sys.argv[1:])
