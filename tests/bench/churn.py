"""Measure memory and CPU while names come and go. Usage: churn [MINUTES] [ALIVE], by default 30 minutes and 200 names.

ALIVE Services stay for the whole run, and as many exist for six seconds each. Each minute prints resident memory and
the CPU time of that minute. Both should be constant from the twelfth minute on, when the ten minutes of the delete
budgets are full.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

from extdns import log
from extdns.app import assembly
from extdns.commands.run import GC_THRESHOLD
from extdns.config import parse
from tests.bench.counting import CountingProvider
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, rss_bytes
from tests.bench.services import ZONE, prepare_edit, save, write

LIFE_S = 6.0
DELETES = ("--delete-grace-period=0s", "--max-delete-percent=100")


def main(minutes: str = "30", alive: str = "200") -> None:
    """Create and delete Services, and print the cost of each minute for the whole process."""
    gc.set_threshold(GC_THRESHOLD)  # as in the program
    log.configure(format="text", level="error")
    with TemporaryDirectory() as folder:
        write(Path(folder), int(alive))
        provider = CountingProvider()
        flags = [*FLAGS, *DELETES, "--provider=inmemory", f"--inmemory-zone={ZONE}", f"--manifests={folder}"]
        running = assembly.assemble(parse(flags, {}), service=(provider, provider))
        thread = threading.Thread(target=running.controller.run, kwargs={"once": False})
        thread.start()
        try:
            running.controller.first_pass_done.wait()
            _churn(Path(folder), provider, int(minutes), int(alive))
        finally:
            running.controller.stop()
            thread.join()


def _churn(folder: Path, provider: CountingProvider, minutes: int, alive: int) -> None:
    """Create a Service and remove the oldest one, repeatedly."""
    pause_s, number = LIFE_S / alive, alive
    files: deque[Path] = deque()
    for minute in range(1, minutes + 1):
        begin_s, used_s = time.monotonic(), cpu_s()
        for _ in range(int(60 / pause_s)):
            number += 1
            edited = prepare_edit(folder, number, "198.51.100.1")
            save(edited)
            files.append(folder / f"{edited.name.removeprefix('.')}.json")
            if len(files) > alive:
                files.popleft().unlink()
            begin_s += pause_s
            time.sleep(max(0.0, begin_s - time.monotonic()))
        batches = len(provider.counts.batches)
        provider.counts.clear()
        print(
            f"minute {minute}: {rss_bytes() / 1e6:.1f} MB, {cpu_s() - used_s:.2f} s CPU, {batches} batches", flush=True
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
