"""The embedded cluster as its caller sees it."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

import pytest

from extdns.errors import UsageError
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.model.cluster import ClusterChange, Kind, KindChange, ObjectChange, ObjectKey, ObjectProblem, Phase, Sight
from extdns.model.objects import INGRESS, NODE, SERVICE
from extdns.ports import Cluster, NotReadyError

WIDGET = Kind("example.org", "v1", "Widget", "widgets")
LONG_S = 60.0
"""Longer than any test waits: whoever waits for it is woken before."""


def service(name: str, namespace: str = "shop", version: str = "1", type_: str = "NodePort") -> str:
    metadata = f'{{name: {name}, namespace: {namespace}, resourceVersion: "{version}"}}'
    return f"apiVersion: v1\nkind: Service\nmetadata: {metadata}\nspec: {{type: {type_}}}\n---\n"


def key(name: str, namespace: str = "shop") -> ObjectKey:
    return ObjectKey(SERVICE, namespace, name)


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic_s(self) -> float:
        return self.now_s


class Edits:
    """Stands in for the watcher: the thread looks at what a test tells it to."""

    def __init__(self) -> None:
        self._told: SimpleQueue[Collection[str] | None] = SimpleQueue()
        self._looked: SimpleQueue[None] = SimpleQueue()
        self.paths: Sequence[str] = ()

    def __call__(self, paths: Sequence[str], stop: Event) -> Iterator[Collection[str] | None]:
        self.paths = paths
        while not stop.is_set():
            yield self._told.get()
            self._looked.put(None)

    def tell(self, touched: Collection[str] | None = None) -> None:
        """Make the thread look, and wait until it has."""
        self._told.put(touched)
        self._looked.get()

    def stop(self, cluster: ManifestCluster) -> None:
        cluster._stop.set()
        self._told.put(())
        cluster.close()


def once(*paths: Path | str, stdin: bytes = b"", clock: Clock | None = None) -> ManifestCluster:
    monotonic = (clock or Clock()).monotonic_s
    names = [str(path) for path in paths]
    return ManifestCluster(names, stdin=io.BytesIO(stdin), watch=False, monotonic=monotonic)


def told(changes: tuple[ClusterChange, ...]) -> list[str]:
    return [sentence(change) for change in changes]


def sentence(change: ClusterChange) -> str:
    match change:
        case ObjectChange(key=at, old=old, new=new, seen=seen):
            verb = "add" if old is None else "drop" if new is None else "edit"
            return f"{verb} {at.kind.name} {at.namespace}/{at.name}" + ("" if seen is Sight.PRESENT else f" ({seen})")
        case KindChange(state=state):
            return f"{state.kind.name} is {state.phase}"
        case ObjectProblem(place=place, key=at, message=message):
            return f"{Path(place).name} {at.name if at else '?'}: {message}"


def test_nothing_is_delivered_before_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web"))
    cluster: Cluster = once(tmp_path)
    assert cluster.take(0) == ()


def test_a_kind_first_needed_comes_whole_and_in_order_and_then_it_is_synced(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web") + service("z", "pay") + service("api"))
    cluster = once(tmp_path)
    state = cluster.need(SERVICE)
    assert (state.phase, state.since_s) == (Phase.LISTING, 100.0)
    assert told(cluster.take(0)) == [
        "add Service pay/z",
        "add Service shop/api",
        "add Service shop/web",
        "Service is synced",
    ]
    assert cluster.need(SERVICE).phase is Phase.SYNCED
    assert [obj.metadata.name for obj in cluster.view.select(SERVICE, "", {})] == ["z", "api", "web"]
    assert cluster.take(0) == ()


def test_asking_the_view_makes_a_kind_needed_by_the_next_take(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
    cluster = once(tmp_path)
    with pytest.raises(NotReadyError):
        cluster.view.select(NODE, "", {})
    assert told(cluster.take(LONG_S)) == ["add Node /n1", "Node is synced"]
    assert len(cluster.view.select(NODE, "", {})) == 1


def test_a_kind_that_no_manifest_is_read_for_is_not_served(tmp_path: Path) -> None:
    cluster = once(tmp_path)
    state = cluster.need(WIDGET)
    assert (state.phase, state.detail) == (Phase.NOT_SERVED, "manifests are not read for Widget objects")
    assert cluster.take(0) == (KindChange(state=state),)
    with pytest.raises(NotReadyError):
        cluster.view.get(WIDGET, "shop", "web")


def test_problems_come_first_and_those_of_kinds_not_needed_later(tmp_path: Path) -> None:
    bad_ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: []\n---\n"
    (tmp_path / "a.yaml").write_text(service("web", type_="60") + bad_ingress + "a: [\n---\n" + service("api"))
    cluster = once(tmp_path)
    cluster.need(SERVICE)
    assert told(cluster.take(0)) == [
        "a.yaml:4 web: spec.type is the number 60; allowed: a string, so quote it",
        "a.yaml:12 ?: not YAML: did not find expected node content",
        "add Service shop/api",
        "Service is synced",
    ]
    cluster.need(INGRESS)
    assert told(cluster.take(0)) == ["a.yaml:9 web: spec is a list; allowed: a mapping", "Ingress is synced"]


def test_a_missing_path_is_a_usage_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--manifests=.*/gone cannot be read: No such file or directory; allowed: "):
        once(tmp_path / "gone")


def test_standard_input_is_a_path(tmp_path: Path) -> None:
    cluster = once("-", tmp_path, stdin=service("web").encode())
    cluster.need(SERVICE)
    assert told(cluster.take(0)) == ["add Service shop/web", "Service is synced"]


def test_existence_is_told_by_reading_again(tmp_path: Path) -> None:
    file, clock = tmp_path / "a.yaml", Clock()
    file.write_text(service("web"))
    cluster = once(tmp_path, clock=clock)
    assert [cluster.exists(key(name)) for name in ("web", "api")] == [True, False]
    assert cluster.exists(ObjectKey(WIDGET, "shop", "web")) is None
    file.write_text(service("api"))
    assert cluster.exists(key("api")) is False  # many are asked in a row; a reading of the last second will do
    clock.now_s += 1
    assert [cluster.exists(key(name)) for name in ("web", "api")] == [None, None]  # not settled yet
    clock.now_s += 1
    assert [cluster.exists(key(name)) for name in ("web", "api")] == [False, True]
    file.write_text("a: [")
    clock.now_s += 1
    assert cluster.exists(key("api")) is None


def test_what_is_found_while_asking_is_delivered(tmp_path: Path) -> None:
    clock = Clock()
    cluster = once(tmp_path, clock=clock)
    cluster.need(SERVICE)
    assert told(cluster.take(0)) == ["Service is synced"]
    (tmp_path / "a.yaml").write_text(service("web"))
    clock.now_s += 1
    assert cluster.exists(key("web")) is True
    assert told(cluster.take(0)) == ["add Service shop/web"]


@pytest.fixture
def edits() -> Edits:
    return Edits()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watched(tmp_path: Path, edits: Edits, clock: Clock) -> Iterator[ManifestCluster]:
    """A cluster that needs Services and has delivered `shop/web` of a.yaml."""
    (tmp_path / "a.yaml").write_text(service("web"))
    paths, stdin = [str(tmp_path), "-"], io.BytesIO(b"apiVersion: v1\nkind: ConfigMap")
    cluster = ManifestCluster(paths, stdin=stdin, monotonic=clock.monotonic_s, follow=edits)
    cluster.need(SERVICE)
    assert cluster.take(0) == ()  # nothing has been read
    edits.tell()
    assert told(cluster.take(LONG_S)) == ["add Service shop/web", "Service is synced"]
    yield cluster
    edits.stop(cluster)


def test_edits_are_delivered(watched: ManifestCluster, edits: Edits, clock: Clock, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    assert edits.paths == [str(tmp_path)]
    file.write_text(service("web", type_="ClusterIP") + service("api"))
    edits.tell([str(file)])
    assert told(watched.take(LONG_S)) == ["add Service shop/api", "edit Service shop/web"]
    file.write_text(service("web", type_="ClusterIP"))
    edits.tell()
    assert watched.take(0) == ()
    clock.now_s += 1
    edits.tell(())
    assert told(watched.take(LONG_S)) == ["drop Service shop/api (deleted)"]
    assert watched.view.get(SERVICE, "shop", "api") is None


def test_time_alone_makes_nothing_be_read(watched: ManifestCluster, edits: Edits, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("other"))
    edits.tell(())
    assert watched.take(0) == ()
    assert watched.exists(key("other")) is False


def test_versions_alone_are_no_change(watched: ManifestCluster, edits: Edits, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web", version="2"))
    edits.tell()
    assert watched.take(0) == ()


def test_kinds_that_are_not_needed_are_no_change(watched: ManifestCluster, edits: Edits, tmp_path: Path) -> None:
    (tmp_path / "n.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
    edits.tell()
    assert watched.take(0) == ()


def test_what_comes_and_goes_between_two_takes_is_no_change(
    watched: ManifestCluster, edits: Edits, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "b.yaml").write_text(service("api"))
    edits.tell()
    (tmp_path / "b.yaml").unlink()
    edits.tell()
    clock.now_s += 1
    edits.tell(())
    assert watched.take(0) == ()


def test_a_problem_is_told_once_and_again_when_it_is_over(
    watched: ManifestCluster, edits: Edits, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("web", type_="60"))
    edits.tell()
    clock.now_s += 1
    edits.tell(())
    assert told(watched.take(0)) == ["a.yaml:4 web: spec.type is the number 60; allowed: a string, so quote it"]
    edits.tell()
    assert watched.take(0) == ()
    file.write_text(service("web", type_="ClusterIP"))
    edits.tell()
    assert told(watched.take(0)) == ["a.yaml:4 web: ", "edit Service shop/web"]


def test_files_are_followed_for_real(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web"))
    cluster = ManifestCluster([str(tmp_path)])
    cluster.need(SERVICE)
    assert told(cluster.take(LONG_S)) == ["add Service shop/web", "Service is synced"]
    (tmp_path / "b.yaml").write_text(service("api"))
    assert told(next(filter(None, (cluster.take(LONG_S) for _ in range(20))))) == ["add Service shop/api"]
    cluster.close()
    cluster.close()


def test_closing_ends_a_take_that_waits(tmp_path: Path) -> None:
    cluster = once(tmp_path)
    cluster.need(SERVICE)
    cluster.take(0)
    waiting = Thread(target=cluster.take, args=(LONG_S,))
    waiting.start()
    cluster.close()
    waiting.join(LONG_S / 2)
    assert not waiting.is_alive()
