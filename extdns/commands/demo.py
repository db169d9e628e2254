"""`extdns demo`: a small shop's manifests published into zone files, live (README, "make demo")."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.app import assembly
from extdns.commands.screen import Screen
from extdns.config import parse
from extdns.controller.ending import DONE, FAILED
from extdns.controller.stopsignals import StopSignals
from extdns.errors import UsageError, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.app.assembly import Assembly

_MANIFESTS: Final = Path("examples/demo")
_ZONES: Final = Path("examples/zones")
_SCRATCH: Final = Path(".demo")
HELP: Final = f"""\
Usage: extdns demo

Publishes the manifests of {_MANIFESTS} into copies of the zone files of {_ZONES}, below {_SCRATCH}. With a
terminal it goes on until Ctrl-C, and shows what comes of edited manifests; else it makes one pass.
"""


def main(arguments: Sequence[str], _: Mapping[str, str]) -> int:
    """Publish the examples; with a terminal on standard input go on until Ctrl-C, else make one pass.

    Returns the exit code: 0 whatever the examples' mistakes cost, 1 if the pass was not complete.

    Raises:
        UsageError: an argument was given, the examples are not below the current folder, or the
            scratch folder cannot be written.
    """
    if arguments:
        raise UsageError(f"extdns demo takes no arguments, and {shown(arguments[0])} was given")
    if not _MANIFESTS.is_dir() or not _ZONES.is_dir():
        raise UsageError(
            f"extdns demo needs {_MANIFESTS} and {_ZONES} below the current folder: start it in a checkout of extdns"
        )
    live = sys.stdin is not None and sys.stdin.isatty()
    flags = _flags(_fresh_zones(), once=not live)
    screen = Screen()
    screen.show_command(flags)
    log.configure(format="text", level="error")
    with StopSignals() as signals:
        running = assembly.assemble(parse(flags, {}), reporter=screen)
        signals.deliver_to(running.controller.stop)
        try:
            running.controller.run(once=not live, on_settled=(lambda: _begin(running, screen)) if live else None)
        finally:
            running.page.close()
    if not running.controller.settled.is_set():
        return FAILED
    if live:
        screen.say(f"\nStopped; the zone files stay in {_SCRATCH / 'zones'}.")
    else:
        _show_first(running, screen)
    return DONE


def _fresh_zones() -> Path:
    zones = _SCRATCH / "zones"
    try:
        if zones.exists():
            shutil.rmtree(zones)
        shutil.copytree(_ZONES, zones)
    except OSError as exc:
        raise UsageError(
            f"extdns demo cannot write the folder {zones}: {exc.strerror or shortened(str(exc))}\n"
            f"  remove {_SCRATCH}, or start it in a folder where files can be made"
        ) from exc
    return zones


def _flags(zones: Path, *, once: bool) -> list[str]:
    flags = [
        f"--manifests={_MANIFESTS}",
        "--source=service",
        "--source=ingress",
        "--provider=zonefile",
        f"--zonefile-dir={zones}",
        "--txt-owner-id=demo",
        "--txt-prefix=%{record_type}-owner.",
    ]
    return [*flags, "--once"] if once else flags


def _begin(running: Assembly, screen: Screen) -> None:
    """The first pass is over, and the engine waits: show it, and from now on what changes."""
    _show_first(running, screen)
    screen.say(f"\n{_page(running)}")
    screen.say(
        f"\nWatching. Edit a file in {_MANIFESTS} (an address, a host name) and see what happens; Ctrl-C ends.\n"
    )
    screen.follow()


def _page(running: Assembly) -> str:
    """Serve the live page, if its address is free, and say where."""
    try:
        running.page.start()
    except UsageError as exc:
        return f"No live page: {str(exc).splitlines()[0]}"
    return f"The live page: http://127.0.0.1:{running.page.port}/"


def _show_first(running: Assembly, screen: Screen) -> None:
    screen.show_names(running.engine.decisions)
    screen.show_mistakes(running.engine.claims.objects())
    for path in sorted((_SCRATCH / "zones").glob("*.zone")):
        screen.show_file(path)
