"""The kinds that it serves, all of them from CRDs: also those that a cluster has built in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tests.fakes.apiserver.kinds import Catalogue, Kind


def as_custom(kind: Kind) -> Kind:
    """Give *kind* as a server serves it that knows it from a CRD only."""
    return replace(kind, custom=True, generation=True, unconditional=False, upsert=False, zero={})


KINDS: Final = tuple(
    as_custom(Catalogue().of(name))
    for name in ("DNSEndpoint", "Ingress", "EndpointSlice", "gateways.gateway.networking.k8s.io", "HTTPRoute", "Lease")
)


def crd(kind: Kind) -> dict[str, Any]:
    """Make the CustomResourceDefinition of *kind*; any object fits its schema.

    The annotation is what a CRD needs whose group is one of Kubernetes' own.
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
