"""Objects are read from the watched namespaces only."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from extdns.kube.local_store import WatchedNamespaces
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.kind import ObjectKey
from extdns.resources.core import NODE, SERVICE
from extdns.resources.networking import INGRESS
from tests.cluster_changes import added, summarize_changes, synced

BOTH: Final = "".join(
    f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: {namespace}}}\n---\n"
    for version, kind in (("v1", "Service"), ("networking.k8s.io/v1", "Ingress"))
    for namespace in ("shop", "pay")
)


def test_only_objects_of_watched_namespaces_and_objects_without_namespace_are_returned(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n"
    bad = "apiVersion: v1\nkind: Service\nmetadata: {name: bad, namespace: pay}\nspec: {type: 60}\n"
    (tmp_path / "a.yaml").write_text(BOTH + node + bad)
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=WatchedNamespaces(default=("shop",)))
    cluster.require(SERVICE)
    cluster.require(NODE)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "shop/web"),
        synced(SERVICE),
        added(NODE, "n1"),
        synced(NODE),
    ]
    assert cluster.exists(ObjectKey(SERVICE, "pay", "web")) is None


def test_a_kind_can_be_read_from_other_namespaces_than_other_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    where = WatchedNamespaces(default=("shop",), by_kind={INGRESS: ("pay",)})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
    cluster.require(SERVICE)
    cluster.require(INGRESS)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "shop/web"),
        synced(SERVICE),
        added(INGRESS, "pay/web"),
        synced(INGRESS),
    ]
    assert cluster.exists(ObjectKey(INGRESS, "shop", "web")) is None


def test_a_kind_can_be_read_from_all_namespaces_although_other_kinds_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    where = WatchedNamespaces(default=("shop",), by_kind={INGRESS: ()})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
    cluster.require(INGRESS)
    assert summarize_changes(cluster.take(0)) == [
        added(INGRESS, "pay/web"),
        added(INGRESS, "shop/web"),
        synced(INGRESS),
    ]
