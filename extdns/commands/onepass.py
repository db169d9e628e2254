"""One pass that only looks: what commands rest on that tell what extdns would do."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from extdns import log
from extdns.app import assembly
from extdns.app.services import service
from extdns.config import parse
from extdns.controller.stopsignals import StopSignals
from extdns.engine.health import unread
from extdns.facts.words import mistaken, told
from extdns.flags import parser
from extdns.flags.cluster import STANDARD_INPUT
from extdns.flags.mistakes import mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from extdns.app.assembly import Assembly
    from extdns.config import Config
    from extdns.engine.engine import Engine
    from extdns.model.claim import Notice
    from extdns.model.cluster import ObjectKey
    from extdns.model.decision import Decision
    from extdns.ports import State, ZoneReader

# As in `extdns.commands.run`, but a pass is over before garbage adds up.
_ALLOCATIONS: Final = 1_000_000
_QUIET: Final = "error"
_CUT_SHORT: Final = "the pass ended before it was complete"


class Pass(NamedTuple):
    """A pass that was made.

    Attributes:
        missing: one sentence for each thing that could not be read, so that what is told is not all.
        decisions: what a plan tells of it, in its order.
        mistakes: what is wrong on objects, in their order.
        base: of what it is the difference, "" if it is all.
    """

    config: Config
    engine: Engine
    missing: tuple[str, ...]
    decisions: tuple[Decision, ...]
    mistakes: tuple[tuple[ObjectKey, Notice], ...]
    base: str = ""


def seen(config: Config, engine: Engine, missing: Iterable[str] = ()) -> Pass:
    """What *engine* has come to, and *missing* beside what it could not read."""
    return Pass(
        config=config,
        engine=engine,
        missing=(*unread(engine), *missing),
        decisions=tuple(told(engine.decisions)),
        mistakes=tuple(mistaken(engine.claims.objects())),
    )


def over(config: Config, running: Assembly) -> Pass:
    """What *running* has come to, now that it has ended."""
    return seen(config, running.engine, () if running.controller.complete else (_CUT_SHORT,))


def asked(config: Config) -> ZoneReader:
    """The DNS service itself."""
    return service(config)[0]


def one_pass(
    arguments: Sequence[str], environ: Mapping[str, str], reader: Callable[[Config], ZoneReader] = asked
) -> Pass:
    """Make one pass with the flags of a run, as `--once` would, but without anything that could write.

    Args:
        arguments: flags.
        environ: variables.
        reader: reads the zones; it need not be the DNS service itself.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    return look(single_pass(arguments, environ), reader)


def look(config: Config, reader: Callable[[Config], ZoneReader] = asked, state: State | None = None) -> Pass:
    """As `one_pass`, with what the flags say, but for another place for *state* if there is one.

    Raises:
        UsageError: something in *config* cannot be used.
    """
    config = replace(config, control=replace(config.control, dry_run=True))  # nothing is told to the cluster
    with StopSignals() as signals:
        running = assembly.assemble(config, service=(reader(config), None), state=state)
        signals.deliver_to(running.controller.stop)
        running.controller.run(once=True)
    return over(config, running)


def ensure_files(config: Config, what: str) -> None:
    """Let *what* look at the objects more than once.

    Raises:
        UsageError: they come from standard input, which can be read once.
    """
    if STANDARD_INPUT in config.cluster.manifests:
        raise mistake(f"{what} reads the objects more than once, and standard input can be read once", "give files")


def single_pass(arguments: Sequence[str], environ: Mapping[str, str]) -> Config:
    """Prepare the process for one pass, which has no grace, by a command, which logs errors alone.

    Raises:
        UsageError: a flag is wrong.
    """
    gc.set_threshold(_ALLOCATIONS)
    config = parse(arguments, environ)
    level = config.log.level if "log-level" in parser.read(arguments, environ) else _QUIET
    log.configure(format=config.log.format, level=level)
    return replace(config, control=replace(config.control, once=True))
