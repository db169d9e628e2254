"""What every cluster promises, wherever its objects come from; see `cluster.py` for how to take part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from extdns.model.cluster import ClusterChange, Kind, KindChange, ObjectChange, ObjectKey, ObjectProblem, Phase, Sight
from extdns.model.objects import INGRESS, NODE, SERVICE, Service
from extdns.ports import NotReadyError
from tests.clusters import PATIENCE_S, service, taken, told
from tests.conformance.cluster import RIGS, Json, Make, Rig, key

UNKNOWN = Kind("acme.example", "v1", "Widget", "widgets")


@pytest.fixture(params=RIGS)
def make(request: pytest.FixtureRequest) -> Make:
    return RIGS[request.param]


@pytest.fixture
def rig(make: Make, tmp_path: Path) -> Iterator[Rig]:
    with make(tmp_path, ()) as made:
        yield made


def node(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def ingress(name: str) -> Json:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"rules": [{"host": f"{name}.example.org"}]},
    }


def synced(rig: Rig, *kinds: Kind) -> list[ClusterChange]:
    """What comes until *kinds* are synced."""
    waiting = {rig.cluster.need(kind).kind for kind in kinds}

    def enough(changes: object) -> bool:
        assert isinstance(changes, list)
        return waiting <= {change.state.kind for change in changes if isinstance(change, KindChange)}

    return taken(rig.cluster, enough)


def names(rig: Rig, kind: Kind, namespace: str = "", **labels: str) -> list[str]:
    found = rig.cluster.view.select(kind, namespace, labels)
    return [f"{obj.metadata.namespace}/{obj.metadata.name}" for obj in found]


def test_nothing_comes_before_it_is_needed(rig: Rig) -> None:
    rig.put(service("web"))
    assert rig.cluster.take(0) == ()


def test_a_kind_comes_whole_and_by_key_and_then_it_is_synced(rig: Rig) -> None:
    for obj in (service("web"), service("z", "pay"), service("api"), ingress("web")):
        rig.put(obj)
    state = rig.cluster.need(SERVICE)
    assert (state.kind, state.phase) == (SERVICE, Phase.LISTING)
    assert told(synced(rig, SERVICE)) == [
        "add Service pay/z",
        "add Service shop/api",
        "add Service shop/web",
        "Service is synced",
    ]
    assert rig.cluster.need(SERVICE).phase is Phase.SYNCED
    assert names(rig, SERVICE) == ["pay/z", "shop/api", "shop/web"]


def test_a_kind_of_which_there_is_nothing_is_synced_too(rig: Rig) -> None:
    assert told(synced(rig, SERVICE)) == ["Service is synced"]
    assert names(rig, SERVICE) == []


def test_objects_are_not_shown_before_take_has_told_of_them(rig: Rig) -> None:
    rig.put(service("web"))
    rig.cluster.need(SERVICE)
    with pytest.raises(NotReadyError):
        rig.cluster.view.get(SERVICE, "shop", "web")
    synced(rig, SERVICE)
    assert rig.cluster.view.get(SERVICE, "shop", "web") is not None
    assert rig.cluster.view.get(SERVICE, "shop", "api") is None


def test_a_look_up_makes_a_kind_needed(rig: Rig) -> None:
    rig.put(node("n1"))
    with pytest.raises(NotReadyError):
        rig.cluster.view.select(NODE, "", {})
    came = told(taken(rig.cluster, lambda changes: "Node is synced" in told(changes)))
    assert [line for line in came if line != "Node is listing"] == ["add Node /n1", "Node is synced"]
    assert names(rig, NODE) == ["/n1"]


def test_an_object_comes_changes_and_goes(rig: Rig) -> None:
    synced(rig, SERVICE)
    rig.put(service("web"))
    (added,) = taken(rig.cluster)
    assert isinstance(added, ObjectChange)
    assert (added.key, added.old, added.seen) == (key(SERVICE, "web"), None, Sight.PRESENT)
    rig.put(service("web", type="ClusterIP"))
    (edited,) = taken(rig.cluster)
    assert isinstance(edited, ObjectChange)
    assert edited.old == added.new
    assert isinstance(edited.new, Service)
    assert edited.new.spec.type == "ClusterIP"
    assert rig.cluster.view.get(SERVICE, "shop", "web") == edited.new
    rig.remove(key(SERVICE, "web"))
    (gone,) = taken(rig.cluster)
    assert gone == ObjectChange(key=key(SERVICE, "web"), old=edited.new, new=None, seen=Sight.DELETED)
    assert names(rig, SERVICE) == []


def test_what_no_source_reads_is_no_change(rig: Rig) -> None:
    rig.put(service("web"))
    synced(rig, SERVICE)
    unread = service("web")
    unread["spec"]["sessionAffinity"] = "ClientIP"
    rig.put(unread)
    rig.put(service("api"))
    assert told(taken(rig.cluster)) == ["add Service shop/api"]


def test_kinds_that_nobody_needs_do_not_come(rig: Rig) -> None:
    synced(rig, SERVICE)
    rig.put(ingress("web"))
    rig.put(service("web"))
    assert told(taken(rig.cluster)) == ["add Service shop/web"]
    assert told(synced(rig, INGRESS)) == ["add Ingress shop/web", "Ingress is synced"]


def test_a_kind_that_is_not_known_is_not_served(rig: Rig) -> None:
    rig.cluster.need(UNKNOWN)
    (change,) = taken(rig.cluster)
    assert isinstance(change, KindChange)
    assert (change.state.kind, change.state.phase) == (UNKNOWN, Phase.NOT_SERVED)
    assert "Widget" in change.state.detail
    assert rig.cluster.need(UNKNOWN).phase is Phase.NOT_SERVED
    with pytest.raises(NotReadyError):
        rig.cluster.view.get(UNKNOWN, "shop", "web")


def test_labels_select_within_a_namespace_or_in_all(rig: Rig) -> None:
    rig.put(service("a", labels={"app": "web", "tier": "front"}))
    rig.put(service("b", labels={"app": "web"}))
    rig.put(service("c", "pay", labels={"app": "web", "tier": "front"}))
    synced(rig, SERVICE)
    assert names(rig, SERVICE, "shop", app="web") == ["shop/a", "shop/b"]
    assert names(rig, SERVICE, "", tier="front") == ["pay/c", "shop/a"]
    assert names(rig, SERVICE, "ops", app="web") == []
    rig.put(service("b", labels={"app": "other"}))
    taken(rig.cluster)
    assert names(rig, SERVICE, "shop", app="web") == ["shop/a"]


def test_other_namespaces_are_hidden_but_not_what_is_in_none(make: Make, tmp_path: Path) -> None:
    with make(tmp_path, ("ops", "shop")) as rig:
        for obj in (service("web"), service("job", "ops"), service("api", "pay"), node("n1")):
            rig.put(obj)
        assert sorted(told(synced(rig, SERVICE, NODE))) == [
            "Node is synced",
            "Service is synced",
            "add Node /n1",
            "add Service ops/job",
            "add Service shop/web",
        ]
        rig.put(service("api", "pay", type="ClusterIP"))
        rig.put(service("web", type="ClusterIP"))
        assert told(taken(rig.cluster)) == ["edit Service shop/web"]
        assert rig.cluster.exists(key(SERVICE, "web")) is True
        assert rig.cluster.exists(key(SERVICE, "api", "pay")) is None


def test_existence_is_asked_anew_and_needs_no_list(rig: Rig) -> None:
    rig.put(service("web"))
    assert rig.cluster.exists(key(SERVICE, "web")) is True
    assert rig.cluster.exists(key(SERVICE, "api")) is False
    assert rig.cluster.exists(ObjectKey(UNKNOWN, "shop", "web")) is None


def test_an_object_that_cannot_be_read_fails_alone_and_its_last_good_version_stays(rig: Rig) -> None:
    rig.put(service("web"))
    synced(rig, SERVICE)
    rig.put(service("web", type=60))
    (problem,) = taken(rig.cluster)
    assert isinstance(problem, ObjectProblem)
    assert problem.key == key(SERVICE, "web")
    assert problem.place.endswith(rig.place(key(SERVICE, "web")))
    assert problem.message.startswith("spec.type is the number 60; allowed: a string")
    rig.put(service("api"))
    assert told(taken(rig.cluster)) == ["add Service shop/api"]
    assert names(rig, SERVICE) == ["shop/api", "shop/web"]
    rig.put(service("web", type="ClusterIP"))
    mended, edited = taken(rig.cluster, lambda changes: len(changes) > 1)
    assert mended == ObjectProblem(place=problem.place, key=problem.key, message="")
    assert told([edited]) == ["edit Service shop/web"]


def test_a_kind_is_synced_whatever_one_of_its_objects_is_like(rig: Rig) -> None:
    rig.put(service("bad", type=60))
    rig.put(service("web"))
    problem, *changes = synced(rig, SERVICE)
    assert isinstance(problem, ObjectProblem)
    assert told(changes) == ["add Service shop/web", "Service is synced"]
    assert rig.cluster.exists(key(SERVICE, "bad")) is True
    rig.remove(key(SERVICE, "bad"))
    assert taken(rig.cluster) == [ObjectProblem(place=problem.place, key=problem.key, message="")]


def test_an_object_without_status_and_one_with_many_names_are_objects(rig: Rig) -> None:
    many = ",".join(f"w{n}.example.org" for n in range(500))
    rig.put(service("web", annotations={"external-dns.kubernetes.io/hostname": many}))
    synced(rig, SERVICE)
    shown = rig.cluster.view.get(SERVICE, "shop", "web")
    assert isinstance(shown, Service)
    assert shown.metadata.annotations == {"external-dns.kubernetes.io/hostname": many}
    assert shown.status.load_balancer is None


def test_closing_ends_a_take_that_waits_and_may_be_done_twice(rig: Rig) -> None:
    synced(rig, SERVICE)
    waiting = Thread(target=rig.cluster.take, args=(PATIENCE_S,))
    waiting.start()
    rig.cluster.close()
    rig.cluster.close()
    waiting.join(PATIENCE_S / 2)
    assert not waiting.is_alive()
