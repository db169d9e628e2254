"""The live cluster over the real API machinery: whatever is changed and broken, it ends up equal to the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.live.cluster import LiveCluster
from extdns.kube.live.pace import Rhythm
from extdns.model.cluster import ClusterChange, KindChange, ObjectChange, Phase, Sight
from extdns.model.objects import INGRESS, Ingress
from tests.apimachinery.kinds import KINDS
from tests.apimachinery.programs import Programs
from tests.apimachinery.server import ApiMachinery
from tests.clusters import taken
from tests.conformance.apiserver import ingress

RHYTHM: Final = Rhythm(first_pause_s=0.01, longest_pause_s=0.1, silence_s=20.0, alive_s=0.5, page_size=2)
TIMEOUT_S: Final = 20.0
PATIENCE_S: Final = 120.0
"""A server that starts again on a busy machine takes its time."""

FAR: Final = 60
"""More versions than a script makes."""

SERVED: Final = next(kind for kind in KINDS if kind.kind == "Ingress")


@pytest.fixture(scope="module")
def machinery(api_programs: Programs) -> Iterator[ApiMachinery]:
    """One that may be killed and made to forget, as long as it runs afterwards."""
    with ApiMachinery(api_programs, kinds=[SERVED]) as machinery:
        yield machinery


@contextmanager
def synced(machinery: ApiMachinery, folder: Path) -> Iterator[LiveCluster]:
    """A cluster that has seen all Ingresses."""
    access = Access(kubeconfig=str(machinery.kubeconfig(folder / "kubeconfig")), request_timeout_s=TIMEOUT_S)
    cluster = LiveCluster(Api(Client(access), request_timeout_s=TIMEOUT_S), rhythm=RHYTHM)
    try:
        cluster.need(INGRESS)
        told(cluster, lambda changes: phase_in(changes) is Phase.SYNCED)
        yield cluster
    finally:
        cluster.close()


def told(cluster: LiveCluster, enough: Callable[[Sequence[ClusterChange]], bool]) -> list[ClusterChange]:
    return taken(cluster, enough, patience_s=PATIENCE_S)


def begin(machinery: ApiMachinery) -> None:
    """Without objects, and so far into a history that no other one that begins is taken for it."""
    for found in machinery.objects("Ingress"):
        machinery.delete("Ingress", "shop", found["metadata"]["name"])
    machinery.advance(FAR)


def phase_in(changes: Sequence[ClusterChange]) -> Phase | None:
    """The last phase told of."""
    phases = [change.state.phase for change in changes if isinstance(change, KindChange)]
    return phases[-1] if phases else None


def put(machinery: ApiMachinery, name: str, host: str) -> None:
    machinery.put(ingress(name, namespace="shop", spec={"rules": [{"host": host}]}))


def hosts(cluster: LiveCluster) -> dict[str, str]:
    """What each Ingress asks for, by its name."""
    shown = {}
    for found in cluster.view.select(INGRESS, "shop", {}):
        assert isinstance(found, Ingress)
        shown[found.metadata.name] = found.spec.rules[0].host if found.spec.rules else ""
    return shown


def dropped(changes: Sequence[ClusterChange]) -> set[tuple[str, Sight]]:
    """What went, and how that was seen."""
    return {(change.key.name, change.seen) for change in changes if isinstance(change, ObjectChange) and not change.new}


def test_what_is_there_is_listed_by_pages_and_what_happens_is_watched(machinery: ApiMachinery, tmp_path: Path) -> None:
    begin(machinery)
    for number in range(5):
        put(machinery, f"web-{number}", "a.example.org")
    with synced(machinery, tmp_path) as cluster:
        assert hosts(cluster) == {f"web-{number}": "a.example.org" for number in range(5)}
        put(machinery, "web-0", "b.example.org")
        machinery.delete("Ingress", "shop", "web-1")
        changes = told(cluster, lambda _: "web-1" not in hosts(cluster))
        assert hosts(cluster)["web-0"] == "b.example.org"
        assert [change.key.name for change in changes if isinstance(change, ObjectChange)] == ["web-0", "web-1"]
        assert cluster.decoded == 6


def test_a_kind_whose_definition_goes_and_comes_back_recovers(machinery: ApiMachinery, tmp_path: Path) -> None:
    begin(machinery)
    put(machinery, "web", "a.example.org")
    with synced(machinery, tmp_path) as cluster:
        machinery.unregister("Ingress")
        told(cluster, lambda changes: phase_in(changes) is Phase.NOT_SERVED)
        machinery.register(SERVED)
        put(machinery, "new", "b.example.org")
        told(cluster, lambda _: hosts(cluster) == {"new": "b.example.org"})
        assert cluster.need(INGRESS).phase is Phase.SYNCED


NAMES: Final = st.sampled_from("abc")
STEPS: Final = st.one_of(
    st.tuples(st.just("put"), NAMES, st.sampled_from(["a.example.org", "b.example.org"])),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.sampled_from(["expire", "new history", "restart", "wait"])),
)


@settings(max_examples=12)
@given(script=st.lists(STEPS, min_size=1, max_size=8))
def test_after_any_script_the_cluster_equals_the_server(
    machinery: ApiMachinery, tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, ...]]
) -> None:
    begin(machinery)
    for name in "abcd":
        put(machinery, name, "0.example.org")
    wanted, deleted = dict.fromkeys("abcd", "0.example.org"), set()
    histories = 1
    with synced(machinery, tmp_path_factory.mktemp("access")) as cluster:
        changes: list[ClusterChange] = []
        for step in script:
            match step:
                case ("put", name, host):
                    put(machinery, name, host)
                    wanted[name] = host
                case ("delete", name) if name in wanted:
                    machinery.delete("Ingress", "shop", name)
                    deleted.add(name)
                    del wanted[name]
                case ("expire",):
                    machinery.expire()
                case ("new history",) if histories == 1:  # a third one might be taken for the second
                    machinery.restart()
                    histories += 1
                case ("restart",):
                    machinery.restart(new_history=False)
                case ("wait",):
                    changes += told(cluster, lambda _: hosts(cluster) == wanted) if hosts(cluster) != wanted else []
                case _:
                    pass
        put(machinery, "last", "0.example.org")
        changes += told(cluster, lambda _: hosts(cluster) == wanted | {"last": "0.example.org"})
        assert {name for name, _ in dropped(changes)} <= deleted
