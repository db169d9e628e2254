"""A cluster whose objects are read from manifest files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.cluster import (
    ClusterIdentity,
    IdentityRead,
    KindChange,
    ObjectProblem,
    Phase,
)
from extdns.model.kind import Kind, ObjectKey
from extdns.ports import Cluster, NotSyncedError
from extdns.resources.core import NODE, SERVICE
from extdns.resources.networking import INGRESS
from tests.cluster_changes import ProblemSummary, added, edited, removed, summarize_changes, synced
from tests.fakes.clocks import MovedClock

WIDGET = Kind("example.org", "v1", "Widget", "widgets")
LONG_S = 60.0
"""Longer than any test waits: whoever waits for it is woken before."""


def service(name: str, namespace: str = "shop", version: str = "1", type_: str = "NodePort") -> str:
    metadata = f'{{name: {name}, namespace: {namespace}, resourceVersion: "{version}"}}'
    return f"apiVersion: v1\nkind: Service\nmetadata: {metadata}\nspec: {{type: {type_}}}\n---\n"


def key(name: str, namespace: str = "shop") -> ObjectKey:
    return ObjectKey(SERVICE, namespace, name)


def once(*paths: Path | str, stdin: bytes = b"", clock: MovedClock | None = None) -> ManifestCluster:
    monotonic = (clock or MovedClock()).monotonic_s
    names = [str(path) for path in paths]
    return ManifestCluster(names, stdin=io.BytesIO(stdin), watch=False, monotonic=monotonic)


def test_take_returns_no_objects_before_their_kind_is_required(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web"))
    cluster: Cluster = once(tmp_path)
    assert cluster.take(0) == ()


def test_the_first_call_of_take_after_a_kind_is_required_returns_its_objects_in_order_and_then_synced(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.yaml").write_text(service("web") + service("z", "pay") + service("api"))
    cluster = once(tmp_path)
    state = cluster.require(SERVICE)
    assert (state.phase, state.since_s) == (Phase.LISTING, 1000.0)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "pay/z"),
        added(SERVICE, "shop/api"),
        added(SERVICE, "shop/web"),
        synced(SERVICE),
    ]
    assert cluster.require(SERVICE).phase is Phase.SYNCED
    assert [obj.metadata.name for obj in cluster.view.select(SERVICE, "", {})] == ["z", "api", "web"]
    assert cluster.take(0) == ()


def test_after_a_lookup_of_a_kind_the_next_call_of_take_returns_its_objects(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
    cluster = once(tmp_path)
    with pytest.raises(NotSyncedError):
        cluster.view.select(NODE, "", {})
    assert summarize_changes(cluster.take(LONG_S)) == [added(NODE, "n1"), synced(NODE)]
    assert len(cluster.view.select(NODE, "", {})) == 1


def test_a_kind_that_is_not_read_from_manifests_is_reported_as_not_served(tmp_path: Path) -> None:
    cluster = once(tmp_path)
    state = cluster.require(WIDGET)
    assert (state.phase, state.detail) == (Phase.NOT_SERVED, "manifests are not read for Widget objects")
    assert cluster.take(0) == (KindChange(state=state),)
    with pytest.raises(NotSyncedError):
        cluster.view.get(WIDGET, "shop", "web")


def test_take_returns_the_problems_of_a_kind_once_it_is_required_and_before_its_objects(tmp_path: Path) -> None:
    bad_ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: []\n---\n"
    (tmp_path / "a.yaml").write_text(service("web", type_="60") + bad_ingress + "a: [\n---\n" + service("api"))
    cluster = once(tmp_path)
    cluster.require(SERVICE)
    assert summarize_changes(cluster.take(0)) == [
        ProblemSummary("a.yaml:1", "web", "spec.type is the number 60; allowed: a string, so quote it"),
        ProblemSummary("a.yaml:12", "", "not YAML: did not find expected node content"),
        added(SERVICE, "shop/api"),
        synced(SERVICE),
    ]
    cluster.require(INGRESS)
    assert summarize_changes(cluster.take(0)) == [
        ProblemSummary("a.yaml:6", "web", "spec is a list; allowed: a mapping"),
        synced(INGRESS),
    ]


def test_a_document_without_kind_is_reported_and_ignored(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("image: {tag: 1}\n---\n" + service("web"))
    (tmp_path / "kustomization.yaml").write_text("resources: [values.yaml]\n")
    cluster = ManifestCluster([str(tmp_path)], watch=False)
    cluster.require(SERVICE)
    problems = [change for change in cluster.take(LONG_S) if isinstance(change, ObjectProblem)]
    location = f"{tmp_path / 'values.yaml'}:1"
    message = (
        "the document has no kind, so it is no Kubernetes object, and is ignored; "
        "add apiVersion and kind, or keep the file in another folder"
    )
    assert problems == [ObjectProblem(location=location, key=None, message=message, what="manifest", is_ignored=True)]
    assert cluster.exists(key("other")) is False


def test_an_existence_check_reads_the_files_again(tmp_path: Path) -> None:
    file, clock = tmp_path / "a.yaml", MovedClock()
    file.write_text(service("web"))
    cluster = once(tmp_path, clock=clock)
    assert [cluster.exists(key(name)) for name in ("web", "api")] == [True, False]
    assert cluster.exists(ObjectKey(WIDGET, "shop", "web")) is None
    file.write_text(service("api"))
    assert cluster.exists(key("api")) is False  # repeated calls use files read within the last second
    clock.now_s += 1
    assert [cluster.exists(key(name)) for name in ("web", "api")] == [None, None]  # the changed file is not stable yet
    clock.now_s += 1
    assert [cluster.exists(key(name)) for name in ("web", "api")] == [False, True]
    file.write_text("a: [")
    clock.now_s += 1
    assert cluster.exists(key("api")) is None


def test_changes_found_by_an_existence_check_are_returned_by_the_next_call_of_take(tmp_path: Path) -> None:
    clock = MovedClock()
    cluster = once(tmp_path, clock=clock)
    cluster.require(SERVICE)
    assert summarize_changes(cluster.take(0)) == [synced(SERVICE)]
    (tmp_path / "a.yaml").write_text(service("web"))
    clock.now_s += 1
    assert cluster.exists(key("web")) is True
    assert summarize_changes(cluster.take(0)) == [added(SERVICE, "shop/web")]


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


class Read:
    """A cluster from `a.yaml` in a folder. It requires Services, and has returned `shop/web`."""

    def __init__(self, folder: Path, clock: MovedClock) -> None:
        self.folder = folder
        self._clock = clock
        (folder / "a.yaml").write_text(service("web"))
        self.cluster = once(folder, "-", stdin=b"apiVersion: v1\nkind: ConfigMap", clock=clock)
        self.cluster.require(SERVICE)
        assert summarize_changes(self.cluster.take(LONG_S)) == [added(SERVICE, "shop/web"), synced(SERVICE)]

    def write(self, text: str, name: str = "a.yaml") -> None:
        (self.folder / name).write_text(text)

    def read_again(self, times: int = 1) -> Sequence[object]:
        """Read the files again, each time a second later, and return what `take` returns then."""
        for _ in range(times):
            self._clock.now_s += 1
            self.cluster.refresh()
        return summarize_changes(self.cluster.take(0))


@pytest.fixture
def read(tmp_path: Path, clock: MovedClock) -> Read:
    return Read(tmp_path, clock)


def test_after_a_file_was_edited_take_returns_the_changed_objects(read: Read) -> None:
    read.write(service("web", type_="ClusterIP") + service("api"))
    assert read.read_again() == [added(SERVICE, "shop/api"), edited(SERVICE, "shop/web")]
    read.write(service("web", type_="ClusterIP"))
    assert read.read_again() == []
    assert read.read_again() == [removed(SERVICE, "shop/api")]
    assert read.cluster.view.get(SERVICE, "shop", "api") is None


def test_files_that_were_read_just_now_are_not_read_again(read: Read) -> None:
    read.write("")
    for _ in range(3):
        read.cluster.refresh()
    assert read.cluster.take(0) == ()
    assert read.cluster.exists(key("web")) is True


def test_take_returns_no_change_of_an_object_if_only_its_resource_version_differs(read: Read) -> None:
    read.write(service("web", version="2"))
    assert read.read_again() == []


def test_changes_of_kinds_that_are_not_required_are_not_returned_by_take(read: Read) -> None:
    read.write("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n", "n.yaml")
    assert read.read_again() == []


def test_an_object_added_and_removed_between_two_calls_of_take_is_not_returned(read: Read) -> None:
    read.write(service("api"), "b.yaml")
    read.cluster.refresh()
    (read.folder / "b.yaml").unlink()
    assert read.read_again(times=2) == []


def test_a_problem_in_a_manifest_is_reported_once_and_so_is_its_end(read: Read) -> None:
    read.write(service("web", type_="60"))
    assert read.read_again(times=2) == [
        ProblemSummary("a.yaml:1", "web", "spec.type is the number 60; allowed: a string, so quote it")
    ]
    assert read.read_again() == []
    read.write(service("web", type_="ClusterIP"))
    assert read.read_again() == [ProblemSummary("a.yaml:1", "web", ""), edited(SERVICE, "shop/web")]


def test_a_watch_finds_changed_files_by_itself(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web"))
    cluster = ManifestCluster([str(tmp_path)])
    cluster.require(SERVICE)
    first = next(filter(None, (cluster.take(LONG_S) for _ in range(20))))
    assert summarize_changes(first) == [added(SERVICE, "shop/web"), synced(SERVICE)]
    (tmp_path / "b.yaml").write_text(service("api"))
    assert summarize_changes(next(filter(None, (cluster.take(LONG_S) for _ in range(20))))) == [
        added(SERVICE, "shop/api")
    ]
    cluster.close()
    cluster.close()


def test_closing_the_cluster_ends_a_waiting_call_of_take(tmp_path: Path) -> None:
    cluster = once(tmp_path)
    cluster.require(SERVICE)
    cluster.take(0)
    waiting = Thread(target=cluster.take, args=(LONG_S,))
    waiting.start()
    cluster.close()
    waiting.join(LONG_S / 2)
    assert not waiting.is_alive()


def test_the_cluster_id_is_reported_before_all_objects(tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(service("web"))
    cluster = ManifestCluster([str(tmp_path)], watch=False, cluster_id="blue")
    cluster.require(SERVICE)
    first, *others = cluster.take(LONG_S)
    assert first == IdentityRead(identity=ClusterIdentity(configured_id="blue"))
    assert len(others) == 2
    cluster.require(NODE)
    assert IdentityRead not in map(type, cluster.take(LONG_S))
