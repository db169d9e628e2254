"""CPU time and memory of this process, and how a benchmark passes its figures to the process that started it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]


def cpu_s() -> float:
    """Return the CPU seconds of all threads, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_bytes() -> int:
    """Return the peak of resident memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def rss_bytes() -> int:
    """Return the resident memory, or its peak where the system does not report it."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * resource.getpagesize() if pages.exists() else peak_bytes()


def print_figures(**figures: float) -> None:
    """Print *figures* as JSON for `run`."""
    print(json.dumps(figures))


def run(module: str, *arguments: object) -> dict[str, Any]:
    """Run the benchmark *module* in a process of its own, and return its figures."""
    command = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
