"""From one dirty name to pending change sets and decisions, zone by zone (design 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from extdns.engine.packing import fits
from extdns.model.change import Blocked, ChangeSet
from extdns.model.claim import Wanted, Withheld
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import Reason
from extdns.planner.merge import Candidate, candidates
from extdns.planner.plan import NamePlan, plan_name

if TYPE_CHECKING:
    from extdns.engine.claims import ClaimIndex, NameClaim
    from extdns.engine.judge import Judge
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.name import DnsName
    from extdns.model.ownership import Owned
    from extdns.model.record import Record


class Planning:
    """Plans names; what it decides goes to the write queue of each zone and to whoever listens."""

    def __init__(self, settings: EngineSettings, claims: ClaimIndex, judge: Judge, zones: Zones) -> None:
        """Plan with what these four hold when `plan` is called."""
        self._settings = settings
        self._claims = claims
        self._judge = judge
        self._zones = zones

    def plan(self, name: DnsName, now_s: float) -> tuple[Decision, ...] | None:
        """Plan *name* in all its zones; None while a write of it is in flight anywhere."""
        states = self._zones.of(name)
        if any(state.writes.busy(name) for state in states):
            return None
        claims = self._claims.of(name)
        if not self._settings.plan.domains.passes(name):
            return tuple(_homeless(claims, Reason.DOMAIN_FILTERED))
        if not states:
            return tuple(_homeless(claims, Reason.ZONES_UNKNOWN if self._zones.unknown() else Reason.NO_ZONE))
        wanted = candidates((claim for claim in claims if isinstance(claim, Wanted)), self._settings.plan)
        decisions: list[Decision] = []
        for state in states:
            decisions += self._plan_in(state, name, claims, wanted, now_s)
        return tuple(decisions)

    def _plan_in(
        self,
        state: ZoneState,
        name: DnsName,
        claims: Sequence[NameClaim],
        wanted: Sequence[Candidate],
        now_s: float,
    ) -> Iterable[Decision]:
        if not state.mirror.whole:
            return (_waiting(state, claim, Reason.ZONE_UNREAD) for claim in claims)
        records = self._related_records(state, name)
        held = [owned for owned in self._settings.registry.read(records) if owned.record.name == name]
        if not held and not claims:
            state.writes.plan(name, (), now_s)
            return ()
        if hindrance := self._hindrance(held):
            state.writes.plan(name, (), now_s)
            return (_waiting(state, claim, *hindrance) for claim in claims)
        adjusted, refused = self._adjust(state, wanted)
        plan = plan_name(
            zone=state.zone,
            name=name,
            held=held,
            candidates=adjusted,
            judge=self._judge,
            settings=self._settings.plan,
        )
        decided = [*self._enqueue(state, plan, records, name, now_s), *refused]
        pairs = {(owned.record.set_identifier) for owned in held}
        return [
            *decided,
            *(
                _waiting(state, claim, claim.reason, claim.detail)
                for claim in claims
                if isinstance(claim, Withheld) and claim.set_identifier not in pairs
            ),
        ]

    def _related_records(self, state: ZoneState, name: DnsName) -> list[Record]:
        found = list(state.mirror.of(name))
        for other in self._settings.registry.related(name):
            found += state.mirror.of(other)
        return found

    def _hindrance(self, held: Sequence[Owned]) -> tuple[Reason, str] | None:
        """What keeps the whole name as it is: an object that cannot be seen, or an account that fails."""
        ours = [owned for owned in held if owned.ours]
        for owned in ours:
            if self._judge.hides(owned):
                return Reason.SOURCE_DOWN, f"{owned.record.type} was made for {owned.resource}, which is not listed yet"
        unknown = self._zones.unknown()
        if unknown and not ours:
            return (
                Reason.ZONES_UNKNOWN,
                f"zones of {', '.join(account or 'the account' for account in unknown)} unknown",
            )
        return None

    def _adjust(self, state: ZoneState, wanted: Sequence[Candidate]) -> tuple[list[Candidate], list[Decision]]:
        taken: list[Candidate] = []
        refused: list[Decision] = []
        for candidate in wanted:
            adjusted = self._settings.adjust((candidate.endpoint,), state.zone)
            taken += [replace(candidate, endpoint=endpoint) for endpoint in adjusted.wanted]
            refused += [
                Decision(
                    zone=state.zone,
                    name=refusal.endpoint.name,
                    set_identifier=refusal.endpoint.set_identifier,
                    type=refusal.endpoint.type,
                    verdict=Verdict.NONE,
                    reason=refusal.reason,
                    detail=refusal.detail,
                    wanted=refusal.endpoint,
                    asked_by=candidate.asked_by,
                )
                for refusal in adjusted.refused
            ]
        return taken, refused

    def _enqueue(
        self, state: ZoneState, plan: NamePlan, records: Sequence[Record], name: DnsName, now_s: float
    ) -> tuple[Decision, ...]:
        decisions = plan.decisions
        complete: list[ChangeSet] = []
        for change_set in plan.sets:
            for piece in self._completed(change_set, records):
                if isinstance(piece, Blocked):
                    decisions = _blocked(decisions, change_set, piece)
                else:
                    complete.append(piece)
        quarantine = state.writes.plan(name, tuple(complete), now_s)
        if quarantine and not state.writes.pending.get(name):
            refusal = Blocked(reason=Reason.REFUSED, detail=quarantine.message)
            for change_set in complete:
                decisions = _blocked(decisions, change_set, refusal)
        return decisions

    def _completed(self, change_set: ChangeSet, records: Sequence[Record]) -> Iterable[ChangeSet | Blocked]:
        """The change set with its marks; one that is too large is split by type (law 6)."""
        completed = self._settings.registry.complete(change_set, records)
        if isinstance(completed, Blocked) or fits(completed, self._settings.traits):
            return (completed,)
        if len(change_set.changes) == 1:
            return (Blocked(reason=Reason.TOO_LARGE, detail=f"{len(completed.writes)} writes in one change set"),)
        parts = (replace(change_set, changes=(change,)) for change in change_set.changes)
        return [piece for part in parts for piece in self._completed(part, records)]


def _blocked(decisions: Iterable[Decision], change_set: ChangeSet, why: Blocked) -> tuple[Decision, ...]:
    """*decisions* in which nothing of *change_set* happens."""
    keys = {(change.key.set_identifier, change.key.type) for change in change_set.changes}
    changing = {Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE}
    return tuple(
        replace(
            decision,
            verdict=Verdict.NONE if decision.held is None else Verdict.KEEP,
            reason=why.reason,
            detail=why.detail,
        )
        if decision.verdict in changing and (decision.set_identifier, decision.type) in keys
        else decision
        for decision in decisions
    )


def _homeless(claims: Iterable[NameClaim], reason: Reason) -> Iterable[Decision]:
    return (_undecided(claim, reason) for claim in claims)


def _waiting(state: ZoneState, claim: NameClaim, reason: Reason, detail: str = "") -> Decision:
    return replace(_undecided(claim, reason, detail), zone=state.zone)


def _undecided(claim: NameClaim, reason: Reason, detail: str = "") -> Decision:
    endpoint = claim.endpoint if isinstance(claim, Wanted) else None
    return Decision(
        zone=None,
        name=claim.name,
        set_identifier=claim.set_identifier,
        type=endpoint.type if endpoint else "",
        verdict=Verdict.NONE,
        reason=reason,
        detail=detail,
        wanted=endpoint,
        asked_by=(claim.provenance,),
    )
