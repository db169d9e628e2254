"""A plan as text for people: zone by zone, one record set a line with its details below, the summary last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.facts.document import ZoneFacts
from extdns.facts.nametext import place
from extdns.facts.printable import printable
from extdns.facts.words import as_known, incomplete, joined, short_field
from extdns.model.quantity import count
from extdns.model.reason import UNREAD, Reason, meaning

if TYPE_CHECKING:
    from extdns.facts.document import MistakeFacts, ObjectFacts, ZoneName
    from extdns.facts.held import HeldSet
    from extdns.facts.plan import Entry, Planned

_SYMBOLS: Final = {"create": "+", "update": "~", "delete": "-", "keep": "!", "none": "!"}
_AS_IT_SHOULD: Final = "·"
PLAIN: Final = frozenset({Reason.WANTED, Reason.CHANGED, Reason.PROGRAMMED})
"""Reasons that the symbol and the object say already."""
UP_TO_DATE: Final = "All records are already up to date"
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


def plan_text(plan: Planned, nothing: str = UP_TO_DATE, width: int | None = None) -> Iterator[str]:
    """Lines of *plan*, without line ends, for a terminal of *width*, None for a pipe.

    Changes and problems by zone, what is to be said of the whole, the summary; *nothing* as there.
    """
    for title, rows in by_zone(plan):
        yield title
        yield ""
        yield from table(rows, width)
        yield ""
    said = list(notes(plan))
    if any(one.reason not in PLAIN for one in (*plan.changes, *plan.kept)):
        said.append(("What a code in brackets means: extdns explain CODE",))
    for paragraph in said:
        yield from paragraph
        yield ""
    yield summary(plan, nothing)


def by_zone(plan: Planned) -> Iterator[tuple[str, Iterator[Row]]]:
    """The heading of each zone of which something is told, and its rows."""
    zones = {(one.name, one.id): one for one in plan.zones}  # that of a record may be gone
    for zone, group in groupby(sorted((*plan.changes, *plan.kept), key=_order), key=lambda one: one.zone):
        yield heading(zones.get((zone.name, zone.id), zone) if zone else None, plan.provider), map(row, group)


def _order(one: Entry) -> tuple[bool, str, str, str, str, str]:
    name, id_ = (one.zone.name, one.zone.id) if one.zone else ("", "")
    return (one.zone is None, name, id_, one.name, one.set_identifier, one.type)


def notes(plan: Planned) -> Iterator[tuple[str, ...]]:
    """What is to be said of the whole, a paragraph each: mistakes on objects, what is held, what is missing."""
    if plan.mistakes:
        lines = (line for wrong in plan.mistakes for line in mistake_lines(wrong))
        yield ("Mistakes on objects; each costs only itself", *lines)
    if plan.held:
        yield tuple(map(_held, plan.held))
    if plan.missing:
        yield tuple(incomplete(plan.missing))


def _held(one: HeldSet) -> str:
    deletes = count(len(one.records), "delete is", "deletes are")
    ours = count(one.owned, "record is", "records are")
    them = "it" if len(one.records) == 1 else "them"
    return printable(f"{deletes} HELD in {one.zone.name}, where {ours} ours. To let {them} go: {one.command}")


def summary(plan: Planned, nothing: str) -> str:
    """One sentence that counts what happens and what does not; *nothing* says that there is none of it."""
    if not (plan.changes or plan.kept):
        return as_known(nothing, plan.missing)
    counts, unknown = plan.summary, sum(map(_unknown, plan.kept))
    parts = [f"{counts.create} to create", f"{counts.update} to update", f"{counts.delete} to delete"]
    rest = {"kept": counts.kept, "not published": counts.not_published - unknown, "not known": unknown}
    parts += [f"{number} {what}" for what, number in rest.items() if number]
    return f"{', '.join(parts)}."


def heading(zone: ZoneFacts | ZoneName | None, provider: str) -> str:
    """Name a zone, and what stands in it if that is known."""
    if zone is None:
        return "In no zone"
    account = zone.account if isinstance(zone, ZoneFacts) else ""
    known = ", ".join(dict.fromkeys(part for part in (zone.id, account, provider) if part not in {"", zone.name}))
    named = printable(f"Zone {zone.name} ({known})")
    if not isinstance(zone, ZoneFacts):
        return named
    return f"{named}  {count(zone.records, 'record')}, {zone.ours} ours"


def table(rows: Iterable[Row], width: int | None = None) -> Iterator[str]:
    """Lines with the cells of *rows* below each other; who asks stands below where *width* is not enough."""
    shown = tuple(rows)
    lines = tuple(_table(shown)) if shown else ()
    if width is not None and any(len(line) > width for line in lines):
        lines = tuple(_table(tuple(map(_narrow, shown))))
    return iter(lines)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    columns = zip(*(one[: len(_WIDEST)] for one in rows), strict=True)
    widths = [min(widest, max(map(len, cells))) for widest, cells in zip(_WIDEST, columns, strict=True)]
    line = "  %-{}s %-{}s  %-{}s  %-{}s  %-{}s  %s".format(*widths)
    indent = " " * (2 + widths[0] + 1 + widths[1] + 2)
    for one in rows:
        yield (line % one[: len(_WIDEST) + 1]).rstrip()
        yield from (f"{indent}{text}" for text in one.below)


def _narrow(one: Row) -> Row:
    """*one* with who asks for it below, for a terminal that is not wide enough."""
    return one._replace(who="", below=tuple(part for part in (one.who, *one.below) if part))


def row(one: Entry) -> Row:
    """*one* in words, each cell safe for a terminal."""
    identifier = f" ({one.set_identifier})" if one.set_identifier else ""
    return Row(
        symbol=_AS_IT_SHOULD if one.reason == Reason.PROGRAMMED else _SYMBOLS[one.action],
        type=printable(one.type),
        name=printable(f"{one.name}{identifier}"),
        data=_data(one),
        who=printable(_who(one)),
        reason="" if one.reason in PLAIN else printable(f"[{one.reason}]"),
        below=() if one.evidence == (meaning(one.reason),) else tuple(map(printable, one.evidence)),
    )


def _data(one: Entry) -> str:
    """The record data for people, or what happens instead."""
    if one.action == "none":
        return "not known" if _unknown(one) else "not published"
    if one.action == "keep" and one.reason != Reason.PROGRAMMED:
        return "kept"
    record = one.after or one.before
    return printable(joined(record.targets)) if record else ""


def _unknown(one: Entry) -> bool:
    """Whether something may stand of which nothing is known."""
    return one.action == "none" and one.reason in UNREAD


def _who(one: Entry) -> str:
    """Who asks for it, else for whom it was made."""
    if not one.objects:
        return f"made for {one.made_for}" if one.made_for else ""
    who = ", ".join(map(_asker, one.objects[:_MAX_ASKERS]))
    more = len(one.objects) - _MAX_ASKERS
    return f"{who} and {more} more" if more > 0 else who


def _asker(one: ObjectFacts) -> str:
    derived = f" ({one.derived})" if one.derived else ""
    return f"{place(one)}: {short_field(one.field)}{derived}"


def mistake_lines(wrong: MistakeFacts) -> tuple[str, str]:
    """What is wrong, and what would be right."""
    what = f"{place(wrong)}: {short_field(wrong.field)}: {wrong.value!r} is not valid"
    return f"  ! {printable(what)}  [{wrong.reason}]", f"    allowed: {printable(wrong.allowed)}"
