"""The state of a running process as a whole: in sentences, as a level, and what fails (docs/design/page.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from extdns.documents.levels import KIND_LEVELS, NAME_LEVELS, ZONE_LEVELS, Level, ZoneCondition, find_worst_level
from extdns.documents.names import NameState
from extdns.documents.snapshot import UNRESPONSIVE_AFTER_S
from extdns.documents.text import format_duration, format_time
from extdns.model.reason import Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from extdns.documents.snapshot import ProcessSnapshot, ZoneSnapshot
    from extdns.model.cluster import Phase


_RETRIED: Final = frozenset({Reason.ZONE_FORBIDDEN, Reason.WRITE_CONFLICT, Reason.TRY_LATER, Reason.NO_ANSWER})
"""The reasons of decisions whose change stays queued after a failed attempt; a plan does not count it as a change."""


def find_level(live: ProcessSnapshot, counts: Mapping[NameState, int]) -> Level:
    """Return the worst level of names, zones, kinds and rules. *counts* is the number of names in each state."""
    engine = live.engine
    if not live.is_responding or any(list_failures(live)):
        return Level.FAILING
    is_waiting = engine.unfinished or engine.other_cluster or engine.state_problem or not live.synced
    return find_worst_level(
        Level.WAITING if is_waiting else Level.GOOD,
        *(NAME_LEVELS[state] for state, number in counts.items() if number),
        *(ZONE_LEVELS[find_condition(live, entry)] for entry in engine.zones),
        *(KIND_LEVELS[state.phase] for state in live.kinds),
    )


def find_condition(live: ProcessSnapshot, entry: ZoneSnapshot) -> ZoneCondition:
    """Return the condition of the zone *entry*: failing, being read or held, else that of its worst name."""
    worst = live.names.find_worst_state(entry.zone)
    if entry.failure or worst is NameState.FAILING:
        return ZoneCondition.FAILING
    if entry.read_s is None:
        return ZoneCondition.READING
    if entry.held:
        return ZoneCondition.HELD
    if worst in {NameState.PUBLISHED, NameState.EXCLUDED}:
        return ZoneCondition.CHANGING if entry.queued else ZoneCondition.PUBLISHED
    return ZoneCondition(worst.value)


def list_failures(live: ProcessSnapshot) -> Iterator[str]:
    """Yield a sentence for each failure: of the engine, of unreadable kinds, of rules, of the policy server."""
    yield from live.engine.failures
    kinds = (f"{state.kind.name} objects are {state.phase}" for state in live.kinds if _fails(state.phase))
    yield from (one for one in kinds if one not in live.engine.failures)
    yield from live.rules.list_failures()


def describe_state(live: ProcessSnapshot, counts: Mapping[NameState, int]) -> str:
    """Describe the state of the process in one or more sentences, the most important first."""
    return " ".join(_build_sentences(live, counts))


def _fails(phase: Phase) -> bool:
    return KIND_LEVELS[phase] is Level.FAILING


def _build_sentences(live: ProcessSnapshot, counts: Mapping[NameState, int]) -> Iterator[str]:
    if live.age_s >= UNRESPONSIVE_AFTER_S:
        since = f"{format_time(live.at)}, {format_duration(live.age_s)} ago"
        yield f"This process does not respond: this is its state of {since}."
    elif not live.healthy:
        yield "A thread of this process does not respond: this state may be out of date."
    if not live.engine.is_leader:
        yield "This process is a standby: it writes nothing."
    if not live.synced:
        yield "The first full pass has not ended yet."
    yield from _count_names(live, counts)
    if held := sum(entry.held for entry in live.engine.zones):
        yield f"{held:,} deletes are held." if held > 1 else "1 delete is held."
    queued = sum(entry.queued for entry in live.engine.zones)
    if queued and not counts.get(NameState.CHANGING):
        is_retried = any(live.engine.decisions.reasons[reason] for reason in _RETRIED)
        what = "could not be written, and are tried again" if is_retried else "are waiting to be written"
        yield f"Changes at {format_count(queued, 'name')} {what}."
    if any(list_failures(live)):
        yield "What fails: see below."
    elif live.synced and live.engine.unfinished:
        yield "Not everything has been read yet: see below."


def _count_names(live: ProcessSnapshot, counts: Mapping[NameState, int]) -> Iterator[str]:
    total = sum(counts.values())
    published = counts.get(NameState.PUBLISHED, 0)
    if not total:
        if live.synced:
            yield "No object requests a name."
    elif published == total:
        yield "The one name is published." if total == 1 else f"All {total:,} names are published."
    else:
        rest = [
            f"{number:,} {state.value.replace('-', ' ')}"
            for state in NameState
            if state is not NameState.PUBLISHED and (number := counts.get(state))
        ]
        yield f"{published:,} of {total:,} names {'is' if published == 1 else 'are'} published, {_join_list(rest)}."


def _join_list(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
