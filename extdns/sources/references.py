"""References of one object to another, as annotations and fields write them (spec sources 2.3, 7.1, 7.2, 7.8)."""

from __future__ import annotations

from extdns.errors import ExtdnsError, shortened
from extdns.model.objects import INGRESS, Ingress
from extdns.ports import View


def place(reference: str, home: str, field: str, kind: str) -> tuple[str, str]:
    """Namespace and name that *reference*, which stands in *field*, means to an object of namespace *home*.

    Raises:
        ExtdnsError: it is neither a name nor a namespace and a name, so it means no *kind*.
    """
    *namespaces, name = reference.split("/")
    if len(namespaces) > 1:
        raise ExtdnsError(f"{field}: {shortened(reference)!r} is no {kind}; allowed: name or namespace/name")
    return namespaces[0] if namespaces else home, name


def ingress_at(reference: str, home: str, field: str, view: View) -> Ingress:
    """The Ingress that *reference* means, as `place`.

    Raises:
        ExtdnsError: it means none, or there is no such Ingress.
        NotReadyError: Ingresses are not listed yet.
    """
    namespace, name = place(reference, home, field, INGRESS.name)
    found = view.get(INGRESS, namespace, name)
    if not isinstance(found, Ingress):
        raise ExtdnsError(f"{field}: there is no Ingress {shortened(f'{namespace}/{name}')}")
    return found
