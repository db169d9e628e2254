"""What a person set about Services (spec sources 3, 9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from extdns.sources.selection import Selection


class ServiceType(StrEnum):
    """`spec.type` of a Service."""

    CLUSTER_IP = "ClusterIP"
    NODE_PORT = "NodePort"
    LOAD_BALANCER = "LoadBalancer"
    EXTERNAL_NAME = "ExternalName"


class Compatibility(StrEnum):
    """Whose annotations are read beside ours, as `--compatibility` spells it."""

    NONE = ""
    MATE = "mate"
    MOLECULE = "molecule"
    KOPS = "kops-dns-controller"


def service_types(given: Sequence[str]) -> frozenset[str]:
    """The types that `--service-type-filter` lets pass; an empty set means all, as does an empty element."""
    return frozenset(given) if all(given) else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Settings of the `service` source, named as the flags are.

    Attributes:
        service_types: as the function of that name gives them; empty means all.
    """

    selection: Selection = Selection()  # noqa: RUF009 - frozen
    service_types: frozenset[str] = frozenset()
    publish_internal_services: bool = False
    publish_host_ip: bool = False
    always_publish_not_ready_addresses: bool = False
    exclude_unschedulable: bool = True
    expose_internal_ipv6: bool = False
    compatibility: Compatibility = Compatibility.NONE
    resolves_hostnames: bool = False

    def reads(self, service_type: str) -> bool:
        """Tell whether Services of *service_type* are looked at."""
        return not self.service_types or service_type in self.service_types
