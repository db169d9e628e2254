"""A plan as text for people: one record set a line, the summary last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from extdns.commands.printable import printable
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import Reason

SYMBOLS: Final = {
    Verdict.CREATE: "+",
    Verdict.UPDATE: "~",
    Verdict.DELETE: "-",
    Verdict.KEEP: "!",
    Verdict.NONE: "!",
}
# Reasons that the symbol and the object say already.
_PLAIN: Final = frozenset({Reason.WANTED, Reason.CHANGED, Reason.PROGRAMMED})
_MAX_TARGETS: Final = 3


def plan_text(decisions: Iterable[Decision], *, unchanged: bool = False) -> Iterator[str]:
    """Lines of the plan, without line ends: changes and problems by zone, then the summary.

    Args:
        decisions: in any order.
        unchanged: show records that are as they should be, too.
    """
    shown = [
        decision
        for decision in sorted(decisions, key=lambda decision: decision.order)
        if decision.concerns_us and (unchanged or decision.reason is not Reason.PROGRAMMED)
    ]
    for heading, group in groupby(shown, key=_heading):
        yield heading
        yield ""
        yield from _table(tuple(group))
        yield ""
    yield summary(shown)


def summary(decisions: Iterable[Decision]) -> str:
    """One sentence that counts what happens."""
    verdicts = Counter(decision.verdict for decision in decisions if decision.reason is not Reason.PROGRAMMED)
    parts = [
        f"{verdicts[Verdict.CREATE]} to create",
        f"{verdicts[Verdict.UPDATE]} to update",
        f"{verdicts[Verdict.DELETE]} to delete",
        f"{verdicts[Verdict.KEEP]} kept",
        f"{verdicts[Verdict.NONE]} not published",
    ]
    return ", ".join(parts) + "."


def _heading(decision: Decision) -> str:
    return f"Zone {printable(str(decision.zone))}" if decision.zone else "In no zone"


def _table(decisions: Sequence[Decision]) -> Iterator[str]:
    rows = [_row(decision) for decision in decisions]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for decision, row in zip(decisions, rows, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)]
        yield f"  {'  '.join(cells)}  {row[4]}".rstrip()
        yield from (f"       {line}" for line in _differences(decision))


def _row(decision: Decision) -> tuple[str, str, str, str, str]:
    programmed = decision.reason is Reason.PROGRAMMED
    symbol = "·" if programmed else SYMBOLS[decision.verdict]
    name = decision.name + (f" ({decision.set_identifier})" if decision.set_identifier else "")
    reason = "" if decision.reason in _PLAIN else f"[{decision.reason}]"
    return symbol, decision.type, printable(name), data(decision), f"{because(decision)}  {reason}".strip()


def data(decision: Decision) -> str:
    """The record data of *decision* for people, or what happens instead."""
    match decision.verdict:
        case Verdict.KEEP if decision.reason is not Reason.PROGRAMMED:
            return "kept"
        case Verdict.NONE:
            return "not published"
        case _:
            held = decision.held.record.targets if decision.held else ()
            return _joined(decision.wanted.targets if decision.wanted else held)


def because(decision: Decision) -> str:
    """Who asks for it, and what a person should know."""
    who = ", ".join(f"{asked.ref}: {short_field(asked.field)}" for asked in decision.asked_by[:2])
    if len(decision.asked_by) > 2:  # noqa: PLR2004 - two fit on a line
        who += f" and {len(decision.asked_by) - 2} more"
    if not who and decision.held and decision.held.resource:
        who = f"made for {decision.held.resource}"
    detail = decision.detail if decision.reason not in _PLAIN else ""
    return printable(": ".join(part for part in (who, detail) if part))


def short_field(field: str) -> str:
    """*field* without the prefix of annotations, which is the same on all: `annotation hostname`."""
    word, _, key = field.partition(" ")
    return f"{word} {key.rpartition('/')[2]}" if word == "annotation" else field


def _differences(decision: Decision) -> Iterator[str]:
    if decision.verdict is not Verdict.UPDATE or decision.held is None or decision.wanted is None:
        return
    held, wanted = decision.held.record, decision.wanted
    words = decision.detail.split(", ")
    if "targets" in words:
        yield f"target {_joined(held.targets)} → {_joined(wanted.targets)}"
    if "ttl" in words:
        yield f"ttl {held.ttl_s} s → {wanted.ttl_s} s"
    if "properties" in words:
        yield printable(f"properties {dict(held.properties)} → {dict(wanted.properties)}")


def _joined(targets: Sequence[str]) -> str:
    text = ", ".join(targets[:_MAX_TARGETS])
    more = len(targets) - _MAX_TARGETS
    return printable(f"{text} and {more} more" if more > 0 else text)
