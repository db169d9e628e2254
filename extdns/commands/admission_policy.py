"""Build ValidatingAdmissionPolicies: for the values of annotations, and for rules (docs/how-to/refuse-at-admission.md).

The expressions about annotations decide as the readers of annotations do, or accept what these reject: names with other
characters than ASCII, IPv4-mapped addresses, empty targets, and lists of more than `MAX_LIST` characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, assert_never

from extdns.cel.policy import CompiledPolicy
from extdns.cel.policy_document import ValidationText
from extdns.cel.syntax import rename_variable
from extdns.model.kind import Kind
from extdns.model.record import IPV4
from extdns.model.selection import API_OPERATORS, Operator, Requirement, Selector
from extdns.model.ttl import MAX_TTL_CHARACTERS, MAX_TTL_S, TTL_ALLOWED, TTL_DURATION, TTL_INTEGER
from extdns.model.validation import NAME_ALLOWED, NO_NUMBER, OWNER_NAME, TARGET_NAME, TARGETS_ALLOWED
from extdns.model.value import Value
from extdns.rules.rule_input import Operation
from extdns.sources.common.annotations import CHOICES, TARGET_ANNOTATION, TTL
from extdns.sources.common.claim_builder import CONTROLLER, DNS_CONTROLLER
from extdns.sources.common.spec import SourceSpec

Json = dict[str, Any]

_API_NAMES: Final = {operator: name for name, operator in API_OPERATORS.items()}
NAME: Final = "extdns-annotations"
MAX_LIST: Final = 8192
"""The longest list that is checked, in characters. The API server's time grows with the square of the items: 0.2 s."""

_SHARED_FUNCTIONS: Final = frozenset(
    {"contains", "endsWith", "lowerAscii", "matches", "replace", "split", "startsWith", "string", "trim", "upperAscii"}
)


class AdmissionScope(Value, frozen=True, kw_only=True):
    """What the API server checks.

    Attributes:
        kinds: the kinds whose annotations are read, each with the source that reads it.
        prefixes: the accepted annotation prefixes, the preferred one first.
        namespaces: check objects of these namespaces only; () is all.
        checks_targets: whether the `target` annotation decides the targets.
    """

    kinds: Mapping[Kind, SourceSpec[Any]]
    prefixes: tuple[str, ...]
    namespaces: tuple[str, ...]
    labels: Selector
    annotations: Selector
    checks_names: bool
    checks_targets: bool


def build_annotation_policy(scope: AdmissionScope) -> tuple[Json, Json]:
    """Return the policy about the values of annotations, and its binding."""
    checks = list(_list_checks(scope))
    used = " || ".join(f"key.startsWith({_quote(prefix)})" for prefix in scope.prefixes)
    spec: Json = {
        "failurePolicy": "Ignore",
        "matchConstraints": _select_resources(scope.kinds),
        "matchConditions": [
            _name_expression("annotated", f"{_read_map('object', 'annotations')}.exists(key, {used})"),
            *_list_filters(scope),
        ],
        "variables": [*_list_variables(scope.prefixes), *map(_build_variable, checks)],
        "validations": list(map(_build_validation, checks)),
    }
    return _build_policy(NAME, spec, "Deny", _select_namespaces(scope.namespaces))


def _build_policy(name: str, spec: Json, action: str, namespaces: Iterable[Requirement]) -> tuple[Json, Json]:
    """Return the policy *name* and its binding for the *namespaces* whose labels fulfil these requirements."""
    binding: Json = {"policyName": name, "validationActions": [action]}
    if selector := [
        {"key": one.key, "operator": _API_NAMES[one.operator]} | ({"values": list(one.values)} if one.values else {})
        for one in namespaces
    ]:
        binding["matchResources"] = {"namespaceSelector": {"matchExpressions": selector}}
    kind = "ValidatingAdmissionPolicy"
    return _build_object(kind, name, spec), _build_object(f"{kind}Binding", name, binding)


def _build_object(kind: str, name: str, spec: Json) -> Json:
    api_version = "admissionregistration.k8s.io/v1"
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _select_namespaces(names: Sequence[str]) -> tuple[Requirement, ...]:
    return (Requirement(key="kubernetes.io/metadata.name", operator=Operator.IN, values=tuple(names)),) if names else ()


def _select_resources(kinds: Iterable[Kind]) -> Json:
    rules = [
        {
            "apiGroups": [kind.group],
            "apiVersions": [version.version for version in kind.versions],
            "operations": ["CREATE", "UPDATE"],
            "resources": [kind.plural],
        }
        for kind in sorted(kinds)
    ]
    return {"resourceRules": rules}


# Rules


def is_exportable(policy: CompiledPolicy) -> bool:
    """Return whether the API server can decide as *policy* does: by an object and its namespace only.

    Functions that are different there are not exported, such as `size`.
    """
    match = policy.match
    return (
        policy.references.variables <= {"object", "namespace"}
        and {call.name for one in policy.expressions for call in one.syntax.calls} <= _SHARED_FUNCTIONS
        and {Operation.CREATE, Operation.UPDATE} <= set(match.operations)
        and not (match.record_types or match.zones or match.domains)
    )


