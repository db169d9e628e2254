"""The kinds that the real API server serves in tests: built-in ones, those of the chart, and one for any object."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

from tests.fakes.apiserver.kinds import KINDS, Kind

_CHART: Final = Path(__file__).parents[2] / "charts" / "extdns" / "crds"
BUILT_IN: Final = tuple(kind for kind in KINDS if not kind.custom)
OF_THE_CHART: Final = tuple(kind for kind in KINDS if kind.kind in {"DNSEndpoint", "DNSPolicy", "DNSRecord"})
THING: Final = Kind(
    group="acme.test", version="v1", kind="Thing", plural="things", custom=True, status=True, generation=True
)
"""A kind whose CRD accepts any object."""


def build_crd(kind: Kind) -> dict[str, Any]:
    """Build the CustomResourceDefinition of *kind*: that of the chart, or one with a schema that accepts any object."""
    if kind in OF_THE_CHART:
        return dict(yaml.safe_load((_CHART / f"{kind.resource}.yaml").read_text(encoding="utf-8")))
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
        "metadata": {"name": kind.resource},
        "spec": {
            "group": kind.group,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "names": names,
            "versions": [version],
        },
    }
