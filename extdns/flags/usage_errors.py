"""Build the errors for invalid flags: what is wrong, what is allowed, and what the user probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from extdns.errors import UsageError, find_similar, sanitize, shorten
from extdns.flags.flag import VARIABLE_PREFIX, Flag
from extdns.flags.kind import ValueKind

_MAX_CHOICES_BEFORE_SUGGESTION: Final = 5


def usage_error(what: str, *next_lines: str) -> UsageError:
    """Build an error with the message *what* and, indented below it, the *next_lines* that are not empty."""
    return UsageError("\n".join((what, *(f"  {line}" for line in next_lines if line))))


def unknown_command_error(word: str, commands: Iterable[str]) -> UsageError:
    """Build the error for a first argument that is neither a flag nor one of *commands*."""
    meant = "--version" if word == "version" else find_similar(word.lower(), sorted(commands))
    if not meant and ("." in word or "/" in word):
        meant = f"@{sanitize(word)}, for the flags in a file"
    return usage_error(
        f"{sanitize(word)} is not a command",
        f"did you mean: {meant}" if meant else f"allowed: {', '.join(sorted(commands))}; flags begin with --",
    )


def describe_unknown_variable(name: str, known: Iterable[str], replacement: str) -> str:
    """Return the warning about the environment variable *name*, which has our prefix but is not one of *known*.

    *replacement* says what to do instead if an earlier external-dns had its flag, else "".
    """
    endings = [variable.removeprefix(VARIABLE_PREFIX) for variable in known]
    meant = find_similar(name.upper().removeprefix(VARIABLE_PREFIX), endings)
    advice = replacement or (f"did you mean: {VARIABLE_PREFIX}{meant}" if meant else "all flags: extdns help flags")
    return f"{sanitize(name)} is not the variable of a flag: it has no effect\n  {advice}"


def missing_value_error(spelling: str, metavar: str) -> UsageError:
    """Build the error for a flag without a value: no argument follows it, or one that begins with a hyphen."""
    return usage_error(
        f"{spelling} needs a value", f"write {spelling}={metavar}; a value that begins with - needs the ="
    )


def invalid_value_error(flag: Flag, origin: str, text: str, reason: str) -> UsageError:
    """Build the error for an invalid value of *flag*, without secrets.

    *origin* is the flag with its dashes, or the environment variable that sets it. *reason* is "" if there is nothing
    to add to the kind of value that is expected.
    """
    if flag.mask_value(text) != text:  # a suggestion could reveal the secret, too
        return usage_error(f"{origin}={flag.mask_value(text)} is not {flag.kind.noun}", f"allowed: {flag.kind.allowed}")
    if repeated := suggest_repetition(flag, flag.kind, text):
        return usage_error(f"{origin}={sanitize(text)} is not {flag.kind.noun}", repeated)
    return invalid_kind_error(flag.kind, origin, text, reason)


def suggest_repetition(flag: Flag, kind: ValueKind[Any], text: str) -> str:
    """Say how to repeat *flag* if *text* is a list of values of *kind* with commas between them, else return ""."""
    parts = tuple(part.strip() for part in text.split(","))
    if not flag.repeatable or len(parts) == 1 or not all(part and _is_useful(kind, part) for part in parts):
        return ""
    return f"commas do not separate; write {sanitize(' '.join(f'{flag.spelling}={part}' for part in parts))}"


def _is_useful(kind: ValueKind[Any], text: str) -> bool:
    try:
        return kind.is_effective(kind.parse(text))
    except ValueError:
        return False


def invalid_kind_error(kind: ValueKind[Any], origin: str, text: str, *details: str) -> UsageError:
    """Build the error for *text*, which is not a value of *kind*; *details* are further lines."""
    what = f"{origin}={sanitize(text)} is not {kind.noun}"
    if len(kind.choices) > _MAX_CHOICES_BEFORE_SUGGESTION:  # the suggestion first: it would be lost after a long list
        return usage_error(what, *details, _suggest(kind, text), f"allowed: {kind.allowed}")
    return usage_error(what, *details, describe_allowed(kind, text))


def describe_allowed(kind: ValueKind[Any], text: str) -> str:
    """Return which values of *kind* are allowed, and which of them *text* is probably meant to be."""
    return f"allowed: {kind.allowed}          {_suggest(kind, text)}".rstrip()


def _suggest(kind: ValueKind[Any], text: str) -> str:
    meant = kind.suggest(text)
    return f"did you mean: {sanitize(meant)}" if meant else ""


def positional_argument_error(text: str) -> UsageError:
    """Build the error for an argument that is neither a flag nor the value of a flag."""
    if "." in text or "/" in text:
        return usage_error(f"{shorten(text)!r} is not a flag", f"for the flags in a file: {sanitize(f'@{text}')}")
    return usage_error(
        f"{shorten(text)!r} is not a flag",
        "flags begin with --; switches such as --once take no value",
        "a command comes before all flags, as in: extdns plan --source=service",
    )
