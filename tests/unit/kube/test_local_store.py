"""The local store: lookups, order, indexes, and what counts as a change."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.kube.local_store import LocalStore, is_unchanged
from extdns.model.cluster import KindChange, KindState, ObjectChange, Phase
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta
from extdns.ports import ClusterView, NotSyncedError
from extdns.resources.core import NODE, POD, SERVICE, Pod, Service, ServiceSpec
from extdns.resources.extdns import DnsPolicy
from extdns.resources.externaldns import DnsEndpoint, DnsEndpointMeta


def pod(namespace: str, name: str, labels: Mapping[str, str] | None = None) -> Pod:
    return Pod(metadata=ObjectMeta(name=name, namespace=namespace, labels=dict(labels) if labels is not None else None))


def put(obj: KubernetesObject, kind: Kind = POD) -> ObjectChange:
    return ObjectChange(key=ObjectKey(kind, obj.metadata.namespace, obj.metadata.name), old=None, new=obj)


def drop(namespace: str, name: str) -> ObjectChange:
    return ObjectChange(key=ObjectKey(POD, namespace, name), old=None, new=None)


def in_phase(phase: Phase, kind: Kind = POD) -> KindChange:
    return KindChange(state=KindState(kind=kind, phase=phase))


def store(*objects: KubernetesObject, kind: Kind = POD) -> LocalStore:
    made = LocalStore(lambda _: None)
    made.apply([*(put(obj, kind) for obj in objects), in_phase(Phase.SYNCED, kind)])
    return made


def names(found: tuple[KubernetesObject, ...]) -> list[str]:
    return [f"{obj.metadata.namespace}/{obj.metadata.name}" for obj in found]


def test_looking_up_a_kind_that_is_not_synced_requests_it_and_raises_not_synced() -> None:
    needed: list[Kind] = []
    view: ClusterView = LocalStore(needed.append)
    with pytest.raises(NotSyncedError, match="Pod objects are not listed yet"):
        view.get(POD, "shop", "web")
    with pytest.raises(NotSyncedError, match="Node objects are not listed yet"):
        view.select(NODE, "", {})
    assert needed == [POD, NODE]


def test_objects_cannot_be_looked_up_until_the_list_of_their_kind_is_complete() -> None:
    made = LocalStore(lambda _: None)
    made.apply([put(pod("shop", "a")), in_phase(Phase.LISTING)])
    with pytest.raises(NotSyncedError):
        made.get(POD, "shop", "a")
    assert made.peek(ObjectKey(POD, "shop", "a")) == pod("shop", "a")


def test_the_keys_of_a_kind_are_those_of_all_its_objects() -> None:
    made = store(pod("shop", "a"), pod("pay", "b"))
    made.apply([drop("shop", "a")])
    assert list(made.list_keys(POD)) == [ObjectKey(POD, "pay", "b")]


def test_a_kind_that_was_synced_stays_readable_while_its_watch_fails() -> None:
    made = store(pod("shop", "a"))
    made.apply([in_phase(Phase.FAILING)])
    assert made.get(POD, "shop", "a") == pod("shop", "a")


def test_select_takes_changed_labels_into_account() -> None:
    made = store(pod("shop", "a", {"app": "web"}), pod("shop", "b", {"app": "web"}), pod("shop", "c", {"app": "api"}))
    assert names(made.select(POD, "shop", {"app": "web"})) == ["shop/a", "shop/b"]
    made.apply([drop("shop", "a"), put(pod("shop", "b", {"app": "api"})), put(pod("shop", "d", {"app": "web"}))])
    assert names(made.select(POD, "shop", {"app": "web"})) == ["shop/d"]
    assert names(made.select(POD, "shop", {"app": "api"})) == ["shop/b", "shop/c"]
    made.apply([drop("shop", name) for name in "bcd"])
    assert names(made.select(POD, "shop", {"app": "api"})) == []


LABELS = st.none() | st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"), min_size=1)
CHANGES = st.tuples(st.sampled_from(["n1", "n2"]), st.sampled_from("pq"), st.none() | st.just("put"), LABELS)
SELECTORS = st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy")) | st.just(dict.fromkeys("bcdefghij", "x"))
QUERIES = st.tuples(st.sampled_from(["", "n1", "n2"]), SELECTORS)


@given(st.lists(st.one_of(CHANGES, QUERIES), max_size=30))
def test_select_returns_the_same_as_a_search_of_all_objects(steps: list[tuple[object, ...]]) -> None:
    made, naive = store(), dict[tuple[str, str], Pod]()
    for step in steps:
        match step:
            case (str() as namespace, str() as name, None, _):
                naive.pop((namespace, name), None)
                made.apply([drop(namespace, name)])
            case (str() as namespace, str() as name, str(), labels):
                assert labels is None or isinstance(labels, dict)
                naive[namespace, name] = pod(namespace, name, labels)
                made.apply([put(naive[namespace, name])])
            case (str() as namespace, dict() as labels):
                expected = tuple(
                    obj
                    for (obj_namespace, _), obj in sorted(naive.items())
                    if namespace in ("", obj_namespace) and labels.items() <= (obj.metadata.labels or {}).items()
                )
                assert made.select(POD, namespace, labels) == expected
            case _:
                raise AssertionError(step)


def test_lookups_by_ever_new_labels_read_each_object_a_few_times_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def read_labels(one: KubernetesObject) -> Mapping[str, str]:
        read.append(one.metadata.name)
        return one.metadata.labels or {}

    monkeypatch.setattr(KubernetesObject, "selectable", property(read_labels))
    made = store(pod("shop", "a", {"app": "web", "tier": "x"}), pod("pay", "b", {"app": "web"}), pod("pay", "c"))
    for number in range(100):
        assert made.select(POD, "", {f"absent{number}": ""}) == made.select(POD, "pay", {f"absent{number}": ""}) == ()
        assert names(made.select(POD, "", {"tier": "x"})) == ["shop/a"]
    assert names(made.select(POD, "", {"app": "web"})) == ["pay/b", "shop/a"]
    assert len(read) < 60


def test_a_lookup_indexes_only_the_labels_that_it_asks_for() -> None:
    found = store(pod("shop", "many", {f"label{number}": "x" for number in range(1000)}))
    tracemalloc.start()
    try:
        assert names(found.select(POD, "", {"label7": "x"})) == ["shop/many"]
        stored, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert stored < 20_000


def test_looking_up_thousands_of_labels_takes_no_memory() -> None:
    many = {f"label{number}": "x" for number in range(1000)}
    found = store(pod("shop", "web", {"app": "web"}), pod("shop", "many", many))
    assert names(found.select(POD, "", many)) == ["shop/many"]  # makes the index, of what objects have
    tracemalloc.start()
    try:
        for number in range(1000):
            assert found.select(POD, "", {f"absent{number}": "x", "app": "web"}) == ()
        assert [one.metadata.name for one in found.select(POD, "", many)] == ["many"]
        assert found.select(POD, "", {**many, "absent": "x"}) == ()
        stored, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert stored < 50_000


def service(version: str, generation: int = 0, type_: str = "") -> Service:
    metadata = ObjectMeta(name="web", namespace="shop", resource_version=version, generation=generation)
    return Service(metadata=metadata, spec=ServiceSpec(type=type_))


@pytest.mark.parametrize(
    ("new", "same"),
    [
        pytest.param(service("1"), True, id="equal"),
        pytest.param(service("2", generation=7), True, id="only-versions-differ"),
        pytest.param(service("2", type_="NodePort"), False, id="spec-differs"),
        pytest.param(Service(metadata=ObjectMeta(name="web", namespace="shop", uid="u")), False, id="another-uid"),
    ],
)
def test_a_service_counts_as_changed_if_its_spec_or_uid_differs_and_not_if_only_its_versions_do(
    new: Service, same: bool
) -> None:
    assert is_unchanged(service("1"), new) is same


@pytest.mark.parametrize("kind", [DnsEndpoint, DnsPolicy])
@pytest.mark.parametrize(("generation", "same"), [(1, True), (2, False)])
def test_a_new_generation_is_a_change_of_an_object_whose_status_extdns_writes_and_a_new_resource_version_is_not(
    kind: type[DnsEndpoint | DnsPolicy], generation: int, *, same: bool
) -> None:
    old = kind(metadata=DnsEndpointMeta(name="web", resource_version="1", generation=1))
    new = kind(metadata=DnsEndpointMeta(name="web", resource_version="2", generation=generation))

    assert is_unchanged(old, new) is same


def test_an_object_cannot_be_looked_up_under_another_kind() -> None:
    made = store(pod("shop", "a"))
    with pytest.raises(NotSyncedError):
        made.get(SERVICE, "shop", "a")
