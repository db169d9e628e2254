"""The source `gateway-tcproute`: TCPRoutes of the Gateway API (docs/spec/sources.md 5)."""

from __future__ import annotations

from typing import Final

from extdns.resources.gateway_api import TCP_ROUTE
from extdns.sources.common.gateway.routes import build_route_spec

SOURCE: Final = build_route_spec("gateway-tcproute", TCP_ROUTE, frozenset({"TCP", "TLS"}), has_hostnames=False)
