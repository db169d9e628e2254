"""Conformance tests of all implementations of `Cluster`. To add one, see `cluster.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from extdns.model.cluster import ClusterChange, KindChange, ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import Kind, ObjectKey
from extdns.ports import NotSyncedError
from extdns.resources.core import NODE, SERVICE, Service
from extdns.resources.networking import INGRESS
from tests.cluster_changes import PhaseSummary, added, edited, summarize_changes, synced
from tests.clusters import MAX_WAIT_S, check_existence, service, wait_for_changes
from tests.conformance.cluster import RIGS, Json, Make, Rig, build_key

UNKNOWN = Kind("acme.example", "v1", "Widget", "widgets")


@pytest.fixture(params=RIGS)
def make(request: pytest.FixtureRequest) -> Make:
    return RIGS[request.param]


@pytest.fixture
def rig(make: Make, tmp_path: Path) -> Iterator[Rig]:
    with make(tmp_path, ()) as made:
        yield made


def build_node(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def build_ingress(name: str, namespace: str = "shop", **labels: str) -> Json:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"rules": [{"host": f"{name}.example.org"}]},
    }


def take_until_synced(rig: Rig, *kinds: Kind) -> list[ClusterChange]:
    """Require *kinds*, and return the changes until all of them are synced."""
    waiting = {rig.cluster.require(kind).kind for kind in kinds}

    def has_all(changes: object) -> bool:
        assert isinstance(changes, list)
        return waiting <= {change.state.kind for change in changes if isinstance(change, KindChange)}

    return wait_for_changes(rig.cluster, has_all)


def list_names(rig: Rig, kind: Kind, namespace: str = "", **labels: str) -> list[str]:
    found = rig.cluster.view.select(kind, namespace, labels)
    return [f"{obj.metadata.namespace}/{obj.metadata.name}" for obj in found]


def test_a_cluster_reports_no_objects_before_their_kind_is_required(rig: Rig) -> None:
    rig.put(service("web"))
    assert rig.cluster.take(0) == ()


def test_after_require_all_objects_of_the_kind_are_reported_sorted_by_key_and_then_it_is_synced(rig: Rig) -> None:
    for obj in (service("web"), service("z", "pay"), service("api"), build_ingress("web")):
        rig.put(obj)
    state = rig.cluster.require(SERVICE)
    assert (state.kind, state.phase) == (SERVICE, Phase.LISTING)
    assert summarize_changes(take_until_synced(rig, SERVICE)) == [
        added(SERVICE, "pay/z"),
        added(SERVICE, "shop/api"),
        added(SERVICE, "shop/web"),
        synced(SERVICE),
    ]
    assert rig.cluster.require(SERVICE).phase is Phase.SYNCED
    assert list_names(rig, SERVICE) == ["pay/z", "shop/api", "shop/web"]


def test_a_kind_without_objects_becomes_synced(rig: Rig) -> None:
    assert summarize_changes(take_until_synced(rig, SERVICE)) == [synced(SERVICE)]
    assert list_names(rig, SERVICE) == []


def test_a_lookup_fails_as_not_synced_until_take_has_returned_the_objects(rig: Rig) -> None:
    rig.put(service("web"))
    rig.cluster.require(SERVICE)
    with pytest.raises(NotSyncedError):
        rig.cluster.view.get(SERVICE, "shop", "web")
    take_until_synced(rig, SERVICE)
    assert rig.cluster.view.get(SERVICE, "shop", "web") is not None
    assert rig.cluster.view.get(SERVICE, "shop", "api") is None


def test_a_lookup_of_an_unrequired_kind_starts_reading_that_kind(rig: Rig) -> None:
    rig.put(build_node("n1"))
    with pytest.raises(NotSyncedError):
        rig.cluster.view.select(NODE, "", {})
    came = summarize_changes(wait_for_changes(rig.cluster, lambda changes: synced(NODE) in summarize_changes(changes)))
    assert [one for one in came if one != PhaseSummary(NODE, Phase.LISTING)] == [added(NODE, "n1"), synced(NODE)]
    assert list_names(rig, NODE) == ["/n1"]


def test_take_reports_that_an_object_was_created_changed_and_deleted(rig: Rig) -> None:
    take_until_synced(rig, SERVICE)
    rig.put(service("web"))
    (added,) = wait_for_changes(rig.cluster)
    assert isinstance(added, ObjectChange)
    assert (added.key, added.old, added.seen) == (build_key(SERVICE, "web"), None, Sighting.PRESENT)
    rig.put(service("web", type="ClusterIP"))
    (edited,) = wait_for_changes(rig.cluster)
    assert isinstance(edited, ObjectChange)
    assert edited.old == added.new
    assert isinstance(edited.new, Service)
    assert edited.new.spec.type == "ClusterIP"
    assert rig.cluster.view.get(SERVICE, "shop", "web") == edited.new
    rig.remove(build_key(SERVICE, "web"))
    (gone,) = wait_for_changes(rig.cluster)
    assert gone == ObjectChange(key=build_key(SERVICE, "web"), old=edited.new, new=None, seen=Sighting.DELETED)
    assert list_names(rig, SERVICE) == []


def test_a_change_of_a_field_that_no_source_reads_is_not_reported(rig: Rig) -> None:
    rig.put(service("web"))
    take_until_synced(rig, SERVICE)
    unread = service("web")
    unread["spec"]["sessionAffinity"] = "ClientIP"
    rig.put(unread)
    rig.put(service("api"))
    assert summarize_changes(wait_for_changes(rig.cluster)) == [added(SERVICE, "shop/api")]


def test_objects_of_a_kind_that_is_not_required_are_not_reported(rig: Rig) -> None:
    take_until_synced(rig, SERVICE)
    rig.put(build_ingress("web"))
    rig.put(service("web"))
    assert summarize_changes(wait_for_changes(rig.cluster)) == [added(SERVICE, "shop/web")]
    assert summarize_changes(take_until_synced(rig, INGRESS)) == [added(INGRESS, "shop/web"), synced(INGRESS)]


def test_requiring_an_unknown_kind_reports_it_as_not_served(rig: Rig) -> None:
    rig.cluster.require(UNKNOWN)
    (change,) = wait_for_changes(rig.cluster)
    assert isinstance(change, KindChange)
    assert (change.state.kind, change.state.phase) == (UNKNOWN, Phase.NOT_SERVED)
    assert "Widget" in change.state.detail
    assert rig.cluster.require(UNKNOWN).phase is Phase.NOT_SERVED
    with pytest.raises(NotSyncedError):
        rig.cluster.view.get(UNKNOWN, "shop", "web")


def test_objects_can_be_selected_by_labels_in_one_namespace_or_in_all(rig: Rig) -> None:
    rig.put(build_ingress("a", app="web", tier="front"))
    rig.put(build_ingress("b", app="web"))
    rig.put(build_ingress("c", "pay", app="web", tier="front"))
    take_until_synced(rig, INGRESS)
    assert list_names(rig, INGRESS, "shop", app="web") == ["shop/a", "shop/b"]
    assert list_names(rig, INGRESS, "", tier="front") == ["pay/c", "shop/a"]
    assert list_names(rig, INGRESS, "ops", app="web") == []
    rig.put(build_ingress("b", app="other"))
    wait_for_changes(rig.cluster)
    assert list_names(rig, INGRESS, "shop", app="web") == ["shop/a"]


def test_with_a_namespace_filter_objects_of_other_namespaces_are_hidden_and_cluster_scoped_ones_are_not(
    make: Make, tmp_path: Path
) -> None:
    with make(tmp_path, ("ops", "shop")) as rig:
        for obj in (service("web"), service("job", "ops"), service("api", "pay"), build_node("n1")):
            rig.put(obj)
        found = summarize_changes(take_until_synced(rig, SERVICE, NODE))
        assert len(found) == 5
        assert set(found) == {
            synced(NODE),
            synced(SERVICE),
            added(NODE, "n1"),
            added(SERVICE, "ops/job"),
            added(SERVICE, "shop/web"),
        }
        rig.put(service("api", "pay", type="ClusterIP"))
        rig.put(service("web", type="ClusterIP"))
        assert summarize_changes(wait_for_changes(rig.cluster)) == [edited(SERVICE, "shop/web")]
        assert rig.cluster.exists(build_key(SERVICE, "web")) is True
        assert rig.cluster.exists(build_key(SERVICE, "api", "pay")) is None


def test_existence_of_an_object_can_be_checked_although_its_kind_was_not_required(rig: Rig) -> None:
    rig.put(service("web"))
    assert rig.cluster.exists(build_key(SERVICE, "web")) is True
    assert rig.cluster.exists(build_key(SERVICE, "api")) is False
    assert check_existence(rig.cluster, ObjectKey(UNKNOWN, "shop", "web")) is None


def test_an_object_that_becomes_invalid_is_reported_and_keeps_its_last_valid_version(rig: Rig) -> None:
    rig.put(service("web"))
    take_until_synced(rig, SERVICE)
    rig.put(service("web", type=60))
    (problem,) = wait_for_changes(rig.cluster)
    assert isinstance(problem, ObjectProblem)
    assert problem.key == build_key(SERVICE, "web")
    assert problem.location.endswith(rig.locate(build_key(SERVICE, "web")))
    assert problem.message.startswith("spec.type is the number 60; allowed: a string")
    rig.put(service("api"))
    assert summarize_changes(wait_for_changes(rig.cluster)) == [added(SERVICE, "shop/api")]
    assert list_names(rig, SERVICE) == ["shop/api", "shop/web"]
    rig.put(service("web", type="ClusterIP"))
    mended, change = wait_for_changes(rig.cluster, lambda changes: len(changes) > 1)
    assert mended == replace(problem, message="")
    assert summarize_changes([change]) == [edited(SERVICE, "shop/web")]


def test_a_kind_becomes_synced_although_one_of_its_objects_is_invalid(rig: Rig) -> None:
    rig.put(service("bad", type=60))
    rig.put(service("web"))
    problem, *changes = take_until_synced(rig, SERVICE)
    assert isinstance(problem, ObjectProblem)
    assert summarize_changes(changes) == [added(SERVICE, "shop/web"), synced(SERVICE)]
    assert rig.cluster.exists(build_key(SERVICE, "bad")) is True
    rig.remove(build_key(SERVICE, "bad"))
    assert wait_for_changes(rig.cluster) == [replace(problem, message="")]


def test_a_service_without_status_and_with_500_hostnames_is_read(rig: Rig) -> None:
    many = ",".join(f"w{n}.example.org" for n in range(500))
    rig.put(service("web", annotations={"external-dns.kubernetes.io/hostname": many}))
    take_until_synced(rig, SERVICE)
    shown = rig.cluster.view.get(SERVICE, "shop", "web")
    assert isinstance(shown, Service)
    assert shown.metadata.annotations == {"external-dns.kubernetes.io/hostname": many}
    assert shown.status.load_balancer is None


def test_closing_a_cluster_ends_a_waiting_take_and_can_be_repeated(rig: Rig) -> None:
    take_until_synced(rig, SERVICE)
    waiting = Thread(target=rig.cluster.take, args=(MAX_WAIT_S,))
    waiting.start()
    rig.cluster.close()
    rig.cluster.close()
    waiting.join(MAX_WAIT_S / 2)
    assert not waiting.is_alive()
