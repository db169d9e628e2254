"""Print tables of names and plans, in colour if standard output is a terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from extdns.commands.output import show, show_lines
from extdns.documents.plan import PlanRow, build_entry, build_plan_row, describe_problem, format_table
from extdns.documents.text import list_problems
from extdns.errors import escape_unprintable
from extdns.model.reason import Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from rich.console import Console

    from extdns.model.change import Decision
    from extdns.model.claim import Claim
    from extdns.model.kind import ObjectKey

_COLOURS: Final = {"+": "green", "~": "yellow", "-": "red"}
_SYMBOL_AT: Final = 2
_SYMBOLS: Final = "Symbols:  · published    + to create    ~ to update    - to delete    ! kept or not published"


class Screen:
    """Writes to standard output.

    Values from objects and zones are printed as plain text, never as markup.
    """

    def __init__(self) -> None:
        self._console = _find_console()
        self._describe_wait: Callable[[Decision], str] | None = None

    def report(self, decisions: Sequence[Decision]) -> None:
        """Print the new decisions that are relevant (`Decision.is_relevant`), if `follow` was called before."""
        if self._describe_wait:
            self._show_rows(self._build_row(decision) for decision in decisions if decision.is_relevant)

    def follow(self, describe_wait: Callable[[Decision], str]) -> None:
        """Print each new decision from now on, with what *describe_wait* returns in a line below it."""
        self._describe_wait = describe_wait

    def print(self, text: str, style: str = "") -> None:
        """Print *text*; escape all unprintable characters except line ends."""
        safe = "\n".join(map(escape_unprintable, text.split("\n")))
        show(_render(self._console, safe, style) if self._console else f"{safe}\n")

    def show_names(self, decisions: Iterable[Decision]) -> None:
        """Show the relevant decisions: first those about published records, then the others with their reasons."""
        relevant = [decision for decision in decisions if decision.is_relevant]
        published = [decision for decision in relevant if decision.reason is Reason.PUBLISHED]
        rest = [decision for decision in relevant if decision.reason is not Reason.PUBLISHED]
        self.print(_SYMBOLS, "dim")
        self.print("\nPublished", "bold")
        self._show_rows(build_plan_row(build_entry(decision)) for decision in published)
        if rest:
            self.print("\nNot published, and why", "bold")
            self._show_rows(build_plan_row(build_entry(decision)) for decision in rest)
            self.print("")
        for reason in sorted({decision.reason for decision in rest}):
            self.print(f"  {reason}: {reason.row.text}", "dim")
        verb, rest_verb = ("is" if len(found) == 1 else "are" for found in (published, rest))
        self.print(
            f"\n{format_count(len(published), 'record')} {verb} published, "
            f"{len(rest)} {rest_verb} not as objects request."
        )

    def show_problems(self, objects: Iterable[tuple[ObjectKey, Iterable[Claim]]]) -> None:
        """Show the invalid values on objects, if there are any."""
        problems = tuple(list_problems(objects))
        if problems:
            self.print("\nInvalid objects (other records unaffected)", "bold")
        for problem in problems:
            self.print("\n".join(describe_problem(problem)))

    def show_file(self, path: Path) -> None:
        """Show the content of a file."""
        self.print(f"\n{path}", "bold")
        self.print(path.read_text(encoding="utf-8", errors="replace").rstrip())

    def show_lines(self, lines: Iterable[str]) -> None:
        """Show lines of a table, each in the colour of its symbol."""
        if self._console is None:
            show_lines(lines)
            return
        for line in lines:
            self.print(line, _COLOURS.get(line[_SYMBOL_AT : _SYMBOL_AT + 1], ""))

    @property
    def width(self) -> int | None:
        """The width of the terminal, None if standard output is not a terminal."""
        return self._console.width if self._console else None

    def _build_row(self, decision: Decision) -> PlanRow:
        row = build_plan_row(build_entry(decision))
        wait = self._describe_wait(decision) if self._describe_wait else ""
        return row._replace(below=(*row.below, wait)) if wait else row

    def _show_rows(self, rows: Iterable[PlanRow]) -> None:
        self.show_lines(format_table(rows, self.width))


def _find_console() -> Console | None:
    """Return the terminal of standard output; None if it is not a terminal. `FORCE_COLOR` makes it count as one."""
    if sys.stdout is None or not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        return None
    from rich.console import Console  # slow to import, and not needed in a pipe

    console = Console(highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else None


def _render(console: Console, text: str, style: str) -> str:
    from rich.text import Text

    with console.capture() as capture:
        console.print(Text(text, style=style), soft_wrap=True)
    return capture.get()
