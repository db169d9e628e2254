"""Command line and environment to values (spec sources 9.1, spec plan 8.1).

The rules are the reference's. They are kept here and not by argparse because argparse, whatever
its settings, takes `--min-ttl -1` and `--namespace "-a b"` for flag and value, and reads `--`
differently from one Python to the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from extdns.flags import mistakes
from extdns.flags.flag import Flag
from extdns.flags.table import BY_NAME, FLAGS

_MOST_FILES: Final = 100
_SWITCHES: Final = {
    spelling: (flag, on)
    for flag in FLAGS
    if flag.is_switch
    for spelling, on in ((flag.spelling, True), (f"--no-{flag.name}", False))
}
_VALUED: Final = {flag.spelling: flag for flag in FLAGS if not flag.is_switch}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One flag that was given: its value, and where it came from (`--name` or a variable)."""

    flag: Flag
    value: Any
    origin: str


def asked_for(argv: Sequence[str]) -> Literal["help", "version"] | None:
    """Tell whether the command line asks for help or the version, whatever else it says.

    Raises:
        UsageError: an `@file` cannot be read.
    """
    arguments = expanded(argv)
    flags = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--help" in flags:
        return "help"
    return "version" if "--version" in flags else None


def read(argv: Sequence[str], environ: Mapping[str, str]) -> dict[str, Setting]:
    """Read what was given, by flag name in the order of the table; the command line wins.

    Raises:
        UsageError: the first mistake, told for the user.
    """
    given = _from_arguments(expanded(argv))
    given |= _from_environment(environ, skip=given.keys())
    return {flag.name: given[flag.name] for flag in FLAGS if flag.name in given}


def with_defaults(given: Mapping[str, Setting]) -> dict[str, Any]:
    """The value of every flag, by name; `--compat` decides between two defaults."""
    compat = "compat" in given and bool(given["compat"].value)
    defaults = {flag.name: flag.default_value(compat=compat) for flag in FLAGS}
    return defaults | {name: setting.value for name, setting in given.items()}


def expanded(argv: Iterable[str]) -> tuple[str, ...]:
    """Replace each `@file` before `--` by the file's lines, without blank ones and `#` comments.

    Raises:
        UsageError: a file cannot be read, or files name each other without end.
    """
    waiting, arguments, files = deque(argv), list[str](), 0
    while waiting:
        argument = waiting.popleft()
        if argument == "--":
            return (*arguments, argument, *waiting)
        if not argument.startswith("@"):
            arguments.append(argument)
            continue
        files += 1
        if files > _MOST_FILES:
            raise mistakes.mistake(f"{argument} is one file too many", "does it name itself?")
        waiting.extendleft(reversed(_lines(argument)))
    return tuple(arguments)


def _lines(argument: str) -> list[str]:
    try:
        text = Path(argument[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name, or text that is not UTF-8
        reason = error.strerror if isinstance(error, OSError) else "it is no file of UTF-8 text"
        raise mistakes.mistake(
            f"{argument} cannot be read: {reason}", "an argument that begins with @ is a file of arguments"
        ) from error
    return [line for line in text.split("\n") if line.strip() and not line.startswith("#")]


def _from_arguments(arguments: Sequence[str]) -> dict[str, Setting]:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    waiting, rest = deque(arguments[:end]), arguments[end + 1 :]
    found: dict[str, list[str | bool]] = {}
    while waiting:
        flag, value = _next(waiting)
        values = found.setdefault(flag.name, [])
        if values and not flag.repeatable:
            raise mistakes.given_twice(flag.spelling)
        values.append(value)
    if rest:
        raise mistakes.positional(rest[0])
    return {name: _setting(BY_NAME[name], BY_NAME[name].spelling, values) for name, values in found.items()}


def _next(waiting: deque[str]) -> tuple[Flag, str | bool]:
    """Take one flag, with its value, from the front."""
    argument = waiting.popleft()
    spelling, equals, text = argument.partition("=")
    if spelling in _SWITCHES:
        flag, on = _SWITCHES[spelling]
        if equals:
            raise mistakes.value_unwanted(flag, argument)
        return flag, on
    if spelling in _VALUED:
        flag = _VALUED[spelling]
        if equals:
            return flag, text
        if not waiting or _looks_like_flag(waiting[0]):
            raise mistakes.value_missing(flag)
        return flag, waiting.popleft()
    if _looks_like_flag(argument):
        raise mistakes.unknown_flag(spelling)
    raise mistakes.positional(argument)


def _looks_like_flag(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"


def _from_environment(environ: Mapping[str, str], skip: Iterable[str]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    skipped = set(skip)
    for flag in FLAGS:
        text = environ.get(flag.variable, "") if flag.variable and flag.name not in skipped else ""
        if text:
            found[flag.name] = _setting(flag, flag.variable, _env_values(text) if flag.repeatable else [text])
    return found


def _env_values(text: str) -> list[str]:
    """One value a line; one newline at the end is not another line."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _setting(flag: Flag, origin: str, raw: Sequence[str | bool]) -> Setting:
    values = tuple(value if isinstance(value, bool) else _read_value(flag, origin, value) for value in raw)
    return Setting(flag=flag, value=values if flag.repeatable else values[0], origin=origin)


def _read_value(flag: Flag, origin: str, text: str) -> object:
    try:
        return flag.kind.read(text)
    except ValueError as error:
        raise mistakes.value_refused(flag, origin, text, str(error)) from error
