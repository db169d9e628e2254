"""RouteGroups of Skipper, reduced to the fields that sources read (spec sources 7.9)."""

from __future__ import annotations

from typing import Final

from extdns.model.balancing import LoadBalancerIngress
from extdns.model.cluster import Kind
from extdns.model.lean import Lean


class RouteGroupSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a RouteGroup."""

    hosts: tuple[str, ...] | None = None


class RouteGroupBalancer(Lean, frozen=True, kw_only=True):
    """`status.loadBalancer` of a RouteGroup."""

    route_group: tuple[LoadBalancerIngress, ...] | None = None


class RouteGroupStatus(Lean, frozen=True, kw_only=True):
    """`status` of a RouteGroup."""

    load_balancer: RouteGroupBalancer | None = None


class RouteGroup(Lean, frozen=True, kw_only=True):
    """A RouteGroup but for its metadata; in which group and version it is, a flag says."""

    spec: RouteGroupSpec = RouteGroupSpec()
    status: RouteGroupStatus = RouteGroupStatus()


ROUTE_GROUP: Final = Kind("zalando.org", "v1", "RouteGroup", "routegroups")
