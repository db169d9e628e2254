"""Measure one changed object among N Services while extdns runs. Usage: onechange FOLDER [FLAG...]."""

from __future__ import annotations

import statistics
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from extdns.app import assembly
from extdns.config import parse
from extdns.model.reason import Reason
from tests.bench.counting import TIMEOUT_S, CountingProvider
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, print_figures
from tests.bench.running import configure, running
from tests.bench.services import EDITED, ZONE, prepare_edit, save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.app.assembly import Assembly
    from extdns.model.change import Decision


class Watcher:
    """A `Reporter` that waits until an address is published."""

    def __init__(self) -> None:
        self.address = ""
        self._published = threading.Event()

    def report(self, decisions: Sequence[Decision]) -> None:
        """Look for the expected address in the published decisions."""
        for decision in decisions:
            if decision.reason is Reason.PUBLISHED and decision.desired and self.address in decision.desired.targets:
                self._published.set()

    def expect(self, address: str) -> None:
        """Set the address that the next `wait` waits for."""
        self.address = address
        self._published.clear()

    def wait(self) -> None:
        """Wait until the expected address is published."""
        if not self._published.wait(TIMEOUT_S):
            raise SystemExit(f"{self.address} was not published")


def main(folder: str, *more: str) -> None:
    """Edit one Service after the other, and print the median CPU time of an edit in the whole process."""
    configure()
    provider, watcher = CountingProvider(), Watcher()
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}", "--interval=1h", f"--manifests={folder}", *more]
    program = assembly.assemble(parse(flags, {}), follow=watcher.report, service=(provider, provider))
    with running(program):
        costs = [_one_change(number, Path(folder), program, provider, watcher) for number in range(EDITED)]
    print_figures(cpu_s=statistics.median(costs))


def _one_change(number: int, folder: Path, program: Assembly, provider: CountingProvider, watcher: Watcher) -> float:
    """Return the CPU seconds from an edit to its published record, and check that nothing else was done."""
    observer = program.controller._parts.observer
    address = f"198.51.100.{number + 2}"
    watcher.expect(address)
    provider.counts.clear()
    edited = prepare_edit(folder, number, address)
    computed, start_s = observer.computed, cpu_s()
    save(edited)
    watcher.wait()
    cost_s = cpu_s() - start_s
    done = (observer.computed - computed, len(provider.counts.planned), provider.counts.reads, provider.counts.batches)
    if done != (1, 1, 0, [1]):
        raise SystemExit(
            f"objects computed, names planned, reads, change sets by batch: {done}; expected (1, 1, 0, [1])"
        )
    return cost_s


if __name__ == "__main__":
    main(*sys.argv[1:])
