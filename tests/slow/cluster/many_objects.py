"""Objects of many sources that request names in `beside.test`, generated from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from tests.kubernetes.cluster import Json
from tests.objects import PREFIX

ZONE: Final = "beside.test"
NAMESPACES: Final = ("beside-a", "beside-b")
GATEWAY: Final = "gateway.networking.k8s.io"
ISTIO: Final = "networking.istio.io"
CONTOUR: Final = "projectcontour.io"
PODS: Final = 2
"""The number of ready Pods of the headless Service of each namespace."""

_OF_EACH: Final = 30
_ELSEWHERE: Final = "elsewhere.example.net"
_BALANCERS: Final = ("lb-1.us-east-1.elb.amazonaws.com", "lb-2.example.net")
_PORTS: Final = [{"name": "http", "port": 80}]
_ROUTING: Final[Sequence[dict[str, str]]] = (
    {"aws-weight": "10"},
    {"aws-region": "eu-central-1"},
    {"aws-failover": "PRIMARY"},
    {"aws-geolocation-continent-code": "EU"},
    {"aws-geolocation-country-code": "DE"},
)
_OTHERS: Final[Sequence[dict[str, str]]] = (
    {"alias": "false"},
    {"aws-evaluate-target-health": "false"},
    {"record-type": "A"},
    {"controller": "dns-controller"},
    {"controller": "another"},
)
_RECORDS: Final = {
    "A": ["192.0.2.201", "192.0.2.202"],
    "AAAA": ["2001:db8::201"],
    "CNAME": [_ELSEWHERE],
    "TXT": ['"v=spf1 -all"'],
    "MX": ["10 mail.example.net", "20 mail2.example.net"],
    "SRV": ["10 20 5060 sip.example.net."],
    "NS": ["ns1.example.net", "ns2.example.net"],
}


def build_objects(seed: int) -> Iterator[Json]:
    """Yield what the other objects refer to, then those, without any that a DNS service would refuse."""
    for number, namespace in enumerate(NAMESPACES):
        yield from _build_shared(namespace, number)
    random = Random(seed)
    taken: set[str] = set()
    for number in range(_OF_EACH * len(_KINDS)):
        yield _KINDS[number % len(_KINDS)](_Choices(random, number, taken))


def _build_shared(namespace: str, number: int) -> Iterator[Json]:
    """Yield a load balancer with an Istio Gateway, a Gateway, and a headless Service with Pods on a Node."""
    igw = {"igw": namespace}
    balancer: Json = {"type": "LoadBalancer", "selector": igw, "ports": _PORTS}
    status = _balance([f"192.0.2.{100 + number}"])
    yield _build("v1", "Service", namespace, "igw", {"hostname": f"both.{ZONE}"}, balancer, status)
    servers = [{"port": {"number": 80, "name": "http", "protocol": "HTTP"}, "hosts": ["*"]}]
    yield _build(f"{ISTIO}/v1", "Gateway", namespace, "open", {}, {"selector": igw, "servers": servers})
    listeners = [
        {"name": "all", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": "All"}}},
        {"name": "same", "port": 81, "protocol": "HTTP", "hostname": f"*.{ZONE}"},
    ]
    front: Json = {"gatewayClassName": "acme", "listeners": listeners}
    addresses = [{"type": "IPAddress", "value": f"192.0.2.{110 + number}"}]
    yield _build(f"{GATEWAY}/v1", "Gateway", namespace, "front", {}, front, {"addresses": addresses})

    node = f"{namespace}.{ZONE}"
    yield _build("v1", "Node", "", node, {}, {}, {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]})
    for pod in range(PODS):
        address = f"10.0.{number}.{pod + 1}"
        running = {
            "phase": "Running",
            "podIP": address,
            "podIPs": [{"ip": address}],
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        name, containers = f"db-{pod}", [{"name": "db", "image": "db"}]
        assigned = {"nodeName": node, "hostname": name, "containers": containers}
        made = _build("v1", "Pod", namespace, name, {}, assigned, running)
        yield made | {"metadata": made["metadata"] | {"labels": {"app": "db"}}}
    spec: Json = {"clusterIP": "None", "selector": {"app": "db"}, "ports": _PORTS}
    yield _build("v1", "Service", namespace, "db", {"hostname": f"db.{namespace}.{ZONE}"}, spec)


class _Choices:
    """The random choices for one object. The number of the object makes its name unique, and most of its hostnames."""

    def __init__(self, random: Random, number: int, taken: set[str]) -> None:
        self.random = random
        self.number = number
        self.namespace = random.choice(NAMESPACES)
        self.routed = random.random() < 0.1
        self._taken = taken
        self._hosts = 0

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choose_host(self, kind: str = "", *, wildcard: bool = True) -> str:
        """Return a hostname. Few are those of several objects.

        No two objects of one *kind* have the same, unless it is "": external-dns then takes TTL and owner of any.
        """
        self._hosts += 1
        label = f"h{self.number}-{self._hosts}"
        shared = f"shared-{self.random.randint(1, 6)}.{self.namespace}"
        if not self.routed and self.chance(0.1) and kind + shared not in self._taken:
            label = shared
            if kind:
                self._taken.add(kind + shared)
        prefix = self.random.choice(["", "", "", "", "deep.", "*."]) if wildcard else ""
        return f"{prefix}{label}.{ZONE}"

    def choose_hosts(self, kind: str = "") -> list[str]:
        return [self.choose_host(kind) for _ in range(self.random.choice([1, 1, 1, 2]))]

    def choose_address(self, family: int = 4) -> str:
        number = self.random.randint(1, 99)
        return f"192.0.2.{number}" if family == 4 else f"2001:db8::{number:x}"

    def choose_points(self) -> list[str]:
        """Return the addresses or hostnames of a load balancer."""
        address = self.choose_address()
        return self.random.choice(
            [[], [self.random.choice(_BALANCERS)], [address, self.choose_address(6)], [address], [address]]
        )

    def annotate(self, hosts: Sequence[str] = (), *, target: float = 0.0) -> dict[str, str]:
        """Return annotations: *hosts*, perhaps respelled, at the probability *target* a target, and others."""
        made: dict[str, str] = {}
        if hosts:
            comma, end = self.random.choice([(",", ""), (", ", ""), (".,", ".")])
            made["hostname"] = comma.join(map(self._respell, hosts)) + end
        if self.chance(target):
            made["target"] = self.random.choice(
                [
                    self.choose_address(),
                    f"{self.choose_address()}, {self.choose_address(6)}",
                    self.choose_address(6).upper(),
                    f"{_ELSEWHERE}.",
                    f"192.0.2.1,{_ELSEWHERE}",
                    *_BALANCERS,
                ]
            )
        if self.chance(0.3):
            made["ttl"] = self.random.choice(["60", "2m", "1h", "0"])
        if self.routed:
            made |= {"set-identifier": f"id-{self.number}"} | self.random.choice(_ROUTING)
        if self.chance(0.1):
            made |= self.random.choice(_OTHERS)
        return made

    def _respell(self, host: str) -> str:
        """Return *host*, perhaps with an underscore or a capital, which only annotations may have."""
        return self.random.choice(["", "", "", "", "", "", "_", "X"] if host[0] != "*" else [""]) + host


def _build_service(choices: _Choices) -> Json:
    kind = choices.random.choice(["LoadBalancer", "LoadBalancer", "NodePort", "ExternalName", "ClusterIP"])
    annotations = choices.annotate(choices.choose_hosts(), target=0.2)
    spec: Json = {"type": kind, "ports": _PORTS}
    match kind:
        case "ExternalName":
            spec["externalName"] = _ELSEWHERE
        case "ClusterIP":
            annotations["internal-hostname"] = choices.choose_host()
        case "LoadBalancer" if choices.chance(0.2):
            spec["externalIPs"] = [choices.choose_address()]
        case "NodePort":  # the record SRV has the hostname in its data as it is spelled
            annotations["hostname"] = annotations["hostname"].lower()
        case _:
            pass
    status = _balance(choices.choose_points()) if kind == "LoadBalancer" else None
    return _build("v1", "Service", choices.namespace, f"service-{choices.number}", annotations, spec, status)


def _build_ingress(choices: _Choices) -> Json:
    annotations = choices.annotate(choices.choose_hosts("ingress") if choices.chance(0.3) else (), target=0.2)
    if choices.chance(0.3):
        annotations["ingress-hostname-source"] = choices.random.choice(["annotation-only", "defined-hosts-only"])
    spec = {
        "rules": [{"host": host} for host in choices.choose_hosts("ingress")],
        "tls": [{"hosts": choices.choose_hosts("ingress")}] if choices.chance(0.2) else [],
        "defaultBackend": {"service": {"name": "any", "port": {"number": 80}}},
    }
    status = _balance(choices.choose_points())
    name = f"ingress-{choices.number}"
    return _build("networking.k8s.io/v1", "Ingress", choices.namespace, name, annotations, spec, status)


def _build_endpoint(choices: _Choices) -> Json:
    rtype = "A" if choices.routed else choices.random.choice(list(_RECORDS))
    host = choices.choose_host("crd", wildcard=rtype not in {"NS", "SRV"})
    endpoint: Json = {"dnsName": host, "recordType": rtype, "targets": _RECORDS[rtype]}
    if choices.chance(0.3):
        endpoint["recordTTL"] = choices.random.choice([60, 300, 3600])
    if choices.routed:
        weight = {"name": "aws/weight", "value": "7"}
        endpoint |= {"setIdentifier": f"id-{choices.number}", "providerSpecific": [weight]}
    name, spec = f"endpoint-{choices.number}", {"endpoints": [endpoint]}
    return _build("externaldns.k8s.io/v1alpha1", "DNSEndpoint", choices.namespace, name, choices.annotate(), spec)


def _build_route(choices: _Choices) -> Json:
    annotations = choices.annotate(choices.choose_hosts("route") if choices.chance(0.2) else ())
    reference: Json = {"name": "front", "namespace": choices.random.choice(NAMESPACES)}
    if choices.chance(0.3):
        reference["sectionName"] = choices.random.choice(["all", "same"])
    accepted = {
        "type": "Accepted",
        "status": choices.random.choice(["True", "True", "True", "False"]),
        "reason": "Accepted",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    parent = {"parentRef": reference, "controllerName": "acme.test/it", "conditions": [accepted]}
    spec = {"hostnames": choices.choose_hosts("route"), "parentRefs": [reference]}
    name = f"route-{choices.number}"
    return _build(f"{GATEWAY}/v1", "HTTPRoute", choices.namespace, name, annotations, spec, {"parents": [parent]})


def _build_istio_gateway(choices: _Choices) -> Json:
    prefixes = ["", "*/", f"{choices.namespace}/"]
    hosts = [choices.random.choice(prefixes) + host for host in choices.choose_hosts("gateway")]
    servers = [{"port": {"number": 80, "name": "http", "protocol": "HTTP"}, "hosts": hosts}]
    spec = {"selector": {"igw": choices.namespace}, "servers": servers}
    annotations = choices.annotate(target=0.3)
    return _build(f"{ISTIO}/v1", "Gateway", choices.namespace, f"gateway-{choices.number}", annotations, spec)


def _build_virtual_service(choices: _Choices) -> Json:
    spec = {"hosts": choices.choose_hosts("virtual"), "gateways": [f"{choices.namespace}/open"]}
    annotations = choices.annotate(target=0.5)
    return _build(f"{ISTIO}/v1", "VirtualService", choices.namespace, f"virtual-{choices.number}", annotations, spec)


def _build_proxy(choices: _Choices) -> Json:
    spec = {"virtualhost": {"fqdn": choices.choose_host("proxy")}}
    status = _balance(choices.choose_points()) | {"currentStatus": choices.random.choice(["valid", "valid", "invalid"])}
    annotations, name = choices.annotate(target=0.2), f"proxy-{choices.number}"
    return _build(f"{CONTOUR}/v1", "HTTPProxy", choices.namespace, name, annotations, spec, status)


_KINDS: Final = (
    _build_service,
    _build_ingress,
    _build_endpoint,
    _build_route,
    _build_istio_gateway,
    _build_virtual_service,
    _build_proxy,
)


def _build(
    version: str,
    kind: str,
    namespace: str,
    name: str,
    annotations: Mapping[str, str],
    spec: Json,
    status: Json | None = None,
) -> Json:
    """Return an object; *annotations* are without prefix."""
    metadata: dict[str, Any] = {"name": name, "annotations": {PREFIX + key: text for key, text in annotations.items()}}
    if namespace:
        metadata["namespace"] = namespace
    made = {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}
    return made | ({"status": status} if status else {})


def _balance(points: Sequence[str]) -> Json:
    return {"loadBalancer": {"ingress": [{"hostname" if point[0] in "el" else "ip": point} for point in points]}}
