"""An audit log in memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from tests.unit.controller.barriers import Barrier


class ListTarget:
    """A target that keeps up to `max_lines` in memory. It fails with `error`, and waits at `gate` if there is one."""

    def __init__(self, *former: bytes) -> None:
        self.former = former
        self.written: list[bytes] = []
        self.max_lines = 1_000_000
        self.error: Exception | None = None
        self.gate: Barrier | None = None

    def write(self, data: bytes) -> None:
        if self.gate:
            self.gate.pass_through()
        if self.error:
            raise self.error
        lines = data.splitlines()
        if len(self.written) + len(lines) > self.max_lines:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.written += lines

    def read_lines(self) -> Iterator[bytes]:
        if self.error:
            raise self.error
        return iter(self.former)

    def close(self) -> None:
        """Nothing is open."""
