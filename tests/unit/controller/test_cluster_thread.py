"""The cluster thread continues after errors of the cluster and of sources, and shows when it does not."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from queue import SimpleQueue

import pytest
from msgspec.structs import replace

from extdns.controller.clock import SystemClock
from extdns.controller.cluster_thread import ClusterThread, Heartbeat
from extdns.controller.reporter import ActivityReporter
from extdns.engine.inputs import ClusterIdentified, Input, KindStateChanged, Observation, Observed, ProblemChanged
from extdns.engine.observer import Observer
from extdns.log import PER_BATCH, Event, LogLimiter
from extdns.metrics.metrics import Metrics
from extdns.model.claim import Claim
from extdns.model.cluster import (
    ClusterChange,
    ClusterIdentity,
    IdentityRead,
    KindChange,
    KindState,
    ObjectChange,
    ObjectProblem,
    Phase,
)
from extdns.model.kind import KubernetesObject
from extdns.ports import Clock, ClusterView, Source
from tests.builders import SERVICE
from tests.fakes.clocks import MovedClock, ShiftedClock
from tests.fakes.view import FakeView
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.scripted_cluster import SYNCED, NamedServices, ScriptedCluster, add_services, service


class FailingObserver(Observer):
    """An observer that raises on changes of the object `bad`."""

    def observe(
        self,
        changes: Iterable[ClusterChange],
        *,
        for_s: float = math.inf,
        read_s: Callable[[], float] = lambda: 0.0,
    ) -> tuple[Observation, ...]:
        changes = tuple(changes)
        if any(isinstance(change, ObjectChange) and change.key.name == "bad" for change in changes):
            raise ZeroDivisionError("planted")
        return super().observe(changes, for_s=for_s, read_s=read_s)


class Inbox(SimpleQueue[Input]):
    """An inbox that says how many inputs wait in it as *count_waiting* does."""

    count_waiting: Callable[[], int] = staticmethod(lambda: 0)

    def qsize(self) -> int:
        return self.count_waiting()


class ThreadScene:
    """Run a cluster thread with scripted changes, and collect its inputs for the engine."""

    def __init__(
        self,
        cluster: ScriptedCluster,
        *,
        observer: type[Observer] = Observer,
        source: Source | None = None,
        limiter: LogLimiter | None = None,
        clock: Clock | None = None,
        count_waiting: Callable[[], int] = lambda: 0,
    ) -> None:
        self.inputs = Inbox()
        self.inputs.count_waiting = count_waiting
        self.reporter = ActivityReporter(Metrics(), "me", limiter=limiter)
        self.thread = ClusterThread(
            cluster,
            observer((source or NamedServices(),), cluster.view),
            (SERVICE,),
            reporter=self.reporter,
            clock=clock or SystemClock(),
            inbox=self.inputs,
        )
        self.thread.start()
        assert cluster.taken.wait(HANGS_S)
        self.thread.close()

    def list_inputs(self) -> list[Input | tuple[str, ...]]:
        """Return the inputs for the engine in order: observations as names of objects, phases without times."""
        found: list[Input | tuple[str, ...]] = []
        while not self.inputs.empty():
            match self.inputs.get_nowait():
                case Observed(observations=observations):
                    found.append(tuple(seen.key.name for seen in observations))
                case KindStateChanged(state=state):
                    found.append(KindStateChanged(state=replace(state, since_s=0.0)))
                case other:
                    found.append(other)
        return found


NOW_SYNCED = KindStateChanged(state=SYNCED.state)
NOW_FAILING = KindStateChanged(state=KindState(kind=SERVICE, phase=Phase.FAILING, detail="ZeroDivisionError: planted"))


def test_objects_reach_the_engine_before_their_kind_is_synced() -> None:
    scene = ThreadScene(ScriptedCluster((*add_services("web", "api"), SYNCED)))
    assert scene.list_inputs() == [("web", "api"), NOW_SYNCED]


def test_changes_are_taken_between_slow_objects_that_changed_or_depend_on_one() -> None:
    clock = ShiftedClock()

    class SlowSource(NamedServices):
        def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
            clock.shift_s += 1.0
            view.get(SERVICE, "shop", "bad")
            return super().find_claims(obj, view)

    cluster = ScriptedCluster(add_services("web", "api", "bad"), add_services("bad"), ())
    inputs = ThreadScene(cluster, source=SlowSource(), clock=clock).inputs
    found: list[tuple[list[str], bool]] = []
    while not inputs.empty():
        if isinstance(one := inputs.get_nowait(), Observed):
            found.append(([seen.key.name for seen in one.observations], one.has_more))
    assert found == [(["web"], True), (["api"], True), (["web"], True), (["bad"], False)]


def test_changes_are_taken_only_while_the_engine_has_no_more_than_one_input_to_take() -> None:
    cluster = ScriptedCluster(add_services("web"))
    sizes, takes = iter([3, 2, 1]), list[int]()

    def count_waiting() -> int:
        takes.append(cluster.takes)
        return next(sizes, 0)

    assert ThreadScene(cluster, count_waiting=count_waiting).list_inputs() == [("web",)]
    assert takes[:4] == [0, 0, 0, 1]


def test_cluster_identity_reaches_the_engine_before_the_objects() -> None:
    identity = IdentityRead(identity=ClusterIdentity(configured_id="blue"))
    problem = ObjectProblem(location="Service shop/odd", key=None, message="is odd")
    cluster = ScriptedCluster((*add_services("web"), problem, identity, SYNCED))
    assert ThreadScene(cluster).list_inputs() == [
        ClusterIdentified(identity=identity.identity),
        ProblemChanged(problem=problem),
        ("web",),
        NOW_SYNCED,
    ]


@pytest.mark.parametrize(
    ("script", "refusals"),
    [
        pytest.param([OSError("planted"), (*add_services("web"), SYNCED)], [], id="take raises"),
        pytest.param([(*add_services("web"), SYNCED)], [OSError("planted")], id="need raises"),
    ],
)
def test_reading_the_cluster_is_retried_after_an_exception(
    script: list[tuple[ClusterChange, ...] | Exception], refusals: list[Exception]
) -> None:
    scene = ThreadScene(ScriptedCluster(*script, refusals=refusals))
    assert scene.list_inputs() == [("web",), NOW_SYNCED]
    assert scene.reporter.defect_count == 1
    assert not scene.thread.heartbeat.is_broken


def test_object_is_dropped_and_its_kind_fails_if_the_observer_raises() -> None:
    scene = ThreadScene(ScriptedCluster((*add_services("web", "bad", "api"), SYNCED)), observer=FailingObserver)
    assert scene.list_inputs() == [NOW_FAILING, ("web", "api"), NOW_FAILING]
    assert scene.reporter.defect_count == 1


def test_kind_is_not_synced_again_after_an_object_was_dropped() -> None:
    script: list[tuple[ClusterChange, ...]] = [(SYNCED,), add_services("bad"), (SYNCED,)]
    first, *others = ThreadScene(ScriptedCluster(*script), observer=FailingObserver).list_inputs()
    assert first == NOW_SYNCED
    assert others
    assert all(one == NOW_FAILING for one in others)


def test_problems_in_manifests_and_phases_reach_the_engine() -> None:
    failing = KindChange(state=KindState(kind=SERVICE, phase=Phase.FORBIDDEN, detail="no right"))
    problem = ObjectProblem(location="shop.yaml:3", key=None, message="no YAML")
    scene = ThreadScene(ScriptedCluster((problem, failing)))
    assert scene.list_inputs() == [ProblemChanged(problem=problem), KindStateChanged(state=failing.state)]


@pytest.mark.parametrize("deaf", ["report_object_problem", "report_observations", "report_kind_state"])
def test_engine_gets_its_inputs_if_the_reporter_raises(deaf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(ActivityReporter, deaf, fail)
    problem = ObjectProblem(location="shop.yaml:3", key=None, message="no YAML")
    scene = ThreadScene(ScriptedCluster((problem, *add_services("web"), SYNCED)))
    assert scene.list_inputs() == [ProblemChanged(problem=problem), ("web",), NOW_SYNCED]
    assert scene.reporter.defect_count
    assert scene.thread.heartbeat.failures == 0


class FailingServices(NamedServices):
    """A source that can compute the claims of no object."""

    def find_claims(self, obj: KubernetesObject, view: object) -> tuple[Claim, ...]:  # noqa: ARG002 - the signature of the port
        raise ZeroDivisionError("planted")


def test_log_lines_about_objects_that_arrive_together_are_limited(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    names = [f"n{number}" for number in range(PER_BATCH + 5)]
    cluster, limiter = ScriptedCluster(add_services(*names)), LogLimiter(lambda: 0.0)
    cluster.view = FakeView(*map(service, names), listed=(SERVICE,))
    ThreadScene(cluster, source=FailingServices(), limiter=limiter, clock=MovedClock())
    assert [record.msg for record in caplog.records].count(Event.OBJECT_FAILED) == PER_BATCH


def test_exception_in_the_report_about_one_object_does_not_affect_another(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, failures = Metrics.count_object_failure, iter([True])

    def fail_once(metrics: Metrics) -> None:
        if next(failures, False):
            raise OSError("planted")
        count(metrics)

    monkeypatch.setattr(Metrics, "count_object_failure", fail_once)
    scene = ThreadScene(ScriptedCluster(add_services("web", "api")), source=FailingServices())
    assert [record.msg for record in caplog.records].count(Event.OBJECT_FAILED) == 1
    assert scene.reporter.defect_count == 1


# heartbeats


def test_success_resets_the_count_of_failures() -> None:
    heartbeat = Heartbeat(0.0)
    for _ in range(20):
        heartbeat.record_failure()
        heartbeat.record_success(0.0)
    assert not heartbeat.is_broken
