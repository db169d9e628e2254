"""Write to standard output and standard error, which may be closed, full, or unable to encode every character."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from extdns.documents.document import Document


JSON: Final = "json"


def show(text: str) -> None:
    """Write *text* and flush it. Escape characters that the encoding lacks, and ignore a closed pipe."""
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
    """Write *lines*, each with a line end, as `show` does."""
    show("".join(f"{line}\n" for line in lines))


def find_command() -> str:
    """Return the full path of this program, quoted for a shell."""
    script = Path(sys.executable).parent / "extdns"
    return shlex.quote(str(script)) if script.exists() else f"{shlex.quote(sys.executable)} -m extdns"


def warn(warnings: Iterable[str]) -> None:
    """Write *warnings* to standard error; each may have several lines."""
    if sys.stderr is not None:
        sys.stderr.write("".join(f"warning: {warning}\n" for warning in warnings))


def _silence(descriptor: int) -> None:
    """Discard what is buffered for *descriptor*, which cannot be written; else Python fails to flush it at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def show_document(document: Document | Mapping[str, object], lines: Iterable[str], output: str) -> None:
    """Write *document* as JSON if *output* is `json`, otherwise *lines*, its text form."""
    if output == JSON:
        from extdns.documents.document import format_json

        show(format_json(document))
    else:
        show_lines(lines)
