"""Whether a Gateway of Istio serves a host of a VirtualService (spec sources 7.2)."""

from __future__ import annotations

from typing import Final

from extdns.model.istio import IstioGateway, VirtualService
from extdns.sources.istio.hosts import EVERY

_OWN: Final = "."


def binds(service: VirtualService, home: str, host: str, gateway: IstioGateway, gateway_home: str) -> bool:
    """Tell whether *gateway*, of namespace *gateway_home*, serves *host* of *service*, of namespace *home*."""
    exported = service.spec.export_to or (EVERY,)
    if not any(_meets(place, gateway_home, home) for place in exported):
        return False
    servers = gateway.spec.servers or ()
    return any(_serves(written, host, home, gateway_home) for server in servers for written in server.hosts or ())


def _serves(written: str, host: str, home: str, gateway_home: str) -> bool:
    place, slash, pattern = written.partition("/")
    if not slash:
        place, pattern = EVERY, written
    if "/" in pattern or not _meets(place, home, gateway_home):
        return False
    return pattern in {EVERY, host} or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _meets(place: str, namespace: str, home: str) -> bool:
    """Whether *place*, as it is written in an object of namespace *home*, means *namespace*."""
    return place in {EVERY, namespace} or (place == _OWN and namespace == home)
