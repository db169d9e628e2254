"""From one dirty name to pending change sets and decisions, zone by zone (design 4)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.engine.contests import Contests, Losers
from extdns.engine.decisions import CHANGING
from extdns.engine.foreseen import foreseen
from extdns.engine.packing import pieces
from extdns.engine.unmet import Unmet, homeless, joined, kept, refused, spared, unasked, unmet, unreadable, withheld
from extdns.errors import described
from extdns.model.change import Blocked
from extdns.model.claim import Wanted
from extdns.model.decision import Decision, Verdict
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.planner.merge import Candidate, candidates
from extdns.planner.plan import NamePlan, plan_name, setback

if TYPE_CHECKING:
    from extdns.engine.claims import ClaimIndex, NameClaim
    from extdns.engine.judge import Judge
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.adjusted import Refusal
    from extdns.model.change import ChangeSet
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
        self._contests = Contests(settings, judge)

    def plan(self, name: DnsName, former: Sequence[Decision], now_s: float) -> tuple[Decision, ...]:
        """Plan *name* in all its zones.

        Where a write of it is in flight, the *former* decisions stay: its outcome makes the name due
        again. So does the end of a zone's first reading.
        """
        claims = self._claims.of(name)
        if not self._settings.plan.domains.passes(name):
            return homeless(claims, Reason.DOMAIN_FILTERED)
        states = self._zones.of(name)
        if not states:
            return homeless(claims, Reason.ZONES_UNKNOWN if self._zones.unknown else Reason.NO_ZONE)
        try:
            decisions = _repairs(self._plan(states, name, claims, former, now_s), former)
        except Exception as exc:  # noqa: BLE001 - law 3: what a registry or a provider makes of one name stays with it
            for state in states:
                state.writes.plan(name, (), now_s)
            return homeless(claims, Reason.OBJECT_FAILED, described(exc))
        if self._claims.remembers(name) and all(state.sure(name) for state in states):
            ours = (decision.held for decision in decisions if decision.held and decision.held.ours)
            self._claims.forget(name, {(owned.record.set_identifier, self._judge.made_for(owned)) for owned in ours})
        return decisions

    def _plan(
        self,
        states: Sequence[ZoneState],
        name: DnsName,
        claims: Sequence[NameClaim],
        former: Sequence[Decision],
        now_s: float,
    ) -> tuple[Decision, ...]:
        decisions: list[Decision] = []
        wanted: tuple[Candidate, ...] | None = None
        for state in states:
            if not state.mirror.whole:
                state.waiting.add(name)
                if state.audit.backoff.failures:
                    unread = Blocked(reason=Reason.ZONE_UNREAD, detail="")
                    decisions += joined((), (unmet(claim, unread) for claim in claims), state.zone)
            elif state.writes.busy(name):
                decisions += [decision for decision in former if decision.zone == state.zone]
            else:
                if wanted is None:
                    wanted = self._candidates(claims)
                decisions += self._plan_in(state, name, claims, wanted, now_s)
        for state in self._zones.left_behind(name, states):
            moved = Blocked(reason=Reason.ZONE_MOVED, detail=f"it belongs to {', '.join(str(s.zone) for s in states)}")
            held = self._settings.registry.read(state.mirror.around(name, self._settings.registry.related(name)))
            decisions += kept([owned for owned in self._managed(held, name) if owned.ours], state.zone, moved)
        return tuple(decisions)

    def _plan_in(
        self,
        state: ZoneState,
        name: DnsName,
        claims: Sequence[NameClaim],
        wanted: Sequence[Candidate],
        now_s: float,
    ) -> Iterable[Decision]:
        """Plan *name* in one zone that was read whole."""
        related = self._settings.registry.related(name)
        records = state.mirror.around(name, related)
        read = self._settings.registry.read(records) if records else ()
        held = [owned for owned in read if owned.record.name == name]
        if not held and not claims:
            state.writes.plan(name, (), now_s)
            state.deletes.planned(name, (), now_s)
            return ()
        if why := self._standstill(state, held) or unreadable(records):
            return self._left_alone(state, name, held, claims, why, now_s)
        hidden = self._hidden(held)
        vain = [unmet(claim, hidden[claim.set_identifier]) for claim in claims if claim.set_identifier in hidden]
        seen = [claim for claim in claims if claim.set_identifier not in hidden] if hidden else claims
        lost, merged = self._contested(state, held, seen, wanted, now_s)
        losers = [claim for claim, _ in lost]
        heirs = {claim.set_identifier for claim, why in lost if why.reason is not Reason.CONFLICT_LOST}
        if lost:
            wanted = self._candidates(claim for claim in seen if claim not in losers)
        adjusted, unsupported = self._adjust(state, held, wanted, hidden)
        plan = plan_name(
            zone=state.zone,
            name=name,
            held=held,
            candidates=adjusted,
            judge=lambda owned: (
                spared(owned, unsupported)
                or hidden.get(owned.key.set_identifier)
                or state.deletes.unless_stale(owned, self._judge(owned, now_s, losers), now_s)
            ),
            leave=lambda one, why: state.deletes.weigh(one, why, now_s, passes_on=one.key.set_identifier in heirs),
            settings=self._settings.plan,
        )
        state.deletes.planned(name, {owned.key for owned in held}, now_s)
        expected = foreseen(records, state.writes.ahead(related), name, related) if plan.sets else ()
        decided = self._enqueue(state, plan, expected, name, now_s)
        vain += [*unsupported, *withheld([claim for claim in seen if claim not in losers])]
        vain += [unmet(claim, why) for claim, why in lost]
        return joined(_merged_before(decided, merged) if merged else decided, vain, state.zone)

    def _left_alone(
        self,
        state: ZoneState,
        name: DnsName,
        held: Sequence[Owned],
        claims: Iterable[NameClaim],
        why: Blocked,
        now_s: float,
    ) -> Iterable[Decision]:
        """Leave all that stands at *name* as it is."""
        state.writes.plan(name, (), now_s)
        state.deletes.planned(name, {owned.key for owned in held}, now_s)
        stays = kept(self._managed(held, name), state.zone, why)
        stands = joined(stays, (unmet(claim, why) for claim in claims), state.zone)
        return (*stands, *unasked(held, why, state.zone, stands))

    def _candidates(self, claims: Iterable[NameClaim]) -> tuple[Candidate, ...]:
        return candidates((claim for claim in claims if isinstance(claim, Wanted)), self._settings.plan)

    def _contested(
        self,
        state: ZoneState,
        held: Sequence[Owned],
        claims: Sequence[NameClaim],
        wanted: Sequence[Candidate],
        now_s: float,
    ) -> tuple[Losers, set[str]]:
        """The claims that lose to another namespace, and the set identifiers whose records hold what all want."""
        lost = self._contests.lost(state.deletes, held, claims, now_s)
        if not lost:
            return [], set()
        plan = plan_name(
            zone=state.zone,
            name=claims[0].name,
            held=held,
            candidates=self._adjust(state, held, wanted, {})[0],
            judge=lambda _: Evidence.REPLACED,
            leave=lambda _, evidence: evidence,
            settings=self._settings.plan,
        )
        changed = {change.key.set_identifier for change_set in plan.sets for change in change_set.changes}
        stands = {owned.record.set_identifier for owned in held if owned.ours}
        contested = {claim.set_identifier for claim, why in lost if why.reason is Reason.CONFLICT_LOST}
        merged = contested & stands - changed
        return [(claim, why) for claim, why in lost if claim.set_identifier not in merged], merged

    def _managed(self, held: Iterable[Owned], name: DnsName) -> list[Owned]:
        types = self._settings.plan.managed_types
        return [owned for owned in held if owned.record.name == name and owned.record.type in types]

    def _standstill(self, state: ZoneState, held: Iterable[Owned]) -> Blocked | None:
        """What keeps a whole name as it is: its zone vanished, or an account fails of which nothing is known."""
        if state.missing_since_s is not None:
            return Blocked(reason=Reason.ZONE_GONE, detail=f"{state.zone} is missing in the list of zones")
        if self._zones.unknown and not any(owned.ours for owned in held):
            accounts = ", ".join(account or "the account" for account in self._zones.unknown)
            return Blocked(reason=Reason.ZONES_UNKNOWN, detail=f"zones of {accounts} unknown")
        return None

    def _hidden(self, held: Iterable[Owned]) -> dict[str, Blocked]:
        """Set identifiers in which a record was made for an object that cannot be seen: nobody else may touch it."""
        return {
            owned.record.set_identifier: Blocked(
                reason=Reason.SOURCE_DOWN,
                detail=f"{owned.record.type} was made for {owned.resource}, which is not listed yet",
            )
            for owned in held
            if owned.ours and self._judge.hides(owned)
        }

    def _adjust(
        self, state: ZoneState, held: Sequence[Owned], wanted: Sequence[Candidate], hidden: Container[str]
    ) -> tuple[list[Candidate], list[Unmet]]:
        """What the service would hold of what is *wanted*, and what not, but for the *hidden* set identifiers."""
        taken: list[Candidate] = []
        rejected: list[tuple[Refusal, Candidate]] = []
        for candidate in wanted:
            if candidate.endpoint.set_identifier in hidden:
                continue
            adjusted = self._settings.adjust((candidate.endpoint,), state.zone)
            taken += [
                candidate if endpoint is candidate.endpoint else replace(candidate, endpoint=endpoint)
                for endpoint in adjusted.wanted
            ]
            rejected += [(refusal, candidate) for refusal in adjusted.refused]
        return taken, [self._rejected(refusal, candidate, taken, held) for refusal, candidate in rejected]

    def _rejected(
        self, refusal: Refusal, candidate: Candidate, rivals: Sequence[Candidate], held: Sequence[Owned]
    ) -> Unmet:
        """What the service would not hold; that is no failure where it would have come to nothing in any case."""
        lost = setback(candidate, rivals, held, self._settings.plan) if refusal.reason is Reason.UNSUPPORTED else None
        return refused(replace(refusal, reason=lost) if lost else refusal, candidate.asked_by)

    def _enqueue(
        self, state: ZoneState, plan: NamePlan, records: Sequence[Record], name: DnsName, now_s: float
    ) -> tuple[Decision, ...]:
        """Queue what was planned; what cannot be made, or not now, has that as its decision."""
        decisions = plan.decisions
        complete: list[ChangeSet] = []
        for change_set in plan.sets:
            for part, piece in pieces(change_set, records, self._settings.registry, self._settings.traits):
                if isinstance(piece, Blocked):
                    decisions = _blocked(decisions, part, piece)
                else:
                    complete.append(piece)
        hindrance = state.writes.plan(name, tuple(complete), now_s)
        if hindrance:
            for change_set in complete:
                decisions = _blocked(decisions, change_set, hindrance)
        return decisions


def _repairs(decisions: tuple[Decision, ...], former: Iterable[Decision]) -> tuple[Decision, ...]:
    """Tell updates that somebody else's edit made necessary from those that an object did (law 5)."""
    if not any(decision.verdict is Verdict.UPDATE for decision in decisions):
        return decisions
    right = {
        decision.key: decision.wanted
        for decision in former
        if decision.reason in {Reason.PROGRAMMED, Reason.DRIFT_REPAIRED}
    }
    return tuple(
        replace(decision, reason=Reason.DRIFT_REPAIRED)
        if decision.reason is Reason.CHANGED and decision.wanted == right.get(decision.key)
        else decision
        for decision in decisions
    )


def _merged_before(decisions: Iterable[Decision], merged: Container[str]) -> tuple[Decision, ...]:
    """Say of records at the set identifiers *merged* why they stay as they are."""
    return tuple(
        replace(decision, reason=Reason.MERGED_BEFORE)
        if decision.reason is Reason.PROGRAMMED and decision.set_identifier in merged
        else decision
        for decision in decisions
    )


def _blocked(decisions: Iterable[Decision], change_set: ChangeSet, why: Blocked) -> tuple[Decision, ...]:
    """*decisions* in which nothing of *change_set* happens."""
    keys = {(change.key.set_identifier, change.key.type) for change in change_set.changes}
    return tuple(
        replace(
            decision,
            verdict=Verdict.NONE if decision.held is None else Verdict.KEEP,
            reason=why.reason,
            detail=why.detail,
        )
        if decision.verdict in CHANGING and (decision.set_identifier, decision.type) in keys
        else decision
        for decision in decisions
    )
