"""`extdns demo`: a small shop's manifests published into zone files, live (README, "make demo")."""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from extdns import app, log
from extdns.commands.plantext import SYMBOLS, because, data, short_field, summary
from extdns.commands.printable import printable
from extdns.config import parse
from extdns.errors import UsageError
from extdns.model.claim import Notice, mistakes
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import MEANINGS, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extdns.app import Assembly

_MANIFESTS: Final = Path("examples/demo")
_ZONES: Final = Path("examples/zones")
_SCRATCH: Final = Path(".demo")
_COLOURS: Final = {Verdict.CREATE: "green", Verdict.UPDATE: "yellow", Verdict.DELETE: "red"}


def main(arguments: Sequence[str]) -> int:
    """Publish the examples; with a terminal on standard input go on until Ctrl-C, else make one pass.

    Raises:
        UsageError: an argument was given, or the examples are not below the current folder.
    """
    if arguments:
        msg = f"extdns demo takes no arguments, and {arguments[0]} was given"
        raise UsageError(msg)
    if not _MANIFESTS.is_dir() or not _ZONES.is_dir():
        msg = f"extdns demo needs {_MANIFESTS} and {_ZONES} below the current folder: start it in a checkout of extdns"
        raise UsageError(msg)
    live = sys.stdin.isatty()
    zones = _fresh_zones()
    flags = _flags(zones, live=live)
    console = Console(highlight=False)
    console.print(f"extdns {' '.join(flags)}\n", style="dim", soft_wrap=True, markup=False)
    log.configure(format="text", level="error")
    screen = _Screen(console)
    running = app.assemble(parse(flags, {}), reporter=screen)
    if not live:
        running.controller.run(once=True)
        screen.show_all(running)
        _show_files(console, zones)
        return 0
    return _go_on(running, screen, console, zones)


def _fresh_zones() -> Path:
    shutil.rmtree(_SCRATCH, ignore_errors=True)
    zones = _SCRATCH / "zones"
    shutil.copytree(_ZONES, zones)
    return zones


def _flags(zones: Path, *, live: bool) -> list[str]:
    flags = [
        f"--manifests={_MANIFESTS}",
        "--source=service",
        "--source=ingress",
        "--provider=zonefile",
        f"--zonefile-dir={zones}",
        "--txt-owner-id=demo",
        "--txt-prefix=%{record_type}-owner.",
        "--metrics-address=127.0.0.1:0",
    ]
    return flags if live else [*flags, "--once"]


def _go_on(running: Assembly, screen: _Screen, console: Console, zones: Path) -> int:
    thread = threading.Thread(target=running.controller.run, kwargs={"once": False}, name="controller")
    thread.start()
    try:
        running.controller.settled.wait()
        screen.show_all(running)
        _show_files(console, zones)
        console.print(
            f"\nWatching. Edit a file in {_MANIFESTS} (an address, a host name) and see what happens; Ctrl-C ends.\n"
        )
        screen.follow()
        thread.join()
    except KeyboardInterrupt:
        console.print("\nStopping; the zone files stay in", zones)
    finally:
        running.controller.stop()
        thread.join()
    return 0


def _show_files(console: Console, zones: Path) -> None:
    for path in sorted(zones.glob("*.zone")):
        console.print(f"\n{path}", style="bold")
        console.print(path.read_text(encoding="utf-8").rstrip(), markup=False, soft_wrap=True)


class _Screen:
    """Shows decisions; implements `extdns.ports.Reporter`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._following = False

    def tell(self, decisions: Iterable[Decision]) -> None:
        """Show decisions as they fall, once the first pass has been shown."""
        if self._following:
            for decision in (one for one in decisions if one.concerns_us):
                self._console.print(_line(decision), soft_wrap=True)

    def follow(self) -> None:
        """From now on show each decision."""
        self._following = True

    def show_all(self, running: Assembly) -> None:
        """Show every name once: what is published, what is not, and why."""
        decisions = [decision for decision in running.engine.decisions if decision.concerns_us]
        published = [decision for decision in decisions if decision.reason is Reason.PROGRAMMED]
        rest = [decision for decision in decisions if decision.reason is not Reason.PROGRAMMED]
        wrong = [
            (key, mistake) for key, claims in sorted(running.engine.claims.objects()) for mistake in mistakes(claims)
        ]
        self._console.print(_table("Published", published))
        self._console.print()
        self._console.print(_table("Not published, and why", rest))
        self._console.print()
        self._console.print(_mistakes(wrong))
        self._console.print()
        for reason in sorted({decision.reason for decision in rest} | {mistake.reason for _, mistake in wrong}):
            self._console.print(f"  [bold]{reason}[/bold]  {escape(MEANINGS[reason])}")
        self._console.print(f"\n{len(published)} records published; {summary(rest)}")


def _mistakes(wrong: Iterable[tuple[ObjectKey, Notice]]) -> Table:
    table = Table(
        title="Mistakes on objects; each costs only itself",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for heading in ("", "object", "field", "value", "allowed"):
        table.add_column(heading, overflow="fold")
    for key, mistake in wrong:
        place = f"{key.kind.name} {key.namespace}/{key.name}"
        cells = (place, short_field(mistake.field), repr(mistake.value), f"{mistake.allowed} [{mistake.reason}]")
        table.add_row("!", *(escape(printable(cell)) for cell in cells))
    return table


def _table(title: str, decisions: Iterable[Decision]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "type", "name", "target", "asked for by"):
        table.add_column(heading, overflow="fold", no_wrap=heading in {"", "type", "name"})
    for decision in decisions:
        table.add_row(*_cells(decision))
    return table


def _cells(decision: Decision) -> tuple[str, str, str, str, str]:
    published = decision.reason is Reason.PROGRAMMED
    reason = "" if published else f" \\[{decision.reason}]"
    return (
        "·" if published else SYMBOLS[decision.verdict],
        decision.type,
        escape(decision.name) + (f" ({escape(decision.set_identifier)})" if decision.set_identifier else ""),
        escape(data(decision)),
        escape(because(decision)) + reason,
    )


def _line(decision: Decision) -> str:
    symbol, rtype, name, target, why = _cells(decision)
    colour = _COLOURS.get(decision.verdict, "default")
    return f"  [{colour}]{symbol} {rtype:6}[/{colour}] {name}  {target}  [dim]{why}[/dim]"
