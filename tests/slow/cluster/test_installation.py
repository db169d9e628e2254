"""The chart as users install it: applied by kubectl, and the program with the token of the chart's ServiceAccount."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.app import assembly, cluster_writers
from extdns.config import parse
from tests.fakes.apiserver.kinds import KINDS
from tests.fakes.clocks import ShiftedClock
from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import NEWEST, Cluster, Json
from tests.objects import PREFIX, service
from tests.program.running import HANGS_S, run_in_background
from tests.slow.chart.test_opa import VALUES as OPA
from tests.slow.chart.test_permissions import IDENTITY, NOT_IN_ONE_NAMESPACE
from tests.slow.chart.tools import NAMESPACE, Helm
from tests.slow.cluster.release import Release, build_list, own
from tests.slow.rego.opa_process import OpaProcess

MINUTES: Final = 600.0
ACCOUNT: Final = f"system:serviceaccount:{NAMESPACE}:external-dns"
SHOP: Final = "shop"
ADDRESSES: Final = [{"type": "ExternalIP", "address": "192.0.2.7"}, {"type": "InternalIP", "address": "10.0.0.7"}]
READY: Final = {"type": "Ready", "status": "True"}
BALANCER: Final = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
PORTS: Final = [{"port": 80}]
TYPES: Final = ["LoadBalancer", "ClusterIP"]
"""Without those that need nodes, which are in no namespace."""
FORMS: Final[Mapping[str, tuple[Json, set[str]]]] = {
    "default": ({}, {"lb", "nodeport", "headless", "ingress"}),
    "one namespace": (
        {
            "namespaced": True,
            "sourceNamespace": SHOP,
            "extraArgs": {"service-type-filter": TYPES},
        },
        {"lb", "headless", "ingress"},
    ),
    "two replicas": ({"replicaCount": 2, "sources": ["ingress"]}, {"ingress"}),
    "Gateway API": ({"sources": ["gateway-httproute", "crd"]}, {"route", "crd"}),
    "rules in CEL": ({"sources": ["ingress"], "extraArgs": {"policy-rules": "cluster"}}, {"ingress"}),
    "rules in Rego": ({"sources": ["ingress"], **OPA}, {"ingress"}),
}
"""Values of the chart, and the names that are then published."""
SUBJECTS: Final = {"lb", "ingress", "route"}
"""The names of objects that can have a hostname in an annotation."""
RULE: Final = "package extdns\n\ndeny contains message if { message := input.never }\n"
EVENTS: Final = ("events.k8s.io", "events")
OF_KUBE_MGMT: Final = ("-policies", "-replicate")
RESOURCES: Final = {"service": "service", "ingress": "ingress", "crd": "crd", "gateway-httproute": "httproute"}
"""The kind that an ownership record names, by source."""


def build_objects() -> Iterator[Json]:
    """Yield objects that request names from each of the sources, and those that lead to their targets."""
    yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}, "status": {"addresses": ADDRESSES}}
    pod = {"nodeName": "node", "hostNetwork": True, "containers": [{"name": "web", "image": "web", "ports": []}]}
    yield build_object("v1", "Pod", "web-0", pod, {"podIP": "10.0.0.7", "phase": "Running", "conditions": [READY]})
    yield service("lb", namespace=SHOP, type="LoadBalancer", ports=PORTS)
    selector = {"app": "web"}
    local: Json = {"type": "NodePort", "externalTrafficPolicy": "Local", "selector": selector, "ports": PORTS}
    yield service("nodeport", namespace=SHOP, address=None, **local)
    yield service("headless", namespace=SHOP, address=None, clusterIP="None", selector=selector, ports=PORTS)
    rules = {"rules": [{"host": "ingress.example.org"}]}
    yield build_object("networking.k8s.io/v1", "Ingress", "ingress", rules, BALANCER)
    endpoint = {"dnsName": "crd.example.org", "recordType": "A", "targets": ["192.0.2.1"]}
    yield build_object("externaldns.k8s.io/v1alpha1", "DNSEndpoint", "crd", {"endpoints": [endpoint]})
    yield build_object(
        "extdns.io/v1alpha1", "DNSPolicy", "any", {"validations": [{"expression": "true"}]}, namespace=None
    )


def build_object(version: str, kind: str, name: str, spec: Json, status: Json | None = None, **metadata: Any) -> Json:  # noqa: ANN401 - any JSON
    metadata = {"name": name, "namespace": SHOP, "labels": {"app": "web"}} | metadata
    metadata = {key: value for key, value in metadata.items() if value is not None}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec} | (
        {"status": status} if status else {}
    )


def build_routes() -> Iterator[Json]:
    """Yield a Gateway, and a route that it accepted."""
    group, condition = "gateway.networking.k8s.io", {"lastTransitionTime": "2026-01-01T00:00:00Z", "message": ""}
    listeners = [
        {
            "name": "http",
            "port": 80,
            "protocol": "HTTP",
            "allowedRoutes": {"namespaces": {"from": "Selector", "selector": {"matchExpressions": []}}},
        }
    ]
    yield build_object(
        f"{group}/v1",
        "Gateway",
        "web",
        {"gatewayClassName": "acme", "listeners": listeners},
        {"addresses": [{"value": "192.0.2.1"}]},
    )
    accepted = condition | {"type": "Accepted", "status": "True", "reason": "Accepted"}
    parent = {"parentRef": {"name": "web"}, "controllerName": "acme.test/it", "conditions": [accepted]}
    spec = {"hostnames": ["route.example.org"], "parentRefs": [{"name": "web"}]}
    yield build_object(f"{group}/v1", "HTTPRoute", "route", spec, {"parents": [parent]})


@pytest.fixture
def stocked(any_version: Cluster) -> Iterator[Cluster]:
    """Return a cluster with an object for each source, and none of them afterwards."""
    crds = Path(str(shutil.which(f"kubectl-{NEWEST}"))).parent / "gateway-api.yaml"
    any_version.kubectl("apply", "--server-side", "-f", str(crds))
    for kind in KINDS:
        if kind.group == "gateway.networking.k8s.io" and kind.kind in {"Gateway", "HTTPRoute"}:
            any_version.catalogue.register(kind)
    any_version.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=120s")
    objects = [*build_objects(), *build_routes()]
    any_version.put_all(objects)
    yield any_version
    any_version.kubectl("delete", "--ignore-not-found", "--force", "-f", "-", stdin=build_list(objects))


def list_granted(manifests: list[Json]) -> set[tuple[str, str, str]]:
    """Return verb, group and resource of every right in the roles of the program."""
    return {
        (verb, group, resource)
        for role in manifests
        if role["kind"] in {"Role", "ClusterRole"} and not role["metadata"]["name"].endswith(OF_KUBE_MGMT)
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def find_rights(requests: list[Json], *, denied: bool) -> set[tuple[str, str, str]]:
    """Return verb, group and resource of the requests of the program that were allowed or that were denied."""
    return {
        (
            one["verb"],
            one["objectRef"].get("apiGroup", ""),
            "/".join(filter(None, (one["objectRef"]["resource"], one["objectRef"].get("subresource")))),
        )
        for one in requests
        if one["user"]["username"] == ACCOUNT
        and "objectRef" in one
        and one["requestURI"] != IDENTITY
        and (one["responseStatus"]["code"] == 403) == denied
    }


@pytest.mark.parametrize(("values", "names"), FORMS.values(), ids=FORMS)
def test_the_program_lacks_no_right_and_uses_every_right_that_the_chart_grants(
    stocked: Cluster,
    values: Json,
    names: set[str],
    helm: Helm,
    dns: Route53,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sources = values.get("sources", ["service", "ingress"])
    gone = [f"gone-{source}.example.org" for source in sources]
    orphans = [
        record
        for source, name in zip(sources, gone, strict=True)
        for record in own(name, "192.0.2.9", f"{RESOURCES[source]}/{SHOP}/gone")
    ]
    zone_id = dns.add_zone("example.org", records=orphans)
    before = len(stocked.read_audit_log())
    clock, events_clock = ShiftedClock(), ShiftedClock()
    monkeypatch.setattr(assembly, "SystemClock", lambda: clock)
    monkeypatch.setattr(cluster_writers, "SystemClock", lambda: events_clock)

    def list_published() -> set[str]:
        return {record.name.partition(".")[0] for record in dns.records(zone_id) if record.type == "A"}

    def find_used() -> set[tuple[str, str, str]]:
        return find_rights(stocked.read_audit_log()[before:], denied=False)

    def invalidate(number: int) -> None:
        annotations = {f"{PREFIX}hostname": "a..b", "number": str(number)}
        stocked.put(subject | {"metadata": subject["metadata"] | {"annotations": annotations}})

    subject = next(one for one in (*build_objects(), *build_routes()) if one["metadata"]["name"] in names & SUBJECTS)
    # With rules in Rego no record is deleted here, and the state may stay as it was created.
    optional = {("update", "", "configmaps")} if "opa" in values else set()
    with Release(stocked, helm, tmp_path, values) as release, OpaProcess(tmp_path, policies={"any": RULE}) as opa:
        for name, text in release.environ(dns).items():
            monkeypatch.setenv(name, text)
        flags = release.flags("--leader-elect-retry-period=100ms", "--domain-filter=example.org")
        flags = [f"--opa-url={opa.url}" if flag.startswith("--opa-url") else flag for flag in flags]
        made, granted = assembly.assemble(parse(flags, {})), list_granted(release.manifests)
        with run_in_background(made, clock, once=False) as running:
            assert running.controller.first_pass_done.wait(HANGS_S)
            stocked.until(lambda: names <= list_published())
            running.pass_time(MINUTES)  # the objects in the ownership records are missing, so each is read
            awaited = {right for right in granted if right[0] in {"get", "update"}} - optional
            stocked.until(lambda: awaited <= find_used())
            invalidate(1)
            stocked.until(lambda: ("create", *EVENTS) in find_used())
            events_clock.shift_s = MINUTES
            invalidate(2)
            stocked.until(lambda: ("patch", *EVENTS) in find_used())
    assert find_rights(stocked.read_audit_log()[before:], denied=True) <= {one[:3] for one in NOT_IN_ONE_NAMESPACE}
    lists = {right for right in granted if right[0] == "list"} if stocked.streams_lists else set()
    assert find_used() | optional == granted - lists


def test_an_installation_goes_from_two_replicas_to_one_by_server_side_apply(
    any_version: Cluster, helm: Helm, tmp_path: Path
) -> None:
    with Release(any_version, helm, tmp_path, {"replicaCount": 2}):
        Release(any_version, helm, tmp_path, {"replicaCount": 1})
        found = any_version.kubectl("-n", NAMESPACE, "get", "deployment", "-o", "jsonpath={.items[*].spec.strategy}")
    assert found == '{"type":"Recreate"}'
