"""Rules: their state at one moment, and their answers about records (docs/design/rules.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from msgspec import field
from msgspec.structs import asdict

from extdns.documents.document import (
    Document,
    ObjectReference,
    ZoneReference,
    build_object_reference,
    build_zone_reference,
)
from extdns.documents.text import describe_object, escape_line
from extdns.model.change import RuleAction
from extdns.model.reason import Reason
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.cel.policy_index import PolicyState
    from extdns.model.change import Decision, Violation
    from extdns.rules.policy_server import LoadedPolicy, PolicyProblem


class LocalRulesSnapshot(Value, frozen=True, kw_only=True):
    """The rules in CEL.

    Attributes:
        revision: the revision of the rules in use, "" before the first were read.
        policies: the state of each DNSPolicy, grouped by origin (the cluster or files), each group sorted by name.
        problems: a message for each DNSPolicy that is not valid, each file of DNSPolicies that cannot be read, and each
            failure to list DNSPolicies; sorted.
    """

    revision: str = ""
    policies: tuple[PolicyState, ...] = ()
    problems: tuple[str, ...] = ()


class PolicyServerSnapshot(Value, frozen=True, kw_only=True):
    """The policy server.

    Attributes:
        revision: the revision of its policies; "" before the revision was read.
        policies: its policies in the package that is queried, sorted by id.
        problem: why the server does not answer, "" if it answers or was not queried yet.
        policy_problems: what is wrong with its policies, each named by its id.
        answered_at_s: when it last answered a query about records (monotonic seconds), None before the first answer.
        waiting: the number of records about which a query has still to be sent.
    """

    revision: str = ""
    policies: tuple[LoadedPolicy, ...] = ()
    problem: str = ""
    policy_problems: tuple[PolicyProblem, ...] = ()
    answered_at_s: float | None = None
    waiting: int = 0


class RuleSnapshot(Value, frozen=True, kw_only=True):
    """The rules of a process: `local` is None without `--policy-rules`, `server` without `--opa-url`."""

    local: LocalRulesSnapshot | None = None
    server: PolicyServerSnapshot | None = None

    def list_failures(self) -> Iterator[str]:
        """Yield everything that is wrong with rules, one message each."""
        if self.local:
            yield from (f"rules: {problem}" for problem in self.local.problems)
        if self.server:
            if self.server.problem:
                yield f"the policy server does not answer: {self.server.problem}"
            yield from (f"policy server: {one.policy}: {one.message}" for one in self.server.policy_problems)


NO_RULES: Final = RuleSnapshot()

ALLOWED: Final = "allowed"
"""The result of a rule that matches a record and is not violated."""

RuleResult = Literal["allowed", "deny", "warn", "audit"]
FAIL_ON: Final = ("deny", "warn")
"""The values of `extdns plan --fail-on`."""

_VERBS: Final = {"allowed": "allows it", "deny": "DENIES it", "warn": "warns", "audit": "counts it (audit)"}


class RuleDocument(Document, frozen=True):
    """The answer of one rule that matches a record.

    `values` has the variables of the rule, as text. `reason` is the `reason` of the validation that the record fails,
    such as `Forbidden`; "" if there is none.
    """

    rule: str
    result: RuleResult
    message: str = ""
    reason: str = ""
    values: dict[str, str] = field(default_factory=dict)


class ViolationDocument(RuleDocument, frozen=True, kw_only=True):
    """A record or change that violates a rule. `zone` is null if no zone holds the name."""

    zone: ZoneReference | None
    name: str
    type: str
    objects: tuple[ObjectReference, ...]


def count_rule_results(decisions: Iterable[Decision]) -> Counter[tuple[str, str]]:
    """Count the records that a rule matches, by pair of rule and result."""
    found: Counter[tuple[str, str]] = Counter()
    allowed: Counter[tuple[str, ...]] = Counter()  # most records that the same rules match violate none of them
    for decision in decisions:
        if decision.violations:
            results = {one.rule: one.action.value for one in decision.violations}
            found.update((dict.fromkeys(decision.rules, ALLOWED) | results).items())
        else:
            allowed[decision.rules] += 1
    for rules, count in allowed.items():
        for rule in rules:
            found[rule, ALLOWED] += count
    return found


def list_rules(decision: Decision) -> tuple[RuleDocument, ...]:
    """Return the known answers of the rules that match the record of *decision*, violated rules first."""
    violated = {one.rule for one in decision.violations}
    allowed = (
        RuleDocument(rule=rule, result=ALLOWED)
        for rule in decision.rules
        if rule not in violated and decision.reason is not Reason.POLICY_UNAVAILABLE
    )
    return (*map(_build_rule, decision.violations), *allowed)


def _build_rule(violation: Violation) -> RuleDocument:
    return RuleDocument(
        rule=violation.rule,
        result=violation.action.value,
        message=violation.message,
        reason=violation.reason,
        values=dict(violation.values),
    )


def list_violations(decisions: Iterable[Decision]) -> Iterator[ViolationDocument]:
    """Yield the violations that a plan shows, in the order of *decisions*: those that deny or warn."""
    for decision in decisions:
        for one in decision.violations:
            if one.action is not RuleAction.AUDIT:
                yield ViolationDocument(
                    **asdict(_build_rule(one)),
                    zone=build_zone_reference(decision.zone) if decision.zone else None,
                    name=decision.name,
                    type=decision.type,
                    objects=tuple(map(build_object_reference, decision.requested_by)),
                )


def describe_rule(one: RuleDocument) -> list[str]:
    """Describe the answer of a rule, with the values of its variables on further lines."""
    message = f": {one.message}" if one.message else ""
    return [
        f"rule {one.rule} {_VERBS[one.result]}{message}",
        *(f"  {name} = {value}" for name, value in sorted(one.values.items())),
    ]


def describe_violation(one: ViolationDocument) -> str:
    """Describe a violation in one line, safe for a terminal."""
    who = f" ({describe_object(one.objects[0])})" if one.objects else ""
    return escape_line(f"  {one.result} {one.name} {one.type}{who}: rule {one.rule}: {one.message}")
