"""Everything about one name, from the objects that ask for it to the records that stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.config import Config
from extdns.engine.claims import NameClaim
from extdns.engine.decisions import IN_ORDER
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
from extdns.facts.snapshot import Snapshot
from extdns.facts.words import below
from extdns.model.claim import Filtered, Wanted, mistakes
from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.facts.live import Live
    from extdns.model.held import Waiting

_CLOSEST: Final = 3
_LEFT_OUT: Final = 5
_TARGET_FILTERS: Final = frozenset({"--target-net-filter", "--exclude-target-net"})
_RANK: Final = (Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE, Verdict.KEEP, Verdict.NONE)
_ANSWERS: Final = {
    Verdict.CREATE: "is not published yet; it would be created",
    Verdict.UPDATE: "is published, but not as it should be; it would be updated",
    Verdict.DELETE: "is published, but should not be any more; it would be deleted",
    Verdict.KEEP: "is not as objects ask; what stands is kept",
    Verdict.NONE: "is not published",
}
_NO_WRITE: Final = "the last write and its outcome: only an extdns that runs knows"
_OLD_WRITE: Final = "the last write: there is none among the last changes of the process that was asked"
_SERVED: Final = "what name servers answer: nobody was asked"
_GRACE: Final = "since when it may go: a single look has no past, so no grace (--delete-grace-period) is counted"


class WaitingFacts(Facts, frozen=True):
    """A delete that has evidence, a reason code, and waits.

    graceEnds is when its grace ends, or --stale-hold; null where something else is waited for.
    """

    evidence: str
    grace_ends: datetime | None


class Outcome(Facts, frozen=True):
    """What comes of a claim or a record in one zone; zone is null where there is none, waiting where nothing waits."""

    zone: ZoneName | None
    action: str
    reason: str
    evidence: tuple[str, ...]
    waiting: WaitingFacts | None


class ClaimFacts(Facts, frozen=True):
    """An object that asks for the name; asks is null where it cannot say its targets, since is "" where unknown."""

    object: ObjectFacts
    since: str
    type: str
    set_identifier: str
    asks: RecordFacts | None
    outcomes: tuple[Outcome, ...]
    mistakes: tuple[MistakeFacts, ...]


class StandingFacts(Facts, frozen=True):
    """A record that stands; owner is null where nothing proves one."""

    type: str
    set_identifier: str
    record: RecordFacts
    ours: bool
    owner: str | None
    made_for: str
    ownership_records: tuple[str, ...]
    outcome: Outcome


class LeftOut(Facts, frozen=True):
    """An object that a filter leaves out; what it asks for is not looked at, unless certain is true."""

    object: str
    by: str
    certain: bool


class NameFacts(Facts, frozen=True, tag_field="kind", tag="NameExplanation"):
    """What is known of a name; reason is null where nobody asks and nothing stands.

    lastChanges are what was sent to the DNS service last, newest first; only a running process knows any. at is when it
    was asked, null if a single look was taken.
    """

    api_version: Version
    at: datetime | None
    name: str
    answer: str
    reason: str | None
    claims: tuple[ClaimFacts, ...]
    zones: tuple[ZoneName, ...]
    zones_known: int
    records: tuple[StandingFacts, ...]
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
    main = _main(decisions)
    left_out = tuple(_left_out(seen, name, asked=bool(claims)))
    aside = next((one for one in left_out if one.certain), None) if main is None else None
    outcome_of = partial(outcome, seen, live)
    last = tuple(change_facts(one) for one in (live.changes if live else ()) if one.name == name)
    return NameFacts(
        api_version=VERSION,
        at=live.at if live else None,
        name=name,
        answer=_answer(name, main, aside, complete=not missing),
        reason=main.reason.value if main else _why_aside(aside),
        claims=tuple(
            _claim(claim, decisions, outcome_of) for claim in sorted(claims, key=lambda one: _rank_of(one, decisions))
        ),
        zones=tuple(map(zone_name, seen.zones_of(name))),
        zones_known=zones_known,
        records=tuple(one for decision in decisions for one in _standing(decision, outcome_of)),
        last_changes=last,
        policy=config.control.policy,
        owner=config.registry.txt_owner_id,
        left_out=left_out,
        closest=() if claims or decisions else tuple(_closest(seen, name)),
        not_known=tuple(_not_known(decisions, last, lives=live is not None)),
        missing=missing,
    )


def outcome(seen: Snapshot, live: Live | None, decision: Decision) -> Outcome:
    """What comes of *decision*, and why; *live* is the running process that holds *seen*, if there is one."""
    return Outcome(
        zone=zone_name(decision.zone) if decision.zone else None,
        action=decision.verdict.value,
        reason=decision.reason.value,
        evidence=tuple(below(decision)),
        waiting=_waiting(seen.undone(decision), live),
    )


def _waiting(undone: Waiting | None, live: Live | None) -> WaitingFacts | None:
    if undone is None:
        return None
    ends = live.time(undone.grace_ends_s) if live and undone.grace_ends_s is not None else None
    return WaitingFacts(evidence=undone.evidence.value, grace_ends=ends)


def _not_known(decisions: tuple[Decision, ...], last: tuple[ChangeFacts, ...], *, lives: bool) -> Iterator[str]:
    if not lives:
        if any(decision.verdict is Verdict.DELETE for decision in decisions):
            yield _GRACE
        yield _NO_WRITE
    elif not last:
        yield _OLD_WRITE
    yield _SERVED


def _main(decisions: tuple[Decision, ...]) -> Decision | None:
    """The decision that says most of the whole: a change if there is one, then what stands as it should."""
    return min(decisions, key=lambda one: (_RANK.index(one.verdict), one.reason not in IN_ORDER), default=None)


def _why_aside(aside: LeftOut | None) -> str | None:
    if aside is None:
        return None
    return (Reason.TARGETS_FILTERED if aside.by in _TARGET_FILTERS else Reason.FILTERED_OUT).value


def _answer(name: str, main: Decision | None, aside: LeftOut | None, *, complete: bool) -> str:
    if aside:
        return f"{name} is not published: {aside.object} would ask for it, and {aside.by} leaves it out."
    if main is None:
        unsure = "" if complete else ", as far as could be read"
        return f"{name} is not published: no object asks for it{unsure}."
    if main.reason in IN_ORDER:
        return f"{name} is published."
    if main.verdict is Verdict.KEEP and not main.asked_by:
        if main.reason is Reason.IN_GRACE:
            return f"{name} stands, and no object asks for it; it is deleted once its grace is over."
        ours = main.held is not None and main.held.ours
        return f"{name} stands, and no object asks for it; it is {'kept' if ours else 'not ours'}."
    return f"{name} {_ANSWERS[main.verdict]}."


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


def _standing(decision: Decision, outcome_of: Callable[[Decision], Outcome]) -> Iterator[StandingFacts]:
    if decision.held:
        owned, record = decision.held, decision.held.record
        yield StandingFacts(
            type=record.type,
            set_identifier=record.set_identifier,
            record=record_facts(record),
            ours=owned.ours,
            owner=owned.owner,
            made_for=owned.resource,
            ownership_records=tuple(mark.name for mark in owned.marks),
            outcome=outcome_of(decision),
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
