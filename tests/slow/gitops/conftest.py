"""The programs that tests of examples/ need, and a cluster with the CRDs of Argo CD, Flux and others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster
from tests.required_programs import require_program
from tests.slow.chart.tools import Helm
from tests.slow.gitops.examples import NAMESPACES, PEOPLE, Publisher, is_established


@pytest.fixture(scope="module")
def argocd() -> str:
    return require_program("examples", "argocd")


@pytest.fixture(scope="module")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return Helm(require_program("examples", "helm"), tmp_path_factory.mktemp("helm"), defaults={"policy": "sync"})


@pytest.fixture
def prepared(cluster: Cluster, argocd: str) -> Cluster:
    """Return a cluster with the CRDs and namespaces that the examples need."""
    cluster.kubectl("apply", "--server-side", "-f", str(Path(argocd).with_name("gitops-crds.yaml")))
    cluster.until(lambda: all(map(is_established, json.loads(cluster.kubectl("get", "crd", "-o", "json"))["items"])))
    for namespace in NAMESPACES:
        cluster.create_namespace(namespace)
    return cluster


@pytest.fixture
def publisher(prepared: Cluster, tmp_path: Path) -> Iterator[Publisher]:
    with Route53() as dns:
        yield Publisher(prepared, dns, tmp_path)
    prepared.kubectl("-n", "dns", "delete", "--ignore-not-found", "configmap/extdns-state")
    prepared.kubectl("delete", "--ignore-not-found", "-f", PEOPLE)
