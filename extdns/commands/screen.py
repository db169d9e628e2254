"""What a person sees of names while the demo runs; colour only adds to symbols and words."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from extdns.commands.output import show, show_lines
from extdns.commands.plantext import Row, mistake_lines, row, table
from extdns.errors import escaped
from extdns.facts.document import mistake_facts
from extdns.facts.plan import entry
from extdns.facts.words import mistaken
from extdns.model.quantity import count
from extdns.model.reason import MEANINGS, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.console import Console

    from extdns.model.claim import Claim
    from extdns.model.cluster import ObjectKey
    from extdns.model.decision import Decision

_COLOURS: Final = {"+": "green", "~": "yellow", "-": "red"}
_SYMBOL_AT: Final = 2


class Screen:
    """Writes to standard output; implements `extdns.ports.Reporter`.

    What comes from objects and zones is never markup: only `Text` is printed.
    """

    def __init__(self) -> None:
        """Look at what standard output is."""
        self._console = _console()
        self._following = False

    def tell(self, decisions: Sequence[Decision]) -> None:
        """Show decisions as they fall, once `follow` was called."""
        if self._following:
            self._show_rows(row(entry(decision)) for decision in decisions if decision.concerns_us)

    def follow(self) -> None:
        """From now on show each decision."""
        self._following = True

    def say(self, text: str, style: str = "") -> None:
        """Print *text*, which may hold line ends, whatever else it holds."""
        safe = "\n".join(map(escaped, text.split("\n")))
        show(_coloured(self._console, safe, style) if self._console else f"{safe}\n")

    def show_command(self, flags: Sequence[str]) -> None:
        """Show how to do by hand what is done."""
        self.say(f"extdns {' '.join(flags)}\n", "dim")

    def show_names(self, decisions: Iterable[Decision]) -> None:
        """Show every name once: what is published, what is not, and why."""
        concerning = [decision for decision in decisions if decision.concerns_us]
        published = [decision for decision in concerning if decision.reason is Reason.PROGRAMMED]
        rest = [decision for decision in concerning if decision.reason is not Reason.PROGRAMMED]
        self.say("Published", "bold")
        self._show_rows(row(entry(decision)) for decision in published)
        if rest:
            self.say("\nNot published, and why", "bold")
            self._show_rows(row(entry(decision)) for decision in rest)
            self.say("")
        for reason in sorted({decision.reason for decision in rest}):
            self.say(f"  {reason}: {MEANINGS[reason]}", "dim")
        verb, others = ("is" if len(found) == 1 else "are" for found in (published, rest))
        self.say(f"\n{count(len(published), 'record')} {verb} published, {len(rest)} {others} not as objects ask.")

    def show_mistakes(self, objects: Iterable[tuple[ObjectKey, Iterable[Claim]]]) -> None:
        """Show what is wrong on objects, if anything is."""
        wrong = tuple(mistaken(objects))
        if wrong:
            self.say("\nMistakes on objects; each costs only itself", "bold")
        for key, mistake in wrong:
            self.say("\n".join(mistake_lines(mistake_facts(key, mistake))))

    def show_file(self, path: Path) -> None:
        """Show a file as it is."""
        self.say(f"\n{path}", "bold")
        self.say(path.read_text(encoding="utf-8", errors="replace").rstrip())

    def show_lines(self, lines: Iterable[str]) -> None:
        """Show lines of a table, each in the colour of its symbol."""
        if self._console is None:
            show_lines(lines)
            return
        for line in lines:
            self.say(line, _COLOURS.get(line[_SYMBOL_AT : _SYMBOL_AT + 1], ""))

    @property
    def width(self) -> int | None:
        """Of the terminal, None if there is none."""
        return self._console.width if self._console else None

    def _show_rows(self, rows: Iterable[Row]) -> None:
        self.show_lines(table(rows, self.width))


def _console() -> Console | None:
    """The terminal that standard output is, or that `FORCE_COLOR` makes of it; None if it is none."""
    if sys.stdout is None or not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        return None
    from rich.console import Console  # noqa: PLC0415 - pipes have no use for what takes a while to load

    console = Console(highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else None


def _coloured(console: Console, text: str, style: str) -> str:
    from rich.text import Text  # noqa: PLC0415 - as the console

    with console.capture() as capture:
        console.print(Text(text, style=style), soft_wrap=True)
    return capture.get()
