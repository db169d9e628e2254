"""Compile a DNSPolicy, and evaluate it on one input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from extdns.cel.expression import (
    VARIABLES,
    EvaluationError,
    Expression,
    InvalidExpressionError,
    check_cost,
    compile_expression,
    describe_value,
    format_value,
    measure_value,
)
from extdns.cel.functions import MAX_TEXT
from extdns.cel.library import Context
from extdns.cel.policy_document import MAX_MESSAGE, PolicyText, ValidationText
from extdns.cel.references import References
from extdns.model.change import RuleAction, Violation
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.rules.rule_input import Operation, RuleInput

MAX_RESULT_ELEMENTS: Final = 10_000
"""The most elements of a list or map that a variable may have."""

EVALUATION_FAILED: Final = "EvaluationFailed"
"""The reason of a violation whose cause is that an expression has no value."""

_MAX_VALUE: Final = 200  # what `Violation.values` allows


class CompiledValidation(NamedTuple):
    """One compiled entry of `validations`; *field* is its path."""

    text: ValidationText
    field: str
    expression: Expression
    message: Expression | None


class CompiledPolicy:
    """A compiled DNSPolicy. Immutable, and safe from any thread.

    Attributes:
        text: the DNSPolicy as it was read.
        validations: the compiled `spec.validations`, in the same order.
        conditions: the expressions of the validations if the policy has no variables, else ().
        references: the fields and functions that these expressions refer to.
        reads_namespaces: whether it needs the labels or annotations of namespaces.
    """

    def __init__(
        self, text: PolicyText, variables: Mapping[str, Expression], validations: Sequence[CompiledValidation]
    ) -> None:
        self.text = text
        self.name = text.name
        self.match = text.match
        self._variables = variables
        self.validations = tuple(validations)
        messages = (one.message for one in validations if one.message is not None)
        self.expressions = (*variables.values(), *(one.expression for one in validations), *messages)
        self.conditions = () if variables else tuple(one.expression for one in validations)
        self.references = References(one.syntax for one in self.expressions)
        self._has_loops = any(one.syntax.loop_depth for one in self.expressions)
        self.reads_namespaces = text.match.namespace_selector is not None or "namespace" in self.references.variables

    def evaluate(self, context: Context, item: RuleInput) -> Iterator[Violation]:
        """Yield the violations of *item*, of which *context* has what the expressions of the policy refer to."""
        values = self.build_variables(context, item)
        for validation in self.validations:
            try:
                is_valid = values.evaluate_condition(validation.expression)
            except EvaluationError as error:
                if not self.text.ignores_errors:
                    message = f"The rule cannot be evaluated: {validation.field}.expression: {error}"
                    yield self._build_violation(message[:MAX_MESSAGE], EVALUATION_FAILED, values, deletes=False)
                continue
            if not is_valid:
                message = build_message(validation, values)
                yield self._build_violation(message, validation.text.reason, values, deletes=self.text.deletes)

    def build_variables(self, context: Context, item: RuleInput) -> PolicyVariables:
        """Return the variables of the policy for *item*, not yet evaluated."""
        if not self._has_loops:
            return PolicyVariables(self._variables, context, (0, 0))
        document = self.references.build_document(self.references.read(item))
        return PolicyVariables(self._variables, context, measure_value(document))

    def _build_violation(self, message: str, reason: str, values: PolicyVariables, *, deletes: bool) -> Violation:
        return Violation(
            rule=self.name,
            action=self.text.action,
            message=message,
            reason=reason,
            deletes=deletes and self.text.action is RuleAction.DENY,
            values=values.format(),
        )


class PolicyVariables:
    """The values of `spec.variables` for one input. Each is evaluated once, and only if an expression refers to it."""

    def __init__(self, variables: Mapping[str, Expression], context: Context, size: tuple[int, int]) -> None:
        """Evaluate *variables* in *context*. *size* is what `measure_value` returns for the values in *context*."""
        self._variables = variables
        self._context = context
        self._elements, self._longest = size
        self._values: dict[str, object] = {}
        self._errors: dict[str, EvaluationError] = {}

    def evaluate(self, expression: Expression) -> object:
        """Return the value of *expression*. Evaluate the variables to which it refers first.

        Raises:
            EvaluationError: the expression, or a variable to which it refers, has no value.
        """
        needed = self._variables if expression.variables is None else expression.variables
        for name in needed:
            self._require(name)
        if needed:
            self._context.add_variable(VARIABLES, self._values)
        check_cost(expression, self._elements, self._longest)
        try:
            return expression.evaluate(self._context)
        except EvaluationError as error:
            raise self._errors.get(error.missing_key, error) from error

    def evaluate_condition(self, expression: Expression) -> bool:
        """Return the value of *expression*, which must be true or false. Raises `EvaluationError`."""
        result = self.evaluate(expression)
        if isinstance(result, bool):
            return result
        raise EvaluationError(f"the value is {describe_value(result, _MAX_VALUE)}; allowed: true or false")

    def format(self) -> StringMap:
        """Return the values that were evaluated, as text, by the name of the variable."""
        if not self._values:
            return EMPTY_MAP
        return StringMap.from_items({name: format_value(value, _MAX_VALUE) for name, value in self._values.items()})

    def _require(self, name: str) -> None:
        """Evaluate the variable *name*, unless that was done before. An error is stored."""
        if name in self._values or name in self._errors:
            return
        try:
            value = self.evaluate(self._variables[name])
            elements, longest = measure_result(value)
        except EvaluationError as error:
            self._errors[name] = EvaluationError(f"variables.{name}: {error}", is_type_error=error.is_type_error)
        else:
            self._values[name] = value
            self._elements, self._longest = max(self._elements, elements), max(self._longest, longest)


def measure_result(value: object) -> tuple[int, int]:
    """Return the size of the *value* of a variable, as `measure_value` does. Raises `EvaluationError` if too large."""
    elements, longest = measure_value(value)
    if elements > MAX_RESULT_ELEMENTS or longest > MAX_TEXT:
        raise EvaluationError(
            f"the value is too large; allowed: {MAX_RESULT_ELEMENTS} elements, and texts of {MAX_TEXT} characters"
        )
    return elements, longest


def build_message(validation: CompiledValidation, values: PolicyVariables) -> str:
    """Return the message for an input that *validation* does not accept, on one line.

    As in Kubernetes, `message` is used if `messageExpression` has no value, or only blanks or several lines.
    """
    if validation.message is not None:
        try:
            result = values.evaluate(validation.message)
        except EvaluationError:
            result = None
        if isinstance(result, str) and result.strip() and "\n" not in result:
            return format_value(result.strip(), MAX_MESSAGE)
    return validation.text.message or format_value(f"failed expression: {validation.text.expression}", MAX_MESSAGE)


def compile_policy(text: PolicyText) -> CompiledPolicy | tuple[str, ...]:
    """Compile all expressions of *text*. If there are problems, return them instead."""
    problems: list[str] = []
    compiled: dict[str, Expression] = {}
    validations: list[CompiledValidation] = []

    def compile_field(source: str, path: str) -> Expression | None:
        try:
            return compile_expression(source, tuple(compiled))
        except InvalidExpressionError as error:
            problems.append(f"{path} {error}")
            return None

    for at, variable in enumerate(text.variables):
        if (expression := compile_field(variable.expression, f"spec.variables[{at}].expression")) is not None:
            compiled[variable.name] = expression
        elif len(text.variables) > 1:  # a later one may refer to it
            return tuple(problems)
    for at, validation in enumerate(text.validations):
        field = f"spec.validations[{at}]"
        expression = compile_field(validation.expression, f"{field}.expression")
        message = None
        if validation.message_expression:
            message = compile_field(validation.message_expression, f"{field}.messageExpression")
        if expression is not None:
            validations.append(CompiledValidation(validation, field, expression, message))
            problems += _check_operations(text, expression, f"{field}.expression")
    return tuple(problems) or CompiledPolicy(text, compiled, validations)


def _check_operations(text: PolicyText, expression: Expression, path: str) -> Iterator[str]:
    """Yield a problem if *expression* names an operation on which the policy is never evaluated."""
    if "operation" not in expression.syntax.variables:
        return
    for operation in Operation:
        if operation in expression.syntax.texts and operation not in text.match.operations:
            yield (
                f"{path} names {operation}, on which the rule is not evaluated; "
                f"add {operation} to spec.match.operations, which is {', '.join(text.match.operations)}"
            )
