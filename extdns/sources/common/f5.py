"""The hosts and addresses of VirtualServers and TransportServers of cis.f5.com/v1 (docs/spec/sources.md 7.10)."""

from __future__ import annotations

from typing import Final

from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import F5TransportServer, F5VirtualServer
from extdns.sources.common.annotations import MissingTargets, TargetResult, parse_targets
from extdns.sources.common.host_publisher import HostPublisher

_NO_ADDRESS: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail="status.vsAddress is not assigned")


def publish_server(server: F5VirtualServer | F5TransportServer, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the host, the aliases that VirtualServers have, and those of templates."""
    targets = _find_targets(server, to)
    to.publish(server.spec.host, "spec.host", targets)
    for at, alias in enumerate(server.spec.host_aliases or () if isinstance(server, F5VirtualServer) else ()):
        to.publish(alias, f"spec.hostAliases[{at}]", targets)
    to.publish_template_targets(to.bare_builder)


def _find_targets(server: F5VirtualServer | F5TransportServer, to: HostPublisher) -> TargetResult:
    if server.status.vs_address.lower() in {"", "none"}:
        return _NO_ADDRESS
    own = server.spec.virtual_server_address
    field = "spec.virtualServerAddress" if own else "status.vsAddress"
    return to.annotated_targets or parse_targets(
        (own or server.status.vs_address,), field, if_empty=_NO_ADDRESS, is_stated=bool(own)
    )
