"""networking.k8s.io/v1: Ingresses, reduced to the fields that sources read (docs/spec/sources.md 4)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import LoadBalancedStatus, Structs


class IngressRule(PartialObject, frozen=True, kw_only=True):
    """`spec.rules[]` of an Ingress or a TCPIngress. Only the host is read."""

    host: str = ""


class IngressTLS(PartialObject, frozen=True, kw_only=True):
    """`spec.tls[]` of an Ingress."""

    hosts: tuple[str, ...] | None = None


class IngressSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of an Ingress."""

    ingress_class_name: str | None = None
    rules: tuple[IngressRule, ...] | None = None
    tls: tuple[IngressTLS, ...] | None = None


class Ingress(KubernetesObject, frozen=True, kw_only=True):
    """networking.k8s.io/v1 Ingress."""

    spec: IngressSpec = IngressSpec()
    status: LoadBalancedStatus = LoadBalancedStatus()


INGRESS: Final = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
STRUCTS: Final[Structs] = {INGRESS: Ingress}
