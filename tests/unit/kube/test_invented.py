"""Objects of kinds that no API server knows, beside those of a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.kube.invented import Invented
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.cluster import Kind, ObjectKey, Phase
from extdns.model.lean import ObjectMeta
from extdns.model.objects import SERVICE, Node
from extdns.ports import Cluster, NotReadyError
from tests.clusters import told

THING = Kind("", "", "Thing", "things", namespaced=False)
OTHER = Kind("", "", "Other", "others")
THINGS = tuple(Node(metadata=ObjectMeta(name=name)) for name in ("a", "b"))
SHOWN = ["add Thing /a", "add Thing /b", "Thing is synced"]


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "web.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")
    files = ManifestCluster([str(tmp_path)], watch=False)
    return Invented(files, {THING: THINGS, OTHER: ()}, monotonic=lambda: 7.0)


def test_invented_objects_are_shown_once_they_are_needed(cluster: Cluster) -> None:
    assert told(cluster.take(0)) == []
    assert cluster.need(THING).phase is Phase.LISTING
    with pytest.raises(NotReadyError):
        cluster.view.get(THING, "", "a")
    assert told(cluster.take(60)) == SHOWN
    assert cluster.need(THING).phase is Phase.SYNCED
    assert told(cluster.take(0)) == []
    assert cluster.view.get(THING, "", "a") is THINGS[0]
    assert list(cluster.view.select(THING, "", {})) == list(THINGS)


def test_a_kind_without_objects_is_synced_as_well(cluster: Cluster) -> None:
    cluster.need(OTHER)
    assert told(cluster.take(0)) == ["Other is synced"]


def test_objects_of_the_cluster_come_with_them(cluster: Cluster) -> None:
    cluster.need(SERVICE)
    cluster.need(THING)
    assert told(cluster.take(0)) == [*SHOWN, "add Service default/web", "Service is synced"]
    assert cluster.view.get(SERVICE, "default", "web") is not None
    cluster.close()


def test_each_is_asked_for_where_it_is(cluster: Cluster) -> None:
    asked = [ObjectKey(THING, "", "a"), ObjectKey(THING, "", "z"), ObjectKey(SERVICE, "default", "web")]
    assert [cluster.exists(key) for key in asked] == [True, False, True]
