"""`extdns` without a subcommand: keep the records in step, or make one pass (`--once`)."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

from extdns import __version__, app, log
from extdns.commands.plantext import plan_text
from extdns.config import shown
from extdns.controller.ending import exit_code
from extdns.log import Event

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from extdns.config import Config
    from extdns.controller.controller import Controller

_log = log.get(__name__)


def main(config: Config) -> int:
    """Run as *config* says; returns the exit code.

    0: done, or stopped by a signal. With `--once` also 1: something failed, 3: something is held
    (design 6). A dry run of one pass prints its plan on standard output.

    Raises:
        UsageError: something in *config* cannot be used; nothing was started.
    """
    log.configure(format=config.log.format, level=config.log.level)
    _announce(config)
    running = app.assemble(config)
    with running.server:
        _stop_on_signals(running.controller)
        running.controller.run(once=config.control.once)
    engine = running.engine
    if config.control.dry_run and config.control.once:
        sys.stdout.write("\n".join(plan_text(engine.decisions)) + "\n")
    return exit_code(engine) if config.control.once else 0


def _announce(config: Config) -> None:
    _log.info(Event.STARTED, version=__version__)
    _log.info(Event.CONFIGURED, **_fields(shown(config)))
    for notice in config.notices:
        _log.warning(Event.FLAG_MOOT, notice=notice)
    if config.control.dry_run:
        _log.info(Event.DRY_RUN)


def _fields(arguments: Iterable[str]) -> dict[str, str]:
    """Arguments by the name of their flag; values of a repeated one are joined."""
    fields: dict[str, str] = {}
    for argument in arguments:
        name, given, value = argument.removeprefix("--").partition("=")
        text = value if given else "true"
        fields[name] = f"{fields[name]}, {text}" if name in fields else text
    return fields


def _stop_on_signals(controller: Controller) -> None:
    def stop(number: int, _frame: FrameType | None) -> None:
        _log.info(Event.SIGNALLED, signal=signal.Signals(number).name)
        controller.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
