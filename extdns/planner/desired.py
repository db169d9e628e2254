"""The desired records of one name in one zone: claims are merged, and adjusted to what the DNS service can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from extdns.errors import describe_error, describe_invalid_value, sanitize
from extdns.model import rrtype
from extdns.model.change import AdjustedRecords, Blocked, ChangeSet, Create, Refusal, Wait
from extdns.model.claim import Derivation, NameClaim, ResolvedClaim
from extdns.model.dns_name import RESERVED_LABEL
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, RecordKey
from extdns.model.validation import RecordProblem, find_owner_problem, find_size_problem, validate_record
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.planner.decide import Unfulfilled, reject_candidate
from extdns.planner.proposal import Candidate, merge_claims
from extdns.planner.settings import Adjust, Planner, PlanSettings
from extdns.planner.view import NameView
from extdns.ports import Registry
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput


class AdjustmentUnknownError(Exception):
    """The service was not shown *records* yet, so their adjusted form is unknown. Raised while a name is planned."""

    def __init__(self, records: tuple[DesiredRecord, ...]) -> None:
        """Store *records*, which have to be shown to the service."""
        super().__init__(f"{len(records)} records are not adjusted yet")
        self.records = records


class Desired(Value, frozen=True, kw_only=True):
    """The desired records of one name, as the DNS service would hold them.

    Attributes:
        taken: the candidates that the service can hold, in the form in which it would return them.
        refused: the candidates that it cannot hold, and why.
        of_managed_types: those of `taken` and `refused` whose type is managed.
    """

    taken: tuple[Candidate, ...] = ()
    refused: tuple[Unfulfilled, ...] = ()
    of_managed_types: tuple[Candidate, ...] = ()


Evaluations = Mapping[tuple[str, str], Sequence[tuple[ObjectKey | None, Evaluation]]]
"""Evaluations by set identifier and type of the record, with the object that requests it; None for its delete."""

NO_BLOCKS: Final[Mapping[RecordKey, Blocked]] = MappingProxyType({})
_NO_EVALUATIONS: Final[Evaluations] = MappingProxyType({})


class Requested(Value, frozen=True, kw_only=True, gc=True):
    """What objects request at one name, and which records stay whatever objects request.

    Attributes:
        claims: the claims that count. An unresolved one stands for each claim that rules deny and that keeps a record
            of its namespace.
        desired: what the resolved claims request together, as the DNS service would hold it.
        rejected: the requests of the claims that do not count.
        stays: by key, why records stay, whatever the evidence.
        not_absent: by key, why records are not deleted by absence: a denied claim requests their targets.
        violating: the keys of the records to delete, because they violate a rule.
        evaluations: what rules answer about every record that was evaluated.
        inputs: what was evaluated.
        waits_for: what would change the answers of the rules about deletes.
        is_awaited: whether an answer is awaited, without which nothing can be planned.
    """

    claims: Sequence[NameClaim]
    desired: Desired
    rejected: tuple[Unfulfilled, ...] = ()
    stays: Mapping[RecordKey, Blocked] = NO_BLOCKS
    not_absent: Mapping[RecordKey, Blocked] = NO_BLOCKS
    violating: frozenset[RecordKey] = frozenset()
    evaluations: Evaluations = _NO_EVALUATIONS
    inputs: tuple[RuleInput, ...] = ()
    waits_for: tuple[Wait, ...] = ()
    is_awaited: bool = False


def build_candidates(claims: Iterable[NameClaim], settings: PlanSettings) -> tuple[Candidate, ...]:
    """Merge the resolved *claims* to a name into candidates."""
    return merge_claims([claim for claim in claims if isinstance(claim, ResolvedClaim)], settings)


def adjust(found: Iterable[Candidate], view: NameView, planner: Planner) -> Desired:
    """Split the candidates *found* into those that the DNS service can hold, in its form, and all others.

    A CNAME that the service does not support yields to another requested type as any other CNAME does.

    Raises:
        AdjustmentUnknownError: the service must be shown some of the records first.
    """
    taken: list[Candidate] = []
    refusals: list[tuple[Refusal, Candidate]] = []
    unknown: list[DesiredRecord] = []
    for candidate in found:
        adjusted = _adjust_one(candidate.desired, view.zone, planner.adjust)
        if adjusted.accepted and (problem := _find_owner_problem(candidate.desired, view, planner)):
            adjusted = _refuse(candidate.desired, problem)
        unknown += adjusted.unknown
        taken += [
            candidate if endpoint is candidate.desired else replace(candidate, desired=endpoint)
            for endpoint in adjusted.accepted
        ]
        if adjusted.refused:
            refusals += [(refusal, candidate) for refusal in adjusted.refused]
    if unknown:
        raise AdjustmentUnknownError(tuple(unknown))
    types, all_taken = planner.settings.managed_types, tuple(taken)
    managed = tuple([one for one in taken if one.desired.type in types])
    if not refusals:
        return Desired(taken=all_taken, of_managed_types=managed)
    addressed = {one.desired.set_identifier for one in managed if one.desired.type != rrtype.EXCLUSIVE}
    refused: list[Unfulfilled] = []
    for refusal, candidate in refusals:
        reason = refusal.reason
        if refusal.desired.type not in types:
            reason = Reason.TYPE_UNMANAGED
        elif (reason, candidate.desired.type) == (Reason.UNSUPPORTED, rrtype.EXCLUSIVE):
            reason = Reason.INCOMPATIBLE_TYPE if candidate.desired.set_identifier in addressed else reason
        shown = replace(candidate, desired=refusal.desired)
        refused.append(reject_candidate(shown, Blocked(reason=reason, detail=refusal.detail)))
        if refusal.desired.type in types:
            managed += (shown,)
    return Desired(taken=all_taken, refused=tuple(refused), of_managed_types=managed)


def _adjust_one(desired: DesiredRecord, zone: Zone, adjust: Adjust) -> AdjustedRecords:
    if problem := find_size_problem(desired):
        return _refuse(desired, problem)
    try:
        return adjust((desired,), zone)
    except Exception as exc:  # noqa: BLE001 - law 3: a failure of one record affects no other of its name
        refusal = Refusal(desired=desired, reason=Reason.OBJECT_FAILED, detail=sanitize(describe_error(exc), 300))
        return AdjustedRecords(accepted=(), refused=(refusal,))


def _refuse(desired: DesiredRecord, problem: RecordProblem) -> AdjustedRecords:
    detail = describe_invalid_value(problem.value, problem.allowed)
    return AdjustedRecords(accepted=(), refused=(Refusal(desired=desired, reason=problem.reason, detail=detail),))


def _find_owner_problem(desired: DesiredRecord, view: NameView, planner: Planner) -> RecordProblem | None:
    """Return why a new record of the type of *desired* cannot have its name; None if it can, or was ours."""
    if desired.type not in rrtype.ADDRESSES or planner.settings.compat:
        return None
    problem = find_owner_problem(desired)
    is_ours = problem and (any(owned.is_ours for owned in view.current) or _is_lost(desired, view, planner))
    return None if is_ours else problem


def _is_lost(desired: DesiredRecord, view: NameView, planner: Planner) -> bool:
    """Return whether the record was ours and somebody else removed it: its ownership record is still there."""
    if not planner.settings.owner or any(owned.key == desired.key for owned in view.current):
        return False
    created = ChangeSet(zone=view.zone, name=view.name, changes=(Create(desired=desired),), parent=view.parent)
    completed = planner.complete(created, view.expected)
    return isinstance(completed, ChangeSet) and all(one.old or one.key == desired.key for one in completed.writes)


def find_invalid_hosts(claims: Iterable[NameClaim], view: NameView, planner: Planner) -> dict[NameClaim, Blocked]:
    """Return the PTR claims of names that are not host names, and why they do not count.

    They count if a PTR record of ours has the name, or had it and was removed by somebody else.
    """
    found: dict[NameClaim, Blocked] = {}
    for claim in claims:
        if claim.provenance.derivation is not Derivation.PTR or not isinstance(claim, ResolvedClaim):
            continue
        if (problem := validate_record(claim.desired)) and not _is_listed(claim.desired, view, planner):
            detail = describe_invalid_value(problem.value, problem.allowed)
            found[claim] = Blocked(reason=Reason.INVALID_OBJECT, detail=detail)
    return found


def _is_listed(desired: DesiredRecord, view: NameView, planner: Planner) -> bool:
    listed = any(owned.is_ours and {*desired.targets} <= {*owned.record.targets} for owned in view.current)
    return listed or _is_lost(desired, view, planner)


def refuse_invalid(adjust: Adjust, registry: Registry, *, lenient: bool = False) -> Adjust:
    """Wrap *adjust* so that it also refuses invalid answers and what could pass for an ownership record.

    The second is a TXT record that reads as one, and any record at a name that only ownership records may have
    (docs/design/forgery.md). What a service changed has to be as valid as what objects request; *lenient*: see
    `extdns.model.validation`.
    """

    def adjust_and_refuse(desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        adjusted = adjust(desired, zone)
        for endpoint in adjusted.accepted:
            if endpoint.type == rrtype.TXT or endpoint.name.is_reserved or endpoint not in desired:
                checked = [_check(one, desired, registry, lenient=lenient) for one in adjusted.accepted]
                return replace(AdjustedRecords.from_results((*checked, *adjusted.refused)), unknown=adjusted.unknown)
        return adjusted

    return adjust_and_refuse


def _check(
    endpoint: DesiredRecord, desired: Sequence[DesiredRecord], registry: Registry, *, lenient: bool
) -> DesiredRecord | Refusal:
    if endpoint.name.is_reserved:
        detail = f"{endpoint.name} is reserved for ownership records; allowed: names without {RESERVED_LABEL} in front"
        return Refusal(desired=endpoint, reason=Reason.FORGED_OWNERSHIP, detail=detail)
    if endpoint.type == rrtype.TXT:
        for target in endpoint.targets:
            if registry.is_ownership_text(target):
                detail = f"{target[:80]} reads as an ownership record; allowed: any other text"
                return Refusal(desired=endpoint, reason=Reason.FORGED_OWNERSHIP, detail=detail)
    if not lenient and endpoint.set_identifier not in {one.set_identifier for one in desired}:
        # contests are decided by the requested one
        detail = f"the DNS service changes the set identifier to {endpoint.set_identifier!r}"
        return Refusal(desired=desired[0], reason=Reason.UNSUPPORTED, detail=detail)
    problem = None if endpoint in desired else validate_record(endpoint, lenient=lenient)
    if problem:
        detail = f"as the DNS service changes it, {describe_invalid_value(problem.value, problem.allowed)}"
        return Refusal(desired=endpoint, reason=Reason.INVALID_TARGET, detail=detail)
    return endpoint
