"""Decide which Routes a listener accepts: by kind, namespace and hostname (docs/spec/sources.md 5.5, 5.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.model.cache import cache_short
from extdns.model.kind import Kind
from extdns.model.selection import API_OPERATORS, Operator, Requirement, Selector, is_label_key, is_label_value
from extdns.model.validation import is_host_name
from extdns.ports import ClusterView
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import LabelSelector, Listener, RouteNamespaces

_NAME_LABEL: Final = "kubernetes.io/metadata.name"
"""The label with the name of a Namespace. The API server sets it; manifests may omit it."""

_WITH_VALUES: Final = frozenset({Operator.IN, Operator.NOT_IN})


def accepts_kind(listener: Listener, kind: Kind) -> bool:
    """Return whether *listener* accepts Routes of *kind*."""
    kinds = listener.allowed_routes.kinds
    return not kinds or any((allowed.group, allowed.kind) == (kind.group, kind.name) for allowed in kinds)


def accepts_namespace(
    allowed_namespaces: RouteNamespaces, namespace: str, *, home: str, default: str, view: ClusterView
) -> bool:
    """Return whether Routes or ListenerSets of *namespace* may attach to an object with the field *allowed_namespaces*.

    Args:
        allowed_namespaces: the field of the object's spec that states from which namespaces it accepts them.
        namespace: namespace of the Route or ListenerSet.
        home: namespace of the object with the field.
        default: the value of `from` in the field if the spec has none.
        view: view to look up Namespaces; raises `NotSyncedError`.
    """
    match allowed_namespaces.from_ or default:
        case "All":
            return True
        case "Same":
            return namespace == home
        case "Selector":
            selector = parse_api_selector(allowed_namespaces.selector)
            return selector is not None and _has_labels(selector, namespace, view)
        case _:
            return False


def _has_labels(selector: Selector, namespace: str, view: ClusterView) -> bool:
    found = view.get(NAMESPACE, "", namespace)
    return found is not None and selector.matches({_NAME_LABEL: namespace, **(found.metadata.labels or {})})


def parse_api_selector(label_selector: LabelSelector | None) -> Selector | None:
    """Parse a label selector of the API; return None if it is absent or not valid."""
    if label_selector is None:
        return None
    try:
        return Selector(requirements=tuple(_parse_requirements(label_selector)))
    except ValueError:
        return None


def _parse_requirements(label_selector: LabelSelector) -> Iterator[Requirement]:
    for key, value in (label_selector.match_labels or {}).items():
        yield _build_requirement(key, Operator.EQUAL, (value,))
    for requirement in label_selector.match_expressions or ():
        operator, values = API_OPERATORS.get(requirement.operator), tuple(sorted(requirement.values or ()))
        if operator is None or bool(values) is not (operator in _WITH_VALUES):
            raise ValueError(requirement.operator)
        yield _build_requirement(requirement.key, operator, values)


def _build_requirement(key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
    if not is_label_key(key) or not all(map(is_label_value, values)):
        raise ValueError(key)
    return Requirement(key=key, operator=operator, values=values)


ALLOWED_HOSTNAME: Final = "a host name of letters, digits and '-' in labels of up to 63, perhaps after '*.'"

_MAX_HOSTNAME: Final = 255
_WILD: Final = "*."


@cache_short(maxsize=4096)
def is_hostname(text: str) -> bool:
    """Return whether *text*, in any case and perhaps with a dot at its end, is a host name. It may begin with `*.`."""
    return len(text) <= _MAX_HOSTNAME and is_host_name(text.lower().removesuffix("."))


def find_common_hostname(listener: str, route: str) -> str | None:
    """Return the more specific of two host names in lower case if one matches the other, else None.

    "" matches every host name, but the result is None if both are "" or one is not a valid host name.
    """
    if not all(is_hostname(text) for text in (listener, route) if text):
        return None
    first, second = listener.lower(), route.lower()
    if not first or not second or first == second:
        return first or second or None
    pattern, other = sorted((first, second), key=lambda text: (len(text), not text.startswith(_WILD)))
    return other if pattern.startswith(_WILD) and other.endswith(pattern[1:]) else None
