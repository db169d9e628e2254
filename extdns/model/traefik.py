"""Objects of Traefik, reduced to the fields that sources read (spec sources 7.4)."""

from __future__ import annotations

from typing import Final

from extdns.model.cluster import Kind
from extdns.model.lean import Lean, ObjectMeta


class TraefikRoute(Lean, frozen=True, kw_only=True):
    """`spec.routes[]`: which requests, in Traefik's rule language."""

    match: str = ""


class IngressRouteSpec(Lean, frozen=True, kw_only=True):
    """`spec` of an IngressRoute or an IngressRouteTCP."""

    routes: tuple[TraefikRoute, ...] | None = None


class IngressRoute(Lean, frozen=True, kw_only=True):
    """traefik.io/v1alpha1 IngressRoute."""

    metadata: ObjectMeta
    spec: IngressRouteSpec = IngressRouteSpec()


class IngressRouteTcp(Lean, frozen=True, kw_only=True):
    """traefik.io/v1alpha1 IngressRouteTCP."""

    metadata: ObjectMeta
    spec: IngressRouteSpec = IngressRouteSpec()


class IngressRouteUdp(Lean, frozen=True, kw_only=True):
    """traefik.io/v1alpha1 IngressRouteUDP, whose routes match by port alone."""

    metadata: ObjectMeta


INGRESS_ROUTE: Final = Kind("traefik.io", "v1alpha1", "IngressRoute", "ingressroutes")
INGRESS_ROUTE_TCP: Final = Kind("traefik.io", "v1alpha1", "IngressRouteTCP", "ingressroutetcps")
INGRESS_ROUTE_UDP: Final = Kind("traefik.io", "v1alpha1", "IngressRouteUDP", "ingressrouteudps")
STRUCTS: Final[dict[Kind, type[IngressRoute | IngressRouteTcp | IngressRouteUdp]]] = {
    INGRESS_ROUTE: IngressRoute,
    INGRESS_ROUTE_TCP: IngressRouteTcp,
    INGRESS_ROUTE_UDP: IngressRouteUdp,
}
LEGACY: Final = {kind._replace(group="traefik.containo.us"): struct for kind, struct in STRUCTS.items()}
