"""Count what the largest object that etcd takes costs, of each kind, under the rules in CEL of `examples/policy`.

Usage: largest KIND, one of the keys of `OBJECTS`. Calls of functions are counted, not time. The longest step of the
engine without the object is that of one new Service. Meanwhile another Service must be published. RouteGroups and the
resources of `--unstructured-resource` are left out, because they are read as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from cProfile import Profile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from extdns.cel.policy_index import check_policy
from extdns.cel.policy_rules import PolicyRules
from extdns.kube.manifests.reader import read_manifests
from extdns.resources.extdns import DnsPolicy
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput
from tests.bench.process import ROOT, print_figures
from tests.cluster_world import start_cluster
from tests.objects import Json
from tests.swap import objects

MAX_BYTES: Final = 1_500_000
MAX_ANNOTATIONS: Final = 250_000
KEY: Final = "shop/largest"
ADDRESS: Final = "11.0.0.1"
NAMESPACE: Final = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "shop", "uid": "shop", "labels": {"dns.example.com/stated-addresses": "allowed"}},
}
SOURCES: Final = (
    *("gateway-httproute", "istio-gateway", "istio-virtualservice", "contour-httpproxy", "traefik-proxy"),
    *("kong-tcpingress", "openshift-route", "f5-virtualserver", "f5-transportserver", "gateway-grpcroute"),
    *("gateway-tlsroute", "gateway-tcproute", "gateway-udproute", "gloo-proxy", "ambassador-host", "node", "pod"),
)


def host(number: int) -> str:
    """Return a short hostname."""
    return f"{number:x}.example.org"


def address(number: int) -> str:
    """Return a public address."""
    return f"11.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def make(version: str, kind: str, spec: Json, status: Json | None = None, **annotations: str) -> Json:
    """Return an object of any kind."""
    made = objects.service(KEY, "", day=1, spec={}, **annotations)
    return {**made, "apiVersion": version, "kind": kind, "spec": spec, "status": status or {}}


def annotate(version: str, kind: str, spec: Json | None = None) -> Callable[[int], Json]:
    """Return a function that makes an object whose annotations request some hostnames at one address."""
    return lambda size: make(
        version, kind, spec or {}, hostname=",".join(map(host, range(min(size, MAX_ANNOTATIONS // 18)))), target=ADDRESS
    )


def request_at_many(size: int) -> Json:
    """Return an Ingress whose many hostnames all have many targets."""
    targets = ",".join(map(address, range(min(size, 900))))
    return make("networking.k8s.io/v1", "Ingress", {"rules": [{"host": host(n)} for n in range(size)]}, target=targets)


def route(kind: str) -> Callable[[int], Json]:
    """Return a function that makes a Route of the Gateway API with many hostnames."""
    made = objects.httproute(KEY, "x.example.org", "shop/gateway")
    return lambda size: {**made, "kind": kind, "spec": {**made["spec"], "hostnames": list(map(host, range(size)))}}


def annotate_route(kind: str) -> Callable[[int], Json]:
    """Return a function that makes a Route of the Gateway API whose annotations request some hostnames."""
    made, annotated = objects.httproute(KEY, "", "shop/gateway"), annotate("", "")
    return lambda size: {**made, "kind": kind, "metadata": annotated(size)["metadata"]}


def traefik(kind: str, rule: str) -> Callable[[int], Json]:
    """Return a function that makes a route of Traefik with many hostnames in one *rule*."""
    return lambda size: make(
        "traefik.io/v1alpha1",
        kind,
        {"routes": [{"match": " || ".join(f"{rule}(`{host(n)}`)" for n in range(size))}]},
        target=ADDRESS,
    )


def node(size: int) -> Json:
    """Return a Node with many addresses."""
    return objects.node(host(0), external=list(map(address, range(size))))


def f5_server(kind: str) -> Callable[[int], Json]:
    """Return a function that makes a server of F5 with many hostnames."""
    return lambda size: make(
        "cis.f5.com/v1",
        kind,
        {"host": host(0), "hostAliases": list(map(host, range(1, size)))},
        {"vsAddress": ADDRESS, "status": "Ok"},
    )


def ambassador_host(size: int) -> Json:
    """Return a Host of Ambassador with some targets."""
    made = make("getambassador.io/v3alpha1", "Host", {"hostname": host(0)}, target=",".join(map(address, range(size))))
    made["metadata"]["annotations"]["external-dns.ambassador-service"] = KEY
    return made


ISTIO: Final = "networking.istio.io/v1"
OBJECTS: Final[dict[str, Callable[[int], Json]]] = {
    "Service": lambda size: objects.service(KEY, host(0), *map(address, range(size))),
    "Ingress": lambda size: make(
        "networking.k8s.io/v1",
        "Ingress",
        {"rules": [{"host": host(n)} for n in range(size)]},
        {"loadBalancer": {"ingress": [{"ip": ADDRESS}]}},
    ),
    "Ingress, each name with 900 targets": request_at_many,
    "DNSEndpoint, one record": lambda size: objects.dnsendpoint(
        KEY, objects.endpoint(host(0), "A", *map(address, range(size)))
    ),
    "DNSEndpoint, many records": lambda size: objects.dnsendpoint(
        KEY, *(objects.endpoint(host(n), "A", address(n)) for n in range(size))
    ),
    **{kind: route(kind) for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute")},
    **{kind: annotate_route(kind) for kind in ("TCPRoute", "UDPRoute")},
    "Istio Gateway": lambda size: make(
        ISTIO, "Gateway", {"servers": [{"hosts": list(map(host, range(size)))}]}, target=ADDRESS
    ),
    "VirtualService": lambda size: make(
        ISTIO, "VirtualService", {"hosts": list(map(host, range(size)))}, target=ADDRESS
    ),
    "IngressRoute": traefik("IngressRoute", "Host"),
    "IngressRouteTCP": traefik("IngressRouteTCP", "HostSNI"),
    "IngressRouteUDP": annotate("traefik.io/v1alpha1", "IngressRouteUDP"),
    "TCPIngress": lambda size: make(
        "configuration.konghq.com/v1beta1",
        "TCPIngress",
        {"rules": [{"host": host(n)} for n in range(size)]},
        target=ADDRESS,
    ),
    **{kind: f5_server(kind) for kind in ("VirtualServer", "TransportServer")},
    "Proxy of Gloo": lambda size: make(
        "gloo.solo.io/v1",
        "Proxy",
        {"listeners": [{"httpListener": {"virtualHosts": [{"domains": list(map(host, range(size)))}]}}]},
    ),
    "Host of Ambassador": lambda size: ambassador_host(min(size, MAX_ANNOTATIONS // 12)),
    "Node": node,
    "Pod": annotate("v1", "Pod", {"hostNetwork": True, "containers": []}),
    "HTTPProxy": annotate("projectcontour.io/v1", "HTTPProxy"),
    "Route": annotate("route.openshift.io/v1", "Route"),
}
"""Makes the object with a number of items, by what it is."""


@dataclass
class CountingRules:
    """Rules that count what they evaluate."""

    rules: PolicyRules
    count: int = 0
    needs_namespaces = True

    @property
    def revision(self) -> str:
        return self.rules.revision

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        self.count += len(inputs)
        return self.rules.evaluate(inputs)


@dataclass
class CountingEngine:
    """An engine that counts the calls of functions in its longest step."""

    engine: Any
    longest: int = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - everything else is the engine's
        return getattr(self.engine, name)

    def step(self, *arguments: object) -> object:
        profile = Profile(builtins=False)
        effects = profile.runcall(self.engine.step, *arguments)
        self.longest = max(self.longest, sum(entry.callcount for entry in profile.getstats()))
        return effects


def main(kind: str) -> None:
    """Print the figures of the largest object of *kind*."""
    print_figures(**measure(OBJECTS[kind]))


def measure(build: Callable[[int], Json], most: int = MAX_BYTES) -> dict[str, int]:
    """Return the figures for the object that *build* makes with at most *most* bytes.

    Raises:
        SystemExit: another name was not published.
    """
    rules = CountingRules(PolicyRules(_read_rules()))
    flags = [*(f"--source={source}" for source in SOURCES), "--gloo-namespace=shop"]
    # the Service is that of the Proxy of Gloo and of the Host of Ambassador
    world = start_cluster(NAMESPACE, _make_gateway(), objects.service(KEY, "", ADDRESS), flags=flags, rules=rules)
    engine = CountingEngine(world.engine)
    world.engine = engine  # type: ignore[assignment]
    world.apply(objects.service("shop/one", "one.example.org", "11.0.0.9"), for_s=60.0)
    without, engine.longest, rules.count = engine.longest, 0, 0
    few, more = (len(json.dumps(build(size))) for size in (1000, 2000))
    item_bytes = max(1, (more - few) // 1000)
    other = objects.service("shop/other", "other.example.org", "11.0.0.9")
    world.apply(build(max(1, (most - 1000) // (item_bytes + 1))), other, for_s=60.0)
    if "other A" not in world.list_records():
        raise SystemExit("another name was not published")
    names = len({decision.name for decision in world.reported})
    return {"names": names, "evaluations": rules.count, "calls": engine.longest, "calls_without": without}


def _make_gateway() -> Json:
    made = objects.gateway("shop/gateway", ADDRESS)
    (http,) = made["spec"]["listeners"]
    made["spec"]["listeners"] = [{**http, "name": one, "protocol": one} for one in ("HTTP", "TLS", "TCP", "UDP")]
    return made


def _read_rules() -> list[Any]:
    files = [path for path in sorted(Path(ROOT, "examples/policy/cel").glob("*.yaml")) if path.name != "tests.yaml"]
    found = [found for path in files for found in read_manifests(path.read_bytes(), path.name).found]
    return [
        policy
        for one in found
        if isinstance(one.obj, DnsPolicy) and (policy := check_policy(one.key.name, one.obj.spec).policy)
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
