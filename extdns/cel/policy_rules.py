"""A set of policies, as the planner evaluates it (`RuleSet`). docs/design/rules.md, "What an evaluation costs"."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from extdns.cel.policy import CompiledPolicy
from extdns.cel.policy_document import MATCH_EVERYTHING, PolicyMatch
from extdns.cel.policy_group import PolicyGroup
from extdns.cel.references import ReadValues, References
from extdns.cel.syntax import FieldPath
from extdns.errors import describe_error
from extdns.model.change import Violation
from extdns.model.dns_name import DnsName
from extdns.model.value import Value, group_by
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput

_MAX_CACHED: Final = 65_536
MAX_CACHED_CHARACTERS: Final = 16_000_000
_MAX_SELECTIONS: Final = 4096


class UnavailablePolicy(Value, frozen=True, kw_only=True, order=True):
    """One DNSPolicy, or all of a file or list, of which no valid version was read.

    Attributes:
        match: the inputs that it may concern.
    """

    problem: str
    match: PolicyMatch = MATCH_EVERYTHING


class _Selection(NamedTuple):
    """The policies that match some inputs.

    Attributes:
        groups: the policies, in groups that are evaluated together.
        answer: the evaluation of an input that violates none of them.
    """

    groups: tuple[PolicyGroup, ...]
    answer: Evaluation


class PolicyRules:
    """Implements `RuleSet` with DNSPolicies. Immutable but for caches, and safe from any thread.

    Results are cached: which policies match, for inputs that are equal in all fields that `match` selects by; and the
    violations, for inputs in which the policies read the same values.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], unavailable: Sequence[UnavailablePolicy] = ()) -> None:
        """Use *policies*, in any order. The evaluation of an input names those of *unavailable* that may concern it."""
        self._policies = tuple(policies)
        self._unavailable = tuple(sorted(unavailable, key=lambda one: one.problem))
        matches = [*(one.match for one in self._policies), *(one.match for one in self._unavailable)]
        self._domains = frozenset(domain for match in matches for domain in match.domains)
        has_selectors = any(match.namespace_selector is not None for match in matches)
        self.needs_namespaces = has_selectors or any(policy.reads_namespaces for policy in policies)
        self._match_fields = References((), _list_match_fields(matches, needs_namespaces=self.needs_namespaces))
        self._selections: dict[Hashable, _Selection] = {}
        self._groups: dict[tuple[CompiledPolicy, ...], PolicyGroup] = {}
        self._cached = self._cached_characters = 0  # the answers of all groups
        texts = sorted((policy.text for policy in policies), key=repr)
        self.revision = hashlib.blake2b(repr((texts, self._unavailable)).encode(), digest_size=8).hexdigest()

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return the evaluation of each of *inputs*, in their order. Never raises."""
        return tuple([self._evaluate(item) for item in inputs])

    def _evaluate(self, item: RuleInput) -> Evaluation:
        violations: list[Violation] = []
        try:
            groups, answer = self._find_selection(item)
            for group in groups:
                values = group.read(item)
                found = group.answers.get(values)
                if found is None:
                    size = len(repr(values[1]))
                    found = group.evaluate(item, values, size)
                    self._store_answer(group, values, found, size)
                violations += found
        except Exception as error:  # noqa: BLE001 - a defect must not change a record (docs/design/rules.md)
            return Evaluation(unavailable=describe_error(error))
        if not violations:
            return answer
        return Evaluation(
            violations=tuple(sorted(set(violations))), matched=answer.matched, unavailable=answer.unavailable
        )

    def _store_answer(self, group: PolicyGroup, values: ReadValues, answer: tuple[Violation, ...], size: int) -> None:
        if self._cached >= _MAX_CACHED or self._cached_characters + size > MAX_CACHED_CHARACTERS:
            self._drop_answers()
        self._cached += 1
        self._cached_characters += size
        group.answers[values] = answer

    def _drop_answers(self) -> None:
        for group in tuple(self._groups.values()):  # another thread may add a group
            group.answers.clear()
        self._cached = self._cached_characters = 0

    def _find_selection(self, item: RuleInput) -> _Selection:
        key = self._match_fields.read(item), self._domains and self._list_domains(item.record.name)
        found = self._selections.get(key)
        if found is None:
            found = self._select(item)
            if len(self._selections) >= _MAX_SELECTIONS:
                self._drop_answers()
                self._selections.clear()
                self._groups.clear()
            self._selections[key] = found
        return found

    def _list_domains(self, name: str) -> tuple[str, ...]:
        """Return the domains of any `match` that contain *name*."""
        found = []
        while name:
            if name in self._domains:
                found.append(name)
            name = name.partition(".")[2]
        return tuple(found)

    def _select(self, item: RuleInput) -> _Selection:
        matching: list[CompiledPolicy] = []
        reasons = [one.problem for one in self._unavailable if is_matched(one.match, item) is not False]
        for policy in self._policies:
            found = is_matched(policy.match, item)
            if found and policy.reads_namespaces and _lacks_namespace(item):
                found = None
            if found is None and item.object is not None:
                reasons.append(f"{policy.name}: the namespace {item.object.namespace} was not read")
            if found:
                matching.append(policy)
        return _Selection(
            groups=tuple(self._group(matching)),
            answer=Evaluation(
                matched=tuple(sorted({policy.name for policy in matching})), unavailable="; ".join(sorted(reasons)[:3])
            ),
        )

    def _group(self, policies: Iterable[CompiledPolicy]) -> list[PolicyGroup]:
        """Return *policies* in groups, one for each value of `Sharing`: how many inputs have an answer in common."""
        groups = []
        for _, found in sorted(group_by(policies, lambda one: one.references.sharing).items()):
            group = self._groups.get(tuple(found)) or PolicyGroup(found)
            groups.append(self._groups.setdefault(tuple(found), group))
        return groups


def _list_match_fields(matches: Iterable[PolicyMatch], *, needs_namespaces: bool) -> Iterator[FieldPath]:
    """Yield the fields that `is_matched` reads for any of *matches*, but for the names of records."""
    yield FieldPath(("operation",))
    if needs_namespaces:
        yield FieldPath(("object", "namespace"))
        yield FieldPath(("namespace", "labels"))
    for match in matches:
        if match.record_types:
            yield FieldPath(("record", "type"))
        if match.sources:
            yield FieldPath(("source",))
        if match.zones:
            yield FieldPath(("record", "zone"))
        if match.namespaces:
            yield FieldPath(("object", "namespace"))


def _lacks_namespace(item: RuleInput) -> bool:
    return item.object is not None and bool(item.object.namespace) and item.namespace is None


def is_matched(match: PolicyMatch, item: RuleInput) -> bool | None:
    """Return whether *match* (`spec.match`) selects *item*; None if that depends on a namespace that was not read.

    `sources` does not apply to a delete, because its source is not known.
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
    labels = dict(item.namespace.labels)
    return all(one.is_met(labels) for one in match.namespace_selector)


def _is_within(name: DnsName, domains: Sequence[str]) -> bool:
    return any(name.within(domain) for domain in domains)
