"""What a person set about Routes, and what tells their kinds apart (spec sources 5.1, 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from extdns.errors import UsageError, shortened
from extdns.model.cluster import Kind
from extdns.model.gatewayapi import GRPC_ROUTE, HTTP_ROUTE, TCP_ROUTE, TLS_ROUTE, UDP_ROUTE
from extdns.model.selector import EVERYTHING, Selector, parse_annotation_selector
from extdns.sources.selection import Selection

_WEB: Final = frozenset({"HTTP", "HTTPS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteKind:
    """One of the five sources.

    Attributes:
        protocols: those of listeners that take such Routes.
        named: whether such Routes have host names of their own.
    """

    kind: Kind
    protocols: frozenset[str]
    named: bool = True


ROUTE_KINDS: Final[Mapping[str, RouteKind]] = {
    "gateway-grpcroute": RouteKind(kind=GRPC_ROUTE, protocols=_WEB),
    "gateway-httproute": RouteKind(kind=HTTP_ROUTE, protocols=_WEB),
    "gateway-tcproute": RouteKind(kind=TCP_ROUTE, protocols=frozenset({"TCP", "TLS"}), named=False),
    "gateway-tlsroute": RouteKind(kind=TLS_ROUTE, protocols=frozenset({"TLS"})),
    "gateway-udproute": RouteKind(kind=UDP_ROUTE, protocols=frozenset({"UDP"}), named=False),
}


def gateway_labels(text: str) -> Selector:
    """Read `--gateway-label-filter`.

    Raises:
        UsageError: *text* is no selector.
    """
    try:
        return parse_annotation_selector(text)
    except ValueError as exc:
        raise UsageError(
            f"--gateway-label-filter={shortened(text)} is not a label selector: {exc}\n"
            "  allowed: key, !key, key=value, key in (a,b), key notin (a,b); a comma is AND"
        ) from exc


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSettings:
    """Settings of the sources, named as the flags are.

    Attributes:
        selection: of Routes; of Gateways it only counts whose `controller` they are.
        gateway_name: of the only Gateways looked at, "" for all. So too *gateway_namespace*.
        gateway_labels: those that Gateways must have.
        listener_sets: whether ListenerSets are looked at.
    """

    selection: Selection = Selection()  # noqa: RUF009 - frozen
    gateway_name: str = ""
    gateway_namespace: str = ""
    gateway_labels: Selector = EVERYTHING
    listener_sets: bool = False
