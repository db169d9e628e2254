"""Settings of the Route sources, and the differences between the kinds of Routes (docs/spec/sources.md 5.1, 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from extdns.errors import UsageError, shorten
from extdns.model.kind import Kind
from extdns.model.selection import EVERYTHING, Selector, parse_annotation_selector
from extdns.resources.gateway_api import GRPC_ROUTE, HTTP_ROUTE, TCP_ROUTE, TLS_ROUTE, UDP_ROUTE
from extdns.sources.common.claim_builder import SourceSettings

_HTTP_PROTOCOLS: Final = frozenset({"HTTP", "HTTPS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSourceKind:
    """The kind of Route that one of the five sources reads.

    Attributes:
        protocols: protocols of listeners that accept such Routes.
        has_hostnames: whether the spec of such Routes has hostnames.
    """

    kind: Kind
    protocols: frozenset[str]
    has_hostnames: bool = True


ROUTE_KINDS: Final[Mapping[str, RouteSourceKind]] = {
    "gateway-grpcroute": RouteSourceKind(kind=GRPC_ROUTE, protocols=_HTTP_PROTOCOLS),
    "gateway-httproute": RouteSourceKind(kind=HTTP_ROUTE, protocols=_HTTP_PROTOCOLS),
    "gateway-tcproute": RouteSourceKind(kind=TCP_ROUTE, protocols=frozenset({"TCP", "TLS"}), has_hostnames=False),
    "gateway-tlsroute": RouteSourceKind(kind=TLS_ROUTE, protocols=frozenset({"TLS"})),
    "gateway-udproute": RouteSourceKind(kind=UDP_ROUTE, protocols=frozenset({"UDP"}), has_hostnames=False),
}


def parse_gateway_labels(text: str) -> Selector:
    """Parse `--gateway-label-filter`.

    Raises:
        UsageError: *text* is not a label selector.
    """
    try:
        return parse_annotation_selector(text)
    except ValueError as exc:
        raise UsageError(
            f"--gateway-label-filter={shorten(text)} is not a label selector: {exc}\n"
            "  allowed: key, !key, key=value, key in (a,b), key notin (a,b); a comma is AND"
        ) from exc


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSettings:
    """Settings of the Route sources, named as the flags are.

    Attributes:
        common: settings for Routes. For Gateways only the `controller` annotation is checked.
        gateway_name: name of the Gateways to use, "" for all.
        gateway_namespace: namespace of the Gateways to use, "" for all.
        gateway_labels: selector for Gateways.
        listener_sets: whether to use ListenerSets.
    """

    common: SourceSettings
    gateway_name: str = ""
    gateway_namespace: str = ""
    gateway_labels: Selector = EVERYTHING
    listener_sets: bool = False
