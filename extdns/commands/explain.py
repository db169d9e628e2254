"""`extdns explain CODE`: what a reason code means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.commands.codes import explain_code
from extdns.commands.options import JSON, TEXT, output_of
from extdns.commands.output import show
from extdns.flags.mistakes import mistake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HELP: Final = """\
Usage: extdns explain CODE [--output=text|json]

Says what a reason code means, such as `extdns explain held`. Codes stand in brackets in plans, and as `reason` in the
log, in Events and in metrics. The exit code is 0, and 1 for a code that there is not.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:  # noqa: ARG001 - names will need it
    """Explain the first of *arguments*; returns the exit code.

    Raises:
        UsageError: it is nothing that can be explained, or a flag is wrong.
    """
    if "--help" in arguments:
        show(_HELP)
        return 0
    output, rest = output_of(arguments, (TEXT, JSON))
    if not rest or rest[0].startswith("-"):
        raise mistake("extdns explain needs a reason code, before any flags", "as in: extdns explain held")
    return explain_code(rest[0], rest[1:], output)
