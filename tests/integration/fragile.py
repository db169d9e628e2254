"""Run extdns until it raises a given audit event for the n-th time, then kill it as `kill -9` does.

The arguments are FOLDER EVENT NUMBER FLAG... EVENT is one of the audit events of Python: `socket.connect`, or one with
a path as its first argument, which counts only if the path is in FOLDER. `*` stands for any of them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

from extdns import cli

_ABOUT_PATHS: Final = ("open", "os.rename", "os.remove", "os.listdir", "os.scandir")


def _expose(folder: str, event: str, number: int) -> None:
    times = count(1)

    def hook(name: str, args: tuple[object, ...]) -> None:
        concerns = name == "socket.connect" or (name in _ABOUT_PATHS and str(args[0]).startswith(folder))
        if concerns and event in {name, "*"} and next(times) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run extdns with the flags in *argv*; return its exit code if the event never came as often."""
    folder, event, number, *flags = argv
    _expose(folder, event, int(number))
    return cli.main(flags, environ)
