"""The source `gateway-httproute`: HTTPRoutes of the Gateway API (docs/spec/sources.md 5)."""

from __future__ import annotations

from typing import Final

from extdns.resources.gateway_api import HTTP_ROUTE
from extdns.sources.common.gateway.routes import build_route_spec

SOURCE: Final = build_route_spec("gateway-httproute", HTTP_ROUTE, frozenset({"HTTP", "HTTPS"}))
