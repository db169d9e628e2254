"""The text of `extdns help flags`, by topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from textwrap import fill
from typing import Final

from extdns.flags.flag import Flag, Support
from extdns.flags.validation import AVAILABLE

_WIDTH: Final = 100
_INTRODUCTION: Final = """\
Write --flag=VALUE or --flag VALUE; switches take no value and are undone by --no-flag. A repeatable
flag takes one value at a time: commas do not separate. A flag can also be set by the variable that
is shown in brackets, a repeatable one with one value a line; the command line wins. @FILE is
replaced by the lines of the file.
"""


def render_flags(flags: Iterable[Flag]) -> str:
    """Return the text of `extdns help flags` about *flags*, which are sorted by topic, with a newline at the end."""
    topics = groupby(flags, attrgetter("topic"))
    return "\n".join((_INTRODUCTION, *(_render_topic(topic, tuple(found)) for topic, found in topics)))


def format_usage(flag: Flag) -> str:
    """Format a flag and the form of its value, as in `--interval=DURATION` and `--[no-]once`."""
    if flag.is_switch:
        return f"--[no-]{flag.name}" if flag.environment else flag.spelling
    return f"{flag.spelling}={flag.kind.metavar}"


def format_default(flag: Flag) -> str:
    """Format the default of a flag as on the command line, for a switch as `on`; "" if it is empty or off."""
    if flag.is_switch:
        return "on" if flag.default else ""
    return ", ".join(flag.format_values(flag.default))


def list_allowed(flag: Flag) -> tuple[str, ...]:
    """Return those allowed values of a flag that this version supports, except ""; () if they cannot be listed."""
    return AVAILABLE.get(flag.name, tuple(choice for choice in flag.kind.choices if choice))


def describe_flag(flag: Flag) -> str:
    """Return the help of a flag as a sentence, with its allowed values and whether it is repeatable."""
    choices = f" Allowed: {', '.join(list_allowed(flag))}." if list_allowed(flag) else ""
    repeatable = " Repeatable." if flag.repeatable else ""
    return f"{flag.help[0].upper()}{flag.help[1:]}.{choices}{repeatable}"


def _render_topic(topic: str, flags: Sequence[Flag]) -> str:
    entries = (_render_flag(flag) for flag in flags if flag.support is Support.IMPLEMENTED)
    moot = _render_names("Accepted with a notice", (flag for flag in flags if flag.support is Support.MOOT))
    absent = _render_names("Not in this version", (flag for flag in flags if flag.support is Support.ABSENT))
    return "\n".join((f"{topic}:", *entries, *moot, *absent, ""))


def _render_flag(flag: Flag) -> str:
    default = f" Default: {format_default(flag)}." if format_default(flag) else ""
    variable = f" [{flag.variable}]" if flag.variable else ""
    return f"  {format_usage(flag)}\n{_wrap(f'{describe_flag(flag)}{default}{variable}', indent=6)}"


def _render_names(title: str, flags: Iterable[Flag]) -> tuple[str, ...]:
    names = ", ".join(flag.spelling for flag in flags)
    return (_wrap(f"{title}: {names}", indent=2),) if names else ()


def _wrap(text: str, *, indent: int) -> str:
    margin = " " * indent
    return fill(
        text,
        width=_WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
