"""Rules for tests, written as Python functions. The rules in CEL are tested where they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extdns.engine.inputs import RulesChanged
from extdns.model.change import RuleAction, Violation
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput

CHANGES = frozenset({Operation.CREATE, Operation.UPDATE})
Test = Callable[[RuleInput], bool]


@dataclass(frozen=True, kw_only=True)
class FakeRule:
    """A rule whose validation is a function.

    Attributes:
        allows: whether the rule allows an input that it matches.
        matches: whether the rule is about an input.
        is_valid: whether the rule has a valid version; if not, what it matches has no answer.
    """

    name: str
    allows: Test
    matches: Test = lambda _: True
    action: RuleAction = RuleAction.DENY
    message: str = "not allowed"
    operations: frozenset[Operation] = CHANGES
    deletes: bool = False
    is_valid: bool = True

    def evaluate(self, item: RuleInput) -> Evaluation:
        if item.operation not in self.operations or not self.matches(item):
            return Evaluation()
        if not self.is_valid:
            return Evaluation(unavailable=f"rule {self.name} has no valid version", matched=(self.name,))
        if self.allows(item):
            return Evaluation(matched=(self.name,))
        found = Violation(rule=self.name, action=self.action, message=self.message, deletes=self.deletes)
        return Evaluation(violations=(found,), matched=(self.name,))


@dataclass(frozen=True)
class FakeRules:
    """A set of fake rules."""

    rules: tuple[FakeRule, ...]
    needs_namespaces: bool = False

    @property
    def revision(self) -> str:
        return repr(self.rules)

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        return tuple(self._evaluate(item) for item in inputs)

    def _evaluate(self, item: RuleInput) -> Evaluation:
        found = Evaluation()
        for rule in self.rules:
            found = found.merge(rule.evaluate(item))
        return found


def change_rules(*rules: FakeRule) -> RulesChanged:
    """Build the input for other rules; without *rules*, for none."""
    return RulesChanged(rules=FakeRules(rules) if rules else None)


def deny_targets(*targets: str, name: str = "no-such-targets", **changes: object) -> FakeRule:
    """Build a rule that denies records with one of *targets*."""
    return FakeRule(
        name=name,
        allows=lambda item: not {*targets} & {*item.record.targets},
        message=f"{', '.join(targets)} is not allowed",
        **changes,  # type: ignore[arg-type]
    )
