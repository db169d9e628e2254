"""The kinds that the real API server serves in tests. CRDs define all of them, even kinds built into clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tests.fakes.apiserver.kinds import Catalogue, Kind


def make_custom(kind: Kind) -> Kind:
    """Return *kind* as a server serves it if the kind is defined by a CRD."""
    return replace(kind, custom=True, generation=True, unconditional=False, upsert=False, zero={})


KINDS: Final = tuple(
    make_custom(Catalogue().find_by_name(name))
    for name in ("DNSEndpoint", "Ingress", "EndpointSlice", "gateways.gateway.networking.k8s.io", "HTTPRoute", "Lease")
)


def build_crd(kind: Kind) -> dict[str, Any]:
    """Build the CustomResourceDefinition of *kind*, with a schema that accepts any object.

    The annotation is required for a CRD whose group belongs to Kubernetes.
    """
    names = {"kind": kind.kind, "listKind": f"{kind.kind}List", "plural": kind.plural, "singular": kind.kind.lower()}
    version: dict[str, Any] = {
        "name": kind.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    if kind.status:
        version["subresources"] = {"status": {}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.resource, "annotations": {"api-approved.kubernetes.io": "unapproved, test"}},
        "spec": {
            "group": kind.group,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "names": names | {"shortNames": list(kind.short)},
            "versions": [version],
        },
    }
