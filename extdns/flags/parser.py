"""Parse the command line and the environment into values of flags (docs/spec/sources.md 9.1, docs/spec/plan.md 8.1).

The rules are those of external-dns. argparse cannot follow them: whatever its settings, it accepts `--min-ttl -1` and
`--namespace "-a b"`, and its treatment of `--` depends on the version of Python.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

from extdns import masking
from extdns.errors import UsageError, find_similar, sanitize
from extdns.flags import usage_errors
from extdns.flags.flag import VARIABLE_PREFIX, Flag, Setting
from extdns.flags.table import BY_NAME, FLAGS

_MOST_FILES: Final = 100
_SWITCHES: Final = {
    spelling: (flag, on)
    for flag in FLAGS
    if flag.is_switch
    for spelling, on in ((flag.spelling, True), (f"--no-{flag.name}", False))
}
_VALUED: Final = {flag.spelling: flag for flag in FLAGS if not flag.is_switch}


def find_requested_text(argv: Sequence[str]) -> Literal["help", "version"] | None:
    """Return "help" or "version" if `--help` or `--version` is among the arguments, otherwise None.

    Raises:
        UsageError: an `@file` cannot be read.
    """
    arguments = expand_files(argv)
    flags = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--help" in flags:
        return "help"
    return "version" if "--version" in flags else None


def parse_settings(argv: Sequence[str], environ: Mapping[str, str]) -> dict[str, Setting]:
    """Return the flags that are set, by name in the order of the table. The command line overrides the environment.

    From then on, the secrets among them are masked in all output of the process.

    Raises:
        UsageError: an argument or a variable is invalid; only the first error is reported.
    """
    arguments = expand_files(argv)
    hide_secrets(arguments, environ)
    _check_variables(environ)
    settings = _parse_arguments(arguments)
    settings |= _parse_environment(environ, skip=settings.keys())
    return {flag.name: settings[flag.name] for flag in FLAGS if flag.name in settings}


def find_unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return a warning of two lines for each variable in *environ* that has our prefix but is not that of a flag.

    Variables that Kubernetes sets because of a Service whose name begins with `external-dns` are left out.
    """
    return tuple(
        usage_errors.describe_unknown_variable(name, _BY_VARIABLE)
        for name in _list_other_variables(environ)
        if name.upper().startswith(VARIABLE_PREFIX) and not _SERVICE_LINK.fullmatch(name)
    )


def _check_variables(environ: Mapping[str, str]) -> None:
    """Check that no variable is a misspelled one that would keep the process from writing."""
    for name in _list_other_variables(environ):
        for variable in _LIMITS_OF_WRITING:
            if _is_slip(*(text.upper().replace("_", "") for text in (name, variable))):
                raise usage_errors.unknown_variable_error(name, variable)


def _list_other_variables(environ: Mapping[str, str]) -> list[str]:
    """Return the names of the variables that are not those of flags, sorted. An empty variable counts as not set."""
    return sorted(name for name, value in environ.items() if value and name not in _BY_VARIABLE)


def _is_slip(written: str, meant: str) -> bool:
    """Return whether the texts are equal but for one letter, or for two neighbouring letters that are swapped."""
    if written[:1] == meant[:1] != "":
        return _is_slip(written[1:], meant[1:])
    return (
        written[1:] in {meant, meant[1:]}  # a letter more, or another one
        or written == meant[1:]  # a letter less
        or (written[:2] == meant[1::-1] and written[2:] == meant[2:])
    )


def apply_defaults(settings: Mapping[str, Setting]) -> dict[str, Any]:
    """Return the value of every flag, by name: that in *settings*, or the default, which depends on `--compat`."""
    compat = "compat" in settings and bool(settings["compat"].value)
    defaults = {flag.name: flag.get_default(compat=compat) for flag in FLAGS}
    return defaults | {name: setting.value for name, setting in settings.items()}


