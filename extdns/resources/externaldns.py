"""DNSEndpoints, reduced to the fields that are read (docs/spec/sources.md 6.3)."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from extdns.model.kind import Kind, KubernetesObject, ObjectMeta, PartialObject
from extdns.resources.meta import Structs

FINALIZER: Final = "extdns.io/records."
"""How the finalizer of extdns begins. Each owner has its own, because several may publish one DNSEndpoint."""

_OTHER_CHARACTERS: Final = re.compile(r"[^A-Za-z0-9_.-]")
_MAX_OWNER: Final = 55


def build_finalizer(owner: str) -> str:
    """Return the finalizer of *owner*, with allowed characters only."""
    return FINALIZER + (_OTHER_CHARACTERS.sub("-", owner)[:_MAX_OWNER].strip("-_.") or "0")


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


class DnsEndpointMeta(ObjectMeta, frozen=True, kw_only=True):
    """`metadata` of a DNSEndpoint."""

    finalizers: tuple[str, ...] = ()

    @property
    def is_waiting(self) -> bool:
        """Whether a finalizer of extdns keeps the deleted object."""
        return self.deletion_timestamp is not None and any(one.startswith(FINALIZER) for one in self.finalizers)


class DnsEndpoint(KubernetesObject, frozen=True, kw_only=True):
    """externaldns.k8s.io/v1alpha1 DNSEndpoint."""

    metadata: DnsEndpointMeta
    spec: DnsEndpointSpec = DnsEndpointSpec()


DNS_ENDPOINT: Final = Kind("externaldns.k8s.io", "v1alpha1", "DNSEndpoint", "dnsendpoints", resource_prefix="crd")
STRUCTS: Final[Structs] = {DNS_ENDPOINT: DnsEndpoint}
