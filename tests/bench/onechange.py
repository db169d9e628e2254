"""One changed object among N Services, while the program runs. Usage: onechange FOLDER."""

from __future__ import annotations

import gc
import statistics
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from extdns import log
from extdns.app import assembly
from extdns.commands.run import ALLOCATIONS
from extdns.config import parse
from extdns.model.reason import Reason
from tests.bench.counting import PATIENCE_S, CountingProvider
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, tell
from tests.bench.services import EDITED, ZONE, draft, save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.app.assembly import Assembly
    from extdns.model.decision import Decision


class Watcher:
    """Waits until an address is published; implements `extdns.ports.Reporter`."""

    def __init__(self) -> None:
        self._address = ""
        self._published = threading.Event()

    def tell(self, decisions: Sequence[Decision]) -> None:
        """Look for the address among what stands now."""
        for decision in decisions:
            if decision.reason is Reason.PROGRAMMED and decision.wanted and self._address in decision.wanted.targets:
                self._published.set()

    def expect(self, address: str) -> None:
        """Say what the next `wait` is for."""
        self._address = address
        self._published.clear()

    def wait(self) -> None:
        """Return once the address is published."""
        if not self._published.wait(PATIENCE_S):
            raise SystemExit(f"{self._address} was not published")


def main(folder: str) -> None:
    """Edit one Service after the other, and tell the CPU that one edit costs, whole process."""
    gc.set_threshold(ALLOCATIONS)  # as the program has it
    log.configure(format="text", level="error")
    provider, watcher = CountingProvider(), Watcher()
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}", "--interval=1h", f"--manifests={folder}"]
    running = assembly.assemble(parse(flags, {}), reporter=watcher, service=(provider, provider))
    thread = threading.Thread(target=running.controller.run, kwargs={"once": False})
    thread.start()
    try:
        running.controller.settled.wait()
        costs = [_one_change(number, Path(folder), running, provider, watcher) for number in range(EDITED)]
    finally:
        running.controller.stop()
        thread.join()
    tell(cpu_s=statistics.median(costs))


def _one_change(number: int, folder: Path, running: Assembly, provider: CountingProvider, watcher: Watcher) -> float:
    """CPU seconds from the edit to the record that stands; also checks that nothing else was done."""
    observer = running.controller._parts.observer
    address = f"198.51.100.{number + 2}"
    watcher.expect(address)
    provider.counts.clear()
    edited = draft(folder, number, address)
    asked, start_s = observer.asked, cpu_s()
    save(edited)
    watcher.wait()
    cost_s = cpu_s() - start_s
    done = (observer.asked - asked, len(provider.counts.planned), provider.counts.reads, provider.counts.batches)
    if done != (1, 1, 0, [1]):
        raise SystemExit(f"objects asked, names planned, reads, change sets by batch: {done}; expected (1, 1, 0, [1])")
    return cost_s


if __name__ == "__main__":
    main(*sys.argv[1:])
