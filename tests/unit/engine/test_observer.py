"""Objects whose claims are computed again after a change (docs/design/architecture.md, "Step by step")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import pytest

from extdns.engine.inputs import Cause, Observation
from extdns.engine.observer import Observer
from extdns.errors import ExtdnsError
from extdns.model.claim import Claim
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta
from extdns.model.origin import UNKNOWN_ORIGIN, Origin
from extdns.ports import ClusterView
from extdns.resources.core import Pod
from extdns.resources.externaldns import DNS_ENDPOINT, DnsEndpoint, DnsEndpointMeta, build_finalizer
from tests.bench.largest import count_calls
from tests.builders import SERVICE, build_claim
from tests.fakes.view import FakeView

SLICE = Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
POD = Kind("", "v1", "Pod", "pods")


class Objects(FakeView):
    """A view whose objects tests change."""

    def __init__(self) -> None:
        super().__init__(listed=(SERVICE, SLICE))

    def change(
        self,
        kind: Kind,
        name: str,
        *,
        namespace: str = "shop",
        labels: dict[str, str] | None = None,
        seen: Sighting = Sighting.PRESENT,
    ) -> ObjectChange:
        """Create or replace an object, or remove it if *seen* is not PRESENT. Return the change."""
        key = ObjectKey(kind, namespace, name)
        old = self._objects.pop(key, None)
        new = None
        if seen is Sighting.PRESENT:
            # What an object holds besides its labels does not matter here, so one struct stands for all kinds.
            new = self._objects[key] = Pod(metadata=ObjectMeta(name=name, namespace=namespace, labels=labels))
        return ObjectChange(key=key, old=old, new=new, seen=seen)


Lookups = Callable[[KubernetesObject, ClusterView], Iterable[object]]


@dataclass
class FakeSource:
    """A source of Services that makes the look-ups of *find_dependencies*; each object requests its own name."""

    find_dependencies: Lookups = lambda _obj, _view: ()
    name: str = "service"
    kind: Kind = SERVICE
    computed_names: list[str] = field(default_factory=list)

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        self.computed_names.append(obj.metadata.name)
        list(self.find_dependencies(obj, view))
        return (build_claim(obj.metadata.name, obj.metadata.name),)


def get_slice(obj: KubernetesObject, view: ClusterView) -> Iterable[object]:
    yield view.get(SLICE, "shop", obj.metadata.name)


def select_labelled(obj: KubernetesObject, view: ClusterView) -> Iterable[object]:
    yield view.select(SLICE, "shop", {"service": obj.metadata.name, "tier": "web"})


def select_all(_: KubernetesObject, view: ClusterView) -> Iterable[object]:
    yield view.select(SLICE, "", {})


def start_observer(find_dependencies: Lookups, *names: str) -> tuple[Objects, FakeSource, Observer]:
    """Return a view, a source and an observer that observed the Services *names*."""
    objects, source = Objects(), FakeSource(find_dependencies)
    observer = Observer([source], objects)
    observer.observe([objects.change(SERVICE, name) for name in names])
    source.computed_names.clear()
    return objects, source, observer


def synced(kind: Kind) -> KindChange:
    return KindChange(state=KindState(kind=kind, phase=Phase.SYNCED))


def list_causes(observations: Sequence[Observation]) -> list[tuple[str, Cause]]:
    return [(one.key.name, one.cause) for one in observations]


@pytest.mark.parametrize(
    ("kinds", "seen"),
    [
        pytest.param((SERVICE, SERVICE), Sighting.PRESENT, id="twice"),
        pytest.param((SERVICE, SERVICE), Sighting.DELETED, id="deleted-and-created"),
        pytest.param((SLICE, SERVICE, SLICE), Sighting.PRESENT, id="with-its-dependency"),
    ],
)
def test_simultaneous_changes_of_an_object_are_observed_as_its_last_version(
    kinds: tuple[Kind, ...], seen: Sighting
) -> None:
    objects, source, observer = start_observer(get_slice, "api", "web")
    first, *more = kinds
    changes = [objects.change(first, "web", seen=seen), *(objects.change(kind, "web") for kind in more)]
    assert list_causes(observer.observe(changes)) == [("web", Cause.VERSION)]
    assert source.computed_names == ["web"]


@pytest.mark.parametrize(
    ("seen", "cause"),
    [
        pytest.param(Sighting.DELETED, Cause.DELETED, id="deleted"),
        pytest.param(Sighting.MISSING, Cause.MISSING, id="missing"),
    ],
)
def test_object_has_no_claims_if_deleted_or_missing(seen: Sighting, cause: Cause) -> None:
    objects, source, observer = start_observer(get_slice, "web")
    (observation,) = observer.observe([objects.change(SERVICE, "web", seen=seen)])
    assert (observation.cause, observation.claims, observation.key.resource) == (cause, (), "service/shop/web")
    assert source.computed_names == []


@pytest.mark.parametrize(
    "find_dependencies",
    [
        pytest.param(get_slice, id="by-key"),
        pytest.param(select_labelled, id="by-labels"),
    ],
)
def test_computed_again_when_a_looked_up_object_changes(find_dependencies: Lookups) -> None:
    objects, source, observer = start_observer(find_dependencies, "api", "web")
    labels = {"service": "web", "tier": "web", "other": "label"}
    for seen in (Sighting.PRESENT, Sighting.PRESENT, Sighting.DELETED):
        source.computed_names.clear()
        assert list_causes(observer.observe([objects.change(SLICE, "web", labels=labels, seen=seen)])) == [
            ("web", Cause.DEPENDENCY)
        ]
    assert source.computed_names == ["web"]


def test_missing_dependency_is_reported_until_it_exists_or_was_deleted() -> None:
    objects, _, observer = start_observer(get_slice, "web", "api")
    key = objects.change(SLICE, "web").key
    observer.observe([objects.change(SLICE, "web")])

    def find_missing() -> set[tuple[ObjectKey, ...]]:
        return {one.missing_dependencies for one in observer.observe([objects.change(SERVICE, "web")])}

    assert find_missing() == {()}
    (found,) = observer.observe([objects.change(SLICE, "web", seen=Sighting.MISSING)])
    assert found.missing_dependencies == (key,)
    assert find_missing() == {(key,)}
    observer.observe([objects.change(SLICE, "web")])
    assert find_missing() == {()}
    observer.observe([objects.change(SLICE, "web", seen=Sighting.MISSING)])
    observer.observe([ObjectChange(key=key, old=None, new=None, seen=Sighting.DELETED)])
    assert find_missing() == {()}


def test_computed_again_when_an_object_leaves_a_selection_by_labels() -> None:
    objects, _, observer = start_observer(select_labelled, "api", "web")
    observer.observe([objects.change(SLICE, "s-1", labels={"service": "web", "tier": "web"})])
    assert list_causes(observer.observe([objects.change(SLICE, "s-1", labels={"service": "api", "tier": "web"})])) == [
        ("api", Cause.DEPENDENCY),
        ("web", Cause.DEPENDENCY),
    ]
    assert observer.observe([objects.change(SLICE, "s-2", labels={"service": "web"})]) == ()


def test_computed_again_when_one_of_many_waiting_versions_of_an_object_is_selected() -> None:
    objects, source, observer = start_observer(select_labelled, "api")
    observer.observe([objects.change(SLICE, str(number)) for number in range(20)], for_s=0.0)
    for service in ("api", *"abcdefghijkl"):
        change = objects.change(SLICE, "s-1", labels={"service": service, "tier": "web"})
        observer.observe([change], for_s=0.0)
    while not observer.is_done:
        observer.observe([])
    assert "api" in source.computed_names


def test_computed_again_when_any_object_of_a_selected_kind_changes() -> None:
    objects, _, observer = start_observer(select_all, "api", "web")
    assert list_causes(observer.observe([objects.change(SLICE, "any")])) == [
        ("api", Cause.DEPENDENCY),
        ("web", Cause.DEPENDENCY),
    ]


def test_changes_of_other_objects_do_not_wait_for_the_many_that_depend_on_one() -> None:
    objects, source, observer = start_observer(select_all, "a", "b", "c", "d")
    observer.observe([objects.change(SLICE, "any")], for_s=0.0)
    for changes in ([objects.change(SERVICE, "d")], [], []):
        observer.observe(changes, for_s=0.0)
    assert source.computed_names == ["a", "d"]
    assert not observer.is_done
    observer.observe([synced(POD)])
    assert source.computed_names == ["a", "d", "b", "c"]
    assert observer.is_done


def test_what_depends_on_an_object_does_not_wait_while_others_of_its_namespace_change_all_the_time() -> None:
    objects, source, observer = start_observer(get_slice, "a", "b", "web")
    seconds = count()
    observer.observe([objects.change(SLICE, "web")], for_s=0.0)
    for name in "abab":
        observer.observe([objects.change(SERVICE, name)], for_s=2.0, read_s=lambda: next(seconds))
    assert "web" in source.computed_names


def test_changes_and_what_depends_on_all_of_them_cost_their_sum() -> None:
    def find(count: int) -> int:
        objects, _, observer = start_observer(select_all, *map(str, range(count)))
        changes = [objects.change(SLICE, str(number)) for number in range(count)]
        return count_calls(partial(observer.observe, changes, for_s=0.0))[1]

    assert find(80) <= 2.3 * find(40)


def test_a_change_takes_no_longer_if_many_objects_select_others_with_a_label_that_they_have_in_common() -> None:
    def find(count: int) -> int:
        objects, _, observer = start_observer(select_with_common_label, *map(str, range(count)))
        change = objects.change(SLICE, "any", labels={"service": "other", "app": "shop"})
        return count_calls(observer.observe, [change])[1]

    def select_with_common_label(obj: KubernetesObject, view: ClusterView) -> Iterable[object]:
        yield view.select(SLICE, "shop", {"service": obj.metadata.name, "app": "shop"})

    assert find(80) == find(40)


def test_an_object_that_exists_for_lookups_is_forgotten_when_the_last_claim_that_depends_on_it_ends() -> None:
    class OnDemand(Objects):
        def __init__(self) -> None:
            super().__init__()
            self.forgotten: list[str] = []

        def forget(self, key: ObjectKey) -> None:
            self.forgotten.append(key.name)

    objects = OnDemand()
    observer = Observer([FakeSource(lambda _, view: [view.get(SLICE, "shop", "host")])], objects)
    observer.observe([objects.change(SERVICE, name) for name in ("a", "b")])
    observer.observe([objects.change(SERVICE, "a", seen=Sighting.DELETED)])
    assert objects.forgotten == []
    observer.observe([objects.change(SERVICE, "b", seen=Sighting.DELETED)])
    assert objects.forgotten == ["host"]


def test_an_object_that_cannot_be_observed_affects_none_that_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(metadata: ObjectMeta) -> Origin:
        assert metadata.name != "b"
        return UNKNOWN_ORIGIN

    objects, _, observer = start_observer(select_all, "a", "b", "c")
    monkeypatch.setattr("extdns.engine.observer.read_origin", fail)
    first = observer.observe([objects.change(SLICE, "any")], for_s=0.0)
    found = {one.key.name: bool(one.failure) for one in (*first, *observer.observe([]))}
    assert found == {"a": False, "b": True, "c": False}


def test_namespaces_take_turns_if_many_objects_depend_on_changed_ones() -> None:
    objects, source, observer = start_observer(
        lambda obj, view: [view.select(SLICE, obj.metadata.namespace, {})], "a", "b", "c"
    )
    observer.observe([objects.change(SERVICE, "z", namespace="zoo")])
    source.computed_names.clear()
    observer.observe([objects.change(SLICE, "any")], for_s=0.0)
    observer.observe([objects.change(SLICE, "any", namespace="zoo")])
    assert source.computed_names == ["a", "z", "b", "c"]


def test_namespaces_take_turns_if_many_objects_change() -> None:
    objects, source, observer = start_observer(get_slice)
    observer.observe([objects.change(SERVICE, name) for name in ("a", "b", "c")], for_s=0.0)
    observer.observe([objects.change(SERVICE, "z", namespace="zoo")])
    assert source.computed_names == ["z", "a", "b", "c"]


def test_objects_that_take_long_wait_for_those_of_other_namespaces() -> None:
    now_s = 0.0

    def take_long(obj: KubernetesObject, _: ClusterView) -> Iterable[object]:
        nonlocal now_s
        now_s += 1.0 if obj.metadata.namespace == "shop" else 0.1
        return ()

    objects, source = Objects(), FakeSource(take_long)
    observer = Observer([source], objects)
    for namespace, names in (("shop", "abc"), ("zoo", "xyz"), ("", "")):
        changes = [objects.change(SERVICE, name, namespace=namespace) for name in names]
        observer.observe(changes, for_s=0.0 if names else 9.0, read_s=lambda: now_s)
    assert source.computed_names == ["a", "x", "y", "z", "b", "c"]


def test_what_depends_on_an_object_does_not_wait_for_changed_objects_of_another_namespace_that_take_long() -> None:
    now_s = 0.0

    def look_up(obj: KubernetesObject, view: ClusterView) -> Iterable[object]:
        nonlocal now_s
        now_s += 1.0 if obj.metadata.namespace == "shop" else 0.1
        return [view.get(SLICE, obj.metadata.namespace, "any")]

    objects, source = Objects(), FakeSource(look_up)
    observer = Observer([source], objects)
    observer.observe([objects.change(SERVICE, name, namespace="zoo") for name in ("x", "y", "z")])
    source.computed_names.clear()
    observer.observe([objects.change(SERVICE, name) for name in ("a", "b", "c")], for_s=0.0, read_s=lambda: now_s)
    observer.observe([objects.change(SLICE, "any", namespace="zoo")], read_s=lambda: now_s)
    assert source.computed_names == ["x", "a", "y", "z", "b", "c"]


def test_an_object_that_waits_is_observed_as_changed_although_it_depends_on_another() -> None:
    objects, _, observer = start_observer(get_slice, "a", "b", "c")
    gone = [objects.change(SERVICE, name, seen=Sighting.DELETED) for name in ("a", "b", "c")]
    first = observer.observe(gone, for_s=0.0)
    more = [observer.observe([objects.change(SLICE, "c")], for_s=0.0), observer.observe([])]
    found = [*first, *(one for observations in more for one in observations)]
    assert sorted(list_causes(found)) == [(name, Cause.DELETED) for name in ("a", "b", "c")]


@pytest.mark.parametrize("phase", [Phase.SYNCED, Phase.NOT_SERVED])
def test_the_phase_of_a_kind_changes_after_the_objects_of_this_kind_that_changed_before(phase: Phase) -> None:
    objects, source, observer = start_observer(get_slice)
    pods, services = KindState(kind=POD, phase=phase), KindState(kind=SERVICE, phase=phase)
    observer.observe([objects.change(SERVICE, name) for name in ("a", "b", "c")], for_s=0.0)
    observer.observe([KindChange(state=services), KindChange(state=pods)], for_s=0.0)
    for _ in range(3):
        observer.observe([], for_s=0.0)
    assert source.computed_names == ["a", "b"]
    assert observer.take_states() == (pods,)
    for changes in ([objects.change(SERVICE, "d")], []):
        observer.observe(changes, for_s=0.0)
    assert source.computed_names == ["a", "b", "c"]
    assert observer.take_states() == (services,)
    assert not observer.is_done


def test_what_depends_on_a_changed_object_is_found_soon_although_many_objects_of_another_namespace_changed() -> None:
    objects, source, observer = start_observer(lambda obj, view: [view.select(SLICE, obj.metadata.namespace, {})])
    observer.observe([objects.change(SERVICE, "z", namespace="zoo")])
    observer.observe([objects.change(SLICE, f"s-{number}") for number in range(9)], for_s=0.0)
    observer.observe([objects.change(SLICE, "any", namespace="zoo")], for_s=0.0)
    for _ in range(3):
        observer.observe([], for_s=0.0)
    assert source.computed_names == ["z", "z"]
    assert not observer.is_done


def test_not_computed_if_only_a_deleted_object_looked_the_object_up() -> None:
    objects, _, observer = start_observer(select_labelled, "web")
    observer.observe([objects.change(SERVICE, "web", seen=Sighting.DELETED)])
    assert observer.observe([objects.change(SLICE, "web", labels={"service": "web", "tier": "web"})]) == ()
    dependencies = observer._dependencies
    assert [len(dependencies._lookups), len(dependencies._requesters), len(dependencies._selections)] == [0, 0, 0]


def test_no_claims_until_the_kind_looked_up_was_listed() -> None:
    objects, source, observer = start_observer(lambda _, view: [view.select(POD, "shop", {})])
    (waiting,) = observer.observe([objects.change(SERVICE, "web")])
    assert (waiting.awaited_kind, waiting.claims) == (POD, ())
    assert waiting.failure
    objects._listed.add(POD)
    observer.observe([KindChange(state=KindState(kind=POD, phase=Phase.FAILING))])
    assert source.computed_names == ["web"]
    (freed,) = observer.observe([synced(POD)])
    assert (freed.awaited_kind, freed.failure, freed.cause) == (None, "", Cause.DEPENDENCY)
    assert freed.claims
    assert observer.observe([synced(POD)]) == ()


def test_keeps_waiting_when_a_kind_of_that_name_in_another_group_is_listed() -> None:
    objects, source, observer = start_observer(lambda _, view: [view.select(POD, "shop", {})])
    observer.observe([objects.change(SERVICE, "web")])
    assert observer.observe([synced(POD._replace(group="acme.test"))]) == ()
    assert source.computed_names == ["web"]


def test_object_deleted_while_it_waited_for_a_kind_stays_deleted() -> None:
    objects, _, observer = start_observer(lambda _, view: [view.select(POD, "shop", {})])
    observer.observe([objects.change(SERVICE, "web")])
    observer.observe([objects.change(SERVICE, "web", seen=Sighting.DELETED)])
    objects._listed.add(POD)
    assert not any(observer._waiting.values())
    assert observer.observe([synced(POD)]) == ()


def test_object_waits_until_its_own_kind_has_been_listed() -> None:
    objects, _, observer = start_observer(get_slice)
    objects._listed.discard(SERVICE)
    (waiting,) = observer.observe([objects.change(SERVICE, "web")])
    assert waiting.awaited_kind == SERVICE
    objects._listed.add(SERVICE)
    (freed,) = observer.observe([synced(SERVICE)])
    assert freed.claims


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (ExtdnsError("not a name"), "not a name"),
    ],
    ids=["a defect", "an expected error"],
)
def test_exception_in_a_source_fails_only_the_object_that_caused_it(error: Exception, failure: str) -> None:
    def find_dependencies(obj: KubernetesObject, view: ClusterView) -> Iterable[object]:
        yield view.get(SLICE, "shop", obj.metadata.name)
        if obj.metadata.name == "bad" and not obj.metadata.labels:
            raise error

    objects, source, observer = start_observer(find_dependencies)
    changes: list[ClusterChange] = [objects.change(SERVICE, name) for name in ("api", "bad", "web")]
    changes.insert(1, ObjectProblem(location="shop.yaml:12", key=None, message="not YAML"))
    found = {one.key.name: one for one in observer.observe(changes)}
    assert source.computed_names == ["api", "bad", "web"]
    assert found["bad"].failure == failure
    assert found["api"].claims
    assert found["web"].claims
    assert list_causes(observer.observe([objects.change(SLICE, "bad")])) == [("bad", Cause.DEPENDENCY)]


def test_computed_by_every_source_of_the_kind() -> None:
    objects = Objects()
    sources = [FakeSource(name="one"), FakeSource(name="two"), FakeSource(name="other", kind=POD)]
    observer = Observer(sources, objects)
    assert [one.source for one in observer.observe([objects.change(SERVICE, "web")])] == ["one", "two"]
    assert observer.computed == 2


def test_unlisted_object_is_a_missing_dependency_of_selections_by_labels() -> None:
    labels = {"service": "web", "tier": "web"}
    objects, _, observer = start_observer(select_labelled, "web", "api")
    observer.observe([objects.change(SLICE, "web-1", labels=labels), objects.change(SLICE, "web-2", labels=labels)])
    (web,) = observer.observe([objects.change(SLICE, "web-1", seen=Sighting.MISSING)])
    assert (web.key.name, web.missing_dependencies) == ("web", (ObjectKey(SLICE, "shop", "web-1"),))
    (web,) = observer.observe([objects.change(SERVICE, "web")])
    assert web.missing_dependencies, "the dependency is also missing for the next version of the object"
    (api,) = observer.observe([objects.change(SERVICE, "api")])
    assert not api.missing_dependencies
    (web,) = observer.observe([objects.change(SLICE, "web-1", labels=labels)])
    assert not web.missing_dependencies


def test_dependency_is_missing_for_an_object_that_was_itself_missing() -> None:
    objects, _, observer = start_observer(get_slice, "web")
    observer.observe([objects.change(SLICE, "web")])
    observer.observe([objects.change(SERVICE, "web", seen=Sighting.MISSING)])
    assert observer.observe([objects.change(SLICE, "web", seen=Sighting.MISSING)]) == ()
    (web,) = observer.observe([objects.change(SERVICE, "web")])
    assert web.missing_dependencies == (ObjectKey(SLICE, "shop", "web"),)


def test_only_a_bounded_number_of_lookups_of_missing_objects_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.engine.observer._MAX_ABSENT", 3)
    names = [f"web{number}" for number in range(9)]
    objects, _, observer = start_observer(get_slice, *names)
    observer.observe([objects.change(SERVICE, name, seen=Sighting.MISSING) for name in names])
    assert len(observer._absent) == len(observer._dependencies._lookups) == 3


def test_missing_objects_are_not_stored_if_nothing_depends_on_them() -> None:
    objects, _, observer = start_observer(get_slice, "web")
    for number in range(300):
        observer.observe([objects.change(SLICE, f"other-{number}")])
        observer.observe([objects.change(SLICE, f"other-{number}", seen=Sighting.MISSING)])
    assert len(observer._missing) < 100


@pytest.mark.parametrize(
    ("finalizer", "cause"),
    [
        pytest.param(build_finalizer("me"), Cause.DELETED, id="ours"),
        pytest.param("acme.test/keep", Cause.VERSION, id="of-another-program"),
    ],
)
def test_a_deleted_object_is_gone_if_it_only_waits_for_its_records(finalizer: str, cause: Cause) -> None:
    deleted_at = "2026-01-01T00:00:00Z"
    metadata = DnsEndpointMeta(name="x", namespace="shop", deletion_timestamp=deleted_at, finalizers=(finalizer,))
    obj, key = DnsEndpoint(metadata=metadata), ObjectKey(DNS_ENDPOINT, "shop", "x")
    observer = Observer([FakeSource(kind=DNS_ENDPOINT)], FakeView(obj))
    (found,) = observer.observe([ObjectChange(key=key, old=None, new=obj, seen=Sighting.PRESENT)])
    is_gone = cause is Cause.DELETED
    assert (found.cause, bool(found.claims), found.deleted_at) == (cause, not is_gone, deleted_at if is_gone else None)
