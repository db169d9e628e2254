"""Start the program in a live cluster of N Services on half a core, and ask it each second whether it is alive.

Usage: halfcore COUNT [FLAG ...], as root on Linux, for a control group. The Services get records in an empty zone.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from tests.bench.fullpass import FLAGS
from tests.bench.process import print_figures
from tests.bench.remote import serving
from tests.bench.services import ZONE

_PERIOD_US: Final = 100_000
_ADDRESS: Final = "127.0.0.1:7989"
_FLAGS: Final = (
    *(flag for flag in FLAGS if not flag.startswith("--metrics-address")),
    f"--metrics-address={_ADDRESS}",
    "--provider=inmemory",
    f"--inmemory-zone={ZONE}",
)
_TIMEOUT_S: Final = 60.0


def main(count: str, *flags: str) -> None:
    with TemporaryDirectory() as folder, _half_core() as group:
        kubeconfig = Path(folder, "kubeconfig")
        program = [sys.executable, "-m", "extdns", *_FLAGS, *flags, f"--kubeconfig={kubeconfig}"]
        with serving(int(count), kubeconfig):
            began_s, failures = time.monotonic(), 0
            answers: list[float] = []
            limited = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group), *program]
            with Popen(limited, env={**os.environ, "HOME": folder}) as process:
                try:
                    while process.poll() is None and not (answers and _is_ok("/readyz")):
                        time.sleep(1.0)
                        asked_s = time.monotonic()
                        if _is_ok("/healthz"):
                            answers.append(time.monotonic() - asked_s)
                        elif answers:
                            failures += 1
                    first_pass_s = time.monotonic() - began_s
                    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
                finally:
                    process.terminate()
    rss_kb = int(status.partition("VmRSS:")[2].split()[0])
    print_figures(
        first_pass_s=first_pass_s,
        slowest_s=max(answers),
        answers=len(answers),
        failures=failures,
        rss_bytes=rss_kb * 1024,
    )


def _is_ok(path: str) -> bool:
    try:
        with urlopen(f"http://{_ADDRESS}{path}", timeout=_TIMEOUT_S):
            return True
    except (HTTPError, URLError, TimeoutError):
        return False


@contextmanager
def _half_core() -> Iterator[Path]:
    """Create a control group whose processes get half a core."""
    root = Path("/sys/fs/cgroup")
    older = Path(root, "cpu")
    group = (older if older.exists() else root) / "extdns-halfcore"
    group.mkdir()
    try:
        if older.exists():
            Path(group, "cpu.cfs_quota_us").write_text(f"{_PERIOD_US // 2}", encoding="utf-8")
        else:
            Path(group, "cpu.max").write_text(f"{_PERIOD_US // 2} {_PERIOD_US}", encoding="utf-8")
        yield group
    finally:
        group.rmdir()


if __name__ == "__main__":
    main(*sys.argv[1:])
