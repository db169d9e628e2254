"""Evaluate rules while a name is planned in one zone: on each claim, and on each delete (docs/design/rules.md).

A denied claim becomes an unresolved one if it keeps a record of its namespace there, so that the namespace keeps the
name in contests. If it keeps none, the claim is dropped, and neither takes the name nor blocks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import field
from msgspec.structs import replace

from extdns.engine.decisions import Awaited, Wait
from extdns.engine.desired import adjust, build_candidates
from extdns.engine.evidence import Finding
from extdns.engine.rule_state import is_published, lacks_address
from extdns.model.change import Blocked, Delete
from extdns.model.claim import Derivation, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey, find_namespace
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, RecordKey, restate_record
from extdns.model.resources.core import NAMESPACE
from extdns.model.value import Value
from extdns.planner.coexistence import can_coexist
from extdns.planner.decide import reject_claim
from extdns.planner.plan import find_refused_successors
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput

if TYPE_CHECKING:
    from extdns.engine.desired import Desired
    from extdns.engine.state import EngineState
    from extdns.engine.zones import ZoneState
    from extdns.model.change import Decision
    from extdns.model.claim import NameClaim, TargetlessClaim
    from extdns.model.evidence import PendingDelete
    from extdns.model.record import OwnedRecord
    from extdns.planner.decide import Unfulfilled
    from extdns.planner.proposal import Candidate, Proposal
    from extdns.planner.settings import PlanSettings

Evaluations = dict[tuple[RecordKey, ObjectKey | None], Evaluation]
"""Evaluations by record, and by the object that requests it; None for the delete of a record."""


class Denial(Value, frozen=True, kw_only=True):
    """A claim that rules deny, or about which they have no answer.

    Attributes:
        records: the records that the claim requests, as the service would hold them.
        own: the records of ours that were made for the object of the claim.
        replaced: other records of the namespace of the claim, which *records* would replace.
        violating: the keys of the records at the name that are to be deleted (`onViolation: delete`).
    """

    claim: ResolvedClaim
    block: Blocked
    records: tuple[DesiredRecord, ...]
    own: tuple[OwnedRecord, ...]
    replaced: tuple[OwnedRecord, ...] = ()
    violating: frozenset[RecordKey] = frozenset()

    @property
    def rejections(self) -> list[Unfulfilled]:
        """One unfulfilled request for each of `records`."""
        return [replace(reject_claim(self.claim, self.block), desired=record) for record in self.records]

    @property
    def is_unresolved(self) -> bool:
        """Whether a record of the claim's namespace and set identifier stays: the claim then counts as unresolved."""
        staying = [one for one in (*self.own, *self.replaced) if one.key not in self.violating]
        return any(one.record.set_identifier == self.claim.set_identifier for one in staying)

    @property
    def substitutes(self) -> list[UnresolvedClaim]:
        """The unresolved claims that take the place of the denied one, so that its records stay."""
        return [
            UnresolvedClaim(
                name=self.claim.name,
                set_identifier=self.claim.set_identifier,
                provenance=self.claim.provenance,
                reason=self.block.reason,
                detail=self.block.detail,
                type=record.type,
                denied=record,
            )
            for record in self.records
        ]


class RuleReview(Value, frozen=True, kw_only=True):
    """What rules answer about the claims to a name, or about the deletes there.

    Attributes:
        claims: all claims, with an unresolved one in place of each denied claim that keeps a record of its namespace.
        candidates: what the claims that are not denied request together.
        rejected: the requests of the denied claims that keep no record.
        violating: the keys of the records to delete.
        retained: by key, why records stay.
        not_absent: by key, why records are not deleted by absence: a denied claim requests their targets.
        evaluations: the evaluation of every record that was evaluated.
        inputs: what was evaluated.
        is_awaited: whether an answer is awaited, without which nothing can be planned.
    """

    claims: Sequence[NameClaim] = ()
    candidates: Sequence[Candidate] = ()
    rejected: tuple[Unfulfilled, ...] = ()
    violating: frozenset[RecordKey] = frozenset()
    retained: Mapping[RecordKey, Blocked] = field(default_factory=dict)
    not_absent: Mapping[RecordKey, Blocked] = field(default_factory=dict)
    evaluations: Evaluations = field(default_factory=dict)
    inputs: tuple[RuleInput, ...] = ()
    is_awaited: bool = False

    @property
    def waits_for(self) -> list[Wait]:
        """Waits for changes of the namespaces of the records to delete, since rules may read the namespaces' labels."""
        deleted = (one.current for one in self.inputs if one.operation is Operation.DELETE)
        names = dict.fromkeys(find_namespace(one.resource) for one in deleted if one)
        return [Wait(Awaited.OBJECT, ObjectKey(NAMESPACE, "", name)) for name in names if name]


