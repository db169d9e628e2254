"""Flags that commands have beside those of a run, such as `--output`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.errors import shown
from extdns.flags.mistakes import given_twice, mistake

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUTPUT: Final = ("--output", "-o")
TEXT: Final = "text"
JSON: Final = "json"
MARKDOWN: Final = "markdown"


def output_of(arguments: Sequence[str], allowed: Sequence[str] = (TEXT, JSON)) -> tuple[str, list[str]]:
    """Take `--output` out of *arguments*: what it says, `text` if it is not given, and the rest.

    Raises:
        UsageError: it is given twice, has no value, or not one of *allowed*.
    """
    chosen, rest = value_of(arguments, *_OUTPUT, allowed=", ".join(allowed))
    if chosen is not None and chosen not in allowed:
        raise mistake(f"{_OUTPUT[0]}={shown(chosen)} is not a form of output", f"allowed: {', '.join(allowed)}")
    return chosen or TEXT, rest


def value_of(arguments: Sequence[str], *spellings: str, allowed: str) -> tuple[str | None, list[str]]:
    """Take the flag out of *arguments* that has these *spellings*: its value, None if it is not given, and the rest.

    Raises:
        UsageError: it is given twice, or has no value, as where a variable of the shell is not set; *allowed* says
            which values there are.
    """
    chosen, rest = values_of(arguments, *spellings, allowed=allowed)
    if len(chosen) > 1:
        raise given_twice(spellings[0])
    return (chosen or (None,))[0], rest


def values_of(arguments: Sequence[str], *spellings: str, allowed: str) -> tuple[tuple[str, ...], list[str]]:
    """As `value_of`, of a flag that may be given several times: all its values.

    Raises:
        UsageError: it has no value.
    """
    chosen: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        spelling, equals, value = argument.partition("=")
        if spelling not in spellings:
            rest.append(argument)
            continue
        if not equals and waiting:
            value = waiting.pop(0)
        if not value:
            raise mistake(f"{spellings[0]} needs a value", f"allowed: {allowed}")
        chosen.append(value)
    return tuple(chosen), rest


def switch_of(arguments: Sequence[str], spelling: str) -> tuple[bool, list[str]]:
    """Take the switch *spelling* out of *arguments*: whether it is given, and the rest."""
    return spelling in arguments, [argument for argument in arguments if argument != spelling]
