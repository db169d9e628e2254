"""Measure `extdns plan`, imports included, with N Services and an empty zone. Usage: plan FOLDER OUTPUT."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

from extdns.cli import main as extdns
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, print_figures
from tests.bench.services import ZONE

_CHANGES = 2


def main(folder: str, output: str) -> None:
    """Discard the printed plan, and print the CPU time of the process since its start."""
    flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}", f"--manifests={folder}", f"--output={output}"]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        code = extdns(["plan", *flags], {})
    if code != _CHANGES:
        raise SystemExit("extdns plan did not end with exit code 2")
    print_figures(cpu_s=cpu_s())


if __name__ == "__main__":
    main(*sys.argv[1:])
