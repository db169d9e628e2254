"""The kinds that each source looks up, for `extdns check` and the RBAC rules of the Helm chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from extdns.flags.sources import GATEWAY_SOURCES
from extdns.resources.core import NAMESPACE, NODE, POD, SERVICE
from extdns.resources.discovery import ENDPOINT_SLICE
from extdns.resources.gateway_api import GATEWAY
from extdns.resources.gloo import GLOO_GATEWAY, GLOO_VIRTUAL_SERVICE
from extdns.resources.istio import ISTIO_GATEWAY
from extdns.resources.networking import INGRESS
from extdns.sources.service import ServiceType

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.model.kind import Kind

LOOKUPS: Final[Mapping[str, tuple[Kind, ...]]] = {
    "ambassador-host": (SERVICE,),
    **dict.fromkeys(GATEWAY_SOURCES, (GATEWAY, NAMESPACE)),
    "gloo-proxy": (GLOO_GATEWAY, GLOO_VIRTUAL_SERVICE, INGRESS, SERVICE),
    "istio-gateway": (INGRESS, SERVICE),
    "istio-virtualservice": (ISTIO_GATEWAY, INGRESS, SERVICE),
    "pod": (NODE,),
}
"""By source, the kinds that it looks up in addition to the kind that it publishes."""

SERVICE_LOOKUPS: Final[Mapping[ServiceType, tuple[Kind, ...]]] = {
    ServiceType.CLUSTER_IP: (ENDPOINT_SLICE, POD),
    ServiceType.NODE_PORT: (NODE, POD),
}
"""The kinds that the source `service` looks up for Services of a type, if `--service-type-filter` includes it."""


def list_lookups(config: Config, source: str) -> tuple[Kind, ...]:
    """Return the kinds that *source*, with the flags in *config*, looks up besides the kind that it publishes."""
    if source != "service":
        return LOOKUPS.get(source, ())
    types = set(config.sources.service_type_filter)
    chosen = (kinds for one, kinds in SERVICE_LOOKUPS.items() if "" in types or not types or one in types)
    return tuple(dict.fromkeys(kind for kinds in chosen for kind in kinds))
