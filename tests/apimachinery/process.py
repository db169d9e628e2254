"""A program in the background: started, waited for, and killed by its process id."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Final

_LOOK_EVERY_S: Final = 0.05
_SHOWN_BYTES: Final = 4000


class Process:
    """A program, running from the moment this is made; what it prints is appended to *log*."""

    def __init__(self, command: Sequence[str | Path], log: Path) -> None:
        self._name = Path(command[0]).name
        self._log = log
        with log.open("ab") as out:
            self._running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def wait_until(self, ready: Callable[[], bool], what: str, *, within_s: float) -> None:
        """Ask *ready* again and again.

        Raises:
            RuntimeError: The program ended, or *what* did not come to be in time, for which it is killed. The message
                has the end of the log.
        """
        deadline = monotonic() + within_s
        while not ready():
            try:
                code = self._running.wait(_LOOK_EVERY_S)
            except subprocess.TimeoutExpired:
                if monotonic() > deadline:
                    self.kill()
                    raise RuntimeError(f"{self._name}: no {what} in {within_s:.0f} s\n{self._end_of_log()}") from None
            else:
                raise RuntimeError(f"{self._name} ended with code {code}\n{self._end_of_log()}")

    def kill(self) -> None:
        """Kill it, and wait until it is gone; nothing it holds is worth a farewell."""
        self._running.kill()
        self._running.wait()

    def _end_of_log(self) -> str:
        return self._log.read_bytes()[-_SHOWN_BYTES:].decode(errors="replace")
