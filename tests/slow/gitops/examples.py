"""The files of examples/, and a cluster in which the program publishes what they are about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import yaml

from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster
from tests.objects import dns_endpoint
from tests.program.process import once
from tests.route53 import environ
from tests.slow.chart.tools import ROOT, Json

EXAMPLES: Final = ROOT / "examples"
NAMESPACES: Final = ("argocd", "dns", "external-dns", "shop")
PEOPLE: Final = str(EXAMPLES / "access" / "people.yaml")
OWNER: Final = "main"


def read(name: str) -> list[Json]:
    return [one for one in yaml.safe_load_all((EXAMPLES / name).read_text(encoding="utf-8")) if one]


def read_sources(application: Json) -> tuple[Json, list[Json]]:
    """Return the values of the chart, and the objects of the second source, of an Application."""
    chart, repository = application["spec"]["sources"]
    files = repository["directory"]["include"].strip("{}").split(",")
    return chart["helm"]["valuesObject"], [one for name in files for one in read(name)]


def find_kind(obj: Json) -> tuple[str, str]:
    return obj["apiVersion"].rpartition("/")[0], obj["kind"]


def is_established(crd: Json) -> bool:
    return any(one["type"] == "Established" for one in crd.get("status", {}).get("conditions") or ())


class Publisher:
    """Makes passes of the program with the flags of the examples over a real cluster, into a fake Route 53."""

    def __init__(self, cluster: Cluster, dns: Route53, folder: Path) -> None:
        self.cluster, self.dns, self._folder = cluster, dns, folder
        self.env = {**environ(dns), "POD_NAMESPACE": "dns"}
        self._kubeconfig = cluster.kubeconfig(folder / "kubeconfig", namespace="dns")

    def make_pass(self, *more: str) -> int:
        where = (f"--kubeconfig={self._kubeconfig}", "--metrics-address=127.0.0.1:0", "--source=crd", "--once")
        flags = ("--provider=aws", "--domain-filter=example.com", f"--txt-owner-id={OWNER}", "--log-level=fatal")
        return once(*where, *flags, *more, env=self.env).returncode

    def apply(self, name: str, *hosts: str, target: str = "192.0.2.1") -> None:
        """Apply a DNSEndpoint as Argo CD does, without its status."""
        endpoints = [{"dnsName": host, "recordType": "A", "targets": [target]} for host in hosts]
        obj = dns_endpoint(name) | {"metadata": {"name": name, "namespace": "shop"}, "spec": {"endpoints": endpoints}}
        self.cluster.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(obj))

    def get(self, kind: str, namespace: str, name: str) -> Json:
        found = self.cluster.get(kind, namespace, name)
        assert found is not None
        return found


def build_orphan() -> list[Json]:
    """Return a record of ours whose Service exists and does not request it, so that its delete is held."""
    text = f'"heritage=external-dns,external-dns/owner={OWNER},external-dns/resource=service/shop/old"'
    return [
        {"Name": "old.example.com", "Type": "A", "TTL": 300, "ResourceRecords": ["192.0.2.9"]},
        {"Name": "a-old.example.com", "Type": "TXT", "TTL": 300, "ResourceRecords": [text]},
    ]
