"""DNSEndpoints, reduced to the fields that are read (docs/spec/sources.md 6.3)."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import Structs


class ProviderProperty(PartialObject, frozen=True, kw_only=True):
    """`providerSpecific[]` of an endpoint of a DNSEndpoint."""

    name: str = ""
    value: str = ""


class SpecEndpoint(PartialObject, frozen=True, kw_only=True):
    """`spec.endpoints[]` of a DNSEndpoint: a complete record set."""

    dns_name: str = msgspec.field(default="", name="dnsName")
    record_type: str = ""
    targets: tuple[str, ...] | None = None
    record_ttl: int = msgspec.field(default=0, name="recordTTL")
    set_identifier: str = ""
    labels: dict[str, str] | None = None
    provider_specific: tuple[ProviderProperty, ...] | None = None


class DnsEndpointSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a DNSEndpoint; an endpoint may be null."""

    endpoints: tuple[SpecEndpoint | None, ...] | None = None


class DnsEndpoint(KubernetesObject, frozen=True, kw_only=True):
    """externaldns.k8s.io/v1alpha1 DNSEndpoint."""

    spec: DnsEndpointSpec = DnsEndpointSpec()


DNS_ENDPOINT: Final = Kind("externaldns.k8s.io", "v1alpha1", "DNSEndpoint", "dnsendpoints", resource_prefix="crd")
STRUCTS: Final[Structs] = {DNS_ENDPOINT: DnsEndpoint}
