"""Build Routes, Gateways and ListenerSets in a line or two each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from extdns.resources.core import Namespace
from extdns.resources.gateway_api import (
    AllowedListeners,
    AllowedRouteKind,
    AllowedRoutes,
    Gateway,
    GatewayAddress,
    GatewaySpec,
    GatewayStatus,
    LabelSelector,
    Listener,
    ListenerSet,
    ListenerSetSpec,
    ListenerSetStatus,
    ListenerStatus,
    ParentRef,
    Route,
    RouteNamespaces,
    RouteParentStatus,
    RouteSpec,
    RouteStatus,
)
from extdns.resources.meta import Condition
from tests.unit.sources.samples import meta

ALL = RouteNamespaces(from_="All")
SAME = RouteNamespaces(from_="Same")
NONE = RouteNamespaces(from_="None")


def selecting(*, expressions: LabelSelector | None = None, **labels: str) -> RouteNamespaces:
    return RouteNamespaces(from_="Selector", selector=expressions or LabelSelector(match_labels=labels))


def listener(
    hostname: str = "",
    *,
    name: str = "web",
    protocol: str = "HTTPS",
    port: int = 443,
    allow: RouteNamespaces = ALL,
    kinds: Iterable[AllowedRouteKind] | None = None,
) -> Listener:
    allowed = AllowedRoutes(namespaces=allow, kinds=tuple(kinds) if kinds is not None else None)
    return Listener(name=name, hostname=hostname, port=port, protocol=protocol, allowed_routes=allowed)


def gateway(
    *listeners: Listener,
    location: str = "infra/gw",
    addresses: Iterable[str] = ("203.0.113.9",),
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    allow_sets: RouteNamespaces | None = None,
) -> Gateway:
    return Gateway(
        metadata=meta(location, annotations, labels),
        spec=GatewaySpec(
            listeners=listeners, allowed_listeners=AllowedListeners(namespaces=allow_sets or RouteNamespaces())
        ),
        status=GatewayStatus(addresses=tuple(GatewayAddress(value=value) for value in addresses)),
    )


def accepted(status: str = "True") -> tuple[Condition, ...]:
    return (Condition(type="ResolvedRefs", status="False"), Condition(type="Accepted", status=status))


def listener_set(
    *listeners: Listener,
    location: str = "shop/ls",
    parent: str = "infra/gw",
    status: str = "True",
    entries: str = "True",
    annotations: Mapping[str, str] | None = None,
) -> ListenerSet:
    """Build a ListenerSet. *status* is its `Accepted` condition and that of its listeners; "" omits the latter."""
    namespace, _, name = parent.rpartition("/")
    accepted_by = (
        tuple(ListenerStatus(name=one.name, conditions=accepted(entries)) for one in listeners) if entries else None
    )
    return ListenerSet(
        metadata=meta(location, annotations),
        spec=ListenerSetSpec(parent_ref=ParentRef(namespace=namespace, name=name), listeners=listeners),
        status=ListenerSetStatus(conditions=accepted(status), listeners=accepted_by),
    )


def parent(
    location: str = "infra/gw", *, kind: str = "", section: str = "", port: int = 0, group: str = ""
) -> ParentRef:
    namespace, _, name = location.rpartition("/")
    return ParentRef(group=group, kind=kind, namespace=namespace, name=name, section_name=section, port=port)


def http(
    *hostnames: str,
    location: str = "shop/r",
    parents: Iterable[ParentRef] = (parent(),),
    accepted_by: Iterable[ParentRef] | None = None,
    status: str = "True",
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Route:
    """Build a HTTPRoute; other Routes have the same fields.

    *status* is the `Accepted` condition of all *parents*, or only of those in *accepted_by*.
    """
    parents = tuple(parents)
    parents_status = tuple(
        RouteParentStatus(parent_ref=ref, conditions=accepted(status))
        for ref in (parents if accepted_by is None else accepted_by)
    )
    return Route(
        metadata=meta(location, annotations, labels),
        spec=RouteSpec(hostnames=hostnames or None, parent_refs=parents),
        status=RouteStatus(parents=parents_status),
    )


def namespace(name: str, **labels: str) -> Namespace:
    return Namespace(metadata=meta(name, labels=labels))
