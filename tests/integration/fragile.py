"""Run extdns until it raises a given audit event for the n-th time, then kill it as `kill -9` does.

Usage: `python -m tests.integration.fragile FOLDER EVENT NUMBER FLAG...`. EVENT is one of Python's audit events:
`socket.connect`, or one with a path as its first argument, which counts only if the path is in FOLDER. `*` stands for
any of them.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from typing import Final

from extdns.cli import main

_ABOUT_PATHS: Final = ("open", "os.rename", "os.remove", "os.listdir", "os.scandir")


def _expose(folder: str, event: str, number: int) -> None:
    times = count(1)

    def hook(name: str, args: tuple[object, ...]) -> None:
        concerns = name == "socket.connect" or (name in _ABOUT_PATHS and str(args[0]).startswith(folder))
        if concerns and event in {name, "*"} and next(times) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


if __name__ == "__main__":
    _, _folder, _event, _number, *_flags = sys.argv
    _expose(_folder, _event, int(_number))
    sys.exit(main(_flags, os.environ))