def build_rule_policy(scope: AdmissionScope, policy: CompiledPolicy) -> tuple[Json, Json]:
    """Return the policy for the rule *policy*, which is exportable, and its binding.

    An object is checked when an annotation requests hostnames: without any, it publishes none, and other changes of an
    object that was stored before are possible.
    """
    text, match = policy.text, policy.match
    kinds = {kind: spec for kind, spec in scope.kinds.items() if not match.sources or spec.name in match.sources}
    names = sorted(
        {
            f"{prefix}{name}"
            for spec in kinds.values()
            for name in spec.hostname_annotations
            for prefix in scope.prefixes
        }
    )
    new, old = _read_map("object", "annotations"), _OLD_ANNOTATIONS
    spec: Json = {
        "failurePolicy": "Ignore" if text.ignores_errors else "Fail",
        "matchConstraints": _select_resources(kinds),
        "matchConditions": [
            _name_expression(
                "requests-names", f"{json.dumps(names)}.exists(key, key in {new} && {new}[?key] != ({old})[?key])"
            ),
            *_list_filters(scope),
        ],
        "variables": [
            *(_name_expression(name, expression) for name, expression in _RULE_VARIABLES.items()),
            *(_name_expression(one.name, _rename_variables(one.expression)) for one in text.variables),
        ],
        "validations": [_build_rule_validation(text.name, one) for one in text.validations],
    }
    chosen = (*_select_namespaces(scope.namespaces), *_select_namespaces(match.namespaces))
    namespaces = (*chosen, *(match.namespace_selector or ()))
    return _build_policy(f"extdns-rule-{text.name}", spec, text.action.capitalize(), namespaces)


def _rename_variables(source: str) -> str:
    for name in ("object", "namespace"):
        source = rename_variable(source, name, f"variables.rule_{name}")
    return source


def _build_rule_validation(rule: str, text: ValidationText) -> Json:
    message = text.message or f"failed expression: {' '.join(text.expression.split())}"
    found: Json = {"expression": _rename_variables(text.expression), "message": f"{rule}: {message}"}
    if text.message_expression:
        found["messageExpression"] = f"{_quote(f'{rule}: ')} + ({_rename_variables(text.message_expression)})"
    return found


# Which objects are checked


def _list_filters(scope: AdmissionScope) -> Iterator[Json]:
    annotations = _read_map("object", "annotations")
    keys = json.dumps([f"{prefix}{CONTROLLER}" for prefix in scope.prefixes])
    is_ours = f'{annotations}[?key].orValue("{DNS_CONTROLLER}") == "{DNS_CONTROLLER}"'
    yield _name_expression("our-controller", f"{keys}.all(key, {is_ours})")
    for name, selector in (("labels", scope.labels), ("annotations", scope.annotations)):
        tests = [_build_test(one, _read_map("object", name)) for one in selector.requirements]
        if tests:
            yield _name_expression(f"selected-by-{name}", " && ".join(tests))


def _name_expression(name: str, expression: str) -> Json:
    return {"name": name, "expression": expression}


def _read_map(of: str, name: str) -> str:
    return f"{of}.metadata.?{name}.orValue({{}})"


def _build_test(requirement: Requirement, found: str) -> str:
    key = _quote(requirement.key)
    is_present = f"{key} in {found}"
    is_listed = f"{is_present} && {found}[{key}] in {json.dumps(requirement.values)}"
    match requirement.operator:
        case Operator.EXISTS:
            return is_present
        case Operator.MISSING:
            return f"!({is_present})"
        case Operator.EQUAL | Operator.IN:
            return is_listed
        case Operator.UNEQUAL | Operator.NOT_IN:
            return f"!({is_listed})"
        case Operator.GREATER | Operator.LESS:
            return f"{is_present} && int({found}[{key}]) {requirement.operator} {int(requirement.values[0])}"
        case _:
            assert_never(requirement.operator)


# Which values are checked


class _Check(Value, frozen=True, kw_only=True):
    """How an annotation is checked.

    Attributes:
        is_valid: whether an `item` is valid: the value, or each item of a list.
        allowed: what messages call allowed.
        resources: the resources whose annotation is read, each with its group; () is all.
    """

    name: str
    is_valid: str
    allowed: str
    is_list: bool = False
    resources: tuple[str, ...] = ()


def _list_checks(scope: AdmissionScope) -> Iterator[_Check]:
    if scope.checks_names:
        for name in sorted({name for spec in scope.kinds.values() for name in spec.hostname_annotations}):
            reading = [
                f"{kind.plural}.{kind.group}" for kind, spec in scope.kinds.items() if name in spec.hostname_annotations
            ]
            yield _Check(
                name=name, is_valid=_IS_HOSTNAME, allowed=NAME_ALLOWED, is_list=True, resources=tuple(sorted(reading))
            )
        if scope.checks_targets:
            yield _Check(name=TARGET_ANNOTATION, is_valid=_IS_TARGET, allowed=TARGETS_ALLOWED, is_list=True)
    yield _Check(name=TTL, is_valid=_IS_TTL, allowed=TTL_ALLOWED)
    for name, choices in CHOICES.items():
        yield _Check(name=name, is_valid=f"item in {json.dumps(choices)}", allowed=" or ".join(choices))


