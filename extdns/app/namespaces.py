"""The namespaces that the flags name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.kube.namespaces import Namespaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.model.cluster import Kind


def namespaces(config: Config) -> Namespaces:
    """Where each kind is read: that of `--namespace`, which does not limit all (spec sources 5.2, 7.6, 7.8)."""
    from extdns.model.gatewayapi import GATEWAY, LISTENER_SET
    from extdns.model.gloo import GLOO_GATEWAY, GLOO_VIRTUAL_SERVICE, PROXY
    from extdns.model.objects import INGRESS, SERVICE

    gateways = config.sources.gateway_namespace
    elsewhere: dict[Kind, Sequence[str]] = {GATEWAY: (gateways,) if gateways else (), LISTENER_SET: ()}
    if "ambassador-host" in config.sources.names:  # its Hosts name Services of any namespace
        elsewhere[SERVICE] = ()
    if "gloo-proxy" in config.sources.names:
        elsewhere |= {
            PROXY: config.sources.gloo_namespace,
            GLOO_GATEWAY: (),
            GLOO_VIRTUAL_SERVICE: (),
            SERVICE: (),
            INGRESS: (),
        }
    usual = config.cluster.namespace
    return Namespaces(usual=(usual,) if usual else (), elsewhere=elsewhere)
