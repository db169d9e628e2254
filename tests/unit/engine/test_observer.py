"""Which objects are asked again when something changes (design 4, "Source")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from extdns.engine.inputs import Cause, Observation
from extdns.engine.observer import Observer
from extdns.model.claim import Claim
from extdns.model.cluster import (
    ClusterChange,
    Kind,
    KindChange,
    KindState,
    ObjectChange,
    ObjectKey,
    ObjectProblem,
    Phase,
    Sight,
)
from extdns.model.lean import ObjectMeta
from extdns.model.objects import KubernetesObject, Service
from extdns.ports import NotReadyError, View
from tests.unit.engine.stage import SERVICE, wants

SLICE = Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
POD = Kind("", "v1", "Pod", "pods")


@dataclass
class Objects:
    """A view that tests change; of kinds not in *listed* nothing is known."""

    listed: set[Kind] = field(default_factory=lambda: {SERVICE, SLICE})
    known: dict[ObjectKey, KubernetesObject] = field(default_factory=dict)

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        self._require(kind)
        return self.known.get(ObjectKey(kind, namespace, name))

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        self._require(kind)
        return [
            obj
            for key, obj in sorted(self.known.items(), key=lambda item: item[0])
            if key.kind == kind
            and namespace in {"", key.namespace}
            and labels.items() <= (obj.metadata.labels or {}).items()
        ]

    def _require(self, kind: Kind) -> None:
        if kind not in self.listed:
            raise NotReadyError(kind)

    def change(
        self, kind: Kind, name: str, *, labels: dict[str, str] | None = None, seen: Sight = Sight.PRESENT
    ) -> ObjectChange:
        """An object is new or modified; it goes if *seen* says so."""
        key = ObjectKey(kind, "shop", name)
        old = self.known.pop(key, None)
        new = None
        if seen is Sight.PRESENT:
            # What an object holds besides its labels does not matter here, so one struct stands for all kinds.
            new = self.known[key] = Service(metadata=ObjectMeta(name=name, namespace="shop", labels=labels))
        return ObjectChange(key=key, old=old, new=new, seen=seen)


Ask = Callable[[KubernetesObject, View], Iterable[object]]


@dataclass
class FakeSource:
    """Follows Services; *ask* makes the look-ups, and every object wants its own name."""

    ask: Ask = lambda _obj, _view: ()
    name: str = "service"
    kind: Kind = SERVICE
    asked: list[str] = field(default_factory=list)

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        self.asked.append(obj.metadata.name)
        list(self.ask(obj, view))
        return (wants(obj.metadata.name, obj.metadata.name),)


def slice_of(obj: KubernetesObject, view: View) -> Iterable[object]:
    """Look up the EndpointSlice of the same name."""
    yield view.get(SLICE, "shop", obj.metadata.name)


def slices_labelled(obj: KubernetesObject, view: View) -> Iterable[object]:
    """Look up the EndpointSlices that belong to the Service."""
    yield view.select(SLICE, "shop", {"service": obj.metadata.name, "tier": "web"})


def all_slices(_: KubernetesObject, view: View) -> Iterable[object]:
    yield view.select(SLICE, "", {})


def scene(ask: Ask, *names: str) -> tuple[Objects, FakeSource, Observer]:
    """Services *names* were seen."""
    objects, source = Objects(), FakeSource(ask)
    observer = Observer([source], objects)
    observer.observe([objects.change(SERVICE, name) for name in names])
    source.asked.clear()
    return objects, source, observer


def synced(kind: Kind) -> KindChange:
    return KindChange(state=KindState(kind=kind, phase=Phase.SYNCED))


def told(observations: Sequence[Observation]) -> list[tuple[str, Cause]]:
    return [(one.key.name, one.cause) for one in observations]


def test_a_changed_object_is_asked_once_and_no_other_is() -> None:
    objects, source, observer = scene(slice_of, "api", "web")
    assert told(observer.observe([objects.change(SERVICE, "web"), objects.change(SERVICE, "web")])) == [
        ("web", Cause.VERSION)
    ]
    assert source.asked == ["web"]


@pytest.mark.parametrize(
    ("seen", "cause"),
    [
        pytest.param(Sight.DELETED, Cause.DELETED, id="deleted"),
        pytest.param(Sight.MISSING, Cause.MISSING, id="missing"),
    ],
)
def test_an_object_that_went_is_not_asked(seen: Sight, cause: Cause) -> None:
    objects, source, observer = scene(slice_of, "web")
    (observation,) = observer.observe([objects.change(SERVICE, "web", seen=seen)])
    assert (observation.cause, observation.claims, observation.key.resource) == (cause, (), "service/shop/web")
    assert source.asked == []


def test_of_changes_of_one_object_the_last_counts() -> None:
    objects, _, observer = scene(slice_of, "web")
    changes = [objects.change(SERVICE, "web", seen=Sight.DELETED), objects.change(SERVICE, "web")]
    assert told(observer.observe(changes)) == [("web", Cause.VERSION)]


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(slice_of, id="by-key"),
        pytest.param(slices_labelled, id="by-labels"),
    ],
)
def test_what_was_looked_up_makes_its_asker_due_also_when_it_was_not_found(ask: Ask) -> None:
    objects, source, observer = scene(ask, "api", "web")
    labels = {"service": "web", "tier": "web", "other": "label"}
    for seen in (Sight.PRESENT, Sight.PRESENT, Sight.DELETED):
        source.asked.clear()
        assert told(observer.observe([objects.change(SLICE, "web", labels=labels, seen=seen)])) == [
            ("web", Cause.DEPENDENCY)
        ]
    assert source.asked == ["web"]


def test_who_rests_on_what_a_list_lacks_is_told_so_until_it_is_there_or_deleted() -> None:
    objects, _, observer = scene(slice_of, "web", "api")
    key = objects.change(SLICE, "web").key
    observer.observe([objects.change(SLICE, "web")])

    def lacking() -> set[tuple[ObjectKey, ...]]:
        return {one.lacking for one in observer.observe([objects.change(SERVICE, "web")])}

    assert lacking() == {()}
    (found,) = observer.observe([objects.change(SLICE, "web", seen=Sight.MISSING)])
    assert found.lacking == (key,)
    assert lacking() == {(key,)}
    observer.observe([objects.change(SLICE, "web")])
    assert lacking() == {()}
    observer.observe([objects.change(SLICE, "web", seen=Sight.MISSING)])
    observer.observe([ObjectChange(key=key, old=None, new=None, seen=Sight.DELETED)])
    assert lacking() == {()}


def test_a_complete_list_is_all_of_a_selection() -> None:
    objects, _, observer = scene(slices_labelled, "web")
    observer.observe([objects.change(SLICE, "a", labels={"service": "web", "tier": "web"})])
    (found,) = observer.observe([objects.change(SLICE, "a", seen=Sight.MISSING)])
    assert found.lacking == ()


def test_an_object_that_leaves_a_selection_makes_its_asker_due() -> None:
    objects, _, observer = scene(slices_labelled, "api", "web")
    observer.observe([objects.change(SLICE, "s-1", labels={"service": "web", "tier": "web"})])
    assert told(observer.observe([objects.change(SLICE, "s-1", labels={"service": "api", "tier": "web"})])) == [
        ("api", Cause.DEPENDENCY),
        ("web", Cause.DEPENDENCY),
    ]
    assert observer.observe([objects.change(SLICE, "s-2", labels={"service": "web"})]) == ()


def test_a_selection_of_everything_covers_everything() -> None:
    objects, _, observer = scene(all_slices, "api", "web")
    assert told(observer.observe([objects.change(SLICE, "any")])) == [
        ("api", Cause.DEPENDENCY),
        ("web", Cause.DEPENDENCY),
    ]


def test_look_ups_of_former_versions_are_forgotten() -> None:
    objects, source, observer = scene(slice_of, "web")
    source.ask = lambda _obj, _view: ()
    observer.observe([objects.change(SERVICE, "web")])
    assert observer.observe([objects.change(SLICE, "web")]) == ()


def test_look_ups_of_an_object_that_went_are_forgotten() -> None:
    objects, _, observer = scene(slices_labelled, "web")
    observer.observe([objects.change(SERVICE, "web", seen=Sight.DELETED)])
    assert observer.observe([objects.change(SLICE, "web", labels={"service": "web", "tier": "web"})]) == ()
    kept = observer._dependencies
    assert [len(kept._lookups), len(kept._askers), len(kept._selections)] == [0, 0, 0]


def test_the_objects_own_change_outweighs_that_of_what_it_rests_on() -> None:
    objects, _, observer = scene(slice_of, "web")
    changes = [objects.change(SLICE, "web"), objects.change(SERVICE, "web"), objects.change(SLICE, "web")]
    assert told(observer.observe(changes)) == [("web", Cause.VERSION)]


def test_an_object_is_parked_until_the_kind_it_needs_was_listed() -> None:
    objects, source, observer = scene(lambda _, view: [view.select(POD, "shop", {})])
    (parked,) = observer.observe([objects.change(SERVICE, "web")])
    assert (parked.parked_on, parked.claims) == (POD, ())
    assert parked.failure
    objects.listed.add(POD)
    observer.observe([KindChange(state=KindState(kind=POD, phase=Phase.FAILING))])
    assert source.asked == ["web"]
    (freed,) = observer.observe([synced(POD)])
    assert (freed.parked_on, freed.failure, freed.cause) == (None, "", Cause.DEPENDENCY)
    assert freed.claims
    assert observer.observe([synced(POD)]) == ()


def test_an_object_is_parked_until_that_kind_was_listed_whatever_others_are_called_the_same() -> None:
    objects, source, observer = scene(lambda _, view: [view.select(POD, "shop", {})])
    observer.observe([objects.change(SERVICE, "web")])
    assert observer.observe([synced(POD._replace(group="acme.test"))]) == ()
    assert source.asked == ["web"]


def test_an_object_that_went_while_it_was_parked_stays_gone() -> None:
    objects, _, observer = scene(lambda _, view: [view.select(POD, "shop", {})])
    observer.observe([objects.change(SERVICE, "web")])
    observer.observe([objects.change(SERVICE, "web", seen=Sight.DELETED)])
    objects.listed.add(POD)
    assert [one.claims for one in observer.observe([synced(POD)])] in ([], [()])


def test_an_object_of_a_kind_that_is_not_listed_yet_is_parked_too() -> None:
    objects, _, observer = scene(slice_of)
    objects.listed.discard(SERVICE)
    (parked,) = observer.observe([objects.change(SERVICE, "web")])
    assert parked.parked_on == SERVICE
    objects.listed.add(SERVICE)
    (freed,) = observer.observe([synced(SERVICE)])
    assert freed.claims


def test_one_object_that_breaks_a_source_costs_only_itself() -> None:
    def ask(obj: KubernetesObject, view: View) -> Iterable[object]:
        yield view.get(SLICE, "shop", obj.metadata.name)
        if obj.metadata.name == "bad" and not obj.metadata.labels:
            raise ZeroDivisionError("division by zero")

    objects, source, observer = scene(ask)
    changes: list[ClusterChange] = [objects.change(SERVICE, name) for name in ("api", "bad", "web")]
    changes.insert(1, ObjectProblem(place="shop.yaml:12", key=None, message="not YAML"))
    found = {one.key.name: one for one in observer.observe(changes)}
    assert source.asked == ["api", "bad", "web"]
    assert found["bad"].failure == "ZeroDivisionError: division by zero"
    assert found["api"].claims
    assert found["web"].claims
    assert told(observer.observe([objects.change(SLICE, "bad")])) == [("bad", Cause.DEPENDENCY)]


def test_each_source_of_a_kind_is_asked() -> None:
    objects = Objects()
    sources = [FakeSource(name="one"), FakeSource(name="two"), FakeSource(name="other", kind=POD)]
    observer = Observer(sources, objects)
    assert [one.source for one in observer.observe([objects.change(SERVICE, "web")])] == ["one", "two"]
    assert observer.asked == 2
