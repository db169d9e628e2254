"""`extdns owners`: who owns what in the zones, and what nobody asks for or nothing proves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.app import states
from extdns.app.clusters import is_live
from extdns.commands.forms import show_facts
from extdns.commands.onepass import one_pass
from extdns.commands.options import output_of
from extdns.commands.ownersfacts import owners_facts
from extdns.controller.ending import DONE, FAILED
from extdns.errors import ExtdnsError
from extdns.facts.printable import printable
from extdns.facts.times import since
from extdns.facts.words import as_known, incomplete
from extdns.model.quantity import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extdns.commands.ownersfacts import OwnedZone, OwnerFacts, OwnersFacts, StandingRecord
    from extdns.config import Config
    from extdns.kube.shelf import Document

HELP: Final = """\
Usage: extdns owners [flags] [--output=text|json]

Shows by zone whose the records are, as the ownership records say, and when each owner kept state here last; then what
is ours though no object asks for it, and ownership records that prove nothing that stands. Nothing is written.

JSON holds every record of every zone, and can be given to `extdns plan --zone-snapshot`. Flags and variables are those
of extdns itself. The exit code is 0, and 1 if a flag is wrong or something could not be read.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Show who owns what; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, flags = output_of(arguments)
    made = one_pass(flags, environ)
    kept, trouble = _kept(made.config)
    facts = owners_facts(made._replace(missing=(*made.missing, *trouble)), kept)
    show_facts(facts, map(printable, _lines(facts)), output)
    return FAILED if facts.missing else DONE


def _kept(config: Config) -> tuple[Document | None, tuple[str, ...]]:
    """What outlives processes, and why it cannot be read."""
    if not (config.deletes.state_file or is_live(config)):
        return None, ()
    found = states.place(config.cluster, config.deletes)
    try:
        return (found.read() if found else None), ()
    except ExtdnsError as exc:
        return None, (str(exc),)


def _lines(facts: OwnersFacts) -> Iterator[str]:
    for zone in facts.zones:
        yield from _zone(zone)
        yield ""
    yield from incomplete(facts.missing)
    orphans = sum(record.orphan for zone in facts.zones for record in zone.records)
    strays = sum(record.stray for zone in facts.zones for record in zone.records)
    yield as_known(f"{count(orphans, 'orphan')}, {count(strays, 'stray ownership record')}", facts.missing)


def _zone(zone: OwnedZone) -> Iterator[str]:
    yield f"Zone {zone.zone.name} ({zone.zone.id})  {count(zone.zone.records, 'record')}, {zone.zone.ours} ours"
    yield ""
    yield from (f"  {_owner(owner):30}  {count(owner.records, 'record'):>12}{_seen(owner)}" for owner in zone.owners)
    yield from _listed("Ours, and no object asks for it", (one for one in zone.records if one.orphan))
    yield from _listed("Ownership records of nothing that stands", (one for one in zone.records if one.stray))


def _listed(title: str, records: Iterator[StandingRecord]) -> Iterator[str]:
    for at, one in enumerate(records):
        if at == 0:
            yield ""
            yield f"  {title}"
        identifier = f" ({one.set_identifier})" if one.set_identifier else ""
        made_for = f"  made for {one.made_for}" if one.made_for else ""
        yield f"    {one.type:5}  {one.name}{identifier}{made_for}"


def _owner(owner: OwnerFacts) -> str:
    if owner.owner is None:
        return "ours" if owner.ours else "nobody"
    return f'"{owner.owner}" (ours)' if owner.ours else f'"{owner.owner}"'


def _seen(owner: OwnerFacts) -> str:
    if owner.seen is None:
        return ""
    return f"  kept state here last at {since(owner.seen, None)}" if owner.seen else "  keeps no state here"
