"""Count what the metrics show, at the end of each run (docs/spec/plan.md 1.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.documents.names import is_rejected
from extdns.documents.rules import count_rule_results
from extdns.documents.snapshot import list_records
from extdns.engine.decisions import CHANGING, IN_SYNC
from extdns.metrics.metrics import Mismatch, Statistics
from extdns.model.change import Action
from extdns.model.claim import InvalidClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.reason import Category, Reason, select_reasons
from extdns.planner.proposal import merge_claims
from extdns.planner.settings import PlanSettings

if TYPE_CHECKING:
    from extdns.engine.engine import Engine

_UNKNOWN_TYPE: Final = "unknown"
_OTHER: Final = "other"
_MAX_RULES: Final = 100
_EXPECTED: Final = IN_SYNC | select_reasons(Category.EXCLUDED)
_UNRESOLVED: Final = select_reasons(Category.UNRESOLVED)


class StatisticsCache:
    """Reuse the last statistics while nothing has changed, so that an idle process costs nothing."""

    def __init__(self, owner: str) -> None:
        """Count for the owner id *owner*."""
        self._owner = owner
        self._revision: tuple[object, ...] = ()
        self._counts = Statistics()

    def count(self, engine: Engine, problems: int) -> Statistics:
        """Return the result of `count_statistics`, reused while nothing changed. Always pass the same *engine*."""
        zones = tuple((zone_state.zone.id, zone_state.cache.revision) for zone_state in engine.zones)
        revision = (engine.claims.revision, engine.decisions.revision, zones)
        if revision != self._revision:
            self._revision, self._counts = revision, count_statistics(engine, self._owner, problems)
        return replace(
            self._counts,
            queued=_count_queued_names(engine),
            backing_off=_count_backing_off_names(engine),
            problems=problems,
        )


def count_statistics(engine: Engine, owner: str, problems: int) -> Statistics:
    """Count the claims, decisions and records of *engine*. The cost is proportional to the size of the zones.

    *owner* is our owner id, and *problems* the number of objects and manifests that cannot be read.
    """
    invalid: Counter[tuple[str, str]] = Counter()
    for _, claims in engine.claims.objects():
        for claim in claims:
            match claim:
                case InvalidClaim(provenance=provenance):
                    invalid[_UNKNOWN_TYPE, provenance.source] += 1
                case UnresolvedClaim(provenance=provenance, reason=Reason.INVALID_ENDPOINT, type=rtype):
                    invalid[rtype, provenance.source] += 1
                case _:
                    pass
    verified: Counter[str] = Counter()
    deduplicated: Counter[tuple[str, str]] = Counter()
    unexpected = retained = 0
    for decision in engine.decisions:
        current, reason = decision.current, decision.reason
        if decision.desired is not None:
            verified[decision.type] += current is not None
        if reason not in _EXPECTED:
            unexpected += decision.is_relevant and not is_rejected(decision)
        if reason in _UNRESOLVED and current is not None:
            retained += current.is_ours
        if len(decision.requested_by) > 1:
            deduplicated[decision.type, decision.requested_by[0].source] += len(decision.requested_by) - 1
    return Statistics(
        current=Counter(record.type for zone_state in engine.zones for record in list_records(zone_state.cache)),
        requested=_count_requested(engine, owner),
        verified=verified,
        deduplicated=deduplicated,
        invalid=invalid,
        mismatches=tuple(_find_mismatches(engine, owner)),
        reasons={str(reason): number for reason, number in engine.decisions.reasons.items()},
        rule_results=_limit_rules(count_rule_results(engine.decisions)) if engine.rules.is_active else {},
        unexpected=unexpected,
        retained=retained,
        queued=_count_queued_names(engine),
        backing_off=_count_backing_off_names(engine),
        problems=problems,
    )


def count_planned_changes(engine: Engine) -> int:
    """Return how many planned changes are not made yet; in a dry run, all of them."""
    return sum(decision.action in CHANGING for decision in engine.decisions)


def _count_requested(engine: Engine, owner: str) -> Counter[str]:
    """Count the requested endpoints by type. As in external-dns, equal ones count once (docs/spec/plan.md 0.5)."""
    settings = PlanSettings(owner=owner)
    types: Counter[str] = Counter()
    for name in engine.claims.names():
        resolved = [claim for claim in engine.claims.claims(name) if isinstance(claim, ResolvedClaim)]
        requested = merge_claims(resolved, settings) if len(resolved) > 1 else resolved
        for one in requested:
            types[one.desired.type] += 1
    return types


def _limit_rules(counts: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Return *counts* in which all rules after `_MAX_RULES` count together."""
    found: Counter[tuple[str, str]] = Counter()
    named: dict[str, str] = {}
    for (rule, result), count in counts.items():
        found[named.setdefault(rule, rule if len(named) < _MAX_RULES else _OTHER), result] += count
    return found


def _count_queued_names(engine: Engine) -> int:
    return sum(len(zone_state.queue.queued) for zone_state in engine.zones)


def _count_backing_off_names(engine: Engine) -> int:
    return sum(zone_state.queue.backing_off for zone_state in engine.zones)


def _find_mismatches(engine: Engine, owner: str) -> Iterator[Mismatch]:
    """Find the foreign records at each name and set identifier at which one of them keeps us from creating a record."""
    blocked = (
        one for one in engine.decisions if one.action is Action.NONE and one.reason.row.category is Category.FOREIGN
    )
    for zone, name, set_identifier in {(one.zone, one.name, one.set_identifier): None for one in blocked}:
        for decision in engine.decisions.decisions(name):
            is_same = (decision.zone, decision.set_identifier) == (zone, set_identifier)
            if is_same and decision.current and not decision.current.is_ours:
                yield Mismatch(decision.type, owner, decision.current.owner or set_identifier, name)
