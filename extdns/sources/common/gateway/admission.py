"""Decide which Routes a listener accepts: by kind, namespace and hostname (docs/spec/sources.md 5.5, 5.7)."""

from __future__ import annotations

from typing import Final

from extdns.model.cache import cache_short
from extdns.model.kind import Kind
from extdns.model.validation import is_host_name
from extdns.ports import ClusterView
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import Listener, RouteNamespaces
from extdns.sources.common.annotations import RequestedCount


def accepts_kind(listener: Listener, kind: Kind) -> bool:
    """Return whether *listener* accepts Routes of *kind*."""
    kinds = listener.allowed_routes.kinds
    return not kinds or any((allowed.group, allowed.kind) == (kind.group, kind.name) for allowed in kinds)


def accepts_namespace(
    allowed_namespaces: RouteNamespaces,
    namespace: str,
    *,
    home: str,
    default: str,
    view: ClusterView,
    count: RequestedCount,
) -> bool:
    """Return whether Routes or ListenerSets of *namespace* may attach to an object with the field *allowed_namespaces*.

    *home* is the namespace of the object, and *default* the value of `from` if the field has none. Selectors are added
    to *count*, what the Route requests. Raises as `ClusterView.get` and `RequestedCount.add`.
    """
    match allowed_namespaces.from_ or default:
        case "All":
            return True
        case "Same":
            return namespace == home
        case "Selector":
            selector = allowed_namespaces.selector
            if selector is None:
                return False
            count.add(selector.size)
            found = view.get(NAMESPACE, "", namespace)
            return found is not None and selector.selects(namespace, found.metadata.labels)
        case _:
            return False


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
