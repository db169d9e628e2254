"""Measure calls and time with Route 53 and N Services: first start, one change, an idle minute, and a second start.

The service is the strict fake in a process of its own, with a latency of 15 ms and the documented rate limits. Usage:
route53 COUNT.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from extdns.app import assembly
from extdns.config import parse
from tests.bench.counting import TIMEOUT_S
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, print_figures, rss_bytes
from tests.bench.remote import RemoteCluster, RemoteRoute53, run_route53, serving
from tests.bench.running import configure, running
from tests.bench.services import EDITED, ZONE
from tests.fakes.route53.buckets import Rate
from tests.fakes.route53.log import CHANGE, LIST, Call

SERVICE: Final = {"latency_s": 0.015, "per_action": Rate(10.0, 50.0)}
_CALM_S: Final = 0.5
_QUIET_S: Final = 60.0


def main(count: str) -> None:
    configure()
    with TemporaryDirectory() as folder, run_route53(**SERVICE) as service:
        kubeconfig = Path(folder, "kubeconfig")
        os.environ |= settings(service)
        service.add_zone(ZONE)
        with serving(int(count), kubeconfig) as cluster:
            with running_in(kubeconfig):
                cold = _times(service.calls(clear=True))
                edits = tuple(_edits(int(count), cluster, service))
                quiet = _quiet_calls(service)
                resident = rss_bytes()
            start_s = time.monotonic()
            start_cpu_s = cpu_s()
            with running_in(kubeconfig):
                again_s, again_cpu_s = time.monotonic() - start_s, cpu_s() - start_cpu_s
                again = service.calls(clear=True)
    print_figures(
        cold_s=cold[1] - cold[0],
        cold_batches=cold[2],
        edit_p50_s=statistics.median(seconds for seconds, _, _ in edits),
        edit_p95_s=statistics.quantiles((seconds for seconds, _, _ in edits), n=20)[-1],
        edit_writes=max(writes for _, writes, _ in edits),
        edit_reads=max(reads for _, _, reads in edits),
        quiet_calls=quiet,
        again_s=again_s,
        again_cpu_s=again_cpu_s,
        again_calls=len(again),
        again_writes=sum(call.action == CHANGE for call in again),
        rss_bytes=resident,
    )


def settings(service: RemoteRoute53) -> dict[str, str]:
    """Return the environment variables with which the SDK uses *service*."""
    return {
        "AWS_ENDPOINT_URL": service.get_url(),
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_REGION": "us-east-1",
    }


@contextmanager
def running_in(kubeconfig: Path) -> Iterator[None]:
    """Run extdns, and enter the block once its first full pass is done."""
    flags = [*FLAGS, "--provider=aws", f"--domain-filter={ZONE}", f"--kubeconfig={kubeconfig}"]
    program = assembly.assemble(parse(flags, {}))
    with program.server, running(program):
        yield


def _times(calls: Sequence[Call]) -> tuple[float, float, int]:
    """Return when the first write arrived and the last one was answered, and the number of writes."""
    writes = [call for call in calls if call.action == CHANGE and call.status == 200]
    return writes[0].came_s, writes[-1].answered_s, len(writes)


def _edits(count: int, cluster: RemoteCluster, service: RemoteRoute53) -> Iterator[tuple[float, int, int]]:
    """Yield for each edit the seconds until its write was accepted, the number of writes, and of reads."""
    for number in range(min(EDITED, count)):
        time.sleep(_CALM_S)
        service.calls(clear=True)
        edited_s = cluster.edit(number, f"198.51.100.{number + 2}")
        until_s = edited_s + TIMEOUT_S
        while not (done := [call for call in service.calls() if call.action == CHANGE]):
            if time.monotonic() > until_s:
                raise SystemExit("an edit was not published")
            time.sleep(0.005)
        time.sleep(_CALM_S)
        calls = service.calls()
        writes = sum(call.action == CHANGE for call in calls)
        reads = sum(call.action == LIST for call in calls if call.came_s < done[0].came_s)
        yield done[0].answered_s - edited_s, writes, reads


def _quiet_calls(service: RemoteRoute53) -> int:
    """Return the number of calls in a minute without changes."""
    service.calls(clear=True)
    time.sleep(_QUIET_S)
    return len(service.calls(clear=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
