"""Objects that are taken from some namespaces, and kinds from others."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from extdns.kube.manifests.cluster import ManifestCluster
from extdns.kube.namespaces import Namespaces
from extdns.model.cluster import ObjectKey
from extdns.model.objects import INGRESS, NODE, SERVICE
from tests.clusters import told

BOTH: Final = "".join(
    f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: {namespace}}}\n---\n"
    for version, kind in (("v1", "Service"), ("networking.k8s.io/v1", "Ingress"))
    for namespace in ("shop", "pay")
)


def test_namespaces_hide_all_others_but_not_cluster_scoped_objects(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n"
    bad = "apiVersion: v1\nkind: Service\nmetadata: {name: bad, namespace: pay}\nspec: {type: 60}\n"
    (tmp_path / "a.yaml").write_text(BOTH + node + bad)
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=Namespaces(usual=("shop",)))
    cluster.need(SERVICE)
    cluster.need(NODE)
    assert told(cluster.take(0)) == ["add Service shop/web", "Service is synced", "add Node /n1", "Node is synced"]
    assert cluster.exists(ObjectKey(SERVICE, "pay", "web")) is None


def test_a_kind_may_be_taken_from_other_namespaces(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    where = Namespaces(usual=("shop",), elsewhere={INGRESS: ("pay",)})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
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
    where = Namespaces(usual=("shop",), elsewhere={INGRESS: ()})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
    cluster.need(INGRESS)
    assert told(cluster.take(0)) == ["add Ingress pay/web", "add Ingress shop/web", "Ingress is synced"]
