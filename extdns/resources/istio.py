"""Objects of Istio, reduced to the fields that sources read (docs/spec/sources.md 7.1, 7.2)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import Structs

_GROUP: Final = "networking.istio.io"
_OLDER: Final = ("v1beta1", "v1alpha3")


class IstioServer(PartialObject, frozen=True, kw_only=True):
    """`spec.servers[]` of a Gateway."""

    hosts: tuple[str, ...] | None = None


class IstioGatewaySpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Gateway."""

    selector: dict[str, str] | None = None
    servers: tuple[IstioServer, ...] | None = None


class IstioGateway(KubernetesObject, frozen=True, kw_only=True):
    """A Gateway of networking.istio.io."""

    spec: IstioGatewaySpec = IstioGatewaySpec()


class VirtualServiceSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a VirtualService."""

    hosts: tuple[str, ...] | None = None
    gateways: tuple[str, ...] | None = None
    export_to: tuple[str, ...] | None = None


class VirtualService(KubernetesObject, frozen=True, kw_only=True):
    """A VirtualService of networking.istio.io."""

    spec: VirtualServiceSpec = VirtualServiceSpec()


ISTIO_GATEWAY: Final = Kind(_GROUP, "v1", "Gateway", "gateways", older_versions=_OLDER)
VIRTUAL_SERVICE: Final = Kind(_GROUP, "v1", "VirtualService", "virtualservices", older_versions=_OLDER)
STRUCTS: Final[Structs] = {ISTIO_GATEWAY: IstioGateway, VIRTUAL_SERVICE: VirtualService}
