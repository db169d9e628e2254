"""What several API groups have in common."""

from __future__ import annotations

from collections.abc import Mapping

from extdns.model.kind import Kind, KubernetesObject, PartialObject

Structs = Mapping[Kind, type[KubernetesObject]]
"""Kinds, and the structs into which their objects are decoded."""


class Condition(PartialObject, frozen=True, kw_only=True):
    """A condition of any object."""

    type: str = ""
    status: str = ""


class LoadBalancerIngress(PartialObject, frozen=True, kw_only=True):
    """One address of a load balancer; both fields may be set."""

    ip: str = ""
    hostname: str = ""


class LoadBalancerStatus(PartialObject, frozen=True, kw_only=True):
    """`status.loadBalancer` of a Service, an Ingress or another object with load balancer addresses."""

    ingress: tuple[LoadBalancerIngress, ...] | None = None


class LoadBalancedStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a Service, an Ingress or another object with load balancer addresses."""

    load_balancer: LoadBalancerStatus | None = None
