"""Routes, Gateways and ListenerSets in a line or two each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final, TypeVar

from extdns.model.gatewayapi import (
    AllowedListeners,
    AllowedRoutes,
    FromNamespaces,
    Gateway,
    GatewayAddress,
    GatewaySpec,
    GatewayStatus,
    HttpRoute,
    LabelSelector,
    Listener,
    ListenerSet,
    ListenerSetSpec,
    ListenerSetStatus,
    ListenerStatus,
    ParentRef,
    Route,
    RouteKind,
    RouteParentStatus,
    RouteSpec,
    RouteStatus,
)
from extdns.model.lean import Condition
from extdns.model.objects import Namespace
from tests.unit.sources.samples import meta

R = TypeVar("R", bound=Route)

ALL = FromNamespaces(origin="All")
SAME = FromNamespaces(origin="Same")
NONE = FromNamespaces(origin="None")


def selecting(*, expressions: LabelSelector | None = None, **labels: str) -> FromNamespaces:
    return FromNamespaces(origin="Selector", selector=expressions or LabelSelector(match_labels=labels))


def listener(
    hostname: str = "",
    *,
    name: str = "web",
    protocol: str = "HTTPS",
    port: int = 443,
    allow: FromNamespaces = ALL,
    kinds: Iterable[RouteKind] | None = None,
) -> Listener:
    allowed = AllowedRoutes(namespaces=allow, kinds=tuple(kinds) if kinds is not None else None)
    return Listener(name=name, hostname=hostname, port=port, protocol=protocol, allowed_routes=allowed)


def gateway(
    *listeners: Listener,
    place: str = "infra/gw",
    addresses: Iterable[str] = ("203.0.113.9",),
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    allow_sets: FromNamespaces | None = None,
) -> Gateway:
    return Gateway(
        metadata=meta(place, annotations, labels),
        spec=GatewaySpec(
            listeners=listeners, allowed_listeners=AllowedListeners(namespaces=allow_sets or FromNamespaces())
        ),
        status=GatewayStatus(addresses=tuple(GatewayAddress(value=value) for value in addresses)),
    )


def accepted(status: str = "True") -> tuple[Condition, ...]:
    return (Condition(type="ResolvedRefs", status="False"), Condition(type="Accepted", status=status))


def listener_set(
    *listeners: Listener,
    place: str = "shop/ls",
    parent: str = "infra/gw",
    status: str = "True",
    entries: str = "True",
    annotations: Mapping[str, str] | None = None,
) -> ListenerSet:
    """A ListenerSet with that `Accepted` status, and so its entries; "" writes no status for them."""
    namespace, _, name = parent.rpartition("/")
    told = tuple(ListenerStatus(name=one.name, conditions=accepted(entries)) for one in listeners) if entries else None
    return ListenerSet(
        metadata=meta(place, annotations),
        spec=ListenerSetSpec(parent_ref=ParentRef(namespace=namespace, name=name), listeners=listeners),
        status=ListenerSetStatus(conditions=accepted(status), listeners=told),
    )


def parent(place: str = "infra/gw", *, kind: str = "", section: str = "", port: int = 0, group: str = "") -> ParentRef:
    namespace, _, name = place.rpartition("/")
    return ParentRef(group=group, kind=kind, namespace=namespace, name=name, section_name=section, port=port)


def route(
    of: type[R],
    *hostnames: str,
    place: str = "shop/r",
    parents: Iterable[ParentRef] = (parent(),),
    told: Iterable[ParentRef] | None = None,
    status: str = "True",
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> R:
    """A Route that all its *parents*, or those *told*, accept with *status*."""
    parents = tuple(parents)
    said = tuple(
        RouteParentStatus(parent_ref=ref, conditions=accepted(status)) for ref in (parents if told is None else told)
    )
    return of(
        metadata=meta(place, annotations, labels),
        spec=RouteSpec(hostnames=hostnames or None, parent_refs=parents),
        status=RouteStatus(parents=said),
    )


http: Final = partial(route, HttpRoute)


def namespace(name: str, **labels: str) -> Namespace:
    return Namespace(metadata=meta(name, labels=labels))
