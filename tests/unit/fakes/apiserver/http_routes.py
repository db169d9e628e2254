"""Build custom objects for tests of the fake API server."""

from __future__ import annotations

from typing import Any


def build_route(name: str, namespace: str = "shop", **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Build an HTTPRoute as JSON."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec}
