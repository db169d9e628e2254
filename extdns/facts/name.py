"""Everything about one name, from the objects that ask for it to the records that stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.config import Config
from extdns.engine.claims import NameClaim
from extdns.facts import answer
from extdns.facts.changes import ChangeFacts, change_facts
from extdns.facts.document import (
    VERSION,
    Facts,
    MistakeFacts,
    ObjectFacts,
    RecordFacts,
    Version,
    ZoneName,
    mistake_facts,
    object_facts,
    record_facts,
    zone_name,
)
from extdns.facts.names import Row, State, row
from extdns.facts.outcome import Outcome, outcome
from extdns.facts.snapshot import Snapshot
from extdns.facts.standing import StandingFacts, WildcardFacts, standing, wildcards
from extdns.model.claim import Filtered, Wanted, mistakes
from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.facts.live import Live

_CLOSEST: Final = 3
_LEFT_OUT: Final = 5
_TARGET_FILTERS: Final = frozenset({"--target-net-filter", "--exclude-target-net"})
_NO_WRITE: Final = "the last write and its outcome: only an extdns that runs knows"
_OLD_WRITE: Final = "the last write: there is none among the last changes of the process that was asked"
_SERVED: Final = "what name servers answer: nobody was asked"
_GRACE: Final = "since when it may go: a single look has no past, so no grace (--delete-grace-period) is counted"


class ClaimFacts(Facts, frozen=True):
    """An object that asks for the name; asks is null where it cannot say its targets, since is "" where unknown."""

    object: ObjectFacts
    since: str
    type: str
    set_identifier: str
    asks: RecordFacts | None
    outcomes: tuple[Outcome, ...]
    mistakes: tuple[MistakeFacts, ...]


class LeftOut(Facts, frozen=True):
    """An object that a filter leaves out; what it asks for is not looked at, unless certain is true."""

    object: str
    by: str
    certain: bool


class NameFacts(Facts, frozen=True, tag_field="kind", tag="NameExplanation"):
    """What is known of a name; reason is null where nobody asks and nothing stands but ownership records.

    state is that of the name among all names, null where it is none of them: nobody asks, and nothing that is looked
    at is ours. unread are those of its zones of which not all is known; allZones is false where there may be zones that
    are not known. wildcards answer where nothing stands. lastChanges are what was sent to the DNS service last, newest
    first; only a running process knows any. at is when it was asked, null if a single look was taken.
    """

    api_version: Version
    at: datetime | None
    name: str
    answer: str
    state: State | None
    reason: str | None
    claims: tuple[ClaimFacts, ...]
    zones: tuple[ZoneName, ...]
    zones_known: int
    all_zones: bool
    unread: tuple[ZoneName, ...]
    records: tuple[StandingFacts, ...]
    wildcards: tuple[WildcardFacts, ...]
    last_changes: tuple[ChangeFacts, ...]
    policy: str
    owner: str
    left_out: tuple[LeftOut, ...]
    closest: tuple[str, ...]
    not_known: tuple[str, ...]
    missing: tuple[str, ...]


def name_facts(
    seen: Snapshot,
    name: DnsName,
    config: Config,
    *,
    zones_known: int,
    missing: tuple[str, ...],
    live: Live | None = None,
) -> NameFacts:
    """What is known of *name*.

    Args:
        seen: what a pass found out, or a running process holds.
        name: anything; nobody need ask for it.
        config: what a person set.
        zones_known: how many zones are in reach, whether or not they were read.
        missing: one sentence for each thing that could not be read.
        live: the running process that holds *seen*; None: a single look was taken.
    """
    claims, decisions = seen.claims.of(name), seen.decisions.of(name)
    outcome_of = partial(outcome, seen, live)
    found = _Found(
        row=row(name, decisions),
        standing=tuple(standing(seen, name, decisions, outcome_of)),
        wildcards=tuple(wildcards(seen, name)),
        left_out=tuple(_left_out(seen, name, asked=bool(claims))),
        unread=tuple(map(zone_name, seen.unread(name))),
    )
    last = tuple(change_facts(one) for one in (live.changes if live else ()) if one.name == name)
    return NameFacts(
        api_version=VERSION,
        at=live.at if live else None,
        name=name,
        answer=_answer(name, found, seen, complete=not missing),
        state=found.row.state if found.row else None,
        reason=_reason(found),
        claims=tuple(
            _claim(claim, decisions, outcome_of) for claim in sorted(claims, key=lambda one: _rank_of(one, decisions))
        ),
        zones=tuple(map(zone_name, seen.zones_of(name))),
        zones_known=zones_known,
        all_zones=seen.all_zones,
        unread=found.unread,
        records=found.standing,
        wildcards=found.wildcards,
        last_changes=last,
        policy=config.control.policy,
        owner=config.registry.txt_owner_id,
        left_out=found.left_out,
        closest=() if claims or found.standing else tuple(_closest(seen, name)),
        not_known=tuple(_not_known(decisions, last, lives=live is not None)),
        missing=missing,
    )


class _Found(NamedTuple):
    """What a name's answer rests on."""

    row: Row | None
    standing: tuple[StandingFacts, ...]
    wildcards: tuple[WildcardFacts, ...]
    left_out: tuple[LeftOut, ...]
    unread: tuple[ZoneName, ...]

    @property
    def aside(self) -> LeftOut | None:
        """The object that would ask for the name, if nothing else is to be told."""
        return None if self.row or self.standing else next((one for one in self.left_out if one.certain), None)


