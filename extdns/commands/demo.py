"""`extdns demo`: publish the manifests of a small shop into zone files (`make demo`)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.app import assembly
from extdns.commands.screen import Screen
from extdns.config import parse
from extdns.controller.exit_codes import DONE, FAILED
from extdns.controller.stop_signals import StopSignals
from extdns.errors import UsageError, sanitize, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.app.assembly import Assembly

_MANIFESTS: Final = Path("examples/demo")
_ZONES: Final = Path("examples/zones")
_SCRATCH: Final = Path(".demo")


def main(arguments: Sequence[str], _: Mapping[str, str]) -> int:
    """Publish the examples: until Ctrl-C if standard input is a terminal, otherwise in one pass.

    Return the exit code: 1 if the pass was interrupted, otherwise 0, although some examples have invalid values.

    Raises:
        UsageError: an argument was given, the current folder lacks the examples, or the zone files cannot be written.
    """
    if arguments:
        raise UsageError(f"extdns demo takes no arguments, and {sanitize(arguments[0])} was given")
    if not _MANIFESTS.is_dir() or not _ZONES.is_dir():
        raise UsageError(
            f"extdns demo needs the folders {_MANIFESTS} and {_ZONES}; start it in a checkout of the extdns repository"
        )
    live = sys.stdin is not None and sys.stdin.isatty()
    flags = _build_flags(_copy_zones(), once=not live)
    screen = Screen()
    screen.show_command(flags)
    log.configure(format="text", level="error")
    with StopSignals() as signals:
        running = assembly.assemble(parse(flags, {}), reporter=screen)
        signals.deliver_to(running.controller.stop)
        try:
            running.controller.run(
                once=not live, on_first_pass=(lambda: _show_and_follow(running, screen)) if live else None
            )
        finally:
            running.page.close()
    if not running.controller.first_pass_done.is_set():
        return FAILED
    if live:
        screen.print(f"\nStopped. The zone files are in {_SCRATCH / 'zones'}.")
    else:
        _show_first_pass(running, screen)
    return DONE


def _copy_zones() -> Path:
    zones = _SCRATCH / "zones"
    try:
        if zones.exists():
            shutil.rmtree(zones)
        shutil.copytree(_ZONES, zones)
    except OSError as exc:
        raise UsageError(
            f"extdns demo cannot write the folder {zones}: {exc.strerror or shorten(str(exc))}\n"
            f"  remove {_SCRATCH}, or start it in a folder that you can write"
        ) from exc
    return zones


def _build_flags(zones: Path, *, once: bool) -> list[str]:
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


def _show_and_follow(running: Assembly, screen: Screen) -> None:
    """Show the first pass, and from then on every change."""
    _show_first_pass(running, screen)
    screen.print(f"\n{_start_page(running)}")
    screen.print(f"\nWatching. Edit an address or a hostname in {_MANIFESTS}, and see what happens. Ctrl-C stops.\n")
    screen.follow()


def _start_page(running: Assembly) -> str:
    """Serve the live page if its port is free. Return the line that says where."""
    try:
        running.page.start()
    except UsageError as exc:
        return f"No live page: {str(exc).splitlines()[0]}"
    return f"The live page: http://127.0.0.1:{running.page.port}/"


def _show_first_pass(running: Assembly, screen: Screen) -> None:
    screen.show_names(running.engine.decisions)
    screen.show_problems(running.engine.claims.objects())
    for path in sorted((_SCRATCH / "zones").glob("*.zone")):
        screen.show_file(path)
