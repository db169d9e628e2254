"""Objects of ingress controllers, reduced to the fields that sources read (spec sources 7.3, 7.5-7.7, 7.10)."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.model.balancing import Status
from extdns.model.cluster import Kind
from extdns.model.lean import Condition, Lean, ObjectMeta


class VirtualHost(Lean, frozen=True, kw_only=True):
    """`spec.virtualhost` of an HTTPProxy."""

    fqdn: str = ""


class HttpProxySpec(Lean, frozen=True, kw_only=True):
    """`spec` of an HTTPProxy."""

    virtualhost: VirtualHost | None = None


class HttpProxy(Lean, frozen=True, kw_only=True):
    """projectcontour.io/v1 HTTPProxy."""

    metadata: ObjectMeta
    spec: HttpProxySpec = HttpProxySpec()
    status: Status = Status()


class TcpIngressRule(Lean, frozen=True, kw_only=True):
    """`spec.rules[]` of a TCPIngress."""

    host: str = ""


class TcpIngressSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a TCPIngress."""

    rules: tuple[TcpIngressRule, ...] | None = None


class TcpIngress(Lean, frozen=True, kw_only=True):
    """configuration.konghq.com/v1beta1 TCPIngress."""

    metadata: ObjectMeta
    spec: TcpIngressSpec = TcpIngressSpec()
    status: Status = Status()


class RouterStatus(Lean, frozen=True, kw_only=True):
    """`status.ingress[]` of an OpenShift Route: what one router makes of it."""

    host: str = ""
    router_name: str = ""
    router_canonical_hostname: str = ""
    conditions: tuple[Condition, ...] | None = None


class OpenShiftRouteStatus(Lean, frozen=True, kw_only=True):
    """`status` of an OpenShift Route."""

    ingress: tuple[RouterStatus, ...] | None = None


class OpenShiftRouteSpec(Lean, frozen=True, kw_only=True):
    """`spec` of an OpenShift Route."""

    host: str = ""


class OpenShiftRoute(Lean, frozen=True, kw_only=True):
    """route.openshift.io/v1 Route."""

    metadata: ObjectMeta
    spec: OpenShiftRouteSpec = OpenShiftRouteSpec()
    status: OpenShiftRouteStatus = OpenShiftRouteStatus()


class HostSpec(Lean, frozen=True, kw_only=True):
    """`spec` of a Host."""

    hostname: str = ""


class AmbassadorHost(Lean, frozen=True, kw_only=True):
    """getambassador.io/v3alpha1 Host."""

    metadata: ObjectMeta
    spec: HostSpec = HostSpec()


class F5Spec(Lean, frozen=True, kw_only=True):
    """`spec` of a VirtualServer or a TransportServer; only the former has aliases."""

    host: str = ""
    host_aliases: tuple[str, ...] | None = None
    virtual_server_address: str = ""


class F5Status(Lean, frozen=True, kw_only=True):
    """`status` of a VirtualServer or a TransportServer."""

    vs_address: str = msgspec.field(default="", name="vsAddress")


class F5VirtualServer(Lean, frozen=True, kw_only=True):
    """cis.f5.com/v1 VirtualServer."""

    metadata: ObjectMeta
    spec: F5Spec = F5Spec()
    status: F5Status = F5Status()


class F5TransportServer(Lean, frozen=True, kw_only=True):
    """cis.f5.com/v1 TransportServer."""

    metadata: ObjectMeta
    spec: F5Spec = F5Spec()
    status: F5Status = F5Status()


HTTP_PROXY: Final = Kind("projectcontour.io", "v1", "HTTPProxy", "httpproxies", mark="HTTPProxy")
TCP_INGRESS: Final = Kind("configuration.konghq.com", "v1beta1", "TCPIngress", "tcpingresses")
OPENSHIFT_ROUTE: Final = Kind("route.openshift.io", "v1", "Route", "routes")
AMBASSADOR_HOST: Final = Kind("getambassador.io", "v3alpha1", "Host", "hosts")
F5_VIRTUAL_SERVER: Final = Kind("cis.f5.com", "v1", "VirtualServer", "virtualservers", mark="f5-virtualserver")
F5_TRANSPORT_SERVER: Final = Kind("cis.f5.com", "v1", "TransportServer", "transportservers", mark="f5-transportserver")
