"""Measure a full pass: N Services in manifests become records of an empty zone.

Usage: fullpass FOLDER inmemory, or fullpass FOLDER zonefile ZONES.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from extdns.cli import main as extdns
from tests.bench.process import cpu_s, peak_bytes, print_figures
from tests.bench.services import ZONE, write

FLAGS = (
    "--source=service",
    "--txt-owner-id=bench",
    "--policy=sync",
    "--metrics-address=127.0.0.1:0",
    "--log-level=error",
)
_FEW = 10


def main(folder: str, provider: str, zone_files: str = "") -> None:
    """Run a small pass that loads all code, then measure the full pass."""
    where = f"--inmemory-zone={ZONE}" if provider == "inmemory" else f"--zonefile-dir={zone_files}"
    flags = [*FLAGS, f"--provider={provider}", where, "--once"]
    with TemporaryDirectory() as few:
        write(Path(few), _FEW)
        _one_pass([*flags, f"--manifests={few}"])
    gc.collect()  # free the reference cycles of the small pass, which would count as memory of the full one
    start_s, base = cpu_s(), peak_bytes()
    _one_pass([*flags, f"--manifests={folder}"])
    print_figures(cpu_s=cpu_s() - start_s, process_s=cpu_s(), peak_bytes=peak_bytes() - base)


def _one_pass(flags: list[str]) -> None:
    if extdns(flags, {}):
        raise SystemExit("the run failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
