"""Kinds that are taken from other namespaces than all others."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.cluster import ObjectKey
from extdns.model.objects import INGRESS, SERVICE
from tests.clusters import told

BOTH: Final = "".join(
    f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: {namespace}}}\n---\n"
    for version, kind in (("v1", "Service"), ("networking.k8s.io/v1", "Ingress"))
    for namespace in ("shop", "pay")
)


def test_a_kind_may_be_taken_from_other_namespaces(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=("shop",), elsewhere={INGRESS: ("pay",)})
    cluster.need(SERVICE)
    cluster.need(INGRESS)
    assert told(cluster.take(0)) == [
        "add Service shop/web",
        "Service is synced",
        "add Ingress pay/web",
        "Ingress is synced",
    ]
    assert cluster.exists(ObjectKey(INGRESS, "shop", "web")) is None


def test_a_kind_may_be_taken_from_all_namespaces(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=("shop",), elsewhere={INGRESS: ()})
    cluster.need(INGRESS)
    assert told(cluster.take(0)) == ["add Ingress pay/web", "add Ingress shop/web", "Ingress is synced"]
