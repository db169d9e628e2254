"""The facts about a name as text: the answer first, the evidence below it, the next step last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from extdns.facts.names import State
from extdns.facts.printable import printable
from extdns.facts.times import ago, moment, since, span
from extdns.facts.words import incomplete, short_field
from extdns.model.quantity import count
from extdns.model.reason import Reason, meaning

if TYPE_CHECKING:
    from datetime import datetime

    from extdns.facts.changes import ChangeFacts
    from extdns.facts.document import MistakeFacts, ObjectFacts, RecordFacts, ZoneName
    from extdns.facts.name import ClaimFacts, NameFacts
    from extdns.facts.outcome import Outcome
    from extdns.facts.standing import StandingFacts

_LABEL: Final = 14
_MOST_TARGETS: Final = 10
_MOST_WRITES: Final = 3
_ASK_AGAIN: Final = "ask again once everything can be read"
_SET_RIGHT: Final = "set right what is in the way, and extdns takes it up by itself; all names: extdns plan"
_WORDS: Final = {"create": "would be created", "update": "would be updated", "delete": "would be deleted"}
_DONE: Final = frozenset({Reason.PROGRAMMED, Reason.WANTED, Reason.CHANGED})


def name_text(facts: NameFacts) -> Iterator[str]:
    """Lines about one name, without line ends, each safe for a terminal."""
    return map(printable, _lines(facts))


def place(one: ObjectFacts | MistakeFacts) -> str:
    """`Service shop/web`, as messages name it."""
    return f"{one.kind} {one.namespace}/{one.name}" if one.namespace else f"{one.kind} {one.name}"


def data(rtype: str, record: RecordFacts) -> str:
    """`A 192.0.2.1 TTL 300`."""
    more = len(record.targets) - _MOST_TARGETS
    targets = ", ".join(record.targets[:_MOST_TARGETS]) + (f" and {more} more" if more > 0 else "")
    ttl = f"TTL {record.ttl_seconds}" if record.ttl_seconds else "TTL as the DNS service has it"
    properties = "".join(f", {key}={value}" for key, value in sorted(record.properties.items()))
    return f"{rtype} {targets}, {ttl}{properties}"


def _lines(facts: NameFacts) -> Iterator[str]:
    yield f"{facts.answer}  [{facts.reason}]" if facts.reason else facts.answer
    if said := meaning(facts.reason or ""):
        yield said
    yield from incomplete(facts.missing)
    yield ""
    for label, lines in sections(facts):
        for index, line in enumerate(lines):
            yield f"  {'' if index else label:{_LABEL}}{line}"
    yield ""
    yield f"Next: {next_step(facts)}"


def sections(facts: NameFacts) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is known, a label and its lines each; what there is nothing of is left out. Not yet safe for a terminal."""
    return ((label, tuple(lines)) for label, lines in _sections(facts) if lines)


def _sections(facts: NameFacts) -> Iterator[tuple[str, Sequence[str]]]:
    for index, claim in enumerate(facts.claims):
        yield "also by" if index else "asked for by", _claim(claim, facts.at)
    if not facts.claims:
        yield "asked for by", ["no object, as far as could be read" if facts.missing else "no object"]
    yield "left out", [_left_out(one.object, one.by, certain=one.certain) for one in facts.left_out]
    yield "zone", _zones(facts)
    told = [one for claim in facts.claims for one in claim.outcomes]
    yield "record", [*(line for one in facts.records for line in _standing(one, told, facts.at)), *_no_record(facts)]
    yield "wildcard", [f"{one.name} {', '.join(one.types)} in {_zone(one.zone)}" for one in facts.wildcards]
    yield "policy", [f'{facts.policy}; our owner id is "{facts.owner}"' if facts.owner else facts.policy]
    yield "last write", [line for one in facts.last_changes[:_MOST_WRITES] for line in _change(one, facts.at)]
    yield "not known", facts.not_known
    yield "closest", facts.closest


def _change(one: ChangeFacts, now: datetime | None) -> Iterator[str]:
    times = f", {one.times} times in a row" if one.times > 1 else ""
    targets = ", ".join(one.targets[:_MOST_TARGETS])
    yield f"{one.action} {one.type} {targets}: {one.outcome}, {ago(one.at, now)}{times}"
    if one.detail:
        yield f"  {one.detail}"


def _claim(claim: ClaimFacts, now: datetime | None) -> list[str]:
    created = f" (since {since(claim.since, now)})" if claim.since else ""
    derived = f", made into {claim.object.derived}" if claim.object.derived else ""
    asks = data(claim.type, claim.asks) if claim.asks else "no target can be told"
    identifier = f"; set identifier {claim.set_identifier}" if claim.set_identifier else ""
    lines = [
        f"{place(claim.object)}{created}",
        f"host from {short_field(claim.object.field)}{derived}; {asks}{identifier}",
    ]
    lines += [line for one in claim.outcomes for line in outcome_lines(one, now)]
    for wrong in claim.mistakes:
        lines.append(
            f"{short_field(wrong.field)}: {wrong.value!r} is not valid; allowed: {wrong.allowed}  [{wrong.reason}]"
        )
    return lines


