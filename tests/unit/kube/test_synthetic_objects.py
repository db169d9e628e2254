"""A cluster that also returns objects which extdns generates."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.kube.manifests.cluster import ManifestCluster
from extdns.kube.synthetic_objects import ClusterWithSyntheticObjects
from extdns.model.cluster import Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.model.kubernetes_object import ObjectMeta
from extdns.ports import Cluster, NotSyncedError
from extdns.resources.core import SERVICE, Node
from tests.cluster_changes import added, summarize_changes, synced

THING = Kind("", "", "Thing", "things", namespaced=False)
OTHER = Kind("", "", "Other", "others")
THINGS = tuple(Node(metadata=ObjectMeta(name=name)) for name in ("a", "b"))
SYNTHETIC_CHANGES = [added(THING, "a"), added(THING, "b"), synced(THING)]


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "web.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")
    files = ManifestCluster([str(tmp_path)], watch=False)
    return ClusterWithSyntheticObjects(files, {THING: THINGS, OTHER: ()}, monotonic=lambda: 7.0)


def test_generated_objects_are_returned_once_their_kind_is_required(cluster: Cluster) -> None:
    assert summarize_changes(cluster.take(0)) == []
    assert cluster.require(THING).phase is Phase.LISTING
    with pytest.raises(NotSyncedError):
        cluster.view.get(THING, "", "a")
    assert summarize_changes(cluster.take(60)) == SYNTHETIC_CHANGES
    assert cluster.require(THING).phase is Phase.SYNCED
    assert summarize_changes(cluster.take(0)) == []
    assert cluster.view.get(THING, "", "a") is THINGS[0]
    assert list(cluster.view.select(THING, "", {})) == list(THINGS)


def test_a_generated_kind_without_objects_becomes_synced_too(cluster: Cluster) -> None:
    cluster.require(OTHER)
    assert summarize_changes(cluster.take(0)) == [synced(OTHER)]


def test_objects_of_the_wrapped_cluster_are_returned_besides_generated_ones(cluster: Cluster) -> None:
    cluster.require(SERVICE)
    cluster.require(THING)
    assert summarize_changes(cluster.take(0)) == [*SYNTHETIC_CHANGES, added(SERVICE, "default/web"), synced(SERVICE)]
    assert cluster.view.get(SERVICE, "default", "web") is not None
    cluster.close()


def test_the_kind_decides_whether_an_object_is_looked_up_among_generated_objects_or_in_the_wrapped_cluster(
    cluster: Cluster,
) -> None:
    keys = [ObjectKey(THING, "", "a"), ObjectKey(THING, "", "z"), ObjectKey(SERVICE, "default", "web")]
    assert [cluster.exists(key) for key in keys] == [True, False, True]
