"""What rules answer about records, in plans and explanations (docs/design/rules.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import asdict

from extdns.documents.document import (
    Document,
    ObjectReference,
    ZoneReference,
    build_object_reference,
    build_zone_reference,
)
from extdns.documents.text import escape_line
from extdns.model.change import RuleAction
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.model.change import Decision, Violation

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
    message: str
    reason: str
    values: dict[str, str]


class ViolationDocument(RuleDocument, frozen=True):
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
        RuleDocument(rule=rule, result="allowed", message="", reason="", values={})
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
                answer = _build_rule(one)
                yield ViolationDocument(
                    **asdict(answer),
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
    who = f" ({one.objects[0].kind} {one.objects[0].namespace}/{one.objects[0].name})" if one.objects else ""
    return escape_line(f"  {one.result} {one.name} {one.type}{who}: rule {one.rule}: {one.message}")
