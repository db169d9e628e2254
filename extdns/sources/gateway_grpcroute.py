"""The source `gateway-grpcroute`: GRPCRoutes of the Gateway API (docs/spec/sources.md 5)."""

from __future__ import annotations

from typing import Final

from extdns.resources.gateway_api import GRPC_ROUTE
from extdns.sources.common.gateway.routes import build_route_spec

SOURCE: Final = build_route_spec("gateway-grpcroute", GRPC_ROUTE, frozenset({"HTTP", "HTTPS"}))