NO_REVIEW: Final = RuleReview()
_UNKNOWN_ADDRESS: Final = Evaluation(unavailable="the address record is not known now")


class RuleReviewer(Value, frozen=True, kw_only=True):
    """Evaluates the rules on the records of one name in one zone."""

    zone: ZoneState
    current: Sequence[OwnedRecord]
    state: EngineState

    def review_claims(self, claims: Sequence[NameClaim], together: Sequence[Candidate], desired: Desired) -> RuleReview:
        """Return what rules answer about *claims*, which request *together*: *desired*, in the form of the service."""
        resolved = [claim for claim in claims if isinstance(claim, ResolvedClaim)]
        targetless = self.state.claims.targetless_claims(claims[0].name) if claims else ()
        plan = self.state.settings.plan
        alone = _list_records(desired, plan) if len(resolved) == 1 and not targetless else None
        requested = {id(claim): self._adjust(claim) if alone is None else alone for claim in resolved}
        pairs = [(claim, self._build_input(claim, one)) for claim in resolved for one in requested[id(claim)]]
        derived = [claim for claim in resolved if claim.provenance.derivation is Derivation.PTR]
        pairs += [(claim, item) for claim in derived for item in self._find_forward_inputs(claim)]
        inputs = [item for _, item in pairs] + [self._build_input(one, one.desired) for one in targetless]
        found = self.state.rules.evaluate(inputs)
        evaluations = _index_evaluations(pairs, found)
        denying: dict[int, list[Evaluation]] = {}
        for (claim, _), evaluation in zip(pairs, found, strict=False):
            if evaluation.is_denying:
                denying.setdefault(id(claim), []).append(evaluation)
        for claim in derived:
            if lacks_address(claim, self.current, self.state.claims, self.state.zones):
                denying.setdefault(id(claim), []).append(_UNKNOWN_ADDRESS)
        allowed = [one for one, seen in zip(targetless, found[len(pairs) :], strict=True) if not seen.is_denying]
        if not denying and len(allowed) == len(targetless):
            return RuleReview(claims=claims, candidates=together, evaluations=evaluations, inputs=tuple(inputs))
        denials: dict[int, Denial] = {}
        for claim in resolved:
            if answers := denying.get(id(claim)):
                denials[id(claim)] = self._deny(claim, requested[id(claim)], answers, inputs)
        left = [one for one in claims if id(one) not in denials]
        dropped = [one for one in denials.values() if not one.is_unresolved]
        return RuleReview(
            claims=[*left, *(claim for one in denials.values() if one.is_unresolved for claim in one.substitutes)],
            candidates=build_candidates(left, self.state.settings.plan, allowed),
            rejected=tuple([rejection for one in dropped for rejection in one.rejections]),
            violating=frozenset(chain.from_iterable(one.violating for one in denials.values())),
            retained=self._find_retained(denials.values(), left),
            not_absent={
                owned.key: one.block
                for one in denials.values()
                for owned in self.current
                if owned.is_ours and owned.key not in one.violating and _would_lose_targets(owned, one, ())
            },
            evaluations=evaluations,
            inputs=tuple(inputs),
            is_awaited=any(one.is_awaited for one in found),
        )

    def review_deletes(
        self, proposals: tuple[Proposal, ...], deletes: tuple[PendingDelete, ...], review: RuleReview
    ) -> tuple[tuple[Proposal, ...], tuple[PendingDelete, ...], RuleReview]:
        """Return *proposals* and *deletes* without what rules deny, and the completed *review*.

        With `--unresolved-timeout`, *deletes* has records that *proposals* keep.
        """
        proposals = _keep_retained(proposals, review.retained)
        deleted = [one.outcome.current for one in proposals if isinstance(one.outcome, Delete)]
        deleted += [one.owned for one in deletes if one.evidence is Evidence.UNRESOLVED_EXPIRED]
        if not deleted:
            return proposals, deletes, review
        inputs = [self._build_input_of_record(Operation.DELETE, owned) for owned in deleted]
        found = list(zip(deleted, self.state.rules.evaluate(inputs), strict=True))
        denied = {owned.key: _describe(Reason.POLICY_DENIED, [seen]) for owned, seen in found if seen.is_denying}
        completed = replace(
            review,
            retained={**review.retained, **denied},
            evaluations={**review.evaluations, **{(owned.key, None): seen for owned, seen in found}},
            inputs=(*review.inputs, *inputs),
            is_awaited=any(seen.is_awaited for _, seen in found),
        )
        left = tuple([one for one in deletes if one.owned.key not in denied])
        return _keep_retained(proposals, denied), left, completed

    def _adjust(self, claim: ResolvedClaim) -> tuple[DesiredRecord, ...]:
        """Return the records of managed types that *claim* alone requests, as the service would hold them."""
        settings = self.state.settings
        found = adjust(build_candidates((claim,), settings.plan), self.zone.zone, self.current, settings)
        return _list_records(found, settings.plan)

    def _build_input(self, claim: NameClaim | TargetlessClaim, record: DesiredRecord) -> RuleInput:
        key, rules = claim.provenance.ref.key, self.state.rules
        current = next((owned for owned in self.current if owned.key == record.key), None) if self.current else None
        return RuleInput(
            operation=Operation.UPDATE if current and current.is_ours else Operation.CREATE,
            record=record,
            zone=self.zone.zone,
            source=claim.provenance.source,
            object=rules.find_object(key),
            namespace=rules.find_namespace(key.namespace),
            current=current,
        )

    def _build_input_of_record(self, operation: Operation, owned: OwnedRecord, source: str = "") -> RuleInput:
        key, rules = self.state.evidence.find_object(owned.resource), self.state.rules
        is_known = key is not None and self.state.claims.has_object(key)
        return RuleInput(
            operation=operation,
            record=restate_record(owned.record),
            zone=self.zone.zone,
            source=source,
            object=rules.find_object(key) if key else None,
            namespace=rules.find_namespace(find_namespace(owned.resource), may_be_gone=not is_known),
            current=owned,
        )

    def _find_forward_inputs(self, claim: ResolvedClaim) -> Iterator[RuleInput]:
        """Yield the inputs for the address records from which the PTR claim *claim* was derived.

        A PTR record is denied together with them; else it would publish a name that rules deny.
        """
        ref, registry = claim.provenance.ref, self.state.settings.registry
        for host in claim.desired.targets:
            found = self.state.claims.claims(DnsName(host))
            forward = [one for one in found if isinstance(one, ResolvedClaim) and one.provenance.ref == ref]
            for zone in self.state.zones.containing(DnsName(host)):
                current = registry.read(zone.cache.records_around(DnsName(host), registry.related_names(DnsName(host))))
                there = RuleReviewer(zone=zone, current=current, state=self.state)
                for one in forward:
                    for record in there._adjust(one):
                        yield there._build_input(one, record)

    def _deny(
        self,
        claim: ResolvedClaim,
        records: tuple[DesiredRecord, ...],
        answers: Sequence[Evaluation],
        inputs: list[RuleInput],
    ) -> Denial:
        """Build the denial of *claim*. Evaluate the records that it may delete, and add their inputs to *inputs*."""
        resource, state = claim.provenance.ref.key.resource, self.state
        is_derived = claim.provenance.derivation is Derivation.PTR
        own = [one for one in self.current if one.is_ours and state.evidence.normalize_resource(one) == resource]
        own = [] if is_derived else own  # ownership records of PTR records name no resource
        others = [one for one in self.current if one.resource and one not in own and self._may_share(one, claim)]
        replaced = [one for one in others if any(_replaces(record, one) for record in records)]
        violating: list[OwnedRecord] = []
        if any(violation.deletes for answer in answers for violation in answer.denials):
            made = [*own, *replaced]
            found = made + [one for one in self.current if one not in made and _is_any_published((one,), records)]
            source = claim.provenance.source
            now = [self._build_input_of_record(Operation.UPDATE, one, source if one in own else "") for one in found]
            inputs += now
            seen = [reduce(Evaluation.merge, answers)] * len(found) if is_derived else state.rules.evaluate(now)
            violating = [one for one, answer in zip(found, seen, strict=True) if answer.is_deleting]
        stays = bool(records) and all(_is_any_published(self.current, (record,)) for record in records)
        reason = Reason.POLICY_VIOLATION if stays and not violating else Reason.POLICY_DENIED
        return Denial(
            claim=claim,
            block=_describe(reason, answers),
            records=records,
            own=tuple(own),
            replaced=tuple(replaced),
            violating=frozenset(one.key for one in violating),
        )

    def _find_retained(self, denials: Iterable[Denial], left: Sequence[NameClaim]) -> dict[RecordKey, Blocked]:
        """Return the records that stay as they are because of *denials*; the claims *left* are not denied."""
        retained: dict[RecordKey, Blocked] = {}
        resolved = [one for one in left if isinstance(one, ResolvedClaim)]
        allowed = [(one.provenance.ref.key.namespace, record) for one in resolved for record in self._adjust(one)]
        for denial in denials:
            successors = [record for namespace, record in allowed if self._is_of_namespace(namespace, denial.claim)]
            staying = [one for one in denial.replaced if not any(_replaces(record, one) for record in successors)]
            found = find_refused_successors((*denial.own, *staying), denial.rejections)
            for owned in self.current:
                if owned in denial.own or not self._may_share(owned, denial.claim):
                    continue
                if _would_lose_targets(owned, denial, [record for _, record in allowed]):
                    found.setdefault(owned.key, denial.block)
            retained = {**{key: block for key, block in found.items() if key not in denial.violating}, **retained}
        return retained

    def _may_share(self, owned: OwnedRecord, claim: NameClaim) -> bool:
        """Return whether *owned* may have been merged with what *claim* requests: both are of one namespace."""
        return owned.is_ours and (not owned.resource or self._is_of_namespace(find_namespace(owned.resource), claim))

    def _is_of_namespace(self, namespace: str, claim: NameClaim) -> bool:
        """Return whether *claim* is of *namespace*, or claims of all namespaces are merged."""
        return self.state.settings.plan.merges_namespaces or claim.provenance.ref.key.namespace == namespace


