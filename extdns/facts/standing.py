"""What stands at a name, also what nobody decides about, and the wildcards that answer where nothing does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from extdns.facts.document import Facts, RecordFacts, ZoneName, record_facts, zone_name
from extdns.facts.outcome import Outcome
from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.rrtype import EXCLUSIVE

if TYPE_CHECKING:
    from extdns.engine.mirror import Mirror
    from extdns.facts.snapshot import Snapshot, ZoneEntry
    from extdns.model.ownership import Owned
    from extdns.model.record import Record, RecordKey


class StandingFacts(Facts, frozen=True):
    """A record that stands; owner is null where nothing proves one, outcome where nothing is decided about it.

    marks are the records, as `A shop.example.org`, whose ownership record it is: none where none of them stands, null
    where it is no ownership record. What is said of its owner then is what is said of theirs. inTheWay tells that
    something is to be created which the DNS service will refuse beside it: plans see managed types alone.
    """

    zone: ZoneName
    type: str
    set_identifier: str
    record: RecordFacts
    ours: bool
    owner: str | None
    made_for: str
    ownership_records: tuple[str, ...]
    marks: tuple[str, ...] | None
    in_the_way: bool
    outcome: Outcome | None


class WildcardFacts(Facts, frozen=True):
    """A wildcard with records of these types, that answers for a name at which nothing stands (RFC 4592)."""

    zone: ZoneName
    name: str
    types: tuple[str, ...]


def standing(
    seen: Snapshot, name: DnsName, decisions: Iterable[Decision], outcome_of: Callable[[Decision], Outcome]
) -> Iterator[StandingFacts]:
    """What stands at *name*, zone by zone, and what comes of it by *decisions*, those about the name."""
    decided = tuple(decisions)
    for entry in seen.zones:
        if records := entry.mirror.of(name):
            here = [one for one in decided if one.zone == entry.zone]
            around = seen.around(name, entry.mirror)
            owned = {one.key: one for one in around}
            for record in records:
                if stands := owned.get(record.key):
                    decision = next((one for one in here if one.held and one.held.key == stands.key), None)
                    outcome = outcome_of(decision) if decision else _left_out(seen, entry, stands.key)
                    yield _record(
                        entry, stands, outcome, decided=decision is not None, kept_out=_kept_out(stands, here)
                    )
                else:
                    yield _mark(entry, record, [one for one in around if record in one.marks])


def wildcards(seen: Snapshot, name: DnsName) -> Iterator[WildcardFacts]:
    """In each of its zones in which nothing stands at *name*, the wildcard that answers for it."""
    zones = seen.zones_of(name)
    for entry in seen.zones:
        if entry.zone in zones and entry.mirror.whole and (found := _wildcard(name, entry.zone.name, entry.mirror)):
            types = tuple(dict.fromkeys(record.type for record in entry.mirror.of(found)))
            if types:
                yield WildcardFacts(zone=zone_name(entry.zone), name=found, types=types)


def _wildcard(name: DnsName, zone: DnsName, mirror: Mirror) -> DnsName | None:
    """The place of the wildcard below the closest name above *name* that is there (RFC 4592 section 3.3.1).

    A name is there also if only something below it is.
    """
    closest: str = name
    while closest != zone:
        if any(other.within(closest) for other in mirror.names()):
            break
        closest = closest.partition(".")[2]
    return None if closest == name else DnsName(f"*.{closest}")


def _left_out(seen: Snapshot, entry: ZoneEntry, key: RecordKey) -> Outcome | None:
    reason = seen.left_out(key)
    if reason is None:
        return None
    zone = zone_name(entry.zone)
    return Outcome(zone=zone, action=Verdict.KEEP.value, reason=reason.value, evidence=(), waiting=None)


def _kept_out(stands: Owned, decisions: Iterable[Decision]) -> bool:
    """Whether one of *decisions* creates what cannot stand beside *stands* (RFC 1034 section 3.6.2)."""
    return any(
        one.verdict is Verdict.CREATE and one.type != stands.record.type and EXCLUSIVE in {one.type, stands.record.type}
        for one in decisions
    )


def _record(
    entry: ZoneEntry, stands: Owned, outcome: Outcome | None, *, decided: bool, kept_out: bool
) -> StandingFacts:
    return StandingFacts(
        zone=zone_name(entry.zone),
        type=stands.record.type,
        set_identifier=stands.record.set_identifier,
        record=record_facts(stands.record),
        ours=stands.ours and (decided or bool(stands.marks)),  # without marks, nothing is ours but what is in scope
        owner=stands.owner,
        made_for=stands.resource,
        ownership_records=tuple(mark.name for mark in stands.marks),
        marks=None,
        in_the_way=kept_out and not decided,
        outcome=outcome,
    )


def _mark(entry: ZoneEntry, record: Record, marked: list[Owned]) -> StandingFacts:
    first = marked[0] if marked else None
    return StandingFacts(
        zone=zone_name(entry.zone),
        type=record.type,
        set_identifier=record.set_identifier,
        record=record_facts(record),
        ours=first is not None and first.ours,
        owner=first.owner if first else None,
        made_for=first.resource if first else "",
        ownership_records=(),
        marks=tuple(_place(one.key) for one in marked),
        in_the_way=False,
        outcome=None,
    )


def _place(key: RecordKey) -> str:
    """`A shop.example.org`, with its set identifier if it has one."""
    identifier = f" ({key.set_identifier})" if key.set_identifier else ""
    return f"{key.type} {key.name}{identifier}"
