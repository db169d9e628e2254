"""discovery.k8s.io/v1: EndpointSlices, reduced to the fields that sources read (docs/spec/sources.md 3.6)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import Structs


class EndpointConditions(PartialObject, frozen=True, kw_only=True):
    """`endpoints[].conditions` of an EndpointSlice; `ready` absent counts as true."""

    ready: bool | None = None


class TargetRef(PartialObject, frozen=True, kw_only=True):
    """`endpoints[].targetRef`, an ObjectReference."""

    kind: str = ""
    api_version: str = ""
    name: str = ""
    namespace: str = ""


class SliceEndpoint(PartialObject, frozen=True, kw_only=True):
    """`endpoints[]` of an EndpointSlice."""

    addresses: tuple[str, ...] | None = None
    conditions: EndpointConditions | None = None
    target_ref: TargetRef | None = None


class EndpointSlice(KubernetesObject, frozen=True, kw_only=True):
    """discovery.k8s.io/v1 EndpointSlice."""

    address_type: str = ""
    endpoints: tuple[SliceEndpoint, ...] | None = None


ENDPOINT_SLICE: Final = Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
STRUCTS: Final[Structs] = {ENDPOINT_SLICE: EndpointSlice}
