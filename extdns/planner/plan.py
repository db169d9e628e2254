"""The plan of one name in one zone (spec plan 2, design 4 and 6).

::

    held records + candidates ▸ table ▸ one form ▸ proposals ▸ evidence, policy and leave ▸ neighbours ▸ change sets
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from msgspec.structs import replace

from extdns.model.change import Blocked, Change, ChangeSet, Create, Delete, Update
from extdns.model.decision import Decision, Verdict
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.planner import forms
from extdns.planner.merge import Candidate, in_order
from extdns.planner.policy import allows
from extdns.planner.proposal import UP_TO_DATE, Proposal, propose
from extdns.planner.settings import PlanSettings
from extdns.planner.table import Row, rows

Judge = Callable[[Owned], Evidence | Blocked]
Leave = Callable[[Owned, Evidence], Evidence | Blocked]


class NamePlan(Value, frozen=True, kw_only=True):
    """What shall happen at one name of one zone.

    Attributes:
        sets: change sets without marks, sorted by set identifier.
        decisions: one for every record set of a managed type and for every claim that lost.
    """

    sets: tuple[ChangeSet, ...] = ()
    decisions: tuple[Decision, ...] = ()


def plan_name(
    *,
    zone: Zone,
    name: DnsName,
    held: Iterable[Owned],
    candidates: Iterable[Candidate],
    judge: Judge,
    leave: Leave,
    settings: PlanSettings,
) -> NamePlan:
    """Plan *name* in *zone*.

    Args:
        zone: where the name was placed.
        name: the name to plan.
        held: what the registry read at the name.
        candidates: what objects want there, adjusted by the provider.
        judge: tells the evidence for removing a record of ours that nothing replaces, or what keeps it.
        leave: tells whether such a record may go now on its evidence, or what it waits for.
        settings: what a person set.
    """
    wanted = in_order(candidates, settings)
    table, misfits = forms.one_form(_managed(held, wanted, settings))
    asked = [proposal for row in table for proposal in propose(row, settings)]
    proposals = forms.compatible([_permitted(_checked(one, asked, judge, settings), leave) for one in asked])
    types = settings.managed_types
    decisions = [_lost(zone, one, Reason.TYPE_UNMANAGED) for one in wanted if one.endpoint.type not in types]
    decisions += [_decision(zone, proposal) for proposal in proposals]
    decisions += [_lost(zone, candidate, Reason.ROUTING_CONFLICT) for candidate in misfits]
    for row in table:
        if row.losers or row.outdone:
            decisions += _losers(zone, row)
    if len(decisions) > 1:
        decisions.sort(key=lambda decision: decision.order)
    return NamePlan(sets=_sets(zone, name, proposals), decisions=tuple(decisions))


def setback(
    candidate: Candidate, rivals: Iterable[Candidate], held: Iterable[Owned], settings: PlanSettings
) -> Reason | None:
    """Why *candidate* would come to nothing in any case (spec plan 2.1, 2.3 to 2.5, 2.8), None if it would be written.

    Args:
        candidate: what the service refuses.
        rivals: what it takes at the same name.
        held: what the registry read there.
        settings: what a person set.
    """
    if candidate.endpoint.type not in settings.managed_types:
        return Reason.TYPE_UNMANAGED
    for row in _managed(held, in_order((*rivals, candidate), settings), settings):
        if candidate in row.losers:
            return Reason.TYPE_CONFLICT
        if candidate in row.outdone:
            return Reason.CONFLICT_LOST
        for proposal in propose(row, settings):
            if proposal.candidate is candidate:
                return _obstacle(proposal.outcome, settings)
    return None


def _obstacle(outcome: Change | Blocked, settings: PlanSettings) -> Reason | None:
    """What keeps *outcome* from being made, None if nothing does or nothing has to be."""
    if isinstance(outcome, Blocked):
        return None if outcome is UP_TO_DATE else outcome.reason
    return None if allows(settings.policy, outcome) else Reason.POLICY_KEEPS


def _managed(held: Iterable[Owned], wanted: Iterable[Candidate], settings: PlanSettings) -> tuple[Row, ...]:
    """The rows of a name, with what is of a managed type; *wanted* is in order."""
    types = settings.managed_types
    visible = [owned for owned in held if owned.record.type in types]
    return rows(visible, [candidate for candidate in wanted if candidate.endpoint.type in types])


def _checked(proposal: Proposal, all_: Sequence[Proposal], judge: Judge, settings: PlanSettings) -> Proposal:
    """Ask for the evidence of a delete, then the policy."""
    outcome = proposal.outcome
    if isinstance(outcome, Delete):
        evidence = _evidence(outcome, all_, judge, settings)
        if isinstance(evidence, Blocked):
            return replace(proposal, outcome=evidence)
        outcome = replace(outcome, evidence=evidence)
        proposal = replace(proposal, outcome=outcome)
    if isinstance(outcome, Blocked) or allows(settings.policy, outcome):
        return proposal
    return replace(proposal, outcome=Blocked(reason=Reason.POLICY_KEEPS, detail=f"--policy={settings.policy}"))


def _permitted(proposal: Proposal, leave: Leave) -> Proposal:
    """Ask whether a delete may be made now."""
    outcome = proposal.outcome
    if not isinstance(outcome, Delete) or outcome.evidence is Evidence.REPLACED:
        return proposal
    answer = leave(outcome.held, outcome.evidence)
    return replace(proposal, outcome=answer) if isinstance(answer, Blocked) else proposal


def _evidence(change: Delete, all_: Sequence[Proposal], judge: Judge, settings: PlanSettings) -> Evidence | Blocked:
    held, in_row = change.held, change.evidence is Evidence.REPLACED
    if forms.replaced(held, all_) or (in_row and forms.excluded(held, all_)):
        return Evidence.REPLACED
    if held.owner is not None and held.owner != settings.owner:
        return Blocked(reason=Reason.OWNED_BY_OTHER, detail=f'owned by "{held.owner}", taken over only when claimed')
    standing = judge(held)
    undecided = isinstance(standing, Blocked) and standing.reason not in _DECIDED
    return Evidence.REPLACED if in_row and not undecided else standing


# Answers after which the live claims of the pair decide. Any other means that the object behind the
# record still wants it but cannot say what: then it stays, unless a live claim excludes it (design 4,
# "Where claims meet").
_DECIDED = frozenset({Reason.CONFLICT_LOST, *(Reason(evidence.value) for evidence in Evidence)})


def _sets(zone: Zone, name: DnsName, proposals: Iterable[Proposal]) -> tuple[ChangeSet, ...]:
    """One change set for each set identifier, one for all if they cannot stand side by side (law 6)."""
    changes = [one.outcome for one in proposals if not isinstance(one.outcome, Blocked)]
    if len(changes) > 1:
        changes.sort(key=lambda change: change.key)
    apart = forms.beside(change.key for change in changes)
    groups = groupby(changes, key=lambda change: change.key.set_identifier) if apart else [("", changes)]
    return tuple([ChangeSet(zone=zone, name=name, changes=tuple(group)) for _, group in groups])


def _decision(zone: Zone, proposal: Proposal) -> Decision:
    verdict, reason, detail = _ending(proposal)
    candidate, key = proposal.candidate, proposal.key
    return Decision(
        zone=zone,
        name=key.name,
        set_identifier=key.set_identifier,
        type=key.type,
        verdict=verdict,
        reason=reason,
        detail=detail,
        wanted=candidate.endpoint if candidate else None,
        held=proposal.held,
        asked_by=candidate.asked_by if candidate else (),
    )


def _ending(proposal: Proposal) -> tuple[Verdict, Reason, str]:
    match proposal.outcome:
        case Create():
            return Verdict.CREATE, Reason.WANTED, ""
        case Update(differences=("mark",)):
            return Verdict.UPDATE, Reason.MARK_MISSING, ""
        case Update(differences=words):
            reason = Reason.OWNER_MIGRATED if words == ("owner",) else Reason.CHANGED
            return Verdict.UPDATE, reason, ", ".join(words)
        case Delete(evidence=evidence):
            return Verdict.DELETE, Reason(evidence.value), ""
        case Blocked(reason=reason, detail=detail):
            return Verdict.NONE if proposal.held is None else Verdict.KEEP, reason, detail


def _losers(zone: Zone, row: Row) -> Iterable[Decision]:
    for candidate in row.losers:
        yield _lost(zone, candidate, Reason.TYPE_CONFLICT)
    for candidate in row.outdone:
        ahead = row.winners[candidate.endpoint.type].asked_by[0]
        yield _lost(zone, candidate, Reason.CONFLICT_LOST, f"{ahead.ref} has it")


def _lost(zone: Zone, candidate: Candidate, reason: Reason, detail: str = "") -> Decision:
    endpoint = candidate.endpoint
    return Decision(
        zone=zone,
        name=endpoint.name,
        set_identifier=endpoint.set_identifier,
        type=endpoint.type,
        verdict=Verdict.NONE,
        reason=reason,
        detail=detail,
        wanted=endpoint,
        asked_by=candidate.asked_by,
    )
