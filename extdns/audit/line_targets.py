"""Where the audit log is written: a file that is rotated, or standard output.

docs/design/audit-log.md has the rules.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

_MODE: Final = 0o640
_SIZE_STEP: Final = 1024 * 1024
"""The unit of `--audit-log-max-size`: MiB."""


class LineTarget(Protocol):
    """A place to which lines are appended. Methods raise `OSError`."""

    def write(self, data: bytes) -> None:
        """Append *data*, one or more lines. If that fails, remove the part that was appended, if possible."""
        ...

    def read_lines(self) -> Iterator[bytes]:
        """Open the target, and yield the last lines that this or an earlier process wrote, oldest first."""
        ...

    def close(self) -> None:
        """Close the target; `write` opens it again."""
        ...


class StandardOutput:
    """Write lines to standard output. They cannot be read again."""

    def write(self, data: bytes) -> None:
        """Write *data* to standard output."""
        _write_all(sys.stdout.fileno(), data)

    def read_lines(self) -> Iterator[bytes]:
        """Yield nothing: standard output cannot be read."""
        return iter(())

    def close(self) -> None:
        """Do nothing: standard output stays open."""


class RotatedFile:
    """Append lines to a file that only one process writes, and rename it when it is full."""

    def __init__(self, path: Path, *, max_mib: int, max_files: int) -> None:
        """Write to *path*, which only one process can have open.

        At *max_mib* MiB it is renamed to `PATH.1` (the newest), `PATH.2` and so on, of which *max_files* are kept.
        """
        self._path = path
        self._max_bytes = max_mib * _SIZE_STEP
        self._max_files = max_files
        self._descriptor: int | None = None

    def write(self, data: bytes) -> None:
        """Append *data*, to a new file if this one would become too large, or was renamed by somebody else."""
        descriptor = self._open()
        size = os.fstat(descriptor).st_size
        if size and size + len(data) > self._max_bytes:
            self._rotate()
            descriptor = self._open()
            size = os.fstat(descriptor).st_size
        # if so, an earlier process ended before its line was complete
        is_cut = size and os.pread(descriptor, 1, size - 1) != b"\n"
        try:
            _write_all(descriptor, b"\n" + data if is_cut else data)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            raise

    def read_lines(self) -> Iterator[bytes]:
        """Yield the lines of the file and of the one before it, oldest first."""
        self._open()
        for path in (self._find_former(1), self._path):
            with suppress(FileNotFoundError), path.open("rb") as file:
                yield from file

    def close(self) -> None:
        """Close the file, which also unlocks it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _open(self) -> int:
        """Return the descriptor of the file at the path, which is opened and locked if it is not open."""
        if self._descriptor is not None and self._is_current(self._descriptor):
            return self._descriptor
        self.close()
        descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            os.close(descriptor)
            if isinstance(exc, BlockingIOError):
                raise BlockingIOError(exc.errno, "another process writes the file", str(self._path)) from None
            raise
        self._descriptor = descriptor
        return descriptor

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def _rotate(self) -> None:
        """Rename the files, the oldest first. The last one is replaced by the one before it."""
        for number in range(self._max_files, 1, -1):
            with suppress(FileNotFoundError):
                self._find_former(number - 1).replace(self._find_former(number))
        self._path.replace(self._find_former(1))

    def _find_former(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
