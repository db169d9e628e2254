"""The state of the whole in one sentence, and how good it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from extdns.facts.names import State

if TYPE_CHECKING:
    from extdns.facts.live import Live

_REST: Final = {
    State.FAILING: ("fails", "fail"),
    State.CHANGING: ("is changing", "are changing"),
    State.NOT_PUBLISHED: ("is not published", "are not published"),
    State.UNKNOWN: ("is not known", "are not known"),
    State.KEPT: ("is kept as it stands", "are kept as they stand"),
}


class Level(StrEnum):
    """How good the state of the whole is."""

    GOOD = "good"
    WAITING = "waiting"  # something is under way, is held, or is not as objects ask
    FAILING = "failing"


def level(live: Live, counts: Mapping[State, int]) -> Level:
    """How good it is, with so many names in each state."""
    if live.seen.failing or counts.get(State.FAILING):
        return Level.FAILING
    as_asked = not any(counts.get(state) for state in (*_REST, State.HELD))
    return Level.GOOD if live.settled and as_asked else Level.WAITING


def sentence(live: Live, counts: Mapping[State, int]) -> str:
    """One or more sentences, the answer first."""
    return " ".join(_sentences(live, counts))


def _sentences(live: Live, counts: Mapping[State, int]) -> Iterator[str]:
    if not live.seen.leads:
        yield "This process stands by; another one writes."
    if not live.settled:
        yield "The first pass is not over yet."
    total = sum(number for state, number in counts.items() if state not in {State.LEFT_OUT, State.HELD})
    published = counts.get(State.PUBLISHED, 0)
    if not total:
        if live.settled:
            yield "No object asks for a name."
    elif published == total:
        yield "The one name is published." if total == 1 else f"All {total:,} names are published."
    else:
        rest = [f"{number:,} {words[number != 1]}" for state, words in _REST.items() if (number := counts.get(state))]
        yield f"{published:,} of {total:,} names {'is' if published == 1 else 'are'} published, {_listed(rest)}."
    if held := sum(len(entry.held) for entry in live.seen.zones):
        yield f"{held:,} deletes are held." if held > 1 else "1 delete is held."
    if failing := len(live.seen.failing):
        yield f"{failing:,} things fail, see below." if failing > 1 else "One thing fails, see below."


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
