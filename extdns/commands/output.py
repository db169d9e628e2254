"""Standard output, whose reader may have gone, may know few characters, or may never have been there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from extdns.errors import UsageError


def show(text: str) -> None:
    """Write *text* now; what the reader's encoding lacks is escaped, and a reader that has gone is no mistake.

    Raises:
        UsageError: it cannot be written, as on a disk that is full.
    """
    out = sys.stdout
    if out is None:  # the process was started with it closed
        return
    encoding = out.encoding or "utf-8"
    try:
        out.write(text.encode(encoding, "backslashreplace").decode(encoding))
        out.flush()
    except OSError as exc:
        _silence(out.fileno())
        if not isinstance(exc, BrokenPipeError):
            raise UsageError(f"standard output cannot be written: {exc.strerror}") from exc


def show_lines(lines: Iterable[str]) -> None:
    """As `show`, each of *lines* with its end."""
    show("".join(f"{line}\n" for line in lines))


def _silence(descriptor: int) -> None:
    """Let what is left in buffers go nowhere; the interpreter complains if it cannot be written at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
