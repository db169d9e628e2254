"""The command line: flags in, exit code out. Packages that start slowly are imported only when they are needed."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from extdns import __version__
from extdns.command import COMPLETION_VARIABLE, list_commands, load_command, run_command
from extdns.commands.output import show
from extdns.errors import ExtdnsError, escape_unprintable
from extdns.flags.parser import find_requested_text, hide_secrets
from extdns.flags.usage_errors import unknown_command_error
from extdns.masking import mask

_INTERRUPTED: Final = 130  # the exit code of shells for a command that Ctrl-C ended


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run the command of *argv* and return its exit code; without a subcommand, run the controller, as external-dns.

    For an error that extdns raises on purpose, print its message to standard error and return 1.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    variables = os.environ if environ is None else environ
    hide_secrets(arguments, variables)
    try:
        return _dispatch(arguments, variables)
    except ExtdnsError as exc:
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
    if shell := environ.get(COMPLETION_VARIABLE, "").removesuffix("_complete"):
        importlib.import_module("extdns.commands.completion").show_candidates(shell)
        return 0
    word = arguments[0] if arguments and arguments[0][:1] not in {"-", "@"} else ""
    commands = list_commands() if word else {}
    if word in commands:
        if "--help" not in arguments:
            return run_command(word, arguments[1:], environ)
        show(load_command(word).render_help())
        return 0
    match find_requested_text(arguments):
        case "help":
            show(importlib.import_module("extdns.commands.help").render_overview())
            return 0
        case "version":
            show(f"extdns {__version__}\n")
            return 0
        case None if word:
            raise unknown_command_error(word, commands)
        case None:
            return _run(arguments, environ)


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run the controller. A stop signal that arrives during the imports ends the process cleanly, too."""
    from extdns.controller.stop_signals import StopSignals  # noqa: PLC0415 - commands and texts need no signals

    with StopSignals() as signals:
        config = importlib.import_module("extdns.config").parse(arguments, environ)
        code: int = importlib.import_module("extdns.commands.run").main(config, signals)
    return code
