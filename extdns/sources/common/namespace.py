"""Namespaces: they request no names, but rules read their labels and annotations (docs/design/rules.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.resources.core import NAMESPACE

if TYPE_CHECKING:
    from extdns.model.claim import Claim
    from extdns.model.kind import KubernetesObject
    from extdns.ports import ClusterView


class NamespaceSource:
    """A source without claims. If rules are configured, it is added, so that extdns lists and watches Namespaces."""

    name = "namespace"
    kind = NAMESPACE

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return no claims."""
        return ()
