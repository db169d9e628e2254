"""DNSPolicies, whose `spec` is read by `extdns.cel` (docs/reference/dnspolicy.md)."""

from __future__ import annotations

from typing import Any, Final

from extdns.model.kind import Kind, KubernetesObject
from extdns.resources.meta import Structs


class DnsPolicy(KubernetesObject, frozen=True, kw_only=True):
    """extdns.io/v1alpha1 DNSPolicy. Any `spec` can be decoded, so that each problem in it gets a message of its own."""

    spec: Any = None


DNS_POLICY: Final = Kind("extdns.io", "v1alpha1", "DNSPolicy", "dnspolicies", namespaced=False)
STRUCTS: Final[Structs] = {DNS_POLICY: DnsPolicy}
