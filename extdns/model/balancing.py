"""What a load balancer's addresses look like in a status (core/v1, networking.k8s.io/v1 and many others)."""

from __future__ import annotations

from extdns.model.lean import Lean


class LoadBalancerIngress(Lean, frozen=True, kw_only=True):
    """One address of a load balancer; both fields may be set."""

    ip: str = ""
    hostname: str = ""


class LoadBalancerStatus(Lean, frozen=True, kw_only=True):
    """`status.loadBalancer` of a Service, an Ingress and their like."""

    ingress: tuple[LoadBalancerIngress, ...] | None = None


class Status(Lean, frozen=True, kw_only=True):
    """`status` of a Service, an Ingress and their like."""

    load_balancer: LoadBalancerStatus | None = None
