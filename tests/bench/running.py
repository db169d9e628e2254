"""Run extdns in the process of a benchmark, configured as the program is."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from extdns import log
from extdns.app.assembly import Assembly
from extdns.commands.run import GC_THRESHOLD
from tests.bench.counting import TIMEOUT_S


def configure(level: str = "error") -> None:
    gc.set_threshold(GC_THRESHOLD)
    log.configure(format="text", level=level)


@contextmanager
def running(program: Assembly) -> Iterator[None]:
    """Run *program*, and enter the block once its first full pass is done."""
    thread = threading.Thread(target=program.controller.run, kwargs={"once": False})
    thread.start()
    try:
        if not program.controller.first_pass_done.wait(TIMEOUT_S * 10):
            raise SystemExit("the first pass did not end")
        yield
    finally:
        program.controller.stop()
        thread.join()
