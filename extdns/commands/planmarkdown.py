"""A plan as GitHub and GitLab show it in a comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

from extdns.commands.plantext import heading, row
from extdns.facts.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.facts.holding import Holding
    from extdns.model.decision import Decision
    from extdns.model.zone import Zone

_HEAD: Final = ("| | Name | Type | Change | Object | Reason |", "|---|---|---|---|---|---|")
_ESCAPES: Final = {"`": r"\x60", "|": r"\x7c"}


def plan_markdown(
    shown: Sequence[Decision], holdings: Mapping[Zone, Holding], notes: Iterable[str], summary: str, *, provider: str
) -> Iterator[str]:
    """Lines of the plan: a table a zone, then *notes* and the *summary*.

    Args:
        shown: decisions in their order, those of one zone together.
        holdings: what stands in each zone.
        notes: what else is to be said, a line each.
        summary: the last line.
        provider: as `--provider` names it.
    """
    for zone, group in groupby(shown, key=lambda decision: decision.zone):
        yield f"**{_code(heading(zone, holdings, provider))}**"
        yield ""
        yield from _HEAD
        yield from map(_row, group)
        yield ""
    for note in notes:
        yield f"- {_code(note)}"
    yield ""
    yield summary


def _row(decision: Decision) -> str:
    one = row(decision)
    change = "<br>".join(_code(text) for text in (one.data, *one.below) if text)
    cells = (_code(one.symbol), _code(one.name), _code(one.type), change, _code(one.who), _code(one.reason))
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """*text* as a code span, in which nothing is markup and nobody is mentioned; what would end it is escaped."""
    safe = "".join(_ESCAPES.get(character, character) for character in printable(text)).strip()
    return f"`{safe}`" if safe else ""
