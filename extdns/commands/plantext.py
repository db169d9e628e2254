"""A plan as text for people: zone by zone, one record set a line with its details below, the summary last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from extdns.facts.holding import Holding
from extdns.facts.printable import printable
from extdns.facts.words import below, joined, short_field, told
from extdns.model.claim import Notice, Provenance
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import Reason
from extdns.model.zone import Zone

SYMBOLS: Final = {
    Verdict.CREATE: "+",
    Verdict.UPDATE: "~",
    Verdict.DELETE: "-",
    Verdict.KEEP: "!",
    Verdict.NONE: "!",
}
_COUNTED: Final = {
    Verdict.CREATE: "to create",
    Verdict.UPDATE: "to update",
    Verdict.DELETE: "to delete",
    Verdict.KEEP: "kept",
    Verdict.NONE: "not published",
}
_AS_IT_SHOULD: Final = "·"
PLAIN: Final = frozenset({Reason.WANTED, Reason.CHANGED, Reason.PROGRAMMED})
"""Reasons that the symbol and the object say already."""
_MAX_ASKERS: Final = 2
_WIDEST: Final = (1, 10, 60, 45, 50)
"""A cell that is longer sticks out; it does not push all others aside."""


class Row(NamedTuple):
    """One decision in words."""

    symbol: str
    type: str
    name: str
    data: str
    who: str
    reason: str
    below: tuple[str, ...]


def plan_text(
    decisions: Iterable[Decision],
    holdings: Mapping[Zone, Holding],
    *,
    provider: str,
    unchanged: bool = False,
    width: int | None = None,
    notes: Iterable[str] = (),
) -> Iterator[str]:
    """Lines of the plan, without line ends: changes and problems by zone, then the summary.

    Args:
        decisions: in any order.
        holdings: what stands in each zone.
        provider: as `--provider` names it.
        unchanged: show records that are as they should be, too.
        width: of the terminal, None for a pipe.
        notes: what stands before the summary.
    """
    shown = told(decisions, unchanged=unchanged)
    for zone, group in groupby(shown, key=lambda decision: decision.zone):
        yield heading(zone, holdings, provider)
        yield ""
        yield from table(map(row, group), width)
        yield ""
    yield from notes
    yield summary(shown)


def summary(decisions: Iterable[Decision]) -> str:
    """One sentence that counts what happens and what does not."""
    verdicts = Counter(decision.verdict for decision in decisions if decision.reason is not Reason.PROGRAMMED)
    if not verdicts:
        return "All records are already up to date."
    always = {Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE}
    parts = (f"{verdicts[verdict]} {words}" for verdict, words in _COUNTED.items() if verdict in always | set(verdicts))
    return f"{', '.join(parts)}."


def heading(zone: Zone | None, holdings: Mapping[Zone, Holding], provider: str) -> str:
    """Name a zone, and what stands in it."""
    if zone is None:
        return "In no zone"
    known = ", ".join(dict.fromkeys(part for part in (zone.id, zone.account, provider) if part not in {"", zone.name}))
    holding = holdings.get(zone)
    counts = f"  {holding.records} record{'s' * (holding.records != 1)}, {holding.ours} ours" if holding else ""
    return printable(f"Zone {zone.name} ({known})") + counts


def table(rows: Iterable[Row], width: int | None = None) -> Iterator[str]:
    """Lines with the cells of *rows* below each other; who asks stands below where *width* is not enough."""
    shown = tuple(rows)
    lines = tuple(_table(shown)) if shown else ()
    if width is not None and any(len(line) > width for line in lines):
        lines = tuple(_table(tuple(map(_narrow, shown))))
    return iter(lines)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    cells = [(one, (one.symbol, one.type, one.name, one.data, one.who)) for one in rows]
    widths = [min(widest, max(len(texts[at]) for _, texts in cells)) for at, widest in enumerate(_WIDEST)]
    indent = " " * (2 + widths[0] + 1 + widths[1] + 2)
    for one, texts in cells:
        symbol, *others = (text.ljust(width) for text, width in zip(texts, widths, strict=True))
        yield f"  {symbol} {'  '.join((*others, one.reason))}".rstrip()
        yield from (f"{indent}{line}" for line in one.below)


def _narrow(one: Row) -> Row:
    """*one* with who asks for it below, for a terminal that is not wide enough."""
    return one._replace(who="", below=tuple(part for part in (one.who, *one.below) if part))


def row(decision: Decision) -> Row:
    """*decision* in words, each cell safe for a terminal."""
    identifier = f" ({decision.set_identifier})" if decision.set_identifier else ""
    return Row(
        symbol=_AS_IT_SHOULD if decision.reason is Reason.PROGRAMMED else SYMBOLS[decision.verdict],
        type=printable(decision.type),
        name=printable(f"{decision.name}{identifier}"),
        data=_data(decision),
        who=printable(_who(decision)),
        reason="" if decision.reason in PLAIN else f"[{decision.reason}]",
        below=tuple(map(printable, below(decision))),
    )


def _data(decision: Decision) -> str:
    """The record data for people, or what happens instead."""
    match decision.verdict:
        case Verdict.KEEP if decision.reason is not Reason.PROGRAMMED:
            return "kept"
        case Verdict.NONE:
            return "not published"
        case _:
            held = decision.held.record.targets if decision.held else ()
            return printable(joined(decision.wanted.targets if decision.wanted else held))


def _who(decision: Decision) -> str:
    """Who asks for it, else for whom it was made."""
    if not decision.asked_by:
        return f"made for {decision.held.resource}" if decision.held and decision.held.resource else ""
    who = ", ".join(map(_asker, decision.asked_by[:_MAX_ASKERS]))
    more = len(decision.asked_by) - _MAX_ASKERS
    return f"{who} and {more} more" if more > 0 else who


def _asker(asked: Provenance) -> str:
    derived = f" ({asked.derived})" if asked.derived else ""
    return f"{asked.ref}: {short_field(asked.field)}{derived}"


def mistake_lines(key: ObjectKey, mistake: Notice) -> tuple[str, str]:
    """What is wrong, and what would be right."""
    place = f"{key.namespace}/{key.name}" if key.namespace else key.name
    what = f"{key.kind.name} {place}: {short_field(mistake.field)}: {mistake.value!r} is not valid"
    return f"  ! {printable(what)}  [{mistake.reason}]", f"    allowed: {printable(mistake.allowed)}"
