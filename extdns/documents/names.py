"""All names with their states, for lists that can be searched and paged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple, Self

from extdns.documents.text import parse_time
from extdns.engine.decisions import CHANGING, FAILING, IN_SYNC, Decisions, is_held_decision
from extdns.model.change import Action, Decision
from extdns.model.dns_name import DnsName
from extdns.model.reason import Category, Reason
from extdns.model.zone import Zone


class Level(StrEnum):
    """The severity of a state, the worst first. It decides the color everywhere (docs/design/page.md, "One answer")."""

    FAILING = "failing"
    WAITING = "waiting"
    GOOD = "good"
    NEUTRAL = "neutral"


class State(StrEnum):
    """A state with its severity. Of several states, the first in its class is the worst."""

    level: Level
    meaning: str

    def __new__(cls, value: str, level: Level, meaning: str = "") -> Self:
        """Return the state that is spelled *value*."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.level, member.meaning = level, meaning
        return member


class NameState(State):
    """The state of a name, the worst first. Of several records, the worst counts."""

    FAILING = "failing", Level.FAILING, "The change was refused or forbidden, got no answer, or cannot be made."
    HELD = "held", Level.WAITING, "A delete waits for approval, or a person has to accept another cluster first."
    CHANGING = "changing", Level.WAITING, "A change is planned or being written, or a delete is in its grace period."
    NOT_PUBLISHED = "not-published", Level.WAITING, "An object requests it, but it cannot be published now."
    UNKNOWN = "unknown", Level.WAITING, "The current records could not be read."
    OUT_OF_SYNC = "out-of-sync", Level.WAITING, "The current records are not as objects request, and stay."
    PUBLISHED = "published", Level.GOOD, "The zone holds what objects request."
    EXCLUDED = "excluded", Level.NEUTRAL, "A filter excludes it."


_STATE_ORDER: Final = {state: rank for rank, state in enumerate(NameState)}
_ACTION_ORDER: Final = (Action.CREATE, Action.UPDATE, Action.DELETE, Action.KEEP, Action.NONE)


class NameSummary(NamedTuple):
    """One name: its state, the decision with the worst state, and all relevant decisions (`Decision.is_relevant`)."""

    name: DnsName
    state: NameState
    worst: Decision
    decisions: tuple[Decision, ...]


def find_oldest_request(row: NameSummary) -> datetime | None:
    """Return when the oldest object that requests the name was created; None if there is none, or that is unknown."""
    times = {parse_time(request.ref.created) for one in row.decisions for request in one.requested_by}
    return min((at for at in times if at), default=None)


class NameQuery(NamedTuple):
    """A query for names. A field that is "" matches everything.

    Attributes:
        text: part of a name, of an object as `shop/web`, or of a target, in lower case.
        zone: name or id.
        source: a value of `--source`.
        rule: a rule that matches a record of the name.
        since: the oldest object that requests the name was created then or later; None is any time.
    """

    text: str = ""
    state: str = ""
    reason: str = ""
    zone: str = ""
    source: str = ""
    rule: str = ""
    since: datetime | None = None


class NamePage(NamedTuple):
    """One page of a list.

    Attributes:
        total: the number of rows on all pages.
        before: the cursor of the previous page, "" for the first one; None on the first page.
        after: the cursor of the next page; None on the last.
    """

    rows: tuple[NameSummary, ...]
    total: int
    before: str | None
    after: str | None


