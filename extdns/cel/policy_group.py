"""Evaluate several policies on one input together (docs/design/rules.md, "What an evaluation costs")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from extdns.cel.expression import EvaluationError, Expression, check_cost, compile_list, measure_value
from extdns.cel.library import Context
from extdns.cel.policy import CompiledPolicy
from extdns.cel.references import ReadValues, References
from extdns.model.violation import Violation
from extdns.rules.rule_input import RuleDocument, RuleInput


class PolicyGroup:
    """Policies that are evaluated on the same values. If all conditions are true, that takes one call of the evaluator.

    A policy with variables has no conditions, and is evaluated alone.
    """

    def __init__(self, policies: Sequence[CompiledPolicy]) -> None:
        """Use *policies*, at least one."""
        self._policies = tuple(policies)
        self._references = References(one.syntax for policy in policies for one in policy.expressions)
        self._conditions = tuple(one for policy in policies for one in policy.conditions)
        self._loops = tuple(one for one in self._conditions if one.syntax.loop_depth)

    def read(self, item: RuleInput) -> ReadValues:
        """Return what the policies read of *item*. If it is the same for two inputs, so are their violations."""
        return self._references.read(item)

    def evaluate(self, item: RuleInput, values: ReadValues) -> tuple[Violation, ...]:
        """Return the violations of *item*, of which *values* were read."""
        document = self._references.build_document(values)
        context = self._references.build_context(document)
        valid = self._find_valid(document, context)
        return tuple(
            [
                violation
                for policy in self._policies
                if policy not in valid
                for violation in policy.evaluate(context, item)
            ]
        )

    @cached_property
    def _joint(self) -> Expression | None:
        """One expression whose value is the list of the values of all conditions, if there are any and it compiles."""
        return compile_list(self._conditions) if self._conditions else None

    def _find_valid(self, document: RuleDocument, context: Context) -> set[CompiledPolicy]:
        """Return policies that are not violated; none if one of the conditions has no value."""
        if self._joint is None:
            return set()
        try:
            if self._loops:
                size = measure_value(document)  # of what all policies read, so at least that of each of them
                for one in self._loops:
                    check_cost(one, *size)
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
