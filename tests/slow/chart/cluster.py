"""A cluster with an object for each source, and the objects of other kinds that the sources look up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.fakes.apiserver.kinds import KINDS, Kind

Json = dict[str, Any]

ZONE: Final = "example.org"
THING: Final = Kind(group="acme.test", version="v1", kind="Thing", plural="things", custom=True, generation=True)
ROUTE_GROUP: Final = Kind(
    group="zalando.org", version="v1", kind="RouteGroup", plural="routegroups", custom=True, generation=True
)
SERVED: Final = (*KINDS, THING, ROUTE_GROUP)
FLAGS: Final[Mapping[str, Any]] = {
    "exclude-unschedulable": False,
    "gateway-listener-sets": True,
    "gloo-namespace": ["shop"],
    "unstructured-resource": ["things.v1.acme.test"],
}
"""Further flags of the sources, as `extraArgs` of the chart."""

_PREFIX: Final = "external-dns.kubernetes.io/"
_BALANCER: Final = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
_EVERYWHERE: Final = {
    "namespaces": {"from": "Selector", "selector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}}
}


def _object(api_version: str, kind: str, name: str, spec: Json, status: Json, **annotations: str) -> Json:
    metadata: Json = {"name": name}
    if kind not in ("Node", "Namespace"):
        metadata["namespace"] = "shop"
    annotations = {_PREFIX + key.replace("_", "-"): text for key, text in annotations.items()}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata | {"annotations": annotations},
        "spec": spec,
        "status": status,
    }


def host(name: str) -> str:
    return f"{name}.{ZONE}"


def objects() -> Iterator[Json]:
    """Yield the objects that request names, and those that lead to their targets."""
    yield from _core()
    yield from _gateway_api()
    yield from _istio()
    yield from _gloo()
    yield from _vendors()


def _core() -> Iterator[Json]:
    yield _object("v1", "Namespace", "shop", {}, {})
    addresses = [{"type": "ExternalIP", "address": "192.0.2.7"}, {"type": "InternalIP", "address": "10.0.0.7"}]
    yield _object("v1", "Node", host("node"), {}, {"addresses": addresses})
    yield _object("v1", "Service", "lb", {"type": "LoadBalancer"}, _BALANCER, hostname=host("service"))
    port = {"port": 80, "nodePort": 30080}
    nodeport = {"type": "NodePort", "externalTrafficPolicy": "Local", "selector": {"app": "web"}, "ports": [port]}
    yield _object("v1", "Service", "nodeport", nodeport, {}, hostname=host("nodeport"))
    headless = {"type": "ClusterIP", "clusterIP": "None", "selector": {"app": "web"}}
    yield _object("v1", "Service", "headless", headless, {}, hostname=host("headless"))
    yield _object("v1", "Service", "invalid", {"type": "LoadBalancer"}, _BALANCER, hostname="a..b")
    pod = _object(
        *("v1", "Pod", "web-0"),
        {"nodeName": host("node"), "hostNetwork": True, "containers": []},
        {"podIP": "10.0.0.7", "phase": "Running"},
        hostname=host("pod"),
    )
    pod["metadata"]["labels"] = {"app": "web"}
    yield pod
    rules = [{"host": host("ingress")}]
    yield _object("networking.k8s.io/v1", "Ingress", "web", {"rules": rules}, _BALANCER)
    endpoint = {"dnsName": host("crd"), "recordType": "A", "targets": ["192.0.2.1"]}
    yield _object("externaldns.k8s.io/v1alpha1", "DNSEndpoint", "web", {"endpoints": [endpoint]}, {})
    yield _object("acme.test/v1", "Thing", "web", {}, {}, hostname=host("thing"), target="192.0.2.1")


def _gateway_api() -> Iterator[Json]:
    group = "gateway.networking.k8s.io"
    listeners = [
        {"name": name, "port": port, "protocol": protocol, "allowedRoutes": _EVERYWHERE}
        for name, port, protocol in (("http", 80, "HTTP"), ("tls", 443, "TLS"), ("tcp", 1, "TCP"), ("udp", 2, "UDP"))
    ]
    yield _object(
        *(f"{group}/v1", "Gateway", "web"),
        {"gatewayClassName": "x", "listeners": listeners, "allowedListeners": {"namespaces": {"from": "Same"}}},
        {"addresses": [{"value": "192.0.2.1"}]},
    )
    web = {"name": "web"}
    one = {"name": "more", "port": 81, "protocol": "HTTP", "allowedRoutes": _EVERYWHERE}
    yield _object(f"{group}/v1", "ListenerSet", "more", {"parentRef": web, "listeners": [one]}, {})
    more = {"name": "more", "kind": "ListenerSet"}
    for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"):
        refs = [web, more]
        parents = [{"parentRef": ref, "conditions": [{"type": "Accepted", "status": "True"}]} for ref in refs]
        spec = {"parentRefs": refs} | ({} if kind[:3] in ("TCP", "UDP") else {"hostnames": [host(kind.lower())]})
        yield _object(f"{group}/v1", kind, "web", spec, {"parents": parents}, hostname=host(kind.lower()))


def _istio() -> Iterator[Json]:
    group = "networking.istio.io/v1"
    servers = [{"hosts": [host("istio-gateway"), "*"]}]
    yield _object(group, "Gateway", "web", {"servers": servers}, {}, ingress="web")
    yield _object(group, "Gateway", "other", {"servers": [{"hosts": ["*"]}], "selector": {"app": "web"}}, {})
    hosts = {"hosts": [host("istio-virtualservice"), host("istio-other")], "gateways": ["web", "other"]}
    yield _object(group, "VirtualService", "web", hosts, {})


def _gloo() -> Iterator[Json]:
    for kind in ("Gateway", "VirtualService"):
        yield _object("gateway.solo.io/v1", kind, "web", {}, {}, ingress="web")
    for name, domain in (("web", "gloo"), ("lb", "gloo-lb")):  # "lb" is the name of its Service
        virtual_host = {"domains": [host(domain)], "metadataStatic": _made("VirtualService")}
        listener: Json = {"httpListener": {"virtualHosts": [virtual_host]}}
        origin = {"metadataStatic": _made("Gateway")} if name == "web" else {}
        yield _object("gloo.solo.io/v1", "Proxy", name, {"listeners": [listener | origin]}, {})


def _made(kind: str) -> Json:
    return {"sources": [{"resourceKind": f"*v1.{kind}", "resourceRef": {"namespace": "shop", "name": "web"}}]}


def _vendors() -> Iterator[Json]:
    proxy = {"virtualhost": {"fqdn": host("contour")}}
    yield _object("projectcontour.io/v1", "HTTPProxy", "web", proxy, _BALANCER | {"currentStatus": "valid"})
    rules = {"rules": [{"host": host("kong")}]}
    yield _object("configuration.konghq.com/v1beta1", "TCPIngress", "web", rules, _BALANCER)
    admitted = {"host": host("openshift"), "routerCanonicalHostname": "router.example.net", "routerName": "default"}
    conditions = [{"type": "Admitted", "status": "True"}]
    route = {"host": host("openshift")}
    yield _object("route.openshift.io/v1", "Route", "web", route, {"ingress": [admitted | {"conditions": conditions}]})
    ambassador = _object("getambassador.io/v3alpha1", "Host", "web", {"hostname": host("ambassador")}, {})
    ambassador["metadata"]["annotations"]["external-dns.ambassador-service"] = "shop/lb"
    yield ambassador
    for kind in ("VirtualServer", "TransportServer"):
        spec = {"host": host(kind.lower()), "virtualServerAddress": "192.0.2.1"}
        yield _object("cis.f5.com/v1", kind, "web", spec, {"vsAddress": "192.0.2.1", "status": "Ok"})
    for kind, rule in (("IngressRoute", "Host"), ("IngressRouteTCP", "HostSNI"), ("IngressRouteUDP", "")):
        routes: Json = {"routes": [{"match": f"{rule}(`{host(kind.lower())}`)"}]}
        yield _object(
            "traefik.io/v1alpha1", kind, "web", routes, {}, target="192.0.2.1", hostname=host(f"{kind.lower()}-2")
        )
    hosts = {"hosts": [host("skipper")]}
    yield _object("zalando.org/v1", "RouteGroup", "web", hosts, {"loadBalancer": {"routeGroup": [{"ip": "192.0.2.1"}]}})
