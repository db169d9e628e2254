"""`extdns` without a subcommand: keep the records in step, or make one pass (`--once`)."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

from extdns import __version__, log
from extdns.app import assembly
from extdns.commands.output import show_lines
from extdns.commands.plantext import plan_text
from extdns.config import shown
from extdns.controller.ending import FAILED, exit_code
from extdns.controller.stopsignals import StopSignals
from extdns.errors import UsageError
from extdns.facts.plan import planned
from extdns.facts.snapshot import Snapshot
from extdns.facts.words import mistaken, told
from extdns.log import Event

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.config import Config

_log = log.get(__name__)

# The collector looks for cycles, of which values that never change form none, after so many
# allocations: by default after 700, which takes a fifth of a full pass.
ALLOCATIONS: Final = 50_000


def main(config: Config) -> int:
    """Run as *config* says; returns the exit code.

    0: done, or stopped by a signal. With `--once` also 1: something failed or the pass was stopped
    before it was complete, 3: something is held (design 6). A dry run of one pass prints its plan
    on standard output.

    Raises:
        UsageError: something in *config* cannot be used; nothing was started.
    """
    gc.set_threshold(ALLOCATIONS)
    log.configure(format=config.log.format, level=config.log.level)
    _announce(config)
    with StopSignals() as signals:
        running = assembly.assemble(config)
        signals.deliver_to(running.controller.stop)
        try:
            with running.server:
                if not config.control.once:
                    _serve_page(running)
                running.controller.run(once=config.control.once)
        finally:
            running.controller.close()
            running.page.close()
    return _ending(config, running) if config.control.once else 0


def _ending(config: Config, running: assembly.Assembly) -> int:
    if not running.controller.settled.is_set():
        _log.error(Event.UNFINISHED)
        return FAILED
    engine = running.engine
    if config.control.dry_run:
        seen = Snapshot(engine)
        plan = planned(seen, config, told(engine.decisions), mistaken(engine.claims.objects()), seen.missing)
        show_lines(plan_text(plan))
    return exit_code(engine) if running.controller.complete else FAILED


def _serve_page(running: assembly.Assembly) -> None:
    """Serve the live page; nothing depends on it, so it stops no start."""
    try:
        running.page.start()
    except UsageError as exc:
        _log.warning(Event.PAGE_UNSERVED, message=str(exc).partition("\n")[0])


def _announce(config: Config) -> None:
    _log.info(Event.STARTED, version=__version__)
    _log.info(Event.CONFIGURED, **_fields(shown(config)))
    for notice in config.notices:
        _log.warning(Event.FLAG_MOOT, notice=notice)
    if config.control.dry_run:
        _log.info(Event.DRY_RUN)


def _fields(arguments: Iterable[str]) -> dict[str, str]:
    """Arguments by the name of their flag; values of a repeated one are joined, switches are true or false."""
    fields: dict[str, str] = {}
    for argument in arguments:
        name, given, value = argument.removeprefix("--").partition("=")
        if not given:
            name, value = name.removeprefix("no-"), str(not name.startswith("no-")).lower()
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields
