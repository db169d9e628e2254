"""`extdns status`: what is held, deleted and released, as the state tells it, or a running process (design 6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from extdns.commands import running
from extdns.commands.forms import show_facts
from extdns.commands.held import held_sets, place, zone_text
from extdns.commands.heldtext import headline, record_text, running_text, why
from extdns.commands.options import JSON, output_of
from extdns.commands.output import show, show_lines
from extdns.commands.statusfacts import status_facts
from extdns.controller.clock import SystemClock
from extdns.engine.budget import WINDOW_S
from extdns.errors import ExtdnsError, UsageError, shown
from extdns.facts.document import json_text
from extdns.facts.held import HeldFacts
from extdns.facts.times import moment, span
from extdns.kube import shelf
from extdns.model.quantity import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.kube.places import Place
    from extdns.kube.shelf import Document
    from extdns.model.saved import SavedZone
    from extdns.ports import Clock

HELP: Final = """\
Usage: extdns status [--output=text|json] [flags]
       extdns status --controller=URL [--output=text|json]

Shows the deletes that are held, with the command that releases them, and what was deleted and released lately. Flags
and variables are those of extdns itself, of which --state-configmap, --state-file, --kubeconfig and --server matter.

--controller=URL asks a running extdns at the address of its live page what it holds just now.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str], clock: Clock | None = None) -> int:
    """Show what the state tells at the time of *clock*, or what a running process does.

    Raises:
        UsageError: a flag is wrong, the state cannot be read, or nobody answers.
    """
    form, rest = output_of(arguments)
    controller, rest = running.controller_of(rest)
    if controller is not None:
        held = running.ask(controller, "held", HeldFacts)
        show_facts(held, running_text(held), form)
    else:
        _show_kept(place(rest, environ), form, (clock or SystemClock()).now().timestamp())
    return 0


def _show_kept(found: Place, form: str, now_s: float) -> None:
    try:
        document = found.read()
    except ExtdnsError as exc:
        raise UsageError(str(exc)) from exc
    if form == JSON:
        show(json_text(status_facts(document or {}, now_s)))
    else:
        show_lines((f"Nothing is kept in {found} yet.",) if document is None else status_text(document, now_s))


def status_text(document: Document, now_s: float) -> Iterator[str]:
    """The lines that tell what *document* holds, at *now_s* (seconds since the epoch)."""
    held = [one for one in held_sets(document) if one.now]
    yield headline(sum(one.deletes for one in held))
    for owner, kept in shelf.owners(document):
        yield ""
        yield f"Owner {shown(owner)}" if owner else "Without an owner id"
        for id_, zone in kept.zones:
            yield from _zone(zone_text(id_, zone), zone, now_s)
    for wrong in shelf.unreadable(document):
        yield ""
        yield f"Not readable: {shown(wrong, 300)}"
    if waiting := shelf.released(document):
        yield ""
        yield f"Released, and not taken in yet: {shown(', '.join(waiting))}"
    yield from why(code for _, kept in shelf.owners(document) for _, zone in kept.zones for *_, code in zone.records)
    yield from _next_step([one.code for one in held], many=len(held) > 1 or any(one.deletes > 1 for one in held))


def _zone(name: str, zone: SavedZone, now_s: float) -> Iterator[str]:
    saved_s, records = zone.most[-1] if zone.most else (None, 0)
    when = f", saved {_time(saved_s)}, {span(now_s - saved_s)} ago" if saved_s is not None else ""
    yield f"  Zone {name}: {count(records, 'record')} of ours{when}"
    held = dict(zone.shown).get(zone.held, ())
    if held:
        yield f"    ! {count(len(held), 'delete')} HELD under {shown(zone.held)}"
        for record in zone.records:
            yield f"        {record_text(*record)}"
        if (more := len(held) - len(zone.records)) > 0 and zone.records:
            yield f"        and {more} more, which the log names"
    made = [by_absence for at_s, by_absence in zone.made if at_s > now_s - WINDOW_S]
    if made:
        absent = f", {sum(made)} of them for want of an object" if any(made) else ""
        yield f"    - {count(len(made), 'delete')} within the last ten minutes without a release{absent}"
    if until := [until_s for _, until_s in zone.released if until_s > now_s]:
        yield f"    · {count(len(until), 'delete')} released, until {_time(max(until))} at the latest"
    if not zone.fingerprint:
        yield "    · its settings are not accepted yet: records that nobody asks for are held"


def _next_step(codes: Sequence[str], *, many: bool) -> Iterator[str]:
    if codes:
        yield ""
        yield f"Release {'them' if many else 'it'}: extdns release {' '.join(codes)}"


def _time(at_s: float) -> str:
    try:
        return moment(datetime.fromtimestamp(at_s, UTC))
    except (OverflowError, ValueError, OSError):
        return "at no time"
