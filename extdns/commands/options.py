"""`--output`, which commands have beside the flags of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.errors import shown
from extdns.flags.mistakes import mistake

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPELLING: Final = "--output"
_SHORT: Final = "-o"
TEXT: Final = "text"
JSON: Final = "json"
MARKDOWN: Final = "markdown"


def output_of(arguments: Sequence[str], allowed: Sequence[str]) -> tuple[str, list[str]]:
    """Take `--output` out of *arguments*: what it says, `text` if it is not given, and the rest.

    Raises:
        UsageError: it is given twice, has no value, or not one of *allowed*.
    """
    chosen: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        spelling, equals, value = argument.partition("=")
        if spelling not in {_SPELLING, _SHORT}:
            rest.append(argument)
        elif equals or waiting:
            chosen.append(value if equals else waiting.pop(0))
        else:
            raise mistake(f"{_SPELLING} needs a value", f"allowed: {', '.join(allowed)}")
    if len(chosen) > 1:
        raise mistake(f"{_SPELLING} is given twice", "it takes one value only; leave one of them out")
    if chosen and chosen[0] not in allowed:
        raise mistake(f"{_SPELLING}={shown(chosen[0])} is not a form of output", f"allowed: {', '.join(allowed)}")
    return (chosen or [TEXT])[0], rest
