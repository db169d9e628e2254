"""The command line: flags in, exit code out. Packages that start slowly are imported only when they are needed."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Final

from extdns import __version__
from extdns.commands.help import render_overview
from extdns.commands.manual_pages import PAGES
from extdns.commands.output import show
from extdns.controller.stop_signals import StopSignals
from extdns.errors import UsageError, escape_unprintable
from extdns.flags.parser import find_requested_text, hide_secrets
from extdns.flags.usage_errors import unknown_command_error
from extdns.masking import mask

COMMANDS: Final = frozenset(PAGES)
_INTERRUPTED: Final = 130  # the exit code of shells for a command that Ctrl-C ended


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run the command of *argv* and return its exit code. A usage error is one message on standard error, and 1.

    Without a subcommand, run the controller, as external-dns does.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    variables = os.environ if environ is None else environ
    hide_secrets(arguments, variables)
    try:
        return _dispatch(arguments, variables)
    except UsageError as exc:
        if sys.stderr is not None:
            lines = f"error: {exc}".split("\n")
            sys.stderr.write("".join(f"{escape_unprintable(line)}\n" for line in lines))
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception:  # noqa: BLE001 - a defect: print the traceback without secrets
        import traceback  # noqa: PLC0415 - slow to import

        if sys.stderr is not None:
            sys.stderr.write(mask(traceback.format_exc()))
        return 1


def _dispatch(arguments: list[str], environ: Mapping[str, str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        return _run_command(arguments[0], arguments[1:], environ)
    match find_requested_text(arguments):
        case "help":
            show(render_overview())
            return 0
        case "version":
            show(f"extdns {__version__}\n")
            return 0
        case None if arguments and arguments[0][:1] not in {"-", "@", ""}:
            raise unknown_command_error(arguments[0], COMMANDS)
        case None:
            return _run(arguments, environ)


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run the controller. A stop signal that arrives during the imports ends the process cleanly, too."""
    with StopSignals() as signals:
        config = importlib.import_module("extdns.config").parse(arguments, environ)
        code: int = _import_command("run").main(config, signals)
    return code


def _run_command(command: str, arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run *command*, or print its help if *arguments* contain `--help`; return the exit code."""
    if "--help" in arguments:
        show(PAGES[command].render())
        return 0
    code: int = _import_command(command).main(arguments, environ)
    return code


def _import_command(name: str) -> ModuleType:
    """Import the module of a command. Only the chosen one is imported, so that `--help` stays fast."""
    return importlib.import_module(f"extdns.commands.{name.replace('-', '_')}")
