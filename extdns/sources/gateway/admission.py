"""Whom Gateways and listeners let in: namespaces and kinds (spec sources 5.5, 5.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from extdns.model.cluster import Kind
from extdns.model.gatewayapi import FromNamespaces, LabelSelector, Listener
from extdns.model.objects import NAMESPACE
from extdns.model.selector import Operator, Selector, Term, is_label_key, is_label_value
from extdns.ports import View

_NAME_LABEL: Final = "kubernetes.io/metadata.name"
"""The API server gives it to every Namespace; manifests need not spell it out."""

_OPERATORS: Final[Mapping[str, Operator]] = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.MISSING,
}
_WITH_VALUES: Final = frozenset({Operator.IN, Operator.NOT_IN})


def admits_kind(listener: Listener, kind: Kind) -> bool:
    """Tell whether *listener* takes Routes of *kind*."""
    kinds = listener.allowed_routes.kinds
    return not kinds or any((allowed.group, allowed.kind) == (kind.group, kind.name) for allowed in kinds)


def admits_namespace(allowed: FromNamespaces, namespace: str, *, home: str, default: str, view: View) -> bool:
    """Tell whether those of *namespace* are let in.

    Args:
        allowed: what the object says.
        namespace: where the one comes from that wants in.
        home: where the object itself is.
        default: what holds if it says nothing.
        view: knows the Namespaces; raises `NotReadyError`.
    """
    match allowed.origin or default:
        case "All":
            return True
        case "Same":
            return namespace == home
        case "Selector":
            selector = selector_of(allowed.selector)
            return selector is not None and _has_labels(selector, namespace, view)
        case _:
            return False


def _has_labels(selector: Selector, namespace: str, view: View) -> bool:
    found = view.get(NAMESPACE, "", namespace)
    return found is not None and selector.matches({_NAME_LABEL: namespace, **(found.metadata.labels or {})})


def selector_of(written: LabelSelector | None) -> Selector | None:
    """What a label selector of the API means; None if it is absent or means nothing valid."""
    if written is None:
        return None
    try:
        return Selector(terms=tuple(_terms(written)))
    except ValueError:
        return None


def _terms(written: LabelSelector) -> Iterator[Term]:
    for key, value in (written.match_labels or {}).items():
        yield _term(key, Operator.EQUAL, (value,))
    for requirement in written.match_expressions or ():
        operator, values = _OPERATORS.get(requirement.operator), tuple(sorted(requirement.values or ()))
        if operator is None or bool(values) is not (operator in _WITH_VALUES):
            raise ValueError(requirement.operator)
        yield _term(requirement.key, operator, values)


def _term(key: str, operator: Operator, values: tuple[str, ...]) -> Term:
    if not is_label_key(key) or not all(map(is_label_value, values)):
        raise ValueError(key)
    return Term(key=key, operator=operator, values=values)
