"""What this process has used so far, and how a benchmark tells it to the one that started it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]


def cpu_s() -> float:
    """CPU seconds of all threads, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_bytes() -> int:
    """The most memory that was resident at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def rss_bytes() -> int:
    """What is resident now; where the system does not say, the most that was."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * resource.getpagesize() if pages.exists() else peak_bytes()


def tell(**figures: float) -> None:
    """Print *figures* for `run`."""
    print(json.dumps(figures))


def run(module: str, *arguments: object) -> dict[str, Any]:
    """The figures that *module* tells, run in a process of its own so that nothing else is counted."""
    command = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
