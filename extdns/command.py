"""Declare, find and run commands: the files of `extdns.commands` that begin with a line on what `extdns NAME` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from extdns.errors import InvalidValueError, UsageError, sanitize
from extdns.flags.kind import ValueKind, make_choice_kind, make_text_kind
from extdns.flags.parser import RUN_OPTIONS, KindType, index_options, split_arguments
from extdns.flags.usage_errors import missing_value_error, positional_argument_error, usage_error
from extdns.model.dns_name import DnsName

F = TypeVar("F", bound=Callable[..., Any])

RUN_FLAGS: Final = "The flags of a run, such as --source, and their environment variables apply: extdns help flags"
STATE_FLAGS: Final = (
    "Of the flags and environment variables of a run, only --state-configmap, --state-file, --kubeconfig and --server "
    "matter."
)
NO_FLAGS: Final = ""

COMPLETION_VARIABLE: Final = "_EXTDNS_COMPLETE"
"""With this variable, which the scripts of `extdns completion` set, the program prints what can follow."""


class Command(click.Command):
    """A command: the function of a file, with its options.

    Attributes:
        flags: which flags of a run apply, as a sentence; "" if none do.
        examples: command lines that work.
        exit_codes: what the exit codes mean.
    """

    def __init__(
        self,
        name: str | None,
        *,
        flags: str,
        examples: Sequence[str],
        exit_codes: str,
        **others: Any,  # noqa: ANN401 - as in click
    ) -> None:
        super().__init__(name, add_help_option=False, **others)
        self.flags = flags
        self.examples = examples
        self.exit_codes = exit_codes

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as in click
        """Write which flags apply, the examples and the exit codes."""
        if self.flags:
            formatter.write_paragraph()
            formatter.write_text(self.flags)
        with formatter.section("Examples"):
            formatter.write("".join(f"  {example}\n" for example in self.examples))
        formatter.write_paragraph()
        formatter.write_text(f"Exit code: {self.exit_codes}")

    def render_help(self) -> str:
        """Return the text of `extdns COMMAND --help`, with a newline at the end."""
        return f"{self.get_help(click.Context(self, info_name=f'extdns {self.name}', max_content_width=100))}\n"


def command(
    *,
    flags: str = RUN_FLAGS,
    examples: Sequence[str],
    exit_codes: str = "0, or 1 if an argument is wrong.",
    takes_any: bool = False,
) -> Callable[[Callable[..., int]], Command]:
    """Declare the command of a file. Its explanation is the docstring of the function, which returns the exit code.

    The function gets the arguments that are flags of a run, the environment, and the options by name.

    Args:
        flags: RUN_FLAGS, STATE_FLAGS or NO_FLAGS: which flags of a run apply.
        examples: command lines that work.
        exit_codes: what the exit codes mean.
        takes_any: whether arguments that look like flags are ordinary arguments.
    """
    settings = {"ignore_unknown_options": takes_any}

    def declare(function: Callable[..., int]) -> Command:
        name = function.__module__.rpartition(".")[2].replace("_", "-")
        build = click.command(
            name, cls=Command, context_settings=settings, flags=flags, examples=examples, exit_codes=exit_codes
        )
        return build(function)

    return declare


def option(
    *spellings: str,
    help: str,  # noqa: A002
    kind: ValueKind[Any] | None = None,
    metavar: str = "",
    **attributes: Any,  # noqa: ANN401
) -> Callable[[F], F]:
    """Declare an option of a command, which takes any text, or values of *kind*. *attributes* are those of click."""
    if not attributes.get("is_flag"):
        kind = kind or make_text_kind(metavar)
        attributes |= {"type": KindType(kind), "metavar": metavar or "|".join(kind.choices) or kind.metavar}
    return click.option(*spellings, help=help, **attributes)


def output_option(*formats: str) -> Callable[[F], F]:
    """Declare the option that chooses one of *formats*, the first by default."""
    return option(
        "--output",
        "-o",
        kind=make_choice_kind("an output format", *formats),
        default=formats[0],
        help=f"format; default {formats[0]}",
    )


OUTPUT: Final = output_option("text", "json")
BY: Final = option(
    "--by",
    metavar="NAME",
    help="who approves, for the audit log; default: the user of the kubeconfig or of this machine",
)


def parse_name(text: str) -> DnsName:
    """Parse a DNS name that is an argument."""
    try:
        return DnsName.parse(text)
    except InvalidValueError as exc:
        raise usage_error(f"{sanitize(exc.value)} is not a DNS name", f"allowed: {exc.allowed}") from exc


def list_commands() -> dict[str, str]:
    """Return what each command does, by name, from the first lines of the files: importing them would take long."""
    found: dict[str, str] = {}
    for file in sorted(Path(__file__).with_name("commands").glob("[a-z]*.py")):
        with file.open(encoding="utf-8") as lines:
            title, _, summary = lines.readline().partition(": ")
        name = file.stem.replace("_", "-")
        if title == f'"""`extdns {name}`':
            found[name] = summary.rstrip('."\n')
    return found


def load_command(name: str) -> Command:
    """Import the command *name*, which is one of `list_commands`."""
    loaded: Command = import_module(f"extdns.commands.{name.replace('-', '_')}").main
    return loaded


def run_command(name: str, arguments: Sequence[str], environ: Mapping[str, str], **context: object) -> int:
    """Run the command *name*, and return its exit code. Its function also gets *context*, such as a clock."""
    called = load_command(name)
    own, flags = _divide(called, arguments)
    try:
        parameters = called.make_context(name, own).params
    except click.UsageError as error:
        raise UsageError(f"{error.format_message()}\n  help: extdns {name} --help") from error
    function = cast("Callable[..., int]", called.callback)
    return function(flags, environ, **parameters, **context)


def find_options(called: Command | None) -> dict[str, click.Option]:
    """Return the options of a command, and the flags of a run if they apply to it, by their spellings."""
    own = index_options(called) if called else {}
    return {**own, **(RUN_OPTIONS if called is None or called.flags else {})}


def _divide(called: Command, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments of the command itself, and those that are flags of a run or files of such flags."""
    if called.context_settings["ignore_unknown_options"]:
        return list(arguments), []
    options = index_options(called)
    advice = "all flags: extdns help flags" if called.flags else f"help: extdns {called.name} --help"
    takes_arguments = any(isinstance(one, click.Argument) for one in called.params)
    own: list[str] = []
    flags: list[str] = []
    for found, parts in split_arguments(arguments, find_options(called), advice=advice):
        if found is None and not takes_arguments and not parts[0].startswith("@"):
            raise positional_argument_error(parts[-1])
        if found is None:
            (flags if called.flags and parts[0].startswith("@") else own).extend(parts)
        elif found.opts[0] in options:
            if not found.is_flag and parts[-1].removeprefix(f"{parts[0].partition('=')[0]}=") == "":
                raise missing_value_error(found.opts[0], found.metavar or "")
            own.extend(parts)
        else:
            flags.extend(parts)
    return own, flags
