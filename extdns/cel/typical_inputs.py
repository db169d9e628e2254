"""Evaluate a new policy once on typical inputs, to find mistakes of type before it is used.

The evaluator does not check types. A mistake counts only if the expression has no value for any typical input, and each
time because of types: an expression may depend on an annotation, or on a form of value, that no typical input has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extdns.cel.expression import EvaluationError, Expression, describe_value
from extdns.cel.policy import CompiledPolicy
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.value import StringMap, Value
from extdns.model.zone import Zone
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject

_ZONE: Final = Zone(name=DnsName("example.com"), id="example.com")
_TARGETS: Final = {
    "A": ("192.0.2.1", "198.51.100.1"),
    "AAAA": ("2001:db8::1",),
    "CNAME": ("lb.example.net",),
    "TXT": ('"v=spf1 -all"',),
}
_NAMES: Final = ("web.team-a.example.com", "*.example.com")
_LABELS: Final = StringMap.from_items({"app": "web", "team": "a"})
_MAX_VALUE_LENGTH: Final = 60


class DryEvaluation(Value, frozen=True, kw_only=True):
    """What evaluating a policy on typical inputs shows.

    Attributes:
        problems: mistakes, because of which the policy cannot be used.
        warnings: typical inputs for which a condition has no value, and messages that are never used.
    """

    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def build_typical_inputs(operations: Iterable[Operation], types: Iterable[str]) -> Iterator[RuleInput]:
    """Build an input for each operation, type and usual form of name; for the usual types if *types* is empty."""
    chosen = [one for one in types if one in _TARGETS] or list(_TARGETS)
    for operation in operations:
        for record_type in chosen:
            for name in _NAMES:
                yield _build_input(operation, record_type, DnsName(name))


def _build_input(operation: Operation, record_type: str, name: DnsName) -> RuleInput:
    targets = _TARGETS[record_type]
    current = OwnedRecord(
        record=Record(name=name, type=record_type, targets=targets, ttl_s=300),
        owner="default",
        is_ours=True,
        labels=StringMap.from_items({"resource": "service/team-a/web"}),
    )
    return RuleInput(
        operation=operation,
        record=DesiredRecord(name=name, type=record_type, targets=targets, ttl_s=300),
        zone=_ZONE,
        source="" if operation is Operation.DELETE else "service",
        object=RuleObject(
            api_version="v1",
            kind="Service",
            namespace="team-a",
            name="web",
            labels=_LABELS,
            annotations=StringMap.from_items({"external-dns.alpha.kubernetes.io/hostname": name}),
        ),
        namespace=RuleNamespace(name="team-a", labels=_LABELS),
        current=None if operation is Operation.CREATE else current,
    )


def evaluate_dry(policy: CompiledPolicy) -> DryEvaluation:
    """Evaluate each validation of *policy*, with the variables to which it refers, on typical inputs."""
    problems: list[str] = []
    warnings: list[str] = []
    inputs = tuple(build_typical_inputs(policy.match.operations, policy.match.record_types))
    for validation in policy.validations:
        results = [_evaluate_once(policy, validation.expression, item) for item in inputs]
        errors = [result for result in results if isinstance(result, EvaluationError)]
        path = f"{validation.field}.expression"
        invalid = next((one for one in results if not isinstance(one, bool | EvaluationError)), None)
        if len(errors) < len(results) and invalid is not None:
            problems.append(f"{path} gives {describe_value(invalid, _MAX_VALUE_LENGTH)}; allowed: true or false")
        elif len(errors) == len(results) and all(error.is_type_error for error in errors):
            problems.append(f"{path} has no value for any typical record: {errors[0]}")
        elif errors:
            at = next(at for at, result in enumerate(results) if isinstance(result, EvaluationError))
            warnings.append(f"{path} has no value for {_describe(inputs[at])}: {errors[0]}")
        if validation.message is not None:
            messages = [_evaluate_once(policy, validation.message, item) for item in inputs]
            warnings += _check_messages(f"{validation.field}.messageExpression", messages)
    return DryEvaluation(problems=tuple(problems), warnings=tuple(warnings))


def _check_messages(path: str, results: Sequence[object]) -> Iterator[str]:
    """Yield a warning if none of the *results* of a `messageExpression` can be a message, because of its type."""
    errors = [result for result in results if isinstance(result, EvaluationError)]
    others = [result for result in results if not isinstance(result, str | EvaluationError)]
    if len(others) == len(results):
        yield f"{path} gives {describe_value(others[0], _MAX_VALUE_LENGTH)}, so message is used; allowed: a string"
    elif len(errors) == len(results) and all(error.is_type_error for error in errors):
        yield f"{path} has no value for any typical record, so message is used: {errors[0]}"


def _evaluate_once(policy: CompiledPolicy, expression: Expression, item: RuleInput) -> object:
    references = policy.references
    context = references.build_context(references.build_document(references.read(item)))
    values = policy.build_variables(context, item)
    try:
        return values.evaluate(expression)
    except EvaluationError as error:
        return error


def _describe(item: RuleInput) -> str:
    return f"{item.operation} of {item.record.type} {item.record.name}"