def expand_files(argv: Iterable[str]) -> tuple[str, ...]:
    """Replace each argument `@file` before `--` by the lines of the file, without blank lines and `#` comments.

    Raises:
        UsageError: a file cannot be read, or there are more than 100 files, as when a file includes itself.
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
            raise usage_errors.usage_error(
                f"{argument} exceeds the limit of {_MOST_FILES} files", "check whether a file includes itself"
            )
        waiting.extendleft(reversed(_read_lines(argument)))
    return tuple(arguments)


def _read_lines(argument: str) -> list[str]:
    try:
        text = Path(argument[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name, or text that is not UTF-8
        reason = error.strerror if isinstance(error, OSError) else "the file is not UTF-8 text"
        raise usage_errors.usage_error(
            f"{argument} cannot be read: {reason}", "an argument that begins with @ is a file of arguments"
        ) from error
    return [line for line in text.split("\n") if line.strip() and not line.startswith("#")]


def _parse_arguments(arguments: Sequence[str]) -> dict[str, Setting]:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    waiting, rest = deque(arguments[:end]), arguments[end + 1 :]
    found: dict[str, list[str | bool]] = {}
    while waiting:
        flag, value = _take_flag(waiting)
        values = found.setdefault(flag.name, [])
        if values and not flag.repeatable:
            raise usage_errors.repeated_flag_error(flag.spelling)
        values.append(value)
    if rest:
        raise usage_errors.positional_argument_error(rest[0])
    return {name: _make_setting(BY_NAME[name], BY_NAME[name].spelling, values) for name, values in found.items()}


def _take_flag(waiting: deque[str]) -> tuple[Flag, str | bool]:
    """Remove the first flag and its value from *waiting*, the arguments that are not parsed yet, and return them."""
    argument = waiting.popleft()
    spelling, equals, text = argument.partition("=")
    if spelling in _SWITCHES:
        flag, on = _SWITCHES[spelling]
        if equals:
            raise usage_errors.switch_value_error(flag, argument)
        return flag, on
    if spelling in _VALUED:
        flag = _VALUED[spelling]
        if equals:
            return flag, text
        if not waiting or _looks_like_flag(waiting[0]):
            raise usage_errors.missing_value_error(flag)
        return flag, waiting.popleft()
    if _looks_like_flag(argument):
        raise _unknown_flag_error(spelling)
    raise usage_errors.positional_argument_error(argument)


def _unknown_flag_error(spelling: str) -> UsageError:
    meant = f"--{spelling.removeprefix('--no-')}"
    if spelling.startswith("--no-") and meant in _VALUED:
        return usage_errors.usage_error(f"{spelling} is not a flag", f"{meant} takes a value, so it has no --no- form")
    meant = find_similar(spelling.lower().replace("_", "-"), (*_SWITCHES, *_VALUED))
    return usage_errors.usage_error(
        f"{sanitize(spelling)} is not a flag", f"did you mean: {meant}" if meant else "all flags: extdns help flags"
    )


def _looks_like_flag(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"


def _parse_environment(environ: Mapping[str, str], skip: Iterable[str]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    skipped = set(skip)
    for variable, flag in _BY_VARIABLE.items():
        text = environ.get(variable, "") if flag.name not in skipped else ""
        if variable in _VARIABLES:  # a Secret that was made from a file has the newline at the end of the file
            text = text.rstrip("\r\n")
        if text:
            found[flag.name] = _make_setting(flag, variable, _split_variable(text) if flag.repeatable else [text])
    return found


def _split_variable(text: str) -> list[str]:
    """Return the values of a repeatable flag in a variable: its lines. A newline at the end adds no value."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _make_setting(flag: Flag, origin: str, raw: Sequence[str | bool]) -> Setting:
    values = tuple(value if isinstance(value, bool) else _parse_value(flag, origin, value) for value in raw)
    return Setting(flag=flag, value=values if flag.repeatable else values[0], origin=origin)


def _parse_value(flag: Flag, origin: str, text: str) -> object:
    try:
        return flag.kind.parse(text)
    except ValueError as error:
        raise usage_errors.invalid_value_error(flag, origin, text, str(error)) from error


_BY_VARIABLE: Final = {flag.variable: flag for flag in FLAGS if flag.variable}
_LIMITS_OF_WRITING: Final = tuple(BY_NAME[name].variable for name in ("dry-run", "policy", "once"))
_SERVICE_LINK: Final = re.compile(
    rf"{VARIABLE_PREFIX}(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)?)"
)
"""The variables of a Service in the pods of its namespace (Kubernetes, "Service", "Environment variables")."""
_CONFIDENTIAL: Final = {flag.spelling: flag for flag in FLAGS if flag.secret or flag.kind.is_url}
_VARIABLES: Final = {flag.variable: flag for flag in _CONFIDENTIAL.values() if flag.variable}
_URL_VARIABLE: Final = re.compile(r"(?:_PROXY|URLS?|_URI|_ENDPOINT|_SERVER)(?:$|_)", re.IGNORECASE)
_LIST: Final = re.compile(r"[\s,]+")


def hide_secrets(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Mask the secrets in *arguments* and *environ*, valid or not, in all later output of the process."""
    masking.add_secrets((*_find_in_arguments(arguments), *_find_in_environment(environ)))


def _find_in_arguments(arguments: Sequence[str]) -> Iterator[str]:
    for argument, following in pairwise((*arguments, "")):
        yield from masking.find_in_text(argument)
        spelling, equals, value = argument.partition("=")
        if flag := _CONFIDENTIAL.get(spelling):
            yield from _find_in_value(flag, value if equals else following)


def _find_in_environment(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        yield from masking.find_in_text(value)
        if flag := _VARIABLES.get(name):
            yield from _find_in_value(flag, value)
        elif masking.is_secret_name(name):
            yield value
        elif _URL_VARIABLE.search(name):
            yield from _find_in_urls((value, *_LIST.split(value)))


def _find_in_value(flag: Flag, value: str) -> Iterator[str]:
    if flag.secret:
        yield value
    else:
        yield from _find_in_urls((value,))


def _find_in_urls(urls: Iterable[str]) -> Iterator[str]:
    return (secret for url in urls for secret in masking.find_in_url(url))
