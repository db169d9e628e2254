"""The plan of one name in one zone (spec plan 2, design 4 and 6).

::

    held records + candidates ▸ table ▸ one form ▸ proposals ▸ evidence, policy and leave ▸ neighbours ▸ change sets
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Create, Delete, Update
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
from extdns.planner.proposal import Proposal, propose
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
    visible = [owned for owned in held if owned.record.type in settings.managed_types]
    wanted = in_order(candidates, settings)
    managed = [candidate for candidate in wanted if candidate.endpoint.type in settings.managed_types]
    unmanaged = [candidate for candidate in wanted if candidate.endpoint.type not in settings.managed_types]
    table, misfits = forms.one_form(rows(visible, managed))
    proposals = [proposal for row in table for proposal in propose(row, settings)]
    proposals = [_checked(proposal, proposals, judge, settings) for proposal in proposals]
    proposals = forms.compatible([_permitted(proposal, leave) for proposal in proposals])
    decisions = [_decision(zone, proposal) for proposal in proposals]
    decisions += [_lost(zone, candidate, Reason.TYPE_UNMANAGED) for candidate in unmanaged]
    decisions += [_lost(zone, candidate, Reason.ROUTING_CONFLICT) for candidate in misfits]
    decisions += [decision for row in table for decision in _losers(zone, row)]
    return NamePlan(sets=_sets(zone, name, proposals), decisions=tuple(sorted(decisions, key=lambda d: d.order)))


def _checked(proposal: Proposal, all_: Sequence[Proposal], judge: Judge, settings: PlanSettings) -> Proposal:
    """Ask for the evidence of a delete, then the policy."""
    change = proposal.change
    if isinstance(change, Delete):
        evidence = _evidence(change, all_, judge, settings)
        if isinstance(evidence, Blocked):
            return replace(proposal, outcome=evidence)
        change = replace(change, evidence=evidence)
        proposal = replace(proposal, outcome=change)
    if change is None or allows(settings.policy, change):
        return proposal
    return replace(proposal, outcome=Blocked(reason=Reason.POLICY_KEEPS, detail=f"--policy={settings.policy}"))


def _permitted(proposal: Proposal, leave: Leave) -> Proposal:
    """Ask whether a delete may be made now."""
    change = proposal.change
    if not isinstance(change, Delete) or change.evidence is Evidence.REPLACED:
        return proposal
    answer = leave(change.held, change.evidence)
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
    changes = [change for proposal in proposals if (change := proposal.change) is not None]
    if len(changes) > 1:
        changes.sort(key=lambda change: change.key)
    identifiers = sorted({change.key.set_identifier for change in changes})
    if len(identifiers) == 1 or "" in identifiers:  # simple and routed records cannot stand side by side
        return (ChangeSet(zone=zone, name=name, changes=tuple(changes)),)
    return tuple(
        ChangeSet(
            zone=zone, name=name, changes=tuple(change for change in changes if change.key.set_identifier == identifier)
        )
        for identifier in identifiers
    )


def _decision(zone: Zone, proposal: Proposal) -> Decision:
    verdict, reason, detail = _ending(proposal)
    candidate = proposal.candidate
    return Decision(
        zone=zone,
        name=proposal.key.name,
        set_identifier=proposal.key.set_identifier,
        type=proposal.key.type,
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
