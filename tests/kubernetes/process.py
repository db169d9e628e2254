"""Start a program in the background, wait until it is ready, and kill it by its process id."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Final

_CHECK_INTERVAL_S: Final = 0.05
_LOG_TAIL_BYTES: Final = 4000


class Process:
    """A running program, whose output is appended to *log*, by default with the environment of this process."""

    def __init__(self, command: Sequence[str | Path], log: Path, environ: Mapping[str, str] | None = None) -> None:
        self._name = Path(command[0]).name
        self._log = log
        with log.open("ab") as out:
            self._running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environ)

    def wait_until(self, ready: Callable[[], bool], what: str, *, within_s: float) -> None:
        """Call *ready* repeatedly until it returns True. *what* describes the condition in error messages.

        Raises:
            RuntimeError: the program ended, or the condition was not met within *within_s* seconds; the program is
                then killed. The message contains the end of the log.
        """
        deadline = monotonic() + within_s
        while not ready():
            try:
                code = self._running.wait(_CHECK_INTERVAL_S)
            except subprocess.TimeoutExpired:
                if monotonic() > deadline:
                    self.kill()
                    raise RuntimeError(
                        f"{self._name}: no {what} within {within_s:.0f} s\n{self._read_end_of_log()}"
                    ) from None
            else:
                raise RuntimeError(f"{self._name} ended with code {code}\n{self._read_end_of_log()}")

    def poll(self) -> int | None:
        return self._running.poll()

    def end(self) -> None:
        self._running.terminate()
        self._running.wait()

    def kill(self) -> None:
        self._running.kill()
        self._running.wait()

    def _read_end_of_log(self) -> str:
        return self._log.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace")
