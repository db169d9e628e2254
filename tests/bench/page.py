"""How soon the live page begins to answer among N names. Usage: page FOLDER."""

from __future__ import annotations

import gc
import http.client
import statistics
import sys
import threading
import time
from typing import Final

from extdns import log
from extdns.app import assembly
from extdns.commands.run import ALLOCATIONS
from extdns.config import parse
from tests.bench.fullpass import FLAGS
from tests.bench.process import rss_bytes, tell
from tests.bench.services import ZONE

_PATHS: Final = ("/", "/?q=web-77&state=published", "/zones", "/changes", "/api/v1/names?limit=100", "/api/v1/status")
_ROUNDS: Final = 8
_STALE_S: Final = 1.1  # so that each round needs a copy of its own


def main(folder: str) -> None:
    """Ask for each page some times; tell the median and the longest time to the first byte, and what memory it took."""
    gc.set_threshold(ALLOCATIONS)  # as the program has it
    log.configure(format="text", level="error")
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}", "--web-address=127.0.0.1:0"]
    running = assembly.assemble(parse([*flags, f"--manifests={folder}"], {}))
    thread = threading.Thread(target=running.controller.run, kwargs={"once": False})
    thread.start()
    try:
        running.controller.settled.wait()
        before = rss_bytes()
        with running.page:
            _first_byte_s(running.page.port, "/")  # loads the templates, once
            taken = [one for _ in range(_ROUNDS) for one in _round(running.page.port)]
        tell(median_s=statistics.median(taken), longest_s=max(taken), more_bytes=rss_bytes() - before)
    finally:
        running.controller.stop()
        thread.join()


def _round(port: int) -> list[float]:
    time.sleep(_STALE_S)
    return [_first_byte_s(port, path) for path in _PATHS]


def _first_byte_s(port: int, path: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        start_s = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        taken_s = time.perf_counter() - start_s
        if answer.status != http.client.OK or not answer.read():
            raise SystemExit(f"{path}: {answer.status}")
        return taken_s
    finally:
        connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