def _replaces(record: DesiredRecord, owned: OwnedRecord) -> bool:
    """Return whether *record* takes the place of *owned*: it has the same key, or cannot coexist with it."""
    return record.key == owned.key or not can_coexist((owned.record, record))


def _list_records(desired: Desired, settings: PlanSettings) -> tuple[DesiredRecord, ...]:
    """Return the records of managed types that the service can hold."""
    return tuple([one.desired for one in desired.taken if one.desired.type in settings.managed_types])


def _is_any_published(current: Iterable[OwnedRecord], records: Sequence[DesiredRecord]) -> bool:
    """Return whether one of the *current* records is ours, and is what one of *records* requests."""
    return any(is_published(owned, record) for owned in current for record in records)


def _would_lose_targets(owned: OwnedRecord, denial: Denial, allowed: Iterable[DesiredRecord]) -> bool:
    """Return whether *owned* has targets of the denied claim that none of the *allowed* records has."""
    targets = {target for one in denial.records if one.key == owned.key for target in one.targets}
    others = {target for one in allowed if one.key == owned.key for target in one.targets}
    return bool(targets & {*owned.record.targets} - others)


def apply_review(findings: Mapping[RecordKey, Finding], review: RuleReview) -> dict[RecordKey, Finding]:
    """Return *findings*, changed: a violation is evidence, and `not_absent` blocks deletes that would be by absence."""
    found = dict(findings)
    for key in review.violating & found.keys():
        found[key] = Finding(outcome=Evidence.POLICY_VIOLATION)
    for key in review.not_absent.keys() & found.keys():
        outcome = found[key].outcome
        if isinstance(outcome, Evidence) and outcome.is_by_absence:
            found[key] = replace(found[key], outcome=review.not_absent[key])
    return found


