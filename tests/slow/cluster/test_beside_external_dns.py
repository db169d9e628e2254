"""external-dns and extdns beside each other: over the same objects of a real cluster both make the same zone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.corpus.recordsets import normalize_record_sets
from tests.fakes.apiserver.kinds import KINDS
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import NEWEST, Cluster
from tests.program.process import HANGS_S, once
from tests.required_programs import require_program
from tests.route53 import environ
from tests.slow.cluster.many_objects import CONTOUR, GATEWAY, ISTIO, NAMESPACES, PODS, ZONE, build_objects

Records = Mapping[tuple[str, str, str], Mapping[str, Any]]
"""Record sets by name, type and set identifier."""

SOURCES: Final = (
    "service",
    "ingress",
    "node",
    "crd",
    "gateway-httproute",
    "istio-gateway",
    "istio-virtualservice",
    "contour-httpproxy",
)
TYPES: Final = ("A", "AAAA", "CNAME", "TXT", "MX", "SRV", "NS")
FLAGS: Final = (
    *(f"--source={source}" for source in SOURCES),
    *(f"--managed-record-types={rtype}" for rtype in TYPES),
    "--provider=aws",
    "--txt-owner-id=me",
    "--policy=sync",
    f"--domain-filter={ZONE}",
    "--aws-batch-change-interval=10ms",
    "--metrics-address=127.0.0.1:0",
    "--once",
)
DIFFERENCES: Final = {
    "the address record of a name that is no host name": re.compile(r"(a-|aaaa-)?_(?!service)"),
    "the SRV record of a NodePort Service below a wildcard": re.compile(r"(srv-)?_service-\d+\._tcp\.\*\."),
    "one hostname of two namespaces": re.compile(r"both\."),
}
"""The names at which the zones differ without `--compat`, as docs/design/differences.md says."""


class Account:
    """A Route 53 with one empty zone, into which both programs publish."""

    def __init__(self, dns: Route53, kubeconfig: Path) -> None:
        self._dns = dns
        self._kubeconfig = kubeconfig
        self._zone_id = dns.add_zone(ZONE)

    def run_external_dns(self) -> Records:
        program = require_program("external-dns beside extdns", "external-dns-0.22")
        done = subprocess.run(
            [program, *FLAGS, f"--kubeconfig={self._kubeconfig}"],
            env={**os.environ, **environ(self._dns)},
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS_S,
        )
        assert done.returncode == 0, done.stderr
        return self._read()

    def run_extdns(self, *flags: str) -> Records:
        """Make one pass of extdns with the same flags and *flags*, and return the records.

        Nothing is saved, because the zones of all accounts have the same id.
        """
        flags = (*FLAGS, f"--kubeconfig={self._kubeconfig}", "--state-configmap=", *flags)
        done = once(*flags, env=environ(self._dns))
        assert done.returncode in {0, 1}, done.stderr
        return self._read()

    def count_writes(self) -> int:
        return len(self._dns.log.calls(CHANGE))

    def _read(self) -> Records:
        return {
            (found["Name"], found["Type"], found.get("SetIdentifier", "")): found
            for found in normalize_record_sets(self._dns.shown(self._zone_id))
        }


@pytest.fixture
def kinds(cluster: Cluster) -> Iterator[Cluster]:
    """Return a cluster with the kinds of all sources. The CRDs of Istio and Contour accept any object."""
    crds = Path(str(shutil.which(f"kubectl-{NEWEST}"))).parent / "gateway-api.yaml"
    cluster.kubectl("apply", "--server-side", "-f", str(crds))
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=120s")
    own = [kind for kind in KINDS if (kind.group, kind.version) in {(ISTIO, "v1"), (CONTOUR, "v1")}]
    for kind in own:
        cluster.register(kind)
    for kind in KINDS:
        if (kind.group, kind.kind) in {(GATEWAY, "Gateway"), (GATEWAY, "HTTPRoute")}:
            cluster.catalogue.register(kind)
    yield cluster
    for kind in own:
        cluster.unregister(kind)


@pytest.fixture(params=[2, 3], ids="seed-{}".format)
def kubeconfig(kinds: Cluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Put the objects of a seed into the cluster, and return the kubeconfig of its administrator."""
    objects = list(build_objects(request.param))
    kinds.put_all(objects)
    kinds.until(lambda: all(count_endpoints(kinds, namespace) == PODS for namespace in NAMESPACES))
    yield kinds.kubeconfig(tmp_path / "kubeconfig")
    for namespace in NAMESPACES:
        kinds.kubectl("delete", "pods", "--all", "--force", "--namespace", namespace)
    for obj in objects:
        if obj["kind"] != "Pod":
            kind = kinds.catalogue.find_by_object(obj)
            kinds.delete(kind, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])


def count_endpoints(cluster: Cluster, namespace: str) -> int:
    """Return the number of ready Pods in the EndpointSlices of the Service `db`."""
    return sum(
        bool(one["conditions"]["ready"])
        for found in cluster.objects("EndpointSlice")
        if found["metadata"]["namespace"] == namespace
        and found["metadata"]["labels"]["kubernetes.io/service-name"] == "db"
        for one in found["endpoints"] or ()
    )


def test_external_dns_and_extdns_make_the_same_zone_and_change_none_of_each_other(kubeconfig: Path) -> None:
    with Route53() as first, Route53() as second, Route53() as third:
        theirs = Account(first, kubeconfig)
        expected = theirs.run_external_dns()
        assert len(expected) > 400
        writes = theirs.count_writes()
        for flags in ((), ("--compat",)):
            assert theirs.run_extdns(*flags) == expected
        assert theirs.count_writes() == writes

        compatible = Account(second, kubeconfig)
        assert compatible.run_extdns("--compat") == expected
        assert compatible.run_external_dns() == expected

        ours = Account(third, kubeconfig)
        published = ours.run_extdns()
        differing = {key[0] for key in expected.keys() | published.keys() if published.get(key) != expected.get(key)}
        found = {name: {topic for topic, names in DIFFERENCES.items() if names.match(name)} for name in differing}
        assert all(found.values()), found
        assert set().union(*found.values()) == DIFFERENCES.keys()
        assert ours.run_external_dns() == expected
