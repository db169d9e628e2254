"""Counts everything that metrics show, at the end of a run (spec plan 1.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from extdns.engine.decisions import CHANGING
from extdns.facts.holding import records
from extdns.metrics.metrics import Counts, Mismatch
from extdns.model.claim import Invalid, Wanted, Withheld
from extdns.model.decision import Verdict
from extdns.model.reason import SOMEBODY_ELSES, WITHHELD, Reason
from extdns.planner.merge import candidates
from extdns.planner.settings import PlanSettings

if TYPE_CHECKING:
    from extdns.engine.engine import Engine

_UNKNOWN: Final = "unknown"


class Census:
    """Counts again only what has changed, so that an idle process costs nothing."""

    def __init__(self, owner: str) -> None:
        """Count for *owner*, nothing yet."""
        self._owner = owner
        self._revision: tuple[object, ...] = ()
        self._counts = Counts()

    def count(self, engine: Engine, problems: int) -> Counts:
        """As the function; always of the same *engine*."""
        zones = tuple((state.zone.id, state.mirror.revision) for state in engine.zones)
        revision = (engine.claims.revision, engine.decisions.revision, zones)
        if revision != self._revision:
            self._revision, self._counts = revision, count(engine, self._owner, problems)
        return replace(self._counts, pending=_pending(engine), quarantined=_quarantined(engine), problems=problems)


def count(engine: Engine, owner: str, problems: int) -> Counts:
    """How much of everything there is in *engine* now; costs time in proportion to the zones."""
    invalid: Counter[tuple[str, str]] = Counter()
    for _, claims in engine.claims.objects():
        for claim in claims:
            match claim:
                case Invalid(provenance=where):
                    invalid[_UNKNOWN, where.source] += 1
                case Withheld(provenance=where, reason=Reason.INVALID_ENDPOINT, type=rtype):
                    invalid[rtype, where.source] += 1
                case _:
                    pass
    verified: Counter[str] = Counter()
    deduplicated: Counter[tuple[str, str]] = Counter()
    stale = 0
    for decision in engine.decisions:
        if decision.wanted is not None:
            verified[decision.type] += decision.held is not None
        stale += decision.reason in WITHHELD and decision.held is not None and decision.held.ours
        if len(decision.asked_by) > 1:
            deduplicated[decision.type, decision.asked_by[0].source] += len(decision.asked_by) - 1
    return Counts(
        held=Counter(record.type for state in engine.zones for record in records(state.mirror)),
        wanted=_wanted(engine, owner),
        verified=verified,
        deduplicated=deduplicated,
        invalid=invalid,
        mismatches=tuple(_mismatches(engine, owner)),
        reasons={str(reason): number for reason, number in engine.decisions.reasons.items()},
        stale=stale,
        pending=_pending(engine),
        quarantined=_quarantined(engine),
        problems=problems,
    )


def _wanted(engine: Engine, owner: str) -> Counter[str]:
    """Endpoints by type, merged as for a plan: whatever its settings, as many are left (spec plan 0.5)."""
    settings = PlanSettings(owner=owner)
    asked = ([one for one in engine.claims.of(name) if isinstance(one, Wanted)] for name in engine.claims.names())
    return Counter(candidate.endpoint.type for claims in asked for candidate in candidates(claims, settings))


def _pending(engine: Engine) -> int:
    return sum(len(state.writes.pending) for state in engine.zones)


def _quarantined(engine: Engine) -> int:
    return sum(state.writes.set_aside for state in engine.zones)


def outstanding(engine: Engine) -> int:
    """How many changes are planned and not made yet; in a dry run they stay so."""
    return sum(decision.verdict in CHANGING for decision in engine.decisions)


def _mismatches(engine: Engine, owner: str) -> Iterator[Mismatch]:
    """Each record of others once, however many of ours it keeps from its name and set identifier."""
    blocked = (one for one in engine.decisions if one.verdict is Verdict.NONE and one.reason in SOMEBODY_ELSES)
    for zone, name, set_identifier in {(one.zone, one.name, one.set_identifier): None for one in blocked}:
        for other in engine.decisions.of(name):
            if other.held and not other.held.ours and (other.zone, other.set_identifier) == (zone, set_identifier):
                yield Mismatch(other.type, owner, other.held.owner or set_identifier, name)
