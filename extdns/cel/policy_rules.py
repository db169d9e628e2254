"""A set of policies, as the planner evaluates it (`RuleSet`)."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from extdns.cel.expression import References
from extdns.cel.library import Context
from extdns.cel.policy import CompiledPolicy
from extdns.cel.policy_document import PolicyMatch, SelectorRequirement
from extdns.errors import describe_error
from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from extdns.model.violation import Violation
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleDocument, RuleInput, build_document, count_characters

_MAX_CACHED: Final = 4096
MAX_CACHED_CHARACTERS: Final = 16_000_000


class UnavailablePolicy(Value, frozen=True, kw_only=True, order=True):
    """One DNSPolicy, or all of a file or list, of which no valid version was read.

    Attributes:
        match: the inputs that it may concern.
        problem: what is wrong, for people.
    """

    problem: str
    match: PolicyMatch


class _PartialEvaluation(NamedTuple):
    """What some of the policies answer: the names of those that match, violations, and why there is no answer."""

    matched: tuple[str, ...]
    violations: tuple[Violation, ...]
    reasons: tuple[str, ...]


class _PolicyGroup:
    """Policies whose expressions are evaluated with the same document."""

    def __init__(self, policies: Sequence[CompiledPolicy]) -> None:
        self._policies = tuple(policies)
        self._references = References(expression for policy in policies for expression in policy.expressions)

    def evaluate(self, item: RuleInput) -> _PartialEvaluation:
        matched: list[str] = []
        violations: list[Violation] = []
        reasons: list[str] = []
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
            violations += policy.evaluate(*prepared)
        return _PartialEvaluation(tuple(matched), tuple(violations), tuple(reasons))


class PolicyRules:
    """Implements `RuleSet` with DNSPolicies. Immutable but for a cache, and safe from any thread.

    A record is evaluated again after it was written, and whenever something else about its name changes. Policies that
    do not depend on the current record then give the same answer, so that of the last inputs is stored.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], unavailable: Sequence[UnavailablePolicy] = ()) -> None:
        """Use *policies*, in any order. Inputs that *unavailable* may concern get no answer."""
        self._unavailable = tuple(sorted(unavailable, key=lambda one: one.problem))
        self._stable = _PolicyGroup([policy for policy in policies if policy.is_stable])
        self._others = _PolicyGroup([policy for policy in policies if not policy.is_stable])
        self._cache: dict[Hashable, _PartialEvaluation] = {}
        self._cached_characters = 0
        texts = sorted((policy.text for policy in policies), key=repr)
        self._revision = hashlib.blake2b(repr((texts, self._unavailable)).encode(), digest_size=8).hexdigest()
        selectors = (one.match.namespace_selector for one in self._unavailable)
        self._needs_namespaces = any(policy.reads_namespaces for policy in policies) or any(
            one is not None for one in selectors
        )

    @property
    def revision(self) -> str:
        """A digest of all documents and problems."""
        return self._revision

    @property
    def needs_namespaces(self) -> bool:
        """Whether a policy reads labels or annotations of namespaces."""
        return self._needs_namespaces

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return the evaluation of each of *inputs*, in their order. Never raises."""
        return tuple(self._evaluate_safely(item) for item in inputs)

    def _evaluate_safely(self, item: RuleInput) -> Evaluation:
        try:
            return self._evaluate(item)
        except Exception as error:  # noqa: BLE001 - a defect must not change a record (docs/design/rules.md)
            return Evaluation(unavailable=describe_error(error))

    def _evaluate(self, item: RuleInput) -> Evaluation:
        parts = self._evaluate_stable(item), self._others.evaluate(item)
        reasons = [one.problem for one in self._unavailable if is_matched(one.match, item) is not False]
        reasons += [reason for part in parts for reason in part.reasons]
        violations = {one for part in parts for one in part.violations}
        matched = {name for part in parts for name in part.matched}
        return Evaluation(
            violations=tuple(sorted(violations)),
            matched=tuple(sorted(matched)),
            unavailable="; ".join(sorted(reasons)[:3]),
        )

    def _evaluate_stable(self, item: RuleInput) -> _PartialEvaluation:
        """Return what the stable policies answer, from the cache if possible."""
        if item.operation is Operation.DELETE:
            return self._stable.evaluate(item)
        key = item.record, item.zone, item.source, item.object, item.namespace
        found = self._cache.get(key)
        if found is None:
            found = self._stable.evaluate(item)
            self._cached_characters += count_characters(item)
            if len(self._cache) >= _MAX_CACHED or self._cached_characters > MAX_CACHED_CHARACTERS:
                self._cache.clear()
                self._cached_characters = count_characters(item)
            self._cache[key] = found
        return found


def _lacks_namespace(item: RuleInput) -> bool:
    return item.object is not None and bool(item.object.namespace) and item.namespace is None


def is_matched(match: PolicyMatch, item: RuleInput) -> bool | None:
    """Return whether *match* (`spec.match`) selects *item*; None if that depends on a namespace that was not read.

    Sources do not restrict deletes, whose source is not known.
    """
    if item.operation not in match.operations:
        return False
    if match.is_unrestricted:
        return True
    if match.record_types and item.record.type not in match.record_types:
        return False
    if match.sources and item.operation is not Operation.DELETE and item.source not in match.sources:
        return False
    if match.zones and item.zone.name not in match.zones:
        return False
    if match.domains and not _is_within(item.record.name, match.domains):
        return False
    namespace = item.object.namespace if item.object is not None else ""
    if match.namespaces and namespace not in match.namespaces:
        return False
    if match.namespace_selector is None or not namespace:
        return True  # as in Kubernetes, a selector does not exclude objects without a namespace
    if item.namespace is None:
        return None
    return selects(match.namespace_selector, dict(item.namespace.labels))


def _is_within(name: DnsName, domains: Sequence[str]) -> bool:
    return any(name.within(domain) for domain in domains)


def selects(requirements: Sequence[SelectorRequirement], labels: Mapping[str, str]) -> bool:
    """Return whether *labels* meet all *requirements* (Kubernetes, "Labels and Selectors")."""
    return all(_is_met(one, labels) for one in requirements)


def _is_met(requirement: SelectorRequirement, labels: Mapping[str, str]) -> bool:
    match requirement.operator:
        case "In":
            return labels.get(requirement.key) in requirement.values
        case "NotIn":
            return labels.get(requirement.key) not in requirement.values
        case "Exists":
            return requirement.key in labels
        case "DoesNotExist":
            return requirement.key not in labels
        case other:
            raise ValueError(other)