class NameIndex:
    """An index of every name with a relevant decision (`Decision.is_relevant`), sorted by name, for searches.

    The searched texts are built once.
    """

    def __init__(self, decisions: Decisions) -> None:
        """Index the names that have at least one relevant decision in *decisions*."""
        rows = (build_row(name, decided) for name, decided in decisions.by_name())
        self.rows = tuple(row for row in rows if row)

    def find_page(self, query: NameQuery, after: str, limit: int) -> NamePage:
        """Return the page of at most *limit* rows that match *query*, from the first name after the cursor *after*."""
        matches = [row for row in self._search_rows(query.text) if _matches(row, query)]
        start = next((at for at, row in enumerate(matches) if row.name > after), len(matches)) if after else 0
        end = start + limit
        former = matches[start - limit - 1].name if start > limit else ""
        following = matches[end - 1].name if end < len(matches) else None
        return NamePage(tuple(matches[start:end]), len(matches), former if start else None, following)

    def find_worst_state(self, zone: Zone) -> NameState:
        """Return the worst state of a name in *zone*; `PUBLISHED` if it has no names."""
        return self._worst_by_zone.get(zone, NameState.PUBLISHED)

    @cached_property
    def _worst_by_zone(self) -> dict[Zone, NameState]:
        found: dict[Zone, NameState] = {}
        for row in self.rows:
            for decision in row.decisions:
                if decision.zone and not is_superseded(decision, row.decisions):
                    state = find_state(decision)
                    found[decision.zone] = min(found.get(decision.zone, state), state, key=_STATE_ORDER.__getitem__)
        return found

    def _search_rows(self, text: str) -> Iterable[NameSummary]:
        if not text:
            return self.rows
        return (row for row, texts in zip(self.rows, self._texts, strict=True) if text in texts)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple("\n".join(_list_searched_texts(row)).lower() for row in self.rows)


def build_row(name: DnsName, decided: tuple[Decision, ...]) -> NameSummary | None:
    """Return the row of *name* from its decisions; None if none of them is relevant."""
    is_relevant = attrgetter("is_relevant")
    about = decided if all(map(is_relevant, decided)) else tuple(filter(is_relevant, decided))
    if not about:
        return None
    main = find_worst(about)
    return NameSummary(name, find_state(main), main, about)


def find_worst(decisions: tuple[Decision, ...]) -> Decision:
    """Return the decision with the worst state. *decisions* is not empty.

    Decisions about claims that were rejected in favor of another claim are ignored (`is_superseded`).
    """
    if len(decisions) == 1:
        return decisions[0]
    counting = [one for one in decisions if not is_superseded(one, decisions)]
    return min(counting, key=lambda one: (_STATE_ORDER[find_state(one)], _ACTION_ORDER.index(one.action)))


def is_superseded(decision: Decision, decisions: Iterable[Decision]) -> bool:
    """Return whether the claim of *decision* was rejected, and *decisions* has the record that is requested instead."""
    return is_rejected(decision) and any(
        one.requested_by
        and not is_rejected(one)
        and (one.zone, one.set_identifier) == (decision.zone, decision.set_identifier)
        for one in decisions
    )


def is_rejected(decision: Decision) -> bool:
    """Return whether the claim of *decision* was rejected in favour of another claim."""
    return decision.action is Action.NONE and decision.reason.row.category is Category.REJECTED


def find_state(decision: Decision) -> NameState:
    """Return the state of the record that *decision* is about."""
    if decision.reason in IN_SYNC:
        return NameState.PUBLISHED
    if decision.reason in FAILING:
        return NameState.FAILING
    if is_held_decision(decision):
        return NameState.HELD
    if decision.action in CHANGING or decision.reason is Reason.IN_GRACE:
        return NameState.CHANGING
    if decision.reason.row.category is Category.EXCLUDED:
        return NameState.EXCLUDED
    if decision.action is Action.KEEP:
        return NameState.OUT_OF_SYNC
    return NameState.UNKNOWN if decision.reason.row.category is Category.UNREAD else NameState.NOT_PUBLISHED


def _matches(row: NameSummary, query: NameQuery) -> bool:
    about, requests = row.decisions, (request for one in row.decisions for request in one.requested_by)
    return (
        (not query.state or row.state == query.state)
        and (not query.reason or any(one.reason == query.reason for one in about))
        and (not query.zone or any(one.zone and query.zone in {one.zone.name, one.zone.id} for one in about))
        and (not query.rule or any(query.rule in _list_rules(one) for one in about))
        and (not query.since or ((since := find_oldest_request(row)) is not None and since >= query.since))
        and (not query.source or any(request.source == query.source for request in requests))
    )


def _list_rules(decision: Decision) -> tuple[str, ...]:
    return (*decision.rules, *(one.rule for one in decision.violations))


def _list_searched_texts(row: NameSummary) -> Iterator[str]:
    yield row.name
    for decision in row.decisions:
        yield from (str(request.ref) for request in decision.requested_by)
        yield from decision.desired.targets if decision.desired else ()
        yield from decision.current.record.targets if decision.current else ()
