"""Parse the command line and the environment into values of flags (docs/spec/sources.md 9.1, docs/spec/plan.md 8.1).

The rules are those of external-dns: click parses what `split_arguments` lets through.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from extdns import masking
from extdns.errors import UsageError, find_similar, sanitize
from extdns.flags import usage_errors
from extdns.flags.flag import VARIABLE_PREFIX, Flag, Setting, Support
from extdns.flags.help import list_allowed
from extdns.flags.kind import ValueKind
from extdns.flags.specs import REGISTRY_SPECS
from extdns.flags.table import BY_NAME, FLAGS, find_replacement

_MOST_FILES: Final = 100
_FILES: Final = frozenset({"PATH", "DIR", "FILE", "DIR_OR_REF"})
"""Placeholders of values that are files or folders."""


class KindType(click.ParamType[Any]):
    """Parses and completes values of *kind*, those of *flag* if they are of a flag of a run."""

    def __init__(self, kind: ValueKind[Any], flag: Flag | None = None) -> None:
        self.name = kind.metavar
        self._kind = kind
        self._flag = flag

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401, ARG002
        """Return the value of a text."""
        if self._flag:
            return _parse_value(self._flag, self._flag.spelling, value)
        try:
            return self._kind.parse(value)
        except ValueError as error:
            origin = param.opts[0] if param else self.name
            raise usage_errors.invalid_kind_error(self._kind, origin, value, str(error)) from error

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:  # noqa: ARG002
        """Return the choices that begin with a text, or that a file can follow."""
        if self._kind.metavar in _FILES:
            return [CompletionItem(incomplete, type="file")]
        choices = list_allowed(self._flag) if self._flag else self._kind.choices
        return [CompletionItem(choice) for choice in choices if choice.startswith(incomplete)]


def index_options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of *command* by their spellings."""
    return {
        spelling: option
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in (*option.opts, *option.secondary_opts)
    }


def _build_option(flag: Flag) -> click.Option:
    hidden = flag.support is Support.ABSENT
    if flag.is_switch:
        spellings = f"{flag.spelling}/--no-{flag.name}" if flag.environment else flag.spelling
        return click.Option([spellings], is_flag=True, hidden=hidden)
    kind = KindType(flag.kind, flag)
    return click.Option([flag.spelling], type=kind, multiple=flag.repeatable, metavar=kind.name, hidden=hidden)


_RUN: Final = click.Command("extdns", params=[_build_option(flag) for flag in FLAGS], add_help_option=False)
_BY_PARAMETER: Final = {flag.name.replace("-", "_"): flag for flag in FLAGS}
RUN_OPTIONS: Final = index_options(_RUN)
"""The flags of a run, by their spellings."""


def find_requested_text(argv: Sequence[str]) -> Literal["help", "version"] | None:
    """Return "help" or "version" if `--help` or `--version` is among the arguments, otherwise None."""
    arguments = expand_files(argv)
    flags = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--help" in flags:
        return "help"
    return "version" if "--version" in flags else None


