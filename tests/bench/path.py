"""Count the files, functions and calls from a changed Service to its accepted write, by thread.

A profile hook counts every function of the project that the running program enters, from the moment at which the
Service is edited on the API server until the DNS service has accepted the write. Usage: path [--list].
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Final

from extdns import log
from tests.bench import route53
from tests.bench.counting import TIMEOUT_S
from tests.bench.process import ROOT, print_figures
from tests.bench.remote import run_route53, serving
from tests.bench.services import ZONE

_SERVICES: Final = 100
_WARM_UP: Final = 3
_COUNTED: Final = 3
"""Of these edits, the one with the fewest calls counts: periodic work of other threads can fall into an edit."""

_CALM_S: Final = 1.0
_PRODUCT: Final = tuple(f"{ROOT / package}{os.sep}" for package in ("extdns", "providers", "registry"))
_LAST: Final = (f"{ROOT / 'providers' / 'aws' / 'provider.py'}", "submit")
"""The function whose return ends the count: the DNS service has answered."""


class CallCounter:
    """Counts the calls of the project's functions, from `begin` until the write is accepted.

    Attributes:
        calls: the number of calls of each function, by thread, file and name.
        ended: set when the write was accepted.
    """

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str, str]] = Counter()
        self.ended = threading.Event()
        self._counts = False

    def begin(self) -> None:
        self.calls.clear()
        self.ended.clear()
        self._counts = True

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        """Handle one event of the interpreter; see `sys.setprofile`."""
        if not self._counts:
            return
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_PRODUCT):
            self.calls[threading.current_thread().name, code.co_filename, code.co_qualname] += 1
        elif event == "return" and (code.co_filename, code.co_name) == _LAST:
            self._counts = False
            self.ended.set()


def main(*arguments: str) -> None:
    log.configure(format="text", level="error")
    counter = CallCounter()
    with _profiled(counter), TemporaryDirectory() as folder, run_route53() as service:
        kubeconfig = Path(folder, "kubeconfig")
        os.environ |= route53.settings(service)
        service.add_zone(ZONE)
        with serving(_SERVICES, kubeconfig) as cluster, route53.running_in(kubeconfig):
            counted = []
            for number in range(_WARM_UP + _COUNTED):
                time.sleep(_CALM_S)  # so that each edit follows a quiet time
                counter.begin()
                cluster.edit(number, f"198.51.100.{number + 2}")
                if not counter.ended.wait(TIMEOUT_S):
                    raise SystemExit("the edit was not published")
                counted.append(Counter(counter.calls))
    calls = min(counted[_WARM_UP:], key=Counter.total)
    if "--list" in arguments:
        for (thread, file, function), count in sorted(calls.items()):
            _print_details(thread, f"{count:>5}  {Path(file).relative_to(ROOT)}  {function}")
    for thread in sorted({thread for thread, _, _ in calls}):
        _print_details(thread, _summarize({key: count for key, count in calls.items() if key[0] == thread}))
    _print_details("all", _summarize(calls))
    print_figures(
        files=len({file for _, file, _ in calls}),
        functions=len({(file, name) for _, file, name in calls}),
        calls=sum(calls.values()),
    )


def _print_details(thread: str, text: str) -> None:
    """Print to standard error, because `tests.bench` reads the figures from standard output."""
    print(f"{thread:<24} {text}", file=sys.stderr)


def _summarize(calls: dict[tuple[str, str, str], int]) -> str:
    files = {file for _, file, _ in calls}
    functions = {(file, name) for _, file, name in calls}
    return f"{len(files):>4} files  {len(functions):>5} functions  {sum(calls.values()):>6} calls"


@contextmanager
def _profiled(counter: CallCounter) -> Iterator[None]:
    threading.setprofile(counter.profile)
    try:
        yield
    finally:
        threading.setprofile(None)


if __name__ == "__main__":
    main(*sys.argv[1:])
