"""Measure how soon the live page starts to answer with N names. Usage: page FOLDER."""

from __future__ import annotations

import http.client
import statistics
import sys
import time
from typing import Final

from extdns.app import assembly
from extdns.config import parse
from tests.bench.fullpass import FLAGS
from tests.bench.process import print_figures, rss_bytes
from tests.bench.running import configure, running
from tests.bench.services import ZONE

_PATHS: Final = ("/", "/?q=web-77&state=published", "/zones", "/changes", "/api/v1/names?limit=100", "/api/v1/status")
_ROUNDS: Final = 8
_SNAPSHOT_S: Final = 1.1  # longer than the page uses one snapshot, so that each round builds a new one


def main(folder: str) -> None:
    configure()
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}", "--web-address=127.0.0.1:0"]
    program = assembly.assemble(parse([*flags, f"--manifests={folder}"], {}))
    with running(program):
        before = rss_bytes()
        with program.page:
            _first_byte_s(program.page.port, "/")  # loads the templates
            taken = [one for _ in range(_ROUNDS) for one in _round(program.page.port)]
        print_figures(median_s=statistics.median(taken), longest_s=max(taken), more_bytes=rss_bytes() - before)


def _round(port: int) -> list[float]:
    time.sleep(_SNAPSHOT_S)
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
