"""A set of policies, as the planner evaluates it (`RuleSet`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from extdns.cel.expression import References
from extdns.cel.library import Context
from extdns.cel.policy import CompiledPolicy
from extdns.cel.policy_document import PolicyMatch
from extdns.cel.policy_matching import is_matched
from extdns.errors import describe_error
from extdns.model.value import Value
from extdns.model.violation import Violation
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleDocument, RuleInput, build_document


class UnavailablePolicy(Value, frozen=True, kw_only=True, order=True):
    """A policy, or several, without a valid version.

    Attributes:
        match: the inputs that it may concern.
        problem: what is wrong, for people.
    """

    problem: str
    match: PolicyMatch


class PolicyRules:
    """Implements `RuleSet` with DNSPolicies. Immutable, and safe from any thread."""

    def __init__(self, policies: Sequence[CompiledPolicy], unavailable: Sequence[UnavailablePolicy] = ()) -> None:
        """Use *policies*, in any order. Inputs that *unavailable* may concern get no answer."""
        self._policies = tuple(sorted(policies, key=lambda policy: policy.name))
        self._unavailable = tuple(sorted(unavailable, key=lambda one: one.problem))
        self._references = References(expression for policy in policies for expression in policy.expressions)
        content = repr(([policy.text for policy in self._policies], self._unavailable))
        self._revision = hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    @property
    def revision(self) -> str:
        """A digest of all documents and problems."""
        return self._revision

    @property
    def needs_namespaces(self) -> bool:
        """Whether a policy reads labels or annotations of namespaces."""
        selectors = (one.match.namespace_selector for one in self._unavailable)
        return any(policy.reads_namespaces for policy in self._policies) or any(one is not None for one in selectors)

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return the evaluation of each of *inputs*, in their order. Never raises."""
        return tuple(self._evaluate_safely(item) for item in inputs)

    def _evaluate_safely(self, item: RuleInput) -> Evaluation:
        try:
            return self._evaluate(item)
        except Exception as error:  # noqa: BLE001 - a defect must not change a record (docs/design/rules.md)
            return Evaluation(unavailable=describe_error(error))

    def _evaluate(self, item: RuleInput) -> Evaluation:
        reasons = [one.problem for one in self._unavailable if is_matched(one.match, item) is not False]
        matched: list[str] = []
        violations: set[Violation] = set()
        prepared: tuple[Context, RuleDocument] | None = None
        for policy in self._policies:
            found = is_matched(policy.match, item)
            if found and policy.reads_namespaces and _lacks_namespace(item):
                found = None
            if found is None and item.object is not None:
                reasons.append(f"{policy.name}: the namespace {item.object.namespace} was not read")
            if not found:
                continue
            if prepared is None:
                document = build_document(item)
                prepared = self._references.build_context(document), document
            matched.append(policy.name)
            violations.update(policy.evaluate(*prepared))
        return Evaluation(
            violations=tuple(sorted(violations)),
            matched=tuple(sorted(set(matched))),
            unavailable="; ".join(reasons[:3]),
        )


def _lacks_namespace(item: RuleInput) -> bool:
    return item.object is not None and bool(item.object.namespace) and item.namespace is None