def _answer(name: DnsName, found: _Found, seen: Snapshot, *, complete: bool) -> str:
    unsure = "" if complete else ", as far as could be read"
    known = not found.unread and (seen.all_zones or bool(seen.zones_of(name)))
    if found.row:
        return answer.asked(found.row, found.standing, unsure, known=known)
    if found.aside:
        what = "is not published" if known else "may be published or not"
        return f"{name} {what}: {found.aside.object} would ask for it, and {found.aside.by} leaves it out."
    return answer.unasked(name, found.standing, found.wildcards, unsure, known=known)


def _reason(found: _Found) -> str | None:
    if found.row:
        return found.row.main.reason.value
    if found.aside:
        return (Reason.TARGETS_FILTERED if found.aside.by in _TARGET_FILTERS else Reason.FILTERED_OUT).value
    return next((one.outcome.reason for one in found.standing if one.outcome), None)


def _not_known(decisions: tuple[Decision, ...], last: tuple[ChangeFacts, ...], *, lives: bool) -> Iterator[str]:
    if not lives:
        if any(decision.verdict is Verdict.DELETE for decision in decisions):
            yield _GRACE
        yield _NO_WRITE
    elif not last:
        yield _OLD_WRITE
    yield _SERVED


def _rank_of(claim: NameClaim, decisions: tuple[Decision, ...]) -> tuple[int, tuple[bool, str, str, str]]:
    """Sort key: those that decide first, then the oldest."""
    ranks = (decision.asked_by.index(claim.provenance) for decision in _of_claim(claim, decisions))
    lost = any(decision.verdict is Verdict.NONE for decision in _of_claim(claim, decisions))
    return (min(ranks, default=0) + lost * len(decisions), claim.provenance.ref.seniority)


def _of_claim(claim: NameClaim, decisions: tuple[Decision, ...]) -> list[Decision]:
    """The decisions about *claim*; where a service makes another type of it, those about its object."""
    about = [
        decision
        for decision in decisions
        if claim.provenance in decision.asked_by and decision.set_identifier == claim.set_identifier
    ]
    if not isinstance(claim, Wanted):
        return about
    return [decision for decision in about if decision.type == claim.endpoint.type] or about


def _claim(claim: NameClaim, decisions: tuple[Decision, ...], outcome_of: Callable[[Decision], Outcome]) -> ClaimFacts:
    wanted = claim.endpoint if isinstance(claim, Wanted) else None
    return ClaimFacts(
        object=object_facts(claim.provenance),
        since=claim.provenance.ref.created,
        type=wanted.type if wanted else "",
        set_identifier=claim.set_identifier,
        asks=record_facts(wanted) if wanted else None,
        outcomes=tuple(map(outcome_of, _of_claim(claim, decisions))),
        mistakes=tuple(mistake_facts(claim.provenance.ref.key, wrong) for wrong in mistakes((claim,))),
    )


def _left_out(seen: Snapshot, name: DnsName, *, asked: bool) -> Iterator[LeftOut]:
    """Objects that would ask for *name*; if nobody does, also some of which nobody knows."""
    found = [claim for _, claims in seen.claims.objects() for claim in claims if isinstance(claim, Filtered)]
    found.sort(key=lambda one: one.ref.key)
    vague = [one for one in found if one.name is None]
    for one in (*(one for one in found if one.name == name), *(() if asked else vague[:_LEFT_OUT])):
        yield LeftOut(object=str(one.ref), by=one.by, certain=one.name is not None)


def _closest(seen: Snapshot, name: str) -> Iterator[str]:
    """Names that somebody asks for and that are spelled alike, with who asks."""
    for near in get_close_matches(name, sorted(seen.claims.names()), n=_CLOSEST):
        asked = seen.claims.of(DnsName(near))[0].provenance
        yield f"{near} ({asked.ref})"
