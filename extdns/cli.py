"""The command line: flags in, exit code out. Nothing heavy is imported before it is known what to do."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Final

from extdns import __version__
from extdns.commands.output import show
from extdns.errors import UsageError, escaped
from extdns.flags.help import help_text
from extdns.flags.mistakes import unknown_command
from extdns.flags.parser import asked_for

COMMANDS: Final = frozenset(
    {
        "adopt",
        "apply",
        "check",
        "demo",
        "explain",
        "iam-policy",
        "migrate",
        "owners",
        "plan",
        "release",
        "status",
        "verify",
    }
)
_INTERRUPTED: Final = 130  # what shells report of a command that Ctrl-C ended


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run what *argv* asks for and return the exit code; a mistake in it is told in one message and is 1.

    Without a subcommand the records are kept in step, as the reference does.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments, os.environ if environ is None else environ)
    except UsageError as exc:
        if sys.stderr is not None:
            lines = f"error: {exc}".split("\n")
            sys.stderr.write("".join(f"{escaped(line)}\n" for line in lines))
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def _dispatch(arguments: list[str], environ: Mapping[str, str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        return _command(_module(arguments[0]), arguments[1:], environ)
    match asked_for(arguments):
        case "help":
            show(help_text())
            return 0
        case "version":
            show(f"extdns {__version__}\n")
            return 0
        case None if arguments and arguments[0][:1] not in {"-", "@", ""}:
            raise unknown_command(arguments[0], COMMANDS)
        case None:
            config = importlib.import_module("extdns.config").parse(arguments, environ)
            code: int = _module("run").main(config)
            return code


def _command(command: ModuleType, arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Do what *command* is for, or tell how it is used."""
    if "--help" in arguments:
        show(command.HELP)
        return 0
    code: int = command.main(arguments, environ)
    return code


def _module(name: str) -> ModuleType:
    """Import a command when it is chosen: what it brings along takes longer than `--help` may."""
    return importlib.import_module(f"extdns.commands.{name.replace('-', '')}")