def _keep_retained(proposals: tuple[Proposal, ...], retained: Mapping[RecordKey, Blocked]) -> tuple[Proposal, ...]:
    """Return *proposals* with a block in place of each change of a *retained* record."""
    return tuple(
        [
            replace(one, outcome=retained[one.key])
            if one.key in retained and not isinstance(one.outcome, Blocked)
            else one
            for one in proposals
        ]
    )


def attach_evaluations(decisions: Iterable[Decision], review: RuleReview) -> tuple[Decision, ...]:
    """Return *decisions* with the violations and rules of *review*."""
    return tuple([_attach(one, review) for one in decisions])


def _attach(decision: Decision, review: RuleReview) -> Decision:
    key = RecordKey(decision.name, decision.set_identifier, decision.type)
    objects = [None, *(one.ref.key for one in decision.requested_by)]
    found = [seen for one in objects if (seen := review.evaluations.get((key, one)))]
    if not found:
        return decision
    evaluation = reduce(Evaluation.merge, found)
    return replace(decision, violations=evaluation.violations, rules=evaluation.matched)


def _index_evaluations(pairs: Iterable[tuple[ResolvedClaim, RuleInput]], found: Iterable[Evaluation]) -> Evaluations:
    evaluations: Evaluations = {}
    for (claim, item), seen in zip(pairs, found, strict=False):
        rtype = item.record.type if item.record.name == claim.name else claim.desired.type
        key = RecordKey(claim.name, claim.set_identifier, rtype), claim.provenance.ref.key
        before = evaluations.get(key)
        evaluations[key] = before.merge(seen) if before else seen
    return evaluations


def _describe(reason: Reason, answers: Iterable[Evaluation]) -> Blocked:
    """Return why a change is not made: the first violation, or why there is no answer."""
    found = list(answers)
    denials = sorted({violation for answer in found for violation in answer.denials})
    if not denials:
        unavailable = min(answer.unavailable for answer in found if answer.unavailable)
        return Blocked(reason=Reason.POLICY_UNAVAILABLE, detail=unavailable)
    more = f" (and {len(denials) - 1} more)" if len(denials) > 1 else ""
    return Blocked(reason=reason, detail=f"{denials[0].rule}: {denials[0].message}{more}")