def _list_variables(prefixes: tuple[str, ...]) -> Iterator[Json]:
    *preferred, last = map(_quote, prefixes)
    prefix = "".join(f"variables.annotations.exists(key, key.startsWith({one})) ? {one} : " for one in preferred)
    yield _name_expression("annotations", _read_map("object", "annotations"))
    yield _name_expression("prefix", f"{prefix}{last}")
    yield _name_expression("old", _OLD_ANNOTATIONS)
    changed = "variables.annotations.filter(key, variables.old[?key] != variables.annotations[?key])"
    yield _name_expression("changed", changed)  # controllers can change objects that were stored before


def _build_variable(check: _Check) -> Json:
    key = f'variables.prefix + "{check.name}"'
    value = f"variables.annotations[{key}]"
    condition, items = f"{key} in variables.changed", f"[{value}]"
    if check.is_list:
        condition += f" && {value}.size() <= {MAX_LIST}"
        items = f'{value}.split(",").map(item, item.trim()).filter(item, item != "" && {_IS_ASCII})'
    if check.resources:
        condition += f' && request.resource.resource + "." + request.resource.group in {json.dumps(check.resources)}'
    return _name_expression(_name_variable(check), f"({condition} ? {items} : []).filter(item, !({check.is_valid}))")


def _name_variable(check: _Check) -> str:
    return check.name.replace("-", "_")


def _build_validation(check: _Check) -> Json:
    found, tail = f"variables.{_name_variable(check)}", f"is not valid; allowed: {check.allowed}"
    head = f'"annotation " + variables.prefix + {_quote(f"{check.name}: ")}'
    return {
        "expression": f"{found}.size() == 0",
        "message": f"annotation {check.name} {tail}",  # if the item is too long, or has several lines
        "messageExpression": f"""{head} + "'" + {found}[0] + "' " + {_quote(tail)}""",
    }


# Which values are valid


def _translate(pattern: str) -> str:
    """Return *pattern* for RE2, which needs no possessive groups and has no lookahead: see `_ENDS_IN_NUMBER`."""
    return re.sub(r"(?<=[*+?}])\+", "", pattern.replace(NO_NUMBER, "").replace("(?>", "(?:"))


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _match(pattern: str, value: str = "item") -> str:
    return f"{value}.matches({_quote(f'^(?:{pattern})$')})"


_IS_ASCII: Final = _match(r"[\t-\r -~]*")  # other characters may have A-labels, or be blanks
_ENDS_IN_NUMBER: Final = _match(r"(.*\.)?[0-9]+\.*")
_HOSTNAME: Final = r'item.replace("\\052", "*")'
_IS_HOSTNAME: Final = "{} && {} && !{}".format(
    _match(rf"(?i:{_translate(OWNER_NAME.pattern)})\.?", _HOSTNAME),
    _match(r".{1,253}\.{0,2}", _HOSTNAME),
    _ENDS_IN_NUMBER,
)
_IS_TARGET: Final = (
    "{} || ({} && {} && !{}) || "
    '(item.contains(":") && (isIP(item) || item.endsWith(".") || item.lowerAscii().contains("ffff:")))'
).format(
    _match(rf"{IPV4.pattern}\.{{0,2}}"),
    _match(rf"(?i:{_translate(TARGET_NAME.pattern)})\.{{0,3}}"),
    _match(r".{1,253}\.{0,3}"),
    _ENDS_IN_NUMBER,
)
_IS_TTL: Final = (
    f"item.size() <= {MAX_TTL_CHARACTERS} && ({_match(TTL_INTEGER.pattern)} ? "
    f"{_match('[+]?0*[0-9]{1,10}')} && int(item) >= 1 && int(item) <= {MAX_TTL_S} : "
    f'{_match(TTL_DURATION.pattern)} && duration(item) >= duration("1s") && '
    f'duration(item) < duration("{MAX_TTL_S + 1}s"))'
)

_OLD_ANNOTATIONS: Final = f'request.operation == "UPDATE" ? {_read_map("oldObject", "annotations")} : {{}}'
_RULE_VARIABLES: Final = {
    "rule_object": '{"apiVersion": dyn(object.apiVersion), "kind": dyn(object.kind), '
    '"namespace": dyn(object.metadata.?namespace.orValue("")), "name": dyn(object.metadata.?name.orValue("")), '
    f'"labels": dyn({_read_map("object", "labels")}), "annotations": dyn({_read_map("object", "annotations")})}}',
    "rule_namespace": 'namespaceObject == null ? dyn(null) : dyn({"name": dyn(namespaceObject.metadata.name), '
    f'"labels": dyn({_read_map("namespaceObject", "labels")}), '
    f'"annotations": dyn({_read_map("namespaceObject", "annotations")})}})',
}
