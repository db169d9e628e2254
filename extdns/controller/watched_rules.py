"""Rules whose evaluations are observed, for the decision log and the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.rules.evaluation import Evaluation, RuleSet
    from extdns.rules.rule_input import RuleInput


class WatchedRules:
    """Implements `RuleSet` with other rules, and calls a function after each evaluation."""

    def __init__(
        self, rules: RuleSet, observe: Callable[[RuleSet, Sequence[RuleInput], Sequence[Evaluation]], None]
    ) -> None:
        """Evaluate *rules*. *observe* gets them, the inputs and the evaluations, on the thread that evaluates."""
        self._rules = rules
        self._observe = observe

    @property
    def revision(self) -> str:
        """The revision of the rules."""
        return self._rules.revision

    @property
    def needs_namespaces(self) -> bool:
        """Whether a rule reads labels or annotations of namespaces."""
        return self._rules.needs_namespaces

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        """Return the evaluation of each of *inputs*, in their order."""
        found = self._rules.evaluate(inputs)
        self._observe(self._rules, inputs, found)
        return found
