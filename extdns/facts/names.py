"""All names, each with its state, for lists that are searched and paged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from extdns.engine.decisions import CHANGING, FAILING, IN_ORDER, Decisions, held
from extdns.facts.times import instant
from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.reason import UNREAD, Reason

_BY_CONFIGURATION: Final = frozenset({Reason.DOMAIN_FILTERED, Reason.TYPE_UNMANAGED})


class State(StrEnum):
    """What a name is at, the worst first: of several records, the worst counts."""

    FAILING = "failing"
    HELD = "held"
    CHANGING = "changing"
    NOT_PUBLISHED = "not-published"
    UNKNOWN = "unknown"
    KEPT = "kept"
    PUBLISHED = "published"
    LEFT_OUT = "left-out"


STATES: Final[dict[State, str]] = {
    State.FAILING: "The change is refused, forbidden or without an answer, or cannot be made.",
    State.HELD: "A delete waits for a person.",
    State.CHANGING: "A change is planned or on its way, or a delete is in its grace.",
    State.NOT_PUBLISHED: "An object asks for it, and something is in the way.",
    State.UNKNOWN: "What stands could not be read.",
    State.KEPT: "What stands is not as objects ask, and stays.",
    State.PUBLISHED: "The records stand as objects ask.",
    State.LEFT_OUT: "The configuration leaves it out.",
}
_ORDER: Final = {state: rank for rank, state in enumerate(State)}
_DOING: Final = (Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE, Verdict.KEEP, Verdict.NONE)
_OUTDONE: Final = frozenset({Reason.CONFLICT_LOST, Reason.TYPE_CONFLICT})


class Row(NamedTuple):
    """One name: its state, the decision that makes it so, and all decisions about it that concern us."""

    name: DnsName
    state: State
    main: Decision
    decisions: tuple[Decision, ...]


def asked_since(row: Row) -> datetime | None:
    """When the oldest of the objects that ask for *row* was created; None if nobody asks, or that is not known."""
    times = {instant(asked.ref.created) for one in row.decisions for asked in one.asked_by}
    return min((at for at in times if at), default=None)


class Wish(NamedTuple):
    """What a reader wants to see; "" is everything.

    Attributes:
        text: part of a name, of an object as `shop/web`, or of a target.
        zone: name or id.
        source: as `--source` spells it.
        since: the oldest object that asks was created then or later; None is any time.
    """

    text: str = ""
    state: str = ""
    reason: str = ""
    zone: str = ""
    source: str = ""
    since: datetime | None = None


class Part(NamedTuple):
    """One page of a list.

    Attributes:
        total: how many rows there are on all pages.
        before: cursor of the page before this one, None on the first; "" is the first.
        after: cursor of the next page, None on the last.
    """

    rows: tuple[Row, ...]
    total: int
    before: str | None
    after: str | None


class Names:
    """Every name that is asked for or ours, sorted; what is searched is put together once."""

    def __init__(self, decisions: Decisions) -> None:
        """List the names in *decisions*; those that are only other people's are left out."""
        self.rows = tuple(_rows(decisions))

    def part(self, wish: Wish, after: str, most: int) -> Part:
        """At most *most* rows of what is wished for, from the name behind *after* on."""
        chosen = [row for row in self._mentioning(wish.text) if _fits(row, wish)]
        start = next((at for at, row in enumerate(chosen) if row.name > after), len(chosen)) if after else 0
        end = start + most
        before = None
        if start:
            before = chosen[start - most - 1].name if start > most else ""
        return Part(tuple(chosen[start:end]), len(chosen), before, chosen[end - 1].name if end < len(chosen) else None)

    def _mentioning(self, text: str) -> Iterable[Row]:
        if not text:
            return self.rows
        return (row for row, texts in zip(self.rows, self._texts, strict=True) if text in texts)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple("\n".join(_searched(row)).lower() for row in self.rows)


def _rows(decisions: Decisions) -> Iterator[Row]:
    return (found for name, decided in decisions.by_name() if (found := row(name, decided)))


def row(name: DnsName, decided: tuple[Decision, ...]) -> Row | None:
    """*name*, about which this was *decided*; None if nothing of it concerns us."""
    about = decided if all(map(_concerns_us, decided)) else tuple(filter(_concerns_us, decided))
    if not about:
        return None
    main = worst(about)
    return Row(name, state_of(main), main, about)


def worst(decisions: tuple[Decision, ...]) -> Decision:
    """The one of *decisions*, at least one, that says what the whole is at.

    A claim that lost does not count where another one has what both ask for: then nothing is amiss with the name.
    """
    if len(decisions) == 1:
        return decisions[0]
    counting = [one for one in decisions if not outdone(one, decisions)]
    return min(counting, key=lambda one: (_ORDER[state_of(one)], _DOING.index(one.verdict)))


def outdone(decision: Decision, decisions: Iterable[Decision]) -> bool:
    """Whether it came to nothing because another of *decisions* that somebody asks for has its place."""
    return _lost(decision) and any(
        one.asked_by and not _lost(one) and (one.zone, one.set_identifier) == (decision.zone, decision.set_identifier)
        for one in decisions
    )


def _lost(decision: Decision) -> bool:
    return decision.verdict is Verdict.NONE and decision.reason in _OUTDONE


def _concerns_us(decision: Decision) -> bool:
    return decision.concerns_us


def state_of(decision: Decision) -> State:
    """What one record set is at."""
    if decision.reason in IN_ORDER:
        return State.PUBLISHED
    if decision.reason in FAILING:
        return State.FAILING
    if held(decision):
        return State.HELD
    if decision.verdict in CHANGING or decision.reason is Reason.IN_GRACE:
        return State.CHANGING
    if decision.reason in _BY_CONFIGURATION:
        return State.LEFT_OUT
    if decision.verdict is Verdict.KEEP:
        return State.KEPT
    return State.UNKNOWN if decision.reason in UNREAD else State.NOT_PUBLISHED


def _fits(row: Row, wish: Wish) -> bool:
    if wish.state and row.state != wish.state:
        return False
    if wish.reason and not any(one.reason == wish.reason for one in row.decisions):
        return False
    if wish.zone and not any(one.zone and wish.zone in {one.zone.name, one.zone.id} for one in row.decisions):
        return False
    if wish.since and not ((since := asked_since(row)) and since >= wish.since):
        return False
    return not wish.source or any(asked.source == wish.source for one in row.decisions for asked in one.asked_by)


def _searched(row: Row) -> Iterator[str]:
    """What a search looks through."""
    yield row.name
    for decision in row.decisions:
        yield from (str(asked.ref) for asked in decision.asked_by)
        yield from decision.wanted.targets if decision.wanted else ()
        yield from decision.held.record.targets if decision.held else ()
