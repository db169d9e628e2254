"""Evaluate rules while a name is planned in one zone: on each claim, and on each delete (docs/design/rules.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import field
from msgspec.structs import replace

from extdns.engine.denials import Denial, describe_denial, is_any_published, lacks_address, replaces
from extdns.engine.desired import adjust, build_candidates
from extdns.engine.evidence import Finding
from extdns.model.change import Blocked, Delete
from extdns.model.claim import Derivation, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey, find_namespace
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, RecordKey, restate_record
from extdns.model.value import Value
from extdns.model.wait import Awaited, Wait
from extdns.planner.plan import find_refused_successors
from extdns.resources.core import NAMESPACE
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

Evaluations = dict[tuple[str, str], list[tuple[ObjectKey | None, Evaluation]]]
"""Evaluations by set identifier and type of the record, with the object that requests it; None for its delete."""

DeniedClaim = tuple["ResolvedClaim | TargetlessClaim", "tuple[DesiredRecord, ...]", list[Evaluation]]
"""A denied claim, the records that it requests, () if it is targetless, and the answers that deny it."""


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
        waits_for: changes of the namespaces of the records to delete, since rules may read the namespaces' labels.
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
    waits_for: tuple[Wait, ...] = ()
    is_awaited: bool = False


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
        is_alone = len(resolved) == 1 and not targetless
        inputs: list[RuleInput] = []
        evaluations: Evaluations = {}
        denied: list[DeniedClaim] = []
        for claim in resolved:
            records = _list_records(desired, self.state.settings.plan) if is_alone else self._adjust(claim)
            requested = self._list_inputs(claim, records)
            answers = self.state.rules.evaluate(requested)
            inputs += requested
            denying = []
            for item, answer in zip(requested, answers, strict=True):
                record = item.record if item.record.name == claim.desired.name else claim.desired
                about = evaluations.setdefault((claim.desired.set_identifier, record.type), [])
                about.append((claim.provenance.ref.key, answer))
                if answer.is_denying:
                    denying.append(answer)
            if _is_derived(claim) and lacks_address(claim, self.current, self.state.claims, self.state.zones):
                denying.append(_UNKNOWN_ADDRESS)
            if denying:
                denied.append((claim, records, denying))
        for one in targetless:
            item = self._build_input(one, one.desired)
            (answer,) = self.state.rules.evaluate((item,))
            inputs.append(item)
            if answer.is_denying:
                denied.append((one, (), [answer]))
        review = RuleReview(claims=claims, candidates=together, evaluations=evaluations, inputs=tuple(inputs))
        return self._deny_claims(review, denied, targetless) if denied else review

    def _deny_claims(
        self, review: RuleReview, denied: Sequence[DeniedClaim], targetless: Iterable[TargetlessClaim]
    ) -> RuleReview:
        """Return *review* without the claims in *denied*, some of which are among the *targetless* ones."""
        inputs = [*review.inputs]
        denials = {
            id(claim): self._deny(claim, records, answers, inputs)
            for claim, records, answers in denied
            if isinstance(claim, ResolvedClaim)
        }
        left = [one for one in review.claims if id(one) not in denials]
        dropped = [one for one in denials.values() if not one.is_unresolved]
        refused = {id(claim) for claim, _, _ in denied}
        return replace(
            review,
            claims=[*left, *(claim for one in denials.values() if one.is_unresolved for claim in one.substitutes)],
            candidates=build_candidates(
                left, self.state.settings.plan, [one for one in targetless if id(one) not in refused]
            ),
            rejected=tuple([rejection for one in dropped for rejection in one.rejections]),
            violating=frozenset(chain.from_iterable(one.violating for one in denials.values())),
            retained=self._find_retained(denials.values(), left),
            not_absent={
                owned.key: one.block
                for one in denials.values()
                for owned in self.current
                if owned.is_ours and owned.key not in one.violating and one.would_lose_targets(owned)
            },
            inputs=tuple(inputs),
            is_awaited=any(answer.is_awaited for _, _, answers in denied for answer in answers),
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
        denied = {owned.key: describe_denial(Reason.POLICY_DENIED, [seen]) for owned, seen in found if seen.is_denying}
        namespaces = dict.fromkeys(find_namespace(owned.resource) for owned in deleted)
        evaluations = dict(review.evaluations)
        for owned, seen in found:
            key = owned.record.set_identifier, owned.record.type
            evaluations[key] = [*evaluations.get(key, ()), (None, seen)]
        completed = replace(
            review,
            retained={**review.retained, **denied},
            evaluations=evaluations,
            inputs=(*review.inputs, *inputs),
            waits_for=tuple(Wait(Awaited.OBJECT, ObjectKey(NAMESPACE, "", name)) for name in namespaces if name),
            is_awaited=any(seen.is_awaited for _, seen in found),
        )
        left = tuple([one for one in deletes if one.owned.key not in denied])
        return _keep_retained(proposals, denied), left, completed

    def _adjust(self, claim: ResolvedClaim) -> tuple[DesiredRecord, ...]:
        """Return the records of managed types that *claim* alone requests, as the service would hold them."""
        settings = self.state.settings
        found = adjust(build_candidates((claim,), settings.plan), self.zone.zone, self.current, settings)
        return _list_records(found, settings.plan)

    def _list_inputs(self, claim: ResolvedClaim, records: Iterable[DesiredRecord]) -> list[RuleInput]:
        """Return an input for each of the *records* that *claim* requests.

        A PTR record is denied together with the address records that it was derived from; else it would publish a name
        that rules deny.
        """
        inputs = [self._build_input(claim, record) for record in records]
        if _is_derived(claim):
            inputs += self._find_forward_inputs(claim)
        return inputs

    def _build_input(self, claim: NameClaim | TargetlessClaim, record: DesiredRecord) -> RuleInput:
        key, rules = claim.provenance.ref.key, self.state.rules
        current = self._find_current(record)
        return RuleInput(
            operation=Operation.UPDATE if current and current.is_ours else Operation.CREATE,
            record=record,
            zone=self.zone.zone,
            source=claim.provenance.source,
            object=rules.find_object(key),
            namespace=rules.find_namespace(key.namespace),
            current=current,
        )

    def _find_current(self, record: DesiredRecord) -> OwnedRecord | None:
        """Return the current record with the key of *record*, None if there is none."""
        for owned in self.current:  # called for every request: two keys would be built for each comparison
            found = owned.record
            if (found.type, found.set_identifier, found.name) == (record.type, record.set_identifier, record.name):
                return owned
        return None

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
        """Yield the inputs for the address records from which the PTR claim *claim* was derived."""
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
        is_derived = _is_derived(claim)
        own = [
            one
            for one in self.current
            if one.is_ours
            and state.evidence.normalize_resource(one) == resource
            and not is_derived  # ownership records of PTR records name no resource
        ]
        others = [one for one in self.current if one.resource and one not in own and self._may_share(one, claim)]
        replaced = [one for one in others if any(replaces(record, one) for record in records)]
        violating: list[OwnedRecord] = []
        if any(violation.deletes for answer in answers for violation in answer.denials):
            made = [*own, *replaced]
            found = made + [one for one in self.current if one not in made and is_any_published((one,), records)]
            source = claim.provenance.source
            now = [self._build_input_of_record(Operation.UPDATE, one, source if one in own else "") for one in found]
            inputs += now
            seen = [reduce(Evaluation.merge, answers)] * len(found) if is_derived else state.rules.evaluate(now)
            violating = [one for one, answer in zip(found, seen, strict=True) if answer.is_deleting]
        stays = bool(records) and all(is_any_published(self.current, (record,)) for record in records)
        reason = Reason.POLICY_VIOLATION if stays and not violating else Reason.POLICY_DENIED
        return Denial(
            claim=claim,
            block=describe_denial(reason, answers),
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
            staying = [one for one in denial.replaced if not any(replaces(record, one) for record in successors)]
            found = find_refused_successors((*denial.own, *staying), denial.rejections)
            for owned in self.current:
                if owned in denial.own or not self._may_share(owned, denial.claim):
                    continue
                if denial.would_lose_targets(owned, [record for _, record in allowed]):
                    found.setdefault(owned.key, denial.block)
            retained = {**{key: block for key, block in found.items() if key not in denial.violating}, **retained}
        return retained

    def _may_share(self, owned: OwnedRecord, claim: NameClaim) -> bool:
        """Return whether *owned* may have been merged with what *claim* requests: both are of one namespace."""
        return owned.is_ours and (not owned.resource or self._is_of_namespace(find_namespace(owned.resource), claim))

    def _is_of_namespace(self, namespace: str, claim: NameClaim) -> bool:
        """Return whether *claim* is of *namespace*, or claims of all namespaces are merged."""
        return self.state.settings.plan.merges_namespaces or claim.provenance.ref.key.namespace == namespace


def _list_records(desired: Desired, settings: PlanSettings) -> tuple[DesiredRecord, ...]:
    """Return the records of managed types that the service can hold."""
    return tuple([one.desired for one in desired.taken if one.desired.type in settings.managed_types])


def apply_review(findings: Mapping[RecordKey, Finding], review: RuleReview) -> dict[RecordKey, Finding]:
    """Return *findings*, changed: a violation is evidence, and `not_absent` blocks deletes that would be by absence."""
    found = dict(findings)
    for key, finding in findings.items():
        if key in review.violating:
            found[key] = Finding(outcome=Evidence.POLICY_VIOLATION)
        elif key in review.not_absent and isinstance(finding.outcome, Evidence) and finding.outcome.is_by_absence:
            found[key] = replace(finding, outcome=review.not_absent[key])
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


def attach_evaluations(decisions: Iterable[Decision], evaluations: Evaluations) -> tuple[Decision, ...]:
    """Return *decisions* with the violations and rules of their *evaluations*."""
    attached = []
    for decision in decisions:
        objects = [None, *[one.ref.key for one in decision.requested_by]]  # mostly one, so faster than a set
        about = evaluations.get((decision.set_identifier, decision.type), ())
        found = [evaluation for key, evaluation in about if key in objects]
        if found:
            seen = reduce(Evaluation.merge, found)
            attached.append(replace(decision, violations=seen.violations, rules=seen.matched))
        else:
            attached.append(decision)
    return tuple(attached)


def _is_derived(claim: ResolvedClaim) -> bool:
    return claim.provenance.derivation is Derivation.PTR
