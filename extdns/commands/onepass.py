"""One pass that only looks: what commands rest on that tell what extdns would do."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns import log
from extdns.app import assembly
from extdns.app.services import service
from extdns.commands.run import ALLOCATIONS
from extdns.config import parse
from extdns.controller.stopsignals import StopSignals
from extdns.engine.health import unread
from extdns.flags import parser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from extdns.config import Config
    from extdns.engine.engine import Engine
    from extdns.ports import ZoneReader

_QUIET: Final = "error"
_CUT_SHORT: Final = "the pass ended before it was complete"


class Pass(NamedTuple):
    """A pass that was made.

    Attributes:
        missing: one sentence for each thing that could not be read, so that what is told is not all.
    """

    config: Config
    engine: Engine
    missing: tuple[str, ...]


def one_pass(
    arguments: Sequence[str], environ: Mapping[str, str], narrowed: Callable[[ZoneReader], ZoneReader] | None = None
) -> Pass:
    """Make one pass with the flags of a run, as `--once` would, but without anything that could write.

    Args:
        arguments: flags.
        environ: variables.
        narrowed: wraps the reader of the zones, to read fewer.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    config = single_pass(arguments, environ)
    config = replace(config, control=replace(config.control, dry_run=True))  # nothing is told to the cluster
    with StopSignals() as signals:
        reader, _ = service(config)
        running = assembly.assemble(config, service=(narrowed(reader) if narrowed else reader, None))
        signals.deliver_to(running.controller.stop)
        running.controller.run(once=True)
    missing = unread(running.engine)
    if not running.controller.complete:
        missing = (*missing, _CUT_SHORT)
    return Pass(config=config, engine=running.engine, missing=missing)


def single_pass(arguments: Sequence[str], environ: Mapping[str, str]) -> Config:
    """Prepare the process for one pass, which has no grace, by a command, which logs errors alone.

    Raises:
        UsageError: a flag is wrong.
    """
    gc.set_threshold(ALLOCATIONS)
    config = parse(arguments, environ)
    level = config.log.level if "log-level" in parser.read(arguments, environ) else _QUIET
    log.configure(format=config.log.format, level=level)
    return replace(config, control=replace(config.control, once=True))
