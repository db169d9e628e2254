"""What is said about wrong flags: what, what would be right, what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from extdns.errors import UsageError, shortened, shown
from extdns.flags.flag import Flag
from extdns.flags.kind import Kind
from extdns.flags.table import FLAGS


def mistake(what: str, *next_lines: str) -> UsageError:
    """Join a first line and indented ones, leaving out empty ones; `error: ` is the caller's."""
    return UsageError("\n".join((what, *(f"  {line}" for line in next_lines if line))))


def unknown_command(word: str, commands: Iterable[str]) -> UsageError:
    """What stands first is neither a flag nor one of *commands*."""
    meant = get_close_matches(word.lower(), sorted(commands), n=1)
    return mistake(
        f"{shown(word)} is not a command",
        f"did you mean: {meant[0]}" if meant else f"allowed: {', '.join(sorted(commands))}; flags begin with --",
    )


def unknown_flag(spelling: str) -> UsageError:
    """No flag is spelled so."""
    flag = next((flag for flag in FLAGS if spelling == f"--no-{flag.name}"), None)
    if flag:
        return mistake(f"{spelling} is not a flag", f"{flag.spelling} takes a value, so it has no --no- form")
    spellings = [spelled for flag in FLAGS for spelled in _spellings(flag)]
    meant = get_close_matches(spelling.lower().replace("_", "-"), spellings, n=1)
    return mistake(
        f"{shown(spelling)} is not a flag",
        f"did you mean: {meant[0]}" if meant else "all flags: extdns --help",
    )


def _spellings(flag: Flag) -> tuple[str, ...]:
    return (flag.spelling, f"--no-{flag.name}") if flag.is_switch else (flag.spelling,)


def value_missing(flag: Flag) -> UsageError:
    """The flag stands at the end, or before another flag."""
    return mistake(
        f"{flag.spelling} needs a value",
        f"write {flag.spelling}={flag.kind.metavar}; a value that begins with - needs the =",
    )


def value_unwanted(flag: Flag, argument: str) -> UsageError:
    """A switch was given a value."""
    return mistake(
        f"{shown(argument)} gives a value to a switch",
        f"write {flag.spelling} or --no-{flag.name}",
    )


def value_refused(flag: Flag, origin: str, text: str, why: str) -> UsageError:
    """The value is not of the flag's kind; *origin* is the flag or the variable it came from."""
    comma = flag.repeatable and flag.kind.choices and set(text.split(",")) <= set(flag.kind.choices)
    repeated = f"commas do not separate; write {' '.join(flag.arguments(tuple(text.split(','))))}" if comma else ""
    return not_of_kind(flag.kind, origin, text, why, repeated)


def not_of_kind(kind: Kind[Any], origin: str, text: str, *why: str) -> UsageError:
    """*text* is not of *kind*; *why* are lines that say more, empty ones left out."""
    meant = kind.suggest(text)
    allowed = f"allowed: {kind.allowed}" + (f"          did you mean: {shown(meant)}" if meant else "")
    return mistake(f"{origin}={shown(text)} is not {kind.noun}", *why, allowed)


def given_twice(spelling: str) -> UsageError:
    """A flag that takes one value was given more than once."""
    return mistake(f"{spelling} is given twice", "it takes one value only; leave one of them out")


def positional(text: str) -> UsageError:
    """An argument that is neither a flag nor a flag's value."""
    return mistake(f"{shortened(text)!r} is not a flag", "flags begin with --; switches such as --once take no value")
