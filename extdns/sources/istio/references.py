"""References as annotations and fields of Istio's kinds write them (spec sources 2.3, 7.2)."""

from __future__ import annotations

from extdns.errors import ExtdnsError, shortened


def place(reference: str, home: str, field: str, kind: str) -> tuple[str, str]:
    """Namespace and name that *reference*, which stands in *field*, means to an object of namespace *home*.

    Raises:
        ExtdnsError: it is neither a name nor a namespace and a name, so it means no *kind*.
    """
    *namespaces, name = reference.split("/")
    if len(namespaces) > 1:
        raise ExtdnsError(f"{field}: {shortened(reference)!r} is no {kind}; allowed: name or namespace/name")
    return namespaces[0] if namespaces else home, name
