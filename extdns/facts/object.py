"""Everything about one object: which names it asks for, and what comes of each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING

from extdns.errors import shown
from extdns.facts.document import (
    VERSION,
    Facts,
    MistakeFacts,
    RecordFacts,
    Version,
    mistake_facts,
    record_facts,
    schema_text,
)
from extdns.facts.name import LeftOut, NameFacts
from extdns.facts.names import State, state_of, worst
from extdns.facts.nametext import data, outcome_lines
from extdns.facts.outcome import Outcome, outcome
from extdns.facts.printable import printable
from extdns.facts.reason import ReasonFacts
from extdns.facts.words import incomplete, short_field
from extdns.flags.mistakes import mistake
from extdns.model.claim import Filtered, mistakes
from extdns.model.cluster import ObjectKey
from extdns.model.quantity import count

if TYPE_CHECKING:
    from extdns.facts.live import Live
    from extdns.facts.snapshot import Snapshot
    from extdns.model.decision import Decision


class NameOutcome(Facts, frozen=True):
    """One record set that the object asks for; asks is null where it cannot say its targets."""

    name: str
    type: str
    set_identifier: str
    asks: RecordFacts | None
    outcome: Outcome


class ObjectExplanation(Facts, frozen=True, tag_field="kind", tag="ObjectExplanation"):
    """What is known of an object; failure says why its names could not be computed, "" if they were.

    at is when a running process was asked, null if a single look was taken.
    """

    api_version: Version
    at: datetime | None
    object: str
    answer: str
    names: tuple[NameOutcome, ...]
    left_out: tuple[LeftOut, ...]
    mistakes: tuple[MistakeFacts, ...]
    failure: str
    missing: tuple[str, ...]


def object_facts_of(seen: Snapshot, text: str, missing: tuple[str, ...], live: Live | None = None) -> ObjectExplanation:
    """What is known of the object that *text* names, as `service/shop/web` or `node/n1`.

    *live* is the running process that holds *seen*; None: a single look was taken.

    Raises:
        UsageError: there is no such object among those that sources read.
    """
    key = _found(seen, text, missing)
    claims = [claim for other, found in seen.claims.objects() if other == key for claim in found]
    about = [one for one in seen.decisions if any(asked.ref.key == key for asked in one.asked_by)]
    filtered = [claim for claim in claims if isinstance(claim, Filtered)]
    where = _place(key)
    failure = seen.claims.failure(key)
    return ObjectExplanation(
        api_version=VERSION,
        at=live.at if live else None,
        object=f"{key.kind.name} {where}",
        answer=f"{key.kind.name} {where} {_answer(about, failure, left_out=bool(filtered), complete=not missing)}",
        names=tuple(_name(one, outcome(seen, live, one)) for one in about),
        left_out=tuple(LeftOut(object=str(one.ref), by=one.by, certain=one.name is not None) for one in filtered),
        mistakes=tuple(mistake_facts(key, wrong) for wrong in mistakes(claims)),
        failure=failure,
        missing=missing,
    )


def object_text(facts: ObjectExplanation) -> Iterator[str]:
    """Lines about one object, without line ends, each safe for a terminal."""
    return map(printable, _lines(facts))


def _lines(facts: ObjectExplanation) -> Iterator[str]:
    yield facts.answer
    yield from incomplete(facts.missing)
    yield from (f"  left out by {one.by}" for one in facts.left_out if not one.certain)
    for one in facts.names:
        yield ""
        identifier = f" (set identifier {one.set_identifier})" if one.set_identifier else ""
        yield f"  {one.name}{identifier}  {data(one.type, one.asks) if one.asks else 'no target can be told'}"
        yield from (f"    {line}" for line in outcome_lines(one.outcome, facts.at))
    for wrong in facts.mistakes:
        yield ""
        yield f"  ! {short_field(wrong.field)}: {wrong.value!r} is not valid  [{wrong.reason}]"
        yield f"    allowed: {wrong.allowed}"
    if facts.names:
        yield ""
        yield f"Next: the whole way of a name: extdns explain {facts.names[0].name}"


def _found(seen: Snapshot, text: str, missing: tuple[str, ...]) -> ObjectKey:
    """The object that *text* names; its kind may be written as the kind, its plural, or as marks name it.

    Where something is *missing*, it may be there all the same.
    """
    kind, _, where = text.partition("/")
    keys = {key for key, _ in seen.claims.objects()}
    for key in sorted(keys):
        spellings = {key.kind.name.lower(), key.kind.plural, key.kind.resource, key.kind.label}
        if kind.lower() in spellings and where == _place(key):
            return key
    near = get_close_matches(text.lower(), [f"{key.kind.name.lower()}/{_place(key)}" for key in keys], n=1)
    kinds = sorted({key.kind.name.lower() for key in keys})
    raise mistake(
        f"no object {shown(text)} is read{', as far as could be read' if missing else ''}",
        *incomplete(missing),
        f"closest: {near[0]}" if near else "",
        f"kinds of which there are objects, by --source and --namespace: {', '.join(kinds) or 'none'}",
    )


def _place(key: ObjectKey) -> str:
    return f"{key.namespace}/{key.name}" if key.namespace else key.name


def _name(decision: Decision, outcome: Outcome) -> NameOutcome:
    wanted = decision.wanted
    return NameOutcome(
        name=decision.name,
        type=decision.type,
        set_identifier=decision.set_identifier,
        asks=record_facts(wanted) if wanted else None,
        outcome=outcome,
    )


def _answer(about: list[Decision], failure: str, *, left_out: bool, complete: bool) -> str:
    if failure:
        return f"could not be looked at: {shown(failure)}"
    if not about:
        return "is left out, and asks for no name." if left_out else "asks for no name."
    by_name = groupby(about, key=lambda decision: decision.name)
    states = Counter(state_of(worst(tuple(decided))) for _, decided in by_name)
    total, unknown = states.total(), states[State.UNKNOWN]
    unsure = f", {unknown} not known" if unknown else "" if complete else ", as far as could be read"
    return f"asks for {count(total, 'name')}; {states[State.PUBLISHED]} of {total} published as asked{unsure}."


if __name__ == "__main__":
    sys.stdout.write(schema_text(NameFacts | ObjectExplanation | ReasonFacts, "extdns explain --output=json"))
