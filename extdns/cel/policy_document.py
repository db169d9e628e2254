"""Read a DNSPolicy document (docs/reference/dnspolicy.md).

Field names follow Kubernetes' ValidatingAdmissionPolicy where it has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from extdns.cel.document_reader import DocumentReader
from extdns.cel.expression import MAX_EXPRESSION
from extdns.flags.sources import SOURCES
from extdns.model.change import RuleAction
from extdns.model.selection import API_OPERATORS, Operator, Requirement
from extdns.model.value import Value
from extdns.rules.rule_input import Operation

MAX_VALIDATIONS: Final = 32
MAX_VARIABLES: Final = 32
MAX_MESSAGE: Final = 500
"""The longest message of a violation, in characters."""

_FIELDS: Final = ("match", "variables", "validations", "action", "onViolation", "failurePolicy")
_MATCH_FIELDS: Final = (
    "operations",
    "sources",
    "namespaces",
    "namespaceSelector",
    "recordTypes",
    "zones",
    "domains",
)
_SELECTOR_FIELDS: Final = ("matchLabels", "matchExpressions")
_EXPRESSION_FIELDS: Final = ("key", "operator", "values")
_VALIDATION_FIELDS: Final = ("expression", "message", "messageExpression", "reason")
_ACTIONS: Final = tuple(action.value for action in RuleAction)
_FAILURE_POLICIES: Final = ("Fail", "Ignore")
_ON_VIOLATION: Final = ("keep", "delete")
_DEFAULT_OPERATIONS: Final = (Operation.CREATE, Operation.UPDATE)

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_NAMESPACE: Final = re.compile(_LABEL)
RECORD_TYPE: Final = re.compile(r"[A-Z][A-Z0-9]{0,15}")
_REASON: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_LABEL_KEY: Final = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?")
_LABEL_VALUE: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


class PolicyMatch(Value, frozen=True, kw_only=True):
    """Which inputs a policy is evaluated on. A field that is an empty tuple excludes no input.

    Attributes:
        namespace_selector: requirements for the labels of the namespace; None without a selector.
        domains: the name of the record must be one of these, or below one.
    """

    operations: tuple[Operation, ...] = _DEFAULT_OPERATIONS
    sources: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    namespace_selector: tuple[Requirement, ...] | None = None
    record_types: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    @property
    def is_unrestricted(self) -> bool:
        """Whether every input is selected whose operation is one of `operations`."""
        chosen = self.sources or self.namespaces or self.record_types or self.zones or self.domains
        return not chosen and self.namespace_selector is None


MATCH_EVERYTHING: Final = PolicyMatch(operations=tuple(Operation))
"""For a policy whose own match cannot be read."""


class VariableText(Value, frozen=True):
    """`variables[]`: a name, and its expression."""

    name: str
    expression: str


class ValidationText(Value, frozen=True, kw_only=True):
    """`validations[]`: an expression that is true for valid records, and the message if it is not."""

    expression: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""


class PolicyText(Value, frozen=True, kw_only=True):
    """A DNSPolicy whose expressions are not compiled yet.

    Attributes:
        deletes: whether violations delete published records (`onViolation: delete`).
        ignores_errors: whether a record is valid if an expression has no value (`failurePolicy: Ignore`).
    """

    name: str
    match: PolicyMatch
    variables: tuple[VariableText, ...]
    validations: tuple[ValidationText, ...]
    action: RuleAction
    deletes: bool
    ignores_errors: bool


class ParsedPolicy(Value, frozen=True, kw_only=True):
    """The parts of the spec of a DNSPolicy that could be read, and its mistakes.

    Attributes:
        text: the policy, its expressions not compiled yet; None if there is a problem.
        match: which inputs the policy may concern, `MATCH_EVERYTHING` if that cannot be read.
        problems: one message for each mistake.
        warnings: one message for each value that is valid, but probably not what was meant.
    """

    text: PolicyText | None
    match: PolicyMatch
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def read_policy(name: str, spec: object) -> ParsedPolicy:
    """Read the *spec* of the DNSPolicy *name*. Never raises: *spec* may be any value of YAML or JSON."""
    reader = DocumentReader()
    if spec is None:
        reader.report("spec", "is missing; allowed: a mapping with validations")
    fields = reader.read_mapping(spec, "spec", _FIELDS)
    match_reader = DocumentReader()
    match = _read_match(match_reader, fields.get("match"))
    is_match_known = isinstance(spec, dict) and not match_reader.problems
    reader.problems += match_reader.problems
    text = _read_text(reader, name, fields, match)
    return ParsedPolicy(
        text=None if reader.problems else text,
        match=match if is_match_known else MATCH_EVERYTHING,
        problems=tuple(reader.problems),
        warnings=tuple(_list_wildcard_warnings(match)),
    )


def _list_wildcard_warnings(match: PolicyMatch) -> Iterator[str]:
    """Warn of each domain of *match* that is a wildcard, which in other programs means all names below."""
    for at, domain in enumerate(match.domains):
        if domain.startswith("*."):
            parent = domain.removeprefix("*.")
            yield (
                f'spec.match.domains[{at}] is "{domain}", which is one name, the wildcard itself; '
                f'to match {parent} and all names below it, write "{parent}"'
            )


def _read_text(reader: DocumentReader, name: str, fields: Mapping[str, object], match: PolicyMatch) -> PolicyText:
    read_variable, read_validation = partial(_read_variable, reader), partial(_read_validation, reader)
    variables = reader.read_list(fields.get("variables"), "spec.variables", read_variable, MAX_VARIABLES)
    names = [variable.name for variable in variables]
    for at, variable in enumerate(names):
        if variable and variable in names[:at]:
            reader.report(f"spec.variables[{at}].name", f'is "{variable}" again; allowed: each name once')
    validations = reader.read_list(fields.get("validations"), "spec.validations", read_validation, MAX_VALIDATIONS)
    if fields.get("validations") in (None, []) and not reader.problems:
        reader.report("spec.validations", "is empty; allowed: at least one expression that is true for valid records")
    action = RuleAction(reader.read_choice(fields.get("action"), "spec.action", _ACTIONS, RuleAction.DENY))
    deletes = reader.read_choice(fields.get("onViolation"), "spec.onViolation", _ON_VIOLATION, "keep") == "delete"
    if deletes and action is not RuleAction.DENY:
        reader.report("spec.onViolation", f"is delete, but spec.action is {action}; allowed: delete with action deny")
    failure_policy = reader.read_choice(fields.get("failurePolicy"), "spec.failurePolicy", _FAILURE_POLICIES, "Fail")
    return PolicyText(
        name=name,
        match=match,
        variables=variables,
        validations=validations,
        action=action,
        deletes=deletes,
        ignores_errors=failure_policy == "Ignore",
    )


def _read_match(reader: DocumentReader, value: object) -> PolicyMatch:
    fields = reader.read_mapping(value, "spec.match", _MATCH_FIELDS)

    def read_operation(item: object, path: str) -> Operation:
        return Operation(reader.read_choice(item, path, tuple(Operation), Operation.CREATE))

    def read_source(item: object, path: str) -> str:
        return reader.read_choice("" if item is None else item, path, SOURCES, "")

    def read_namespace(item: object, path: str) -> str:
        return reader.read_matching(item, path, _NAMESPACE, "the name of a namespace")

    def read_type(item: object, path: str) -> str:
        return reader.read_matching(item, path, RECORD_TYPE, "a record type in capitals, as A or CNAME")

    operations = reader.read_list(fields.get("operations"), "spec.match.operations", read_operation)
    selector = fields.get("namespaceSelector")
    return PolicyMatch(
        operations=operations or _DEFAULT_OPERATIONS,
        sources=reader.read_list(fields.get("sources"), "spec.match.sources", read_source),
        namespaces=reader.read_list(fields.get("namespaces"), "spec.match.namespaces", read_namespace),
        namespace_selector=None if selector is None else _read_selector(reader, selector),
        record_types=reader.read_list(fields.get("recordTypes"), "spec.match.recordTypes", read_type),
        zones=reader.read_list(fields.get("zones"), "spec.match.zones", reader.read_name),
        domains=reader.read_list(fields.get("domains"), "spec.match.domains", reader.read_name),
    )


def _read_selector(reader: DocumentReader, value: object) -> tuple[Requirement, ...]:
    path = "spec.match.namespaceSelector"
    fields = reader.read_mapping(value, path, _SELECTOR_FIELDS)
    labels = fields.get("matchLabels")
    if labels is not None and not isinstance(labels, dict):
        reader.read_mapping(labels, f"{path}.matchLabels", ())
        labels = None
    requirements = [
        Requirement(
            key=reader.read_matching(key, f"{path}.matchLabels", _LABEL_KEY, "keys of labels"),
            operator=Operator.IN,
            values=(_read_label_value(reader, item, f'{path}.matchLabels["{key}"]'),),
        )
        for key, item in (labels or {}).items()
    ]
    others = fields.get("matchExpressions")
    return (*requirements, *reader.read_list(others, f"{path}.matchExpressions", partial(_read_requirement, reader)))


def _read_requirement(reader: DocumentReader, value: object, path: str) -> Requirement:
    if value is None:
        reader.report(path, "is empty; allowed: key, operator and values")
    fields = reader.read_mapping(value, path, _EXPRESSION_FIELDS)
    key = reader.read_matching(fields.get("key"), f"{path}.key", _LABEL_KEY, "the key of a label")
    if fields.get("operator") is None:
        reader.report(f"{path}.operator", f"is empty; allowed: {', '.join(API_OPERATORS)}")
    operator = reader.read_choice(fields.get("operator"), f"{path}.operator", tuple(API_OPERATORS), "Exists")
    values = reader.read_list(fields.get("values"), f"{path}.values", partial(_read_label_value, reader))
    if operator in {"In", "NotIn"} and not values:
        reader.report(f"{path}.values", f"is empty; allowed with {operator}: at least one value")
    elif operator in {"Exists", "DoesNotExist"} and values:
        reader.report(f"{path}.values", f"is not empty; allowed with {operator}: no values")
    return Requirement(key=key, operator=API_OPERATORS[operator], values=values)


def _read_label_value(reader: DocumentReader, value: object, path: str) -> str:
    return reader.read_matching(value, path, _LABEL_VALUE, "the value of a label")


def _read_variable(reader: DocumentReader, value: object, path: str) -> VariableText:
    if value is None:
        reader.report(path, "is empty; allowed: name and expression")
    fields = reader.read_mapping(value, path, ("name", "expression"))
    name = reader.read_matching(fields.get("name"), f"{path}.name", _VARIABLE, "letters, digits and _, as domain")
    return VariableText(name, _read_expression(reader, fields.get("expression"), f"{path}.expression", is_needed=True))


def _read_validation(reader: DocumentReader, value: object, path: str) -> ValidationText:
    if value is None:
        reader.report(path, "is empty; allowed: a mapping with an expression")
    fields = reader.read_mapping(value, path, _VALIDATION_FIELDS)
    message = reader.read_text(fields.get("message"), f"{path}.message", MAX_MESSAGE)
    reason = fields.get("reason")
    return ValidationText(
        expression=_read_expression(reader, fields.get("expression"), f"{path}.expression", is_needed=True),
        message=message.strip(),
        message_expression=_read_expression(reader, fields.get("messageExpression"), f"{path}.messageExpression"),
        reason=""
        if reason is None
        else reader.read_matching(reason, f"{path}.reason", _REASON, "letters and digits, as NameNotAllowed"),
    )


def _read_expression(reader: DocumentReader, value: object, path: str, *, is_needed: bool = False) -> str:
    if isinstance(value, str) and len(value) <= MAX_EXPRESSION and value.strip():
        return value
    if value is None or (isinstance(value, str) and not value.strip()):
        if is_needed:
            reader.report(path, "is empty; allowed: an expression in CEL")
        return ""
    if isinstance(value, bool):  # `expression: false` in YAML
        return str(value).lower()
    if not isinstance(value, str):
        reader.read_text(value, path, MAX_EXPRESSION)
        return ""
    reader.report(path, f"has {len(value)} characters; allowed: {MAX_EXPRESSION}; move parts of it to spec.variables")
    return ""