def parse_settings(argv: Sequence[str], environ: Mapping[str, str]) -> dict[str, Setting]:
    """Return the flags that are set, by name in the order of the table. The command line overrides the environment.

    From then on, the secrets among them are masked in all output of the process.
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
        usage_errors.describe_unknown_variable(name, _BY_VARIABLE, find_replacement(_get_flag_name(name)))
        for name in _list_other_variables(environ)
        if name.upper().startswith(VARIABLE_PREFIX) and not _SERVICE_LINK.fullmatch(name)
    )


def _get_flag_name(variable: str) -> str:
    return variable.upper().removeprefix(VARIABLE_PREFIX).lower().replace("_", "-")


def _check_variables(environ: Mapping[str, str]) -> None:
    """Check that no variable is a misspelled one that would keep the process from writing."""
    for name in _list_other_variables(environ):
        for variable in _LIMITS_OF_WRITING:
            if _is_slip(*(text.upper().replace("_", "") for text in (name, variable))):
                raise usage_errors.usage_error(
                    f"{sanitize(name)} is not the variable of a flag", f"did you mean: {variable}"
                )


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
    """Return the value of every flag, by name: that in *settings*, or the default, which depends on `--compat`.

    A provider with a registry of its own name takes that one, or none (docs/spec/plan.md 3.6).
    """
    compat = "compat" in settings and bool(settings["compat"].value)
    defaults = {flag.name: flag.get_default(compat=compat) for flag in FLAGS}
    values = defaults | {name: setting.value for name, setting in settings.items()}
    if values["provider"] in REGISTRY_SPECS.available and values["registry"] != "noop":
        values["registry"] = values["provider"]
    return values


def expand_files(argv: Iterable[str]) -> tuple[str, ...]:
    """Replace each argument `@file` before `--` by the lines of the file, without blank lines and `#` comments."""
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
    for option, found in split_arguments(arguments, RUN_OPTIONS):
        if option is None and found != ("--",):
            raise usage_errors.positional_argument_error(found[-1])
    context = _RUN.make_context("extdns", list(arguments))
    return {
        flag.name: Setting(flag=flag, value=context.params[name], origin=flag.spelling)
        for name, flag in _BY_PARAMETER.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def split_arguments(
    arguments: Iterable[str], options: Mapping[str, click.Option], *, advice: str = "all flags: extdns help flags"
) -> Iterator[tuple[click.Option | None, tuple[str, ...]]]:
    """Yield each of *options* that is given with its one or two arguments, and each other argument with None.

    This refuses what click would misread: an empty shell variable in `--txt-owner-id $ID --dry-run` would make a flag
    the value of another one, and of a flag that is given twice only the last value would count. *advice* says what to
    do about an unknown flag that is like none of *options*.
    """
    waiting, given = deque(arguments), set[str | None]()
    while waiting:
        argument = waiting.popleft()
        spelling, equals, _ = argument.partition("=")
        option = options.get(spelling)
        if argument == "--":
            yield None, (argument, *waiting)
            return
        if option is None:
            if _looks_like_flag(argument):
                raise _unknown_flag_error(spelling, options, advice)
            yield None, (argument,)
            continue
        if option.name in given and not option.multiple:
            raise usage_errors.usage_error(
                f"{option.opts[0]} is given twice", "the flag takes one value only; leave out all but one"
            )
        given.add(option.name)
        if option.is_flag and equals:
            spellings = " or ".join((*option.opts, *option.secondary_opts))
            raise usage_errors.usage_error(f"{sanitize(argument)} gives a value to a switch", f"write {spellings}")
        if option.is_flag or equals:
            yield option, (argument,)
        elif not waiting or _looks_like_flag(waiting[0]):
            raise usage_errors.missing_value_error(option.opts[0], option.metavar or "VALUE")
        else:
            yield option, (argument, waiting.popleft())


def _unknown_flag_error(spelling: str, options: Mapping[str, click.Option], advice: str) -> UsageError:
    meant = f"--{spelling.removeprefix('--no-')}"
    if spelling.startswith("--no-") and meant in options:
        return usage_errors.usage_error(f"{spelling} is not a flag", f"{meant} takes a value, so it has no --no- form")
    name, blank, _ = spelling.partition(" ")
    if blank and name in options:  # the value may be a secret
        return usage_errors.usage_error(
            f"{name} and its value are one argument", f"write {name}=VALUE: a line of a file is one argument"
        )
    if removed := find_replacement(name.removeprefix("--").removeprefix("no-")):
        return usage_errors.usage_error(f"{sanitize(name)} is not a flag any more: external-dns had it once", removed)
    written = spelling.lower().replace("_", "-")
    opposite = "-disable" if "-enable" in written else "-enable" if "-disable" in written else "no opposite"
    meant = "--help" if spelling == "-h" else find_similar(written, (one for one in options if opposite not in one))
    return usage_errors.usage_error(
        f"{sanitize(spelling)} is not a flag", f"did you mean: {meant}" if meant else advice
    )


def _looks_like_flag(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"


def _parse_environment(environ: Mapping[str, str], skip: Collection[str]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for variable, flag in _BY_VARIABLE.items():
        text = environ.get(variable, "") if flag.name not in skip else ""
        if variable in _VARIABLES:  # a Secret that was made from a file has the newline at the end of the file
            text = text.rstrip("\r\n")
        if text:
            # one value a line; a newline at the end adds none
            texts = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if flag.repeatable else [text]
            values = tuple(_parse_value(flag, variable, one) for one in texts)
            found[flag.name] = Setting(flag=flag, value=values if flag.repeatable else values[0], origin=variable)
    return found


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
            for url in (value, *_LIST.split(value)):
                yield from masking.find_in_url(url)


def _find_in_value(flag: Flag, value: str) -> Iterable[str]:
    return (value,) if flag.secret else masking.find_in_url(value)
