"""Count what the largest object that etcd takes costs, of each kind that sources read, under the example rules in CEL.

Usage: largest KIND [changes], KIND being one of the keys of `OBJECTS`. Calls of functions are counted, not time. The
longest step of the engine without the object is that of one new Service. Meanwhile another Service must be published.
With "changes", the object is changed and deleted, without rules.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Sequence
from cProfile import Profile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from extdns.app.source_specs import load_spec
from extdns.app.sources import build_sources
from extdns.cel.policy_index import check_policy
from extdns.cel.policy_rules import PolicyRules
from extdns.config import parse
from extdns.flags.specs import SOURCE_SPECS
from extdns.kube.manifests.reader import read_manifests
from extdns.resources.extdns import DnsPolicy
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput
from tests.bench.process import ROOT, print_figures
from tests.cluster_world import FLAGS as REQUIRED_FLAGS
from tests.cluster_world import start_cluster
from tests.objects import Json
from tests.swap import objects

T = TypeVar("T")

MAX_BYTES: Final = 1_500_000
MAX_ANNOTATION: Final = 250_000
KEY: Final = "shop/largest"
ADDRESS: Final = "11.0.0.1"
FLAGS: Final = (
    *(f"--source={name}" for name in SOURCE_SPECS.available if load_spec(name).generate is None),
    *(
        "--traefik-enable-legacy",
        "--gloo-namespace=shop",
        "--unstructured-resource=configmaps.v1",
        "--manifests=/dev/null",
    ),
)
PTR_FLAGS: Final = (
    *FLAGS,
    *(f"--managed-record-types={rtype}" for rtype in ("A", "AAAA", "CNAME", "PTR")),
    "--create-ptr",
)
SOURCES: Final = build_sources(parse((*REQUIRED_FLAGS, *FLAGS), {}))


def host(number: int) -> str:
    return f"{number:x}.example.org"


def match_host(number: int) -> str:
    return f"Host(`{host(number)}`)"


def address(number: int) -> str:
    return f"11.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def fill(template: Any, size: int, number: int = 0) -> Any:  # noqa: ANN401 - JSON
    """Return *template* as JSON: what ... follows in a list is repeated *size* times, and functions get its number."""
    match template:
        case dict():
            return {key: fill(value, size, number) for key, value in template.items()}
        case [one, more] if more is ...:
            return [fill(one, size, at) for at in range(size)]
        case list():
            return [fill(one, size, number) for one in template]
        case _:
            return template(number) if callable(template) else template


def make(kind: str, size: int) -> Json:
    """Return the object of *kind* with repeated parts *size* times, or as often as an annotation allows."""
    template = fill(OBJECTS[kind], size)
    version, name = kind.partition(",")[0].split()
    annotations = {
        key if "." in key else objects.PREFIX + key: value if isinstance(value, str) else join(value)
        for key, value in template.pop("annotations", {}).items()
    }
    metadata = {**objects.service(KEY)["metadata"], "annotations": annotations, **template.pop("metadata", {})}
    return {"apiVersion": version, "kind": name, "spec": {}, "status": {}, **template, "metadata": metadata}


def join(texts: Sequence[str]) -> str:
    """Return as many of *texts* as fit into an annotation."""
    return ",".join((*texts, ""))[:MAX_ANNOTATION].rpartition(",")[0]


ANNOTATED: Final = {"annotations": {"hostname": [host, ...], "target": ADDRESS}}
HOSTS: Final = {"hosts": [host, ...]}
HOSTNAMES: Final = {"hostnames": [host, ...]}
RULES: Final = {"rules": [{"host": host}, ...]}
TARGET: Final = {"annotations": {"target": ADDRESS}}
LOAD_BALANCER: Final = {"loadBalancer": {"ingress": [{"ip": ADDRESS}]}}
F5: Final = {
    "spec": {"host": "example.org", "hostAliases": [host, ...]},
    "status": {"vsAddress": ADDRESS, "status": "Ok"},
}
ROUTE: Final = {field: objects.httproute(KEY, "", "shop/gateway")[field] for field in ("spec", "status")}
OBJECTS: Final[dict[str, Json]] = {
    **{f"{source.kind.api_version} {source.kind.name}": ANNOTATED for source in SOURCES},
    "v1 Service": {
        "annotations": {"hostname": host(0)},
        "spec": {"type": "LoadBalancer"},
        "status": {"loadBalancer": {"ingress": [{"ip": address}, ...]}},
    },
    "v1 Service, hostnames": {**ANNOTATED, "spec": {"type": "LoadBalancer"}},
    "v1 Node": {
        "metadata": {"name": host(0)},
        "status": {"addresses": [{"type": "ExternalIP", "address": address}, ...]},
    },
    "v1 Pod": {**ANNOTATED, "spec": {"hostNetwork": True, "containers": []}},
    "networking.k8s.io/v1 Ingress": {"spec": RULES, "status": LOAD_BALANCER},
    "networking.k8s.io/v1 Ingress, each name with 900 targets": {
        "annotations": {"target": ",".join(map(address, range(900)))},
        "spec": RULES,
    },
    "externaldns.k8s.io/v1alpha1 DNSEndpoint, one record": {
        "spec": {"endpoints": [{"dnsName": host(0), "recordType": "A", "targets": [address, ...]}]}
    },
    "externaldns.k8s.io/v1alpha1 DNSEndpoint": {
        "spec": {"endpoints": [{"dnsName": host, "recordType": "A", "targets": [ADDRESS]}, ...]}
    },
    **{
        f"gateway.networking.k8s.io/v1 {name}": {**ROUTE, "spec": {**ROUTE["spec"], **HOSTNAMES}}
        for name in ("HTTPRoute", "GRPCRoute", "TLSRoute")
    },
    **{f"gateway.networking.k8s.io/v1 {name}": {**ROUTE, **ANNOTATED} for name in ("TCPRoute", "UDPRoute")},
    "networking.istio.io/v1 Gateway": {**TARGET, "spec": {"servers": [HOSTS]}},
    "networking.istio.io/v1 VirtualService": {**TARGET, "spec": HOSTS},
    "traefik.io/v1alpha1 IngressRoute": {**TARGET, "spec": {"routes": [{"match": match_host}, ...]}},
    "configuration.konghq.com/v1beta1 TCPIngress": {**TARGET, "spec": RULES},
    "cis.f5.com/v1 VirtualServer": F5,
    "cis.f5.com/v1 TransportServer": F5,
    "gloo.solo.io/v1 Proxy": {"spec": {"listeners": [{"httpListener": {"virtualHosts": [{"domains": [host, ...]}]}}]}},
    "getambassador.io/v3alpha1 Host": {
        "annotations": {"target": [address, ...], "external-dns.ambassador-service": KEY},
        "spec": {"hostname": host(0)},
    },
    "zalando.org/v1 RouteGroup": {**TARGET, "spec": HOSTS},
    "gloo.solo.io/v1 Proxy, one virtual host many times": {
        "spec": {
            "listeners": [
                {
                    "aggregateListener": {
                        "httpFilterChains": [{"virtualHostRefs": ["all", ...]}],
                        "httpResources": {"virtualHosts": {"all": {"domains": [host, ...]}}},
                    }
                }
            ]
        }
    },
    "networking.istio.io/v1 VirtualService, hosts and gateways": {"spec": {**HOSTS, "gateways": [host, ...]}},
}
"""What is in the object, by its kind, and what is special about it. Kinds that are not here have annotations only."""


NAMESPACE: Final = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "shop", "uid": "shop", "labels": {"dns.example.com/stated-addresses": "allowed"}},
}


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


class Counted:
    """An engine, observer or index that counts the calls of functions in the longest call of its method *method*.

    With *builtins*, calls of functions in C count, too: a loop may call no others.
    """

    def __init__(self, inner: Any, method: str, *, builtins: bool = False) -> None:  # noqa: ANN401 - any of them
        self._inner, self._builtins, self.longest = inner, builtins, 0
        setattr(self, method, partial(self._count, getattr(inner, method)))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - everything else is that of the inner one
        return getattr(self._inner, name)

    def _count(self, function: Callable[..., T], *arguments: object, **named: object) -> T:
        result, calls = count_calls(partial(function, **named), *arguments, builtins=self._builtins)
        self.longest = max(self.longest, calls)
        return result


def count_calls(function: Callable[..., T], *arguments: object, builtins: bool = False) -> tuple[T, int]:
    """Call *function*, and return its result with how many functions were called; with *builtins*, also those in C."""
    profile = Profile(builtins=builtins)
    gc.disable()  # it calls hooks and finalizers of others
    try:
        result = profile.runcall(function, *arguments)
    finally:
        gc.enable()
    return result, sum(entry.callcount for entry in profile.getstats())


def main(kind: str, changes: str = "") -> None:
    print_figures(**(measure_changes(kind) if changes else measure(kind)))


def measure(kind: str, most: int = MAX_BYTES) -> dict[str, int]:
    """Return the figures for an object of *kind* with at most *most* bytes."""
    rules = CountingRules(PolicyRules(_read_rules()))
    # the Service is that of the Proxy of Gloo and of the Host of Ambassador
    world = start_cluster(NAMESPACE, _make_gateway(), objects.service(KEY, "", ADDRESS), flags=FLAGS, rules=rules)
    engine, observer = Counted(world.engine, "step"), Counted(world.observer, "observe")
    world.engine, world.observer = engine, observer  # type: ignore[assignment]
    world.apply(objects.service("shop/one", "one.example.org", "11.0.0.9"), for_s=60.0)
    without, engine.longest, observer.longest, rules.count = engine.longest, 0, 0, 0
    other = objects.service("shop/other", "other.example.org", "11.0.0.9")
    world.apply(make(kind, find_size(kind, most)), other, for_s=60.0)
    if "other A" not in world.list_records():
        raise SystemExit("another name was not published")
    names = len({decision.name for decision in world.reported})
    return {
        "names": names,
        "evaluations": rules.count,
        "claim_calls": observer.longest,
        "step_calls": engine.longest,
        "step_calls_without": without,
    }


def measure_changes(kind: str, most: int = MAX_BYTES) -> dict[str, int]:
    """Return the figures for an object of *kind* of which all names change, then half are removed, and then all.

    Each time they are the most calls to store the claims of the object and of its PTR records, and the calls in the
    longest step.
    """
    size = find_size(kind, most)
    renamed, halved = (
        json.loads(json.dumps(make(kind, count)).replace(".example.org", ".new.example.org"))
        for count in (size, max(1, size // 2))
    )
    figures = {}
    for counts_claims in (True, False):  # one profile cannot run in another
        world = start_cluster(_make_gateway(), objects.service(KEY, "", ADDRESS), flags=PTR_FLAGS)
        if counts_claims:
            counted = world.engine.claims = Counted(world.engine.claims, "update", builtins=True)  # type: ignore[assignment]
        else:
            counted = world.engine = Counted(world.engine, "step")  # type: ignore[assignment]
        world.apply(make(kind, size), for_s=60.0)
        for word, change in (("rename", world.apply), ("halve", world.apply), ("delete", world.delete)):
            counted.longest = 0
            change(renamed if word == "rename" else halved, for_s=300.0)
            figures[f"{word}_{'claim' if counts_claims else 'step'}_calls"] = counted.longest
    return figures


def find_size(kind: str, most: int) -> int:
    """Return how often the parts of an object of *kind* may be repeated for it to have at most *most* bytes."""
    few, more = (len(json.dumps(make(kind, size))) for size in (1000, 2000))
    return max(1, (most - 1000) // (max(1, (more - few) // 1000) + 1))


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
