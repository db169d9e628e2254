"""The cluster thread continues after errors of the cluster and of sources."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest

from extdns.controller.clock import SystemClock
from extdns.controller.cluster_thread import ClusterThread
from extdns.controller.reporter import ActivityReporter
from extdns.engine.inputs import ClusterIdentified, Input, KindStateChanged, Observation, Observed, ProblemChanged
from extdns.engine.observer import Observer
from extdns.metrics.metrics import Metrics
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
from tests.builders import SERVICE
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.scripted_cluster import SYNCED, NamedServices, ScriptedCluster, add_services


class FailingObserver(Observer):
    """An observer that raises on changes of the object `bad`."""

    def observe(self, changes: Any) -> tuple[Observation, ...]:  # noqa: ANN401 - as the inherited one, and more
        changes = tuple(changes)
        if any(isinstance(change, ObjectChange) and change.key.name == "bad" for change in changes):
            raise ZeroDivisionError("planted")
        return super().observe(changes)


class ThreadScene:
    """Run a cluster thread with scripted changes, and collect its inputs for the engine."""

    def __init__(self, cluster: ScriptedCluster, *, observer: type[Observer] = Observer) -> None:
        self.inputs = SimpleQueue[Input]()
        self.reporter = ActivityReporter(Metrics(), "me")
        self.thread = ClusterThread(
            cluster,
            observer((NamedServices(),), cluster.view),
            (SERVICE,),
            reporter=self.reporter,
            clock=SystemClock(),
            put=self.inputs.put,
        )
        self.thread.start()
        assert cluster.taken.wait(HANGS_S)
        self.thread.close()

    def reported(self) -> list[str]:
        """Return the names of observed objects and the phases of kinds, in order."""
        found: list[str] = []
        while not self.inputs.empty():
            match self.inputs.get_nowait():
                case Observed(observations=observations):
                    found.append(" ".join(seen.key.name for seen in observations))
                case KindStateChanged(state=state):
                    found.append(f"{state.kind.name} {state.phase} {state.detail}".strip())
                case ProblemChanged(problem=problem):
                    found.append(f"{problem.location} {problem.message}")
                case ClusterIdentified(identity=identity):
                    found.append(f"cluster {identity.configured_id}")
                case other:
                    raise AssertionError(other)
        return found


def test_objects_are_passed_on_before_their_kind_is_reported_as_synced() -> None:
    assert ThreadScene(ScriptedCluster((*add_services("web", "api"), SYNCED))).reported() == [
        "web api",
        "Service synced",
    ]


def test_cluster_identity_is_passed_on_before_objects() -> None:
    identity = IdentityRead(identity=ClusterIdentity(configured_id="blue"))
    problem = ObjectProblem(location="Service shop/odd", key=None, message="is odd")
    cluster = ScriptedCluster((*add_services("web"), problem, identity, SYNCED))
    assert ThreadScene(cluster).reported() == ["cluster blue", "Service shop/odd is odd", "web", "Service synced"]


@pytest.mark.parametrize(
    ("script", "refusals"),
    [
        pytest.param([OSError("planted"), (*add_services("web"), SYNCED)], [], id="take raises"),
        pytest.param([(*add_services("web"), SYNCED)], [OSError("planted")], id="need raises"),
    ],
)
def test_reading_the_cluster_is_retried_after_an_error(
    script: list[tuple[ClusterChange, ...] | Exception], refusals: list[Exception]
) -> None:
    scene = ThreadScene(ScriptedCluster(*script, refusals=refusals))
    assert scene.reported() == ["web", "Service synced"]
    assert scene.reporter.defect_count == 1
    assert not scene.thread.heartbeat.is_broken


def test_cluster_thread_is_broken_after_repeated_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.cluster_thread._MAX_BACKOFF_S", 0.0)
    scene = ThreadScene(ScriptedCluster(*[OSError("planted")] * 5))
    assert scene.thread.heartbeat.is_broken
    assert scene.reporter.defect_count == 5


def test_cluster_change_that_raises_is_dropped_and_its_kind_is_failing() -> None:
    scene = ThreadScene(ScriptedCluster((*add_services("web", "bad", "api"), SYNCED)), observer=FailingObserver)
    assert scene.reported() == [
        "Service failing ZeroDivisionError: planted",
        "web api",
        "Service failing ZeroDivisionError: planted",
    ]
    assert scene.reporter.defect_count == 1


def test_kind_with_a_dropped_change_is_never_reported_as_synced() -> None:
    script: list[tuple[ClusterChange, ...]] = [(SYNCED,), add_services("bad"), (SYNCED,)]
    reported = ThreadScene(ScriptedCluster(*script), observer=FailingObserver).reported()
    assert reported[0] == "Service synced"
    assert {line.split()[1] for line in reported[1:]} == {"failing"}


def test_manifest_problems_and_phases_of_kinds_are_reported() -> None:
    failing = KindChange(state=KindState(kind=SERVICE, phase=Phase.FORBIDDEN, detail="no right"))
    problem = ObjectProblem(location="shop.yaml:3", key=None, message="no YAML")
    scene = ThreadScene(ScriptedCluster((problem, failing)))
    assert scene.reported() == ["shop.yaml:3 no YAML", "Service forbidden no right"]


@pytest.mark.parametrize("deaf", ["report_object_problem", "report_observations", "report_kind_state"])
def test_engine_gets_inputs_even_if_the_reporter_fails(deaf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(ActivityReporter, deaf, fail)
    problem = ObjectProblem(location="shop.yaml:3", key=None, message="no YAML")
    scene = ThreadScene(ScriptedCluster((problem, *add_services("web"), SYNCED)))
    assert scene.reported() == ["shop.yaml:3 no YAML", "web", "Service synced"]
    assert scene.reporter.defect_count
    assert scene.thread.heartbeat.failures == 0


def test_close_before_start_closes_the_cluster() -> None:
    cluster = ScriptedCluster()
    thread = ClusterThread(
        cluster,
        Observer((), cluster.view),
        (),
        reporter=ActivityReporter(Metrics(), "me"),
        clock=SystemClock(),
        put=SimpleQueue[Input]().put,
    )
    thread.close()
    assert cluster.closings == 1
