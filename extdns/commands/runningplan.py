"""The plan of a running process, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from extdns.commands.plantext import PLAIN, SYMBOLS, Row, heading, table
from extdns.facts.holding import Holding
from extdns.facts.nametext import place
from extdns.facts.printable import printable
from extdns.facts.words import joined, short_field
from extdns.model.decision import Verdict
from extdns.model.name import DnsName
from extdns.model.reason import MEANINGS, Reason
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from extdns.facts.document import ObjectFacts, ZoneFacts
    from extdns.facts.plan import Entry, RunningPlan

_MOST_ASKERS = 2


def running_plan_text(plan: RunningPlan, width: int | None) -> Iterator[str]:
    """Lines of *plan*, each safe for a terminal of *width*: by zone, what is to be said of the whole, the summary."""
    zones = {one.id: _zone(one) for one in plan.zones}
    holdings = {zones[one.id]: Holding(one.records, one.ours) for one in plan.zones}
    entries = sorted((*plan.changes, *plan.kept), key=_order)
    for zone, group in groupby(entries, key=lambda one: zones.get(one.zone.id) if one.zone else None):
        yield heading(zone, holdings, plan.provider)
        yield ""
        yield from table(map(_row, group), width)
        yield ""
    yield from _notes(plan)
    yield _summary(plan)


def _order(one: Entry) -> tuple[bool, str, str, str, str, str]:
    name, id_ = (one.zone.name, one.zone.id) if one.zone else ("", "")
    return (one.zone is None, name, id_, one.name, one.set_identifier, one.type)


def _zone(one: ZoneFacts) -> Zone:
    return Zone(name=DnsName(one.name), id=one.id, account=one.account, private=one.private)


def _row(one: Entry) -> Row:
    reason = Reason(one.reason)
    identifier = f" ({one.set_identifier})" if one.set_identifier else ""
    evidence = () if one.evidence == (MEANINGS[reason],) else one.evidence
    return Row(
        symbol=SYMBOLS[Verdict(one.action)],
        type=printable(one.type),
        name=printable(f"{one.name}{identifier}"),
        data=_data(one),
        who=printable(_who(one)),
        reason="" if reason in PLAIN else f"[{reason}]",
        below=tuple(map(printable, evidence)),
    )


def _data(one: Entry) -> str:
    if one.action == "keep":
        return "kept"
    if one.action == "none":
        return "not published"
    record = one.after or one.before
    return printable(joined(record.targets)) if record else ""


def _who(one: Entry) -> str:
    if not one.objects:
        return f"made for {one.made_for}" if one.made_for else ""
    more = len(one.objects) - _MOST_ASKERS
    who = ", ".join(map(_asker, one.objects[:_MOST_ASKERS]))
    return f"{who} and {more} more" if more > 0 else who


def _asker(one: ObjectFacts) -> str:
    return f"{place(one)}: {short_field(one.field)}{f' ({one.derived})' if one.derived else ''}"


def _notes(plan: RunningPlan) -> Iterator[str]:
    if plan.mistakes:
        yield "Mistakes on objects; each costs only itself"
    for wrong in plan.mistakes:
        where = f"{wrong.namespace}/{wrong.name}" if wrong.namespace else wrong.name
        what = f"{wrong.kind} {where}: {short_field(wrong.field)}: {wrong.value!r} is not valid"
        yield f"  ! {printable(what)}  [{wrong.reason}]"
        yield f"    allowed: {printable(wrong.allowed)}"
    for one in plan.held:
        deletes = "1 delete is" if len(one.records) == 1 else f"{len(one.records)} deletes are"
        what = f"{deletes} HELD in {one.zone.name}, where {one.owned} records are ours"
        yield printable(f"{what}. To let them go: {one.command}")
    for sentence in plan.missing:
        yield printable(f"INCOMPLETE: {sentence}")
    if plan.mistakes or plan.held or plan.missing:
        yield ""


def _summary(plan: RunningPlan) -> str:
    counts = plan.summary
    if not (plan.changes or plan.kept):
        return "All records are already up to date."
    parts = [f"{counts.create} to create", f"{counts.update} to update", f"{counts.delete} to delete"]
    parts += [f"{counts.kept} kept"] * bool(counts.kept)
    parts += [f"{counts.not_published} not published"] * bool(counts.not_published)
    return f"{', '.join(parts)}."
