"""Evaluate rules while a name is planned in one zone: on each claim, and on each delete (docs/design/rules.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Final

from msgspec.structs import replace

from extdns.model.change import Action, Awaited, Blocked, Decision, Delete, Wait
from extdns.model.claim import Derivation, NameClaim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey, restate_record
from extdns.model.value import Value
from extdns.planner.comparison import find_refused_successors
from extdns.planner.decide import Unfulfilled, block_proposals, reject_claim
from extdns.planner.denials import Denial, describe_denial, is_any_published, replaces
from extdns.planner.desired import Desired, Evaluations, Requested, adjust, build_candidates
from extdns.planner.evidence import Finding
from extdns.planner.proposal import Proposal
from extdns.planner.ptr_claims import find_reverse_name
from extdns.planner.settings import Planner
from extdns.planner.view import NameView, RuleFacts
from extdns.resources.core import NAMESPACE
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput

DeniedClaim = tuple[ResolvedClaim, tuple[DesiredRecord, ...], Sequence[Evaluation]]
"""A denied claim, the records that it requests, and the answers that deny it."""

_UNKNOWN_ADDRESS: Final = Evaluation(unavailable="the address record is not known now")


def apply_rules(view: NameView, requested: Requested, planner: Planner) -> Requested:
    """Return *requested* without the claims that rules deny, and with what the rules answer."""
    if not view.rules:
        return requested
    return RuleEvaluator(view=view, facts=view.rules, planner=planner).apply_to_claims(requested)


def drop_denied_addresses(view: NameView, planner: Planner) -> Sequence[NameClaim]:
    """Return the claims of *view* without PTR claims whose address record rules deny: they prove no address."""
    if not view.rules:
        return view.claims
    evaluator = RuleEvaluator(view=view, facts=view.rules, planner=planner)
    return [one for one in view.claims if not evaluator.is_address_denied(one)]


def apply_rules_to_deletes(
    view: NameView,
    proposals: tuple[Proposal, ...],
    deletes: tuple[PendingDelete, ...],
    requested: Requested,
    planner: Planner,
) -> tuple[tuple[Proposal, ...], tuple[PendingDelete, ...], Requested]:
    """Return *proposals* and *deletes* without what rules deny, and *requested* with what the rules answer."""
    if not view.rules:
        return proposals, deletes, requested
    return RuleEvaluator(view=view, facts=view.rules, planner=planner).apply_to_deletes(proposals, deletes, requested)


class RuleEvaluator(Value, frozen=True, kw_only=True, gc=True):
    """Evaluates the rules on the records of one name in one zone.

    Attributes:
        facts: what rules see besides records.
    """

    view: NameView
    facts: RuleFacts
    planner: Planner

    def apply_to_claims(self, requested: Requested) -> Requested:
        """Return *requested* without the claims that rules deny, and with what the rules answer."""
        requested = self._drop_unresolved(requested)
        resolved = [claim for claim in requested.claims if isinstance(claim, ResolvedClaim)]
        is_alone = len(resolved) == 1
        inputs: list[RuleInput] = []
        evaluations: dict[tuple[str, str], list[tuple[ObjectKey | None, Evaluation]]] = {}
        denied: list[DeniedClaim] = []
        for claim in resolved:
            desired = requested.desired if is_alone else self._request_alone(claim)
            records = tuple([one.desired for one in desired.of_managed_types])
            evaluated = [self.build_input(claim, record) for record in records]
            inputs += evaluated
            answers = list(zip(records, self.planner.evaluate(evaluated), strict=True))
            if _is_derived(claim) and (answer := self._check_address(claim)):
                answers.append((claim.desired, answer))
            for record, answer in answers:
                about = evaluations.setdefault((claim.desired.set_identifier, record.type), [])
                about.append((claim.provenance.ref.key, answer))
            if denying := [answer for _, answer in answers if answer.is_denying]:
                denied.append((claim, records, denying))
        evaluated_claims = replace(requested, evaluations=evaluations, inputs=(*requested.inputs, *inputs))
        return self._deny_claims(evaluated_claims, denied) if denied else evaluated_claims

    def _drop_unresolved(self, requested: Requested) -> Requested:
        """Return *requested* without unresolved claims that, by the rules, cannot get what another namespace has.

        So an object without an address keeps no record that its namespace is denied.
        """
        inputs: list[RuleInput] = []
        denied: dict[int, Unfulfilled] = {}
        is_awaited = False
        for claim in requested.claims:
            if isinstance(claim, UnresolvedClaim) and (records := self._list_records_of_others(claim)):
                asked = [self.build_input(claim, record) for record in records]
                answers = self.planner.evaluate(asked)
                inputs += asked
                is_awaited = is_awaited or any(answer.is_awaited for answer in answers)
                if all(answer.denials for answer in answers):
                    denied[id(claim)] = reject_claim(claim, describe_denial(Reason.POLICY_DENIED, answers))
        if not inputs:
            return requested
        left = [claim for claim in requested.claims if id(claim) not in denied]
        rejected = (*requested.rejected, *denied.values())
        return replace(requested, claims=left, rejected=rejected, inputs=tuple(inputs), is_awaited=is_awaited)

    def _list_records_of_others(self, claim: UnresolvedClaim) -> list[DesiredRecord]:
        """Return the records of other namespaces that *claim* could keep, none if it could keep one of its own, too."""
        ours = [one for one in self.view.current if one.is_ours and one.record.set_identifier == claim.set_identifier]
        if any(self._may_share(one, claim) for one in ours):
            return []
        return [restate_record(one.record) for one in ours]

    def _deny_claims(self, requested: Requested, denied: Sequence[DeniedClaim]) -> Requested:
        """Return *requested* without the claims in *denied*."""
        denials = {id(claim): self._deny(claim, records, answers) for claim, records, answers in denied}
        left = [one for one in requested.claims if id(one) not in denials]
        dropped = [one for one in denials.values() if not one.is_unresolved]
        candidates = build_candidates(left, self.planner.settings)
        is_awaited = requested.is_awaited or any(one.is_awaited for _, _, answers in denied for one in answers)
        return replace(
            requested,
            claims=[*left, *(claim for one in denials.values() if one.is_unresolved for claim in one.substitutes)],
            desired=requested.desired if is_awaited else adjust(candidates, self.view, self.planner),
            rejected=(*requested.rejected, *(rejection for one in dropped for rejection in one.rejections)),
            violating=frozenset(chain.from_iterable(one.violating for one in denials.values())),
            stays={**requested.stays, **self._find_retained(denials.values(), left)},
            not_absent={
                owned.key: one.block
                for one in denials.values()
                for owned in self.view.current
                if owned.is_ours and owned.key not in one.violating and one.would_lose_targets(owned)
            },
            inputs=(*requested.inputs, *(item for one in denials.values() for item in one.inputs)),
            is_awaited=is_awaited,
        )

    def apply_to_deletes(
        self, proposals: tuple[Proposal, ...], deletes: tuple[PendingDelete, ...], requested: Requested
    ) -> tuple[tuple[Proposal, ...], tuple[PendingDelete, ...], Requested]:
        """Return *proposals* and *deletes* without what rules deny, and *requested* with what the rules answer.

        With `--unresolved-timeout`, *deletes* has records that *proposals* keep.
        """
        proposals = block_proposals(proposals, requested.stays)
        deleted = [one.outcome.current for one in proposals if isinstance(one.outcome, Delete)]
        deleted += [one.owned for one in deletes if one.evidence is Evidence.UNRESOLVED_EXPIRED]
        if not deleted:
            return proposals, deletes, requested
        inputs = [self._build_input_of_record(Operation.DELETE, owned) for owned in deleted]
        found = list(zip(deleted, self.planner.evaluate(inputs), strict=True))
        denied = {owned.key: describe_denial(Reason.POLICY_DENIED, [seen]) for owned, seen in found if seen.is_denying}
        namespaces = dict.fromkeys(owned.namespace for owned in deleted)
        evaluations = dict(requested.evaluations)
        for owned, seen in found:
            key = owned.record.set_identifier, owned.record.type
            evaluations[key] = [*evaluations.get(key, ()), (None, seen)]
        waits = (Wait(Awaited.OBJECT, ObjectKey(NAMESPACE, "", name)) for name in namespaces if name)
        evaluated = replace(
            requested,
            evaluations=evaluations,
            inputs=(*requested.inputs, *inputs),
            waits_for=(*requested.waits_for, *waits),
            is_awaited=any(seen.is_awaited for _, seen in found),
        )
        # Of denied deletes, only a transfer has a grace period: else the reason would always be the grace period.
        left = tuple([one for one in deletes if one.is_transfer or one.owned.key not in denied])
        return block_proposals(proposals, denied), left, evaluated

    def _request_alone(self, claim: ResolvedClaim) -> Desired:
        """Return what *claim* alone requests, as the service would hold it."""
        return adjust(build_candidates((claim,), self.planner.settings), self.view, self.planner)

    def build_input(self, claim: NameClaim, record: DesiredRecord) -> RuleInput:
        """Return the input for *record*, which *claim* requests."""
        current, requester = self._find_current(record), self.facts.requesters[claim.provenance.ref.key]
        return RuleInput(
            operation=Operation.UPDATE if current and current.is_ours else Operation.CREATE,
            record=record,
            zone=self.view.zone,
            source=claim.provenance.source,
            stated=claim.provenance.states_targets,
            object=requester.object,
            namespace=requester.namespace,
            current=current,
        )

    def _find_current(self, record: DesiredRecord) -> OwnedRecord | None:
        """Return the current record with the key of *record*, None if there is none."""
        for owned in self.view.current:  # called for every request: two keys would be built for each comparison
            found = owned.record
            if (found.type, found.set_identifier, found.name) == (record.type, record.set_identifier, record.name):
                return owned
        return None

    def _build_input_of_record(
        self, operation: Operation, owned: OwnedRecord, provenance: Provenance | None = None
    ) -> RuleInput:
        resource = self.facts.resources[owned.resource]
        return RuleInput(
            operation=operation,
            record=restate_record(owned.record),
            zone=self.view.zone,
            source=provenance.source if provenance else "",
            stated=provenance is not None and provenance.states_targets,
            object=resource.object,
            namespace=resource.namespace,
            current=owned,
        )

    def is_address_denied(self, claim: NameClaim) -> bool:
        """Return whether rules deny the address record behind the PTR claim *claim*."""
        if not (isinstance(claim, ResolvedClaim) and _is_derived(claim)):
            return False
        answer = self._check_address(claim)
        return answer is not None and bool(answer.denials)

    def _check_address(self, claim: ResolvedClaim) -> Evaluation | None:
        """Return why the PTR claim *claim* does not count; None if it does.

        It counts while a record that its object requests at the host has the address, or gets it now. If rules deny
        that record, they deny the PTR record, too. If it is missing for another reason, a published PTR record stays.
        """
        (host,) = claim.desired.targets
        ref, key = claim.provenance.ref, claim.desired.key
        about = [one for one in self.facts.hosts[DnsName(host)] if ref in [by.ref for by in one.requested_by]]
        published = [one for one in about if _has_address(_list_targets(one), claim.name)]
        asked = [one for one in about if one.desired and _has_address(one.desired.targets, claim.name)]
        violations = {found for one in asked if one not in published for found in one.violations}
        denial = Evaluation(violations=tuple(sorted(violations)))
        if denial.is_denying:
            return denial
        stays = any(one.is_ours and one.key == key and host in one.record.targets for one in self.view.current)
        return None if published or stays else _UNKNOWN_ADDRESS

    def _deny(self, claim: ResolvedClaim, records: tuple[DesiredRecord, ...], answers: Sequence[Evaluation]) -> Denial:
        """Build the denial of *claim*, and evaluate the records that it may delete."""
        resource = claim.provenance.ref.key.resource
        is_derived = _is_derived(claim)
        current = () if is_derived else self.view.current  # PTR claims of all objects are merged: no record is of one
        own = [one for one in current if one.is_ours and self.planner.normalize_resource(one) == resource]
        others = [one for one in current if one.resource and one not in own and self._may_share(one, claim)]
        replaced = [one for one in others if any(replaces(record, one) for record in records)]
        violating: list[OwnedRecord] = []
        inputs: list[RuleInput] = []
        if any(violation.deletes for answer in answers for violation in answer.denials):
            made = [*own, *replaced]
            shared = [one for one in self.view.current if one not in made and self._may_share(one, claim)]
            found = made + [one for one in shared if is_any_published((one,), records)]
            made_by = claim.provenance
            inputs = [
                self._build_input_of_record(Operation.UPDATE, one, made_by if one in own else None) for one in found
            ]
            seen = [reduce(Evaluation.merge, answers)] * len(found) if is_derived else self.planner.evaluate(inputs)
            violating = [one for one, answer in zip(found, seen, strict=True) if answer.is_deleting]
        stays = bool(records) and all(is_any_published(self.view.current, (record,)) for record in records)
        reason = Reason.POLICY_VIOLATION if stays and not violating else Reason.POLICY_DENIED
        return Denial(
            claim=claim,
            block=describe_denial(reason, answers),
            records=records,
            own=tuple(own),
            replaced=tuple(replaced),
            violating=frozenset(one.key for one in violating),
            inputs=tuple(inputs),
        )

    def _find_retained(self, denials: Iterable[Denial], left: Sequence[NameClaim]) -> dict[RecordKey, Blocked]:
        """Return the records that stay as they are because of *denials*; the claims *left* are not denied."""
        retained: dict[RecordKey, Blocked] = {}
        resolved = [one for one in left if isinstance(one, ResolvedClaim)]
        types = self.planner.settings.managed_types
        allowed = [
            (claim.provenance.ref.key.namespace, one.desired)
            for claim in resolved
            for one in self._request_alone(claim).taken
            if one.desired.type in types
        ]
        for denial in denials:
            successors = [record for namespace, record in allowed if self._is_of_namespace(namespace, denial.claim)]
            staying = [one for one in denial.replaced if not any(replaces(record, one) for record in successors)]
            found = find_refused_successors((*denial.own, *staying), denial.rejections)
            for owned in self.view.current:
                if owned in denial.own or not self._may_share(owned, denial.claim):
                    continue
                if denial.would_lose_targets(owned, [record for _, record in allowed]):
                    found.setdefault(owned.key, denial.block)
            retained = {**{key: block for key, block in found.items() if key not in denial.violating}, **retained}
        return retained

    def _may_share(self, owned: OwnedRecord, claim: NameClaim) -> bool:
        """Return whether *owned* may have been merged with what *claim* requests: both are of one namespace."""
        namespace = claim.provenance.ref.key.namespace
        return owned.is_ours and (_is_derived(claim) or self.planner.settings.is_requested_by(owned, (namespace,)))

    def _is_of_namespace(self, namespace: str, claim: NameClaim) -> bool:
        """Return whether *claim* is of *namespace*, or claims of all namespaces are merged."""
        merges = self.planner.settings.merges_namespaces or _is_derived(claim)
        return merges or claim.provenance.ref.key.namespace == namespace


def apply_to_findings(findings: Mapping[RecordKey, Finding], requested: Requested) -> dict[RecordKey, Finding]:
    """Return *findings*, changed: a violation is evidence, and `not_absent` blocks deletes that would be by absence."""
    found = dict(findings)
    for key, finding in findings.items():
        if key in requested.violating:
            found[key] = Finding(outcome=Evidence.POLICY_VIOLATION)
        elif key in requested.not_absent and isinstance(finding.outcome, Evidence) and finding.outcome.is_by_absence:
            found[key] = replace(finding, outcome=requested.not_absent[key])
    return found


def attach_evaluations(decisions: Iterable[Decision], evaluations: Evaluations) -> tuple[Decision, ...]:
    """Return *decisions* with the violations and rules of their *evaluations*."""
    attached: list[Decision] = []
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


def _list_targets(decision: Decision) -> tuple[str, ...]:
    """Return the targets of the record of ours that *decision* is about, as they will be; () if there will be none."""
    if decision.action in {Action.CREATE, Action.UPDATE} and decision.desired:
        return decision.desired.targets
    current = decision.current
    return current.record.targets if current and current.is_ours and decision.action is Action.KEEP else ()


def _has_address(targets: Iterable[str], reverse_name: DnsName) -> bool:
    return any(find_reverse_name(target) == reverse_name for target in targets)


def _is_derived(claim: NameClaim) -> bool:
    return claim.provenance.derivation is Derivation.PTR
