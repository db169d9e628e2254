"""Flags that only commands have, such as `--output`. Each function takes its flag out of the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.errors import sanitize
from extdns.flags.usage_errors import repeated_flag_error, usage_error

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUTPUT: Final = ("--output", "-o")
TEXT: Final = "text"
JSON: Final = "json"
MARKDOWN: Final = "markdown"


def take_output(arguments: Sequence[str], allowed: Sequence[str] = (TEXT, JSON)) -> tuple[str, list[str]]:
    """Take `--output` out of *arguments*. Return its value, `text` without the flag, and the other arguments.

    Raises:
        UsageError: the flag is given twice, has no value, or has one that is not in *allowed*.
    """
    chosen, rest = take_value(arguments, *_OUTPUT, allowed=", ".join(allowed))
    if chosen is not None and chosen not in allowed:
        raise usage_error(f"{_OUTPUT[0]}={sanitize(chosen)} is not an output format", f"allowed: {', '.join(allowed)}")
    return chosen or TEXT, rest


def take_value(arguments: Sequence[str], *spellings: str, allowed: str) -> tuple[str | None, list[str]]:
    """Take a flag with these *spellings* out of *arguments*. Return its value or None, and the other arguments.

    Raises:
        UsageError: the flag is given twice, or has no value, as when a shell variable is empty. The message says that
            *allowed* is expected.
    """
    chosen, rest = take_values(arguments, *spellings, allowed=allowed)
    if len(chosen) > 1:
        raise repeated_flag_error(spellings[0])
    return (chosen or (None,))[0], rest


def take_values(arguments: Sequence[str], *spellings: str, allowed: str) -> tuple[tuple[str, ...], list[str]]:
    """Take a repeatable flag out of *arguments*, as `take_value` does. Return all its values, and the other arguments.

    Raises:
        UsageError: the flag has no value.
    """
    chosen: list[str] = []
    rest: list[str] = []
    remaining = list(arguments)
    while remaining:
        argument = remaining.pop(0)
        spelling, equals, value = argument.partition("=")
        if spelling not in spellings:
            rest.append(argument)
            continue
        if not equals and remaining:
            value = remaining.pop(0)
        if not value:
            raise usage_error(f"{spellings[0]} needs a value", f"allowed: {allowed}")
        chosen.append(value)
    return tuple(chosen), rest


def take_switch(arguments: Sequence[str], spelling: str) -> tuple[bool, list[str]]:
    """Take the switch *spelling* out of *arguments*. Return whether it is given, and the other arguments."""
    return spelling in arguments, [argument for argument in arguments if argument != spelling]
