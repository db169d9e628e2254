"""Measure calls and time of a start into an empty zone while Route 53 calls fail.

Each start has a fake service of its own, as in `route53`. Usage: route53troubles COUNT.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bench.process import print_figures
from tests.bench.remote import RemoteRoute53, run_route53, serving
from tests.bench.route53 import SERVICE, running_in, settings
from tests.bench.running import configure
from tests.bench.services import ZONE, service
from tests.fakes.route53.errors import build_throttling_fault
from tests.fakes.route53.log import CHANGE
from tests.fakes.service.faults import Drop, Refuse

_TROUBLES: Final = ("nothing", "refused", "throttled", "unavailable", "lost")
_REFUSED: Final = 3
_TIMES: Final = 5
_HOSTNAME: Final = "external-dns.kubernetes.io/hostname"


def main(count: str) -> None:
    configure("fatal")
    figures: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        kubeconfig = Path(folder, "kubeconfig")
        with serving(int(count), kubeconfig):
            for trouble in _TROUBLES:
                found = _start(kubeconfig, trouble, int(count))
                figures |= {f"{trouble}_{figure}": value for figure, value in found}
    print_figures(**figures)


def _start(kubeconfig: Path, trouble: str, count: int) -> Iterator[tuple[str, float]]:
    with run_route53(**SERVICE) as fake:
        os.environ |= settings(fake)
        zone_id = fake.add_zone(ZONE)
        _arm(fake, trouble, zone_id, count)
        with running_in(kubeconfig):
            calls = fake.calls()
            names = {record["Name"] for record in fake.shown(zone_id) if record["Type"] == "A"}
    batches = [call for call in calls if call.action == CHANGE]
    last_s = max(call.answered_s for call in batches if call.status == 200)
    yield "names", len(names)
    yield "calls", len(calls)
    yield "batches", len(batches)
    yield "batches_s", last_s - batches[0].came_s
    yield "all_s", last_s - calls[0].came_s


def _arm(fake: RemoteRoute53, trouble: str, zone_id: str, count: int) -> None:
    match trouble:
        case "refused":
            for number in range(count // (2 * _REFUSED), count, count // _REFUSED):
                fake.protect(zone_id, service(number)["metadata"]["annotations"][_HOSTNAME], "A")
        case "throttled":
            fake.arm(build_throttling_fault(), times=_TIMES)
        case "unavailable":
            fake.arm(Refuse(503, "ServiceUnavailable"), times=_TIMES)
        case "lost":
            fake.arm(Drop(worked=True), action=CHANGE)
        case _:
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
