"""A plan as GitHub and GitLab show it in a comment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extdns.commands.plantext import UP_TO_DATE, by_zone, notes, summary
from extdns.facts.printable import printable

if TYPE_CHECKING:
    from extdns.commands.plantext import Row
    from extdns.facts.plan import Planned

_HEAD: Final = ("| | Name | Type | Change | Object | Reason |", "|---|---|---|---|---|---|")
_ESCAPES: Final = str.maketrans({"`": r"\x60", "|": r"\x7c"})


def plan_markdown(plan: Planned, nothing: str = UP_TO_DATE) -> Iterator[str]:
    """Lines of *plan*, without line ends: a table a zone, what is to be said of the whole, the summary as of texts."""
    for title, rows in by_zone(plan):
        yield f"**{_code(title)}**"
        yield ""
        yield from _HEAD
        yield from map(_line, rows)
        yield ""
    for paragraph in notes(plan):
        yield from (f"- {_code(line)}" for line in paragraph)
    yield ""
    yield summary(plan, nothing)


def _line(one: Row) -> str:
    change = "<br>".join(_code(text) for text in (one.data, *one.below) if text)
    cells = (_code(one.symbol), _code(one.name), _code(one.type), change, _code(one.who), _code(one.reason))
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """*text* as a code span, in which nothing is markup and nobody is mentioned; what would end it is escaped."""
    safe = printable(text).translate(_ESCAPES).strip()
    return f"`{safe}`" if safe else ""
