"""Evaluate several policies on one input together (docs/design/rules.md, "What an evaluation costs")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from extdns.cel.expression import EvaluationError, check_cost, compile_list, measure_value
from extdns.cel.library import Context
from extdns.cel.policy import CompiledPolicy
from extdns.cel.references import ReadValues, References
from extdns.model.change import Violation
from extdns.rules.rule_input import RuleInput

_SIZES: Final = (100, 300, 1000, 10_000)
"""Sizes of all values together for which it is determined once whether the loops of the conditions are cheap."""


class PolicyGroup:
    """Policies that are evaluated on the same values.

    For an input without violations, all policies together take one call of the evaluator. A policy with variables has
    no conditions, and is evaluated alone.

    Attributes:
        answers: the violations by the values that were read; `PolicyRules` limits their number.
        read: returns what the policies read of an input. If it is the same for two inputs, so are their violations.
    """

    def __init__(self, policies: Sequence[CompiledPolicy]) -> None:
        """Use *policies*, at least one."""
        self._policies = tuple(policies)
        self._references = References(one.syntax for policy in policies for one in policy.expressions)
        self.read = self._references.read
        self.answers: dict[ReadValues, tuple[Violation, ...]] = {}
        self._loops = tuple(one for policy in policies for one in policy.conditions if one.syntax.loop_depth)
        self._cheap_size = max((size for size in _SIZES if self._is_cheap(size, size)), default=0)
        self._conditions = tuple(one for policy in policies for one in policy.conditions)
        self._joint = compile_list(self._conditions) if self._conditions else None

    def evaluate(self, item: RuleInput, values: ReadValues, size: int) -> tuple[Violation, ...]:
        """Return the violations of *item*, of which *values* were read.

        *size* is the number of characters of *values* as text, more than of any list or text among them.
        """
        document = self._references.build_document(values)
        context = self._references.build_context(document)
        # measuring the document of a typical record takes 6 µs, the text of its values 1 µs
        is_cheap = size <= self._cheap_size or self._is_cheap(*measure_value(document))
        valid = self._find_valid(context) if is_cheap else set()
        return tuple(
            [
                violation
                for policy in self._policies
                if policy not in valid
                for violation in policy.evaluate(context, item)
            ]
        )

    def _is_cheap(self, elements: int, longest: int) -> bool:
        """Return whether no loop of a condition may take too many steps. The arguments are those of `check_cost`."""
        try:
            for one in self._loops:
                check_cost(one, elements, longest)
        except EvaluationError:
            return False
        return True

    def _find_valid(self, context: Context) -> set[CompiledPolicy]:
        """Return the policies that the input meets, by one call of the evaluator; none if a condition has no value."""
        if self._joint is None:
            return set()
        try:
            results = self._joint.evaluate(context)
        except EvaluationError:
            return set()
        if not isinstance(results, list):
            raise TypeError(type(results))
        found = dict(zip(self._conditions, results, strict=True))
        return {
            policy
            for policy in self._policies
            if policy.conditions and all(found[one] is True for one in policy.conditions)
        }