def outcome_lines(one: Outcome, now: datetime | None) -> list[str]:
    """What comes of it, and why; *now* is when that was so, if a running process said it."""
    said = _WORDS.get(one.action) or ("is published" if one.reason in _DONE else "nothing is done")
    where = f" in {_zone(one.zone)}" if one.zone else ""
    lines = [f"→ {said}{where}  [{one.reason}]", *(f"  {clause}" for clause in one.evidence)]
    if one.waiting and one.waiting.evidence != one.reason:
        lines.append(f"  it may go on the evidence [{one.waiting.evidence}]")
    if one.waiting and one.waiting.grace_ends and now:
        what = "its grace" if one.reason == Reason.IN_GRACE else "--stale-hold"
        lines.append(f"  {what} {_ending(one.waiting.grace_ends, now)}")
    return lines


def _ending(ends: datetime, now: datetime) -> str:
    left_s = (ends - now).total_seconds()
    return f"ends at {moment(ends)}, in {span(left_s)}" if left_s > 0 else f"ended at {moment(ends)}"


def _standing(one: StandingFacts, told: list[Outcome], now: datetime | None) -> list[str]:
    """A record, and what comes of it if that was not *told* with who asks."""
    made_for = f", made for {one.made_for}" if one.made_for else ""
    identifier = f" (set identifier {one.set_identifier})" if one.set_identifier else ""
    return [
        f"{data(one.type, one.record)}{identifier}",
        f"{_whose(one)}{made_for}",
        *(["the DNS service will refuse what would be created beside it"] if one.in_the_way else []),
        *([] if one.outcome is None or one.outcome in told else outcome_lines(one.outcome, now)),
    ]


def _whose(one: StandingFacts) -> str:
    if one.marks is not None:
        marked = ", ".join(one.marks) or "nothing that stands"
        return f"ownership record of {marked}" + (f'; owner "{one.owner}"' if one.owner is not None else "")
    if one.ours:
        marks = f"; marked by {', '.join(one.ownership_records)}" if one.ownership_records else ""
        return f'ours, owner "{one.owner or ""}"{marks}'
    return f'not ours: owner "{one.owner}"' if one.owner is not None else "not ours: nothing proves an owner"


def _no_record(facts: NameFacts) -> Iterator[str]:
    """Where no record stands, and where that is not known."""
    yield from (f"not known in {_zone(zone)}, which could not be read" for zone in facts.unread)
    if _unplaced(facts):
        yield "not known: not all zones could be listed"
    elif not facts.records and not facts.unread:
        yield "none stands there"


def _left_out(what: str, by: str, *, certain: bool) -> str:
    return f"{what}, by {by}" if certain else f"{what}, by {by}; what it asks for was not looked at"


def _zones(facts: NameFacts) -> list[str]:
    known = count(facts.zones_known, "zone")
    unlisted = "" if facts.all_zones else "; not all could be listed"
    if not facts.zones:
        return [f"none: {known} in reach, and the name lies in none of them{unlisted}"]
    return [f"{_zone(zone)}, longest match of {known}{unlisted}" for zone in facts.zones]


def _unplaced(facts: NameFacts) -> bool:
    """Whether the name may lie in a zone that is not known."""
    return not facts.zones and not facts.all_zones


def _zone(zone: ZoneName) -> str:
    return zone.name if zone.name == zone.id else f"{zone.name} ({zone.id})"


def next_step(facts: NameFacts) -> str:
    """What a person can do."""
    match facts.state:
        case None:
            return _next_of_unasked(facts)
        case State.PUBLISHED:
            return "nothing to do"
        case State.HELD:
            look = "extdns status --controller=URL" if facts.at else "extdns plan --held [flags]"
            return f"see all that is held, and what releases it: {look}"
        case State.CHANGING if facts.reason == Reason.IN_GRACE:
            return "nothing to do; to keep the record, let an object ask for the name before its grace ends"
        case State.CHANGING if not any(one.in_the_way for one in facts.records):
            return "nothing to do if extdns runs; what it would do to all names: extdns plan"
        case State.UNKNOWN:
            return _ASK_AGAIN
        case State.NOT_PUBLISHED if _unplaced(facts):
            return _ASK_AGAIN
        case _:
            return _SET_RIGHT


def _next_of_unasked(facts: NameFacts) -> str:
    if facts.records:
        return "nothing to do; extdns leaves it as it is"
    if facts.reason:
        return _SET_RIGHT
    if facts.unread or _unplaced(facts):
        return _ASK_AGAIN
    search = "look for a misspelt name on the object, or for a filter that leaves the object out"
    return f"nothing to do if the wildcard is to answer; else {search}" if facts.wildcards else search
