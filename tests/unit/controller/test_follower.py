"""The thread that follows the cluster outlives what clusters and observers raise."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest

from extdns.controller.clock import SystemClock
from extdns.controller.follower import Follower
from extdns.controller.teller import Teller
from extdns.engine.inputs import Input, KindReported, Observation, Observed, ProblemReported
from extdns.engine.observer import Observer
from extdns.metrics.metrics import Metrics
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, ObjectProblem, Phase
from tests.unit.controller.scene import HANGS_S, SYNCED, NamedServices, ScriptedCluster, added
from tests.unit.engine.stage import SERVICE


class Picky(Observer):
    """Raises on changes of the object `bad`, alone or among others."""

    def observe(self, changes: Any) -> tuple[Observation, ...]:  # noqa: ANN401 - as the inherited one, and more
        changes = tuple(changes)
        if any(isinstance(change, ObjectChange) and change.key.name == "bad" for change in changes):
            raise ZeroDivisionError("planted")
        return super().observe(changes)


class Desk:
    """A follower that has run through a script, and what it put."""

    def __init__(self, cluster: ScriptedCluster, *, observer: type[Observer] = Observer) -> None:
        self.inputs = SimpleQueue[Input]()
        self.teller = Teller(Metrics(), "me")
        self.follower = Follower(
            cluster,
            observer((NamedServices(),), cluster.view),
            (SERVICE,),
            teller=self.teller,
            clock=SystemClock(),
            put=self.inputs.put,
        )
        self.follower.start()
        assert cluster.taken.wait(HANGS_S)
        self.follower.close()

    def told(self) -> list[str]:
        """Names of observed objects, and phases of kinds, in order."""
        found: list[str] = []
        while not self.inputs.empty():
            match self.inputs.get_nowait():
                case Observed(observations=observations):
                    found.append(" ".join(seen.key.name for seen in observations))
                case KindReported(state=state):
                    found.append(f"{state.kind.name} {state.phase} {state.detail}".strip())
                case ProblemReported(problem=problem):
                    found.append(f"{problem.place} {problem.message}")
                case other:
                    raise AssertionError(other)
        return found


def test_objects_come_before_the_news_that_their_kind_is_synced() -> None:
    assert Desk(ScriptedCluster((*added("web", "api"), SYNCED))).told() == ["web api", "Service synced"]


@pytest.mark.parametrize(
    ("script", "refusals"),
    [
        pytest.param([OSError("planted"), (*added("web"), SYNCED)], [], id="take raises"),
        pytest.param([(*added("web"), SYNCED)], [OSError("planted")], id="need raises"),
    ],
)
def test_a_cluster_that_raises_is_asked_again(
    script: list[tuple[ClusterChange, ...] | Exception], refusals: list[Exception]
) -> None:
    desk = Desk(ScriptedCluster(*script, refusals=refusals))
    assert desk.told() == ["web", "Service synced"]
    assert desk.teller.defects == 1
    assert not desk.follower.pulse.broken


def test_a_cluster_that_raises_again_and_again_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.follower._LONGEST_PAUSE_S", 0.0)
    desk = Desk(ScriptedCluster(*[OSError("planted")] * 5))
    assert desk.follower.pulse.broken
    assert desk.teller.defects == 5


def test_a_defect_costs_the_change_that_brings_it_about_and_its_kind_counts_as_failing() -> None:
    desk = Desk(ScriptedCluster((*added("web", "bad", "api"), SYNCED)), observer=Picky)
    assert desk.told() == [
        "Service failing ZeroDivisionError: planted",
        "web api",
        "Service failing ZeroDivisionError: planted",
    ]
    assert desk.teller.defects == 1


def test_a_kind_of_which_something_was_missed_is_never_synced_again() -> None:
    script: list[tuple[ClusterChange, ...]] = [(SYNCED,), added("bad"), (SYNCED,)]
    told = Desk(ScriptedCluster(*script), observer=Picky).told()
    assert told[0] == "Service synced"
    assert {line.split()[1] for line in told[1:]} == {"failing"}


def test_problems_and_phases_are_told() -> None:
    failing = KindChange(state=KindState(kind=SERVICE, phase=Phase.FORBIDDEN, detail="no right"))
    problem = ObjectProblem(place="shop.yaml:3", key=None, message="no YAML")
    desk = Desk(ScriptedCluster((problem, failing)))
    assert desk.told() == ["shop.yaml:3 no YAML", "Service forbidden no right"]


@pytest.mark.parametrize("deaf", ["object_problem", "observed", "kind_changed"])
def test_what_cannot_be_told_to_people_is_told_to_the_engine(deaf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(Teller, deaf, fail)
    problem = ObjectProblem(place="shop.yaml:3", key=None, message="no YAML")
    desk = Desk(ScriptedCluster((problem, *added("web"), SYNCED)))
    assert desk.told() == ["shop.yaml:3 no YAML", "web", "Service synced"]
    assert desk.teller.defects
    assert desk.follower.pulse.failures == 0


def test_closing_closes_the_cluster_even_if_nothing_was_started() -> None:
    cluster = ScriptedCluster()
    follower = Follower(
        cluster,
        Observer((), cluster.view),
        (),
        teller=Teller(Metrics(), "me"),
        clock=SystemClock(),
        put=SimpleQueue[Input]().put,
    )
    follower.close()
    assert cluster.closings == 1
