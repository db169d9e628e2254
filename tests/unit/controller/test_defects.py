"""The controller continues after a defect in any part, and reports it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NoReturn

import pytest
from msgspec.structs import replace

from extdns.controller.inputs import FallbackInputs
from extdns.controller.participant import Participant
from extdns.engine.decisions import Decisions
from extdns.engine.effects import Effect
from extdns.engine.inputs import (
    AdjustmentsLoaded,
    BatchCompleted,
    Call,
    ExistenceChecked,
    Input,
    KindStateChanged,
    NamesRead,
    Observed,
    PageRead,
    ProblemChanged,
    ReadFailed,
    StateAnswered,
    StateFailed,
    StateLoaded,
    TimePassed,
    ZonesListed,
)
from extdns.model.change import Applied, Unknown
from extdns.model.cluster import KindState, ObjectProblem, Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.model.saved_state import Saved
from extdns.model.zone import ZoneList, ZonePage
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, host, observe, owned
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.runnable_controller import RunnableController, build_controller
from tests.unit.controller.scripted_cluster import SYNCED, ScriptedCluster, add_services
from tests.unit.engine.test_defects import fail_for
from tests.unit.metrics.scrape import series


def break_engine(world: RunnableController, is_failing: Callable[[Input], bool], times: int = 1000) -> None:
    """Make the engine raise on the first *times* inputs for which *is_failing* returns true."""
    step, left = world.engine.step, iter(range(times))

    def broken(item: Input, now_s: float) -> Sequence[object]:
        if is_failing(item) and next(left, None) is not None:
            raise ZeroDivisionError("planted")
        return step(item, now_s)

    world.engine.step = broken  # type: ignore[method-assign, assignment]


@pytest.mark.parametrize(
    "is_failing",
    [
        pytest.param(lambda item: isinstance(item, PageRead), id="on a page"),
        pytest.param(lambda item: isinstance(item, BatchCompleted), id="on the outcome of a batch"),
    ],
)
def test_single_pass_continues_incomplete_after_an_exception_in_the_engine(
    is_failing: Callable[[Input], bool],
) -> None:
    world = build_controller()
    break_engine(world, is_failing, times=1)
    world.make_a_pass()
    assert world.list_records() == ["web.example.org A"]
    assert not world.controller.is_complete
    assert world.reporter.defect_count == 1
    assert series(world.metrics, "extdns_defects_total")[()] == 1


def test_other_objects_are_not_affected_if_the_engine_raises_on_one() -> None:
    world = build_controller(cluster=ScriptedCluster((*add_services("bad", "web"), SYNCED)))

    def about_bad(item: Input) -> bool:
        if not isinstance(item, Observed):
            return False
        return any(seen.key.name == "bad" and not seen.failure for seen in item.observations)

    break_engine(world, about_bad)
    world.make_a_pass()
    assert world.list_records() == ["web.example.org A"]
    assert [key.name for key, _ in world.engine.claims.failures()] == ["bad"]


@pytest.mark.parametrize("whose", [ObjectKey(SERVICE, "shop", "web"), None], ids=["an object", "anything"])
def test_unreadable_object_is_not_deleted_if_the_engine_raises_on_its_report(
    whose: ObjectKey | None,
) -> None:
    trouble = ObjectProblem(location="shop.yaml:3", key=whose, message="no YAML")
    world = build_controller(*owned("web"), cluster=ScriptedCluster((trouble, SYNCED)), source_timeout_s=0.0)
    break_engine(world, lambda item: isinstance(item, ProblemChanged))
    world.make_a_pass()
    assert world.list_records() == ["web.example.org A"]
    assert world.engine.readiness.find_missing() == (("Service", Phase.FAILING),)
    assert world.reporter.defect_count == 1


def test_pass_is_not_complete_if_a_name_cannot_be_stored_as_failing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = build_controller(cluster=ScriptedCluster((*add_services("bad", "web"), SYNCED)))
    monkeypatch.setattr(Decisions, "replace", fail_for(host("bad"), Decisions.replace))
    world.make_a_pass()
    assert world.list_records() == ["web.example.org A"]
    assert not list(world.engine.claims.failures())
    assert world.reporter.defect_count
    assert not world.controller.is_complete


def test_single_pass_ends_after_repeated_exceptions_in_the_engine() -> None:
    world = build_controller()
    break_engine(world, lambda _: True)
    world.make_a_pass()
    assert not world.controller.is_complete
    assert world.reporter.defect_count == 5
    assert world.list_records() == []


def test_single_pass_ends_after_repeated_exceptions_in_reading_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.cluster_thread._MAX_BACKOFF_S", 0.0)
    world = build_controller(cluster=ScriptedCluster(*[OSError("planted")] * 5))
    world.make_a_pass()
    assert not world.controller.is_complete
    assert world.reporter.defect_count == 5
    assert not world.controller.is_healthy()


def test_process_stays_unhealthy_after_repeated_exceptions_in_the_engine() -> None:
    world = build_controller(once=False)
    planted, sixth, defects = threading.Event(), threading.Event(), list[Input]()

    def is_failing(item: Input) -> bool:
        if planted.is_set():
            defects.append(item)
        if len(defects) == 6:
            sixth.set()
        return planted.is_set()

    break_engine(world, is_failing)
    world.start()
    assert world.controller.first_pass_done.wait(HANGS_S)
    assert world.controller.is_healthy()
    planted.set()
    for _ in range(6):
        world.controller._inbox.put(TimePassed())
    assert sixth.wait(HANGS_S)
    assert not world.controller.is_healthy()
    planted.clear()
    world.stop("SIGTERM")
    assert not world.controller.is_healthy()


def test_process_stays_healthy_after_a_few_exceptions_in_the_engine() -> None:
    world = build_controller(once=False)
    break_engine(world, lambda item: not isinstance(item, KindStateChanged | Observed), times=4)
    world.start()
    assert world.controller.first_pass_done.wait(HANGS_S)
    assert world.controller.is_healthy()
    world.stop()


def test_changes_are_made_if_the_reporter_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_controller()

    def fail(_decisions: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(world.reporter, "report_decisions", fail)
    world.make_a_pass()
    assert world.list_records() == ["web.example.org A"]
    assert not world.controller.is_complete


class Raising(Participant):
    """Raises an exception whenever the engine's thread calls it."""

    def _fail(self, *_: object, **__: object) -> NoReturn:
        raise OSError("planted")

    before_step = after_step = update = close = _fail


class Recording(Participant):
    """Records which of its methods were called."""

    def __init__(self) -> None:
        self.calls: set[str] = set()

    def before_step(self, item: Input) -> None:
        self.calls.add(f"before {type(item).__name__}")

    def after_step(self, effects: Sequence[Effect]) -> None:
        self.calls |= {f"after {type(one).__name__}" for one in effects}

    def update(self) -> None:
        self.calls.add("update")

    def close(self, timeout_s: float) -> None:
        self.calls.add(f"close within {timeout_s:g}s")


def test_exception_in_a_participant_affects_no_change_and_no_other() -> None:
    recording = Recording()
    world = build_controller(participants=(Raising(), recording))
    world.make_a_pass()
    assert world.list_records() == ["web.example.org A"]
    assert world.reporter.defect_count
    assert recording.calls >= {
        "before PageRead",
        "after SubmitBatch",
        "after ReportOutcome",
        "update",
        "close within 2s",
    }


WEB = observe("web", build_claim("web", "web"))
API = observe("api", build_claim("api", "api"))
BOTH = Observed(observations=(*WEB.observations, *API.observations))
FAILED_OBJECT = observe("web", failure="why")
DOWN = KindStateChanged(state=KindState(kind=SERVICE, phase=Phase.FAILING, detail="why"))
INGRESS_DOWN = KindStateChanged(state=KindState(kind=INGRESS, phase=Phase.FAILING, detail="why"))
UNKNOWN_OUTCOME = BatchCompleted(number=1, zone=ZONE, outcome=Unknown(message=""))
FAILED = ReadFailed(call=Call.ZONES, zone=None, message="")
KEY = ObjectKey(SERVICE, "shop", "web")
STATE_FAILED = StateFailed(message="no answer")
NOT_ADJUSTED = AdjustmentsLoaded(failure="why")
NOBODY_KNOWS = ExistenceChecked(key=KEY, exists=None)


def problem(key: ObjectKey | None, message: str = "no YAML") -> ProblemChanged:
    return ProblemChanged(problem=ObjectProblem(location="a.yaml:3", key=key, message=message))


# inputs that replace one on which the engine raised


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(
            ZonesListed(zones=ZoneList(zones=())), (ReadFailed(call=Call.ZONES, zone=None, message="why"),), id="zones"
        ),
        pytest.param(
            PageRead(zone=ZONE, after=None, page=ZonePage(records=())),
            (ReadFailed(call=Call.PAGE, zone=ZONE, message="why"),),
            id="a page",
        ),
        pytest.param(
            NamesRead(zone=ZONE, names=(), records=()),
            (ReadFailed(call=Call.NAMES, zone=ZONE, message="why"),),
            id="names",
        ),
        pytest.param(
            BatchCompleted(number=1, zone=ZONE, outcome=Applied(records=())),
            (BatchCompleted(number=1, zone=ZONE, outcome=Unknown(message="why")),),
            id="an outcome",
        ),
        pytest.param(UNKNOWN_OUTCOME, (UNKNOWN_OUTCOME,), id="no outcome"),
        pytest.param(StateLoaded(saved=Saved()), (StateFailed(message="why"),), id="the saved state"),
        pytest.param(StateAnswered(), (StateFailed(message="why"),), id="an answer of the state store"),
        pytest.param(STATE_FAILED, (STATE_FAILED,), id="a failure of the state store"),
        pytest.param(AdjustmentsLoaded(), (NOT_ADJUSTED,), id="adjusted records"),
        pytest.param(NOT_ADJUSTED, (NOT_ADJUSTED,), id="records that could not be adjusted"),
        pytest.param(BOTH, (WEB, API), id="several objects, each by itself"),
        pytest.param(
            replace(BOTH, has_more=True),
            (replace(WEB, has_more=True), replace(API, has_more=True)),
            id="several objects, and more to come",
        ),
        pytest.param(WEB, (FAILED_OBJECT,), id="an object"),
        pytest.param(
            replace(WEB, has_more=True), (replace(FAILED_OBJECT, has_more=True),), id="an object, and more to come"
        ),
        pytest.param(FAILED_OBJECT, (DOWN,), id="an object that failed already"),
        pytest.param(change_phase(SERVICE), (DOWN,), id="a kind"),
        pytest.param(DOWN, (), id="a kind that is down already"),
        pytest.param(problem(KEY), (DOWN,), id="an object that cannot be read"),
        pytest.param(problem(None), (DOWN, INGRESS_DOWN), id="something that cannot be read"),
        pytest.param(problem(KEY, ""), (), id="an object that can be read again"),
        pytest.param(ExistenceChecked(key=KEY, exists=True), (ExistenceChecked(key=KEY, exists=None),), id="an answer"),
        pytest.param(NOBODY_KNOWS, (NOBODY_KNOWS,), id="no answer"),
        pytest.param(FAILED, (FAILED,), id="a failed read"),
        pytest.param(TimePassed(), (), id="time"),
    ],
)
def test_input_on_which_the_engine_raised_is_replaced_by_a_failure(item: Input, expected: tuple[Input, ...]) -> None:
    assert FallbackInputs((SERVICE, INGRESS)).build_fallbacks(item, "why") == expected


@pytest.mark.parametrize(
    ("missed", "failing"),
    [
        pytest.param(problem(KEY), {SERVICE}, id="an object that cannot be read"),
        pytest.param(problem(None), {SERVICE, INGRESS}, id="something that cannot be read"),
        pytest.param(FAILED_OBJECT, {SERVICE}, id="an object that failed already"),
        pytest.param(problem(KEY, ""), set(), id="an object that can be read again"),
        pytest.param(WEB, set(), id="an object"),
        pytest.param(DOWN, set(), id="a kind"),
    ],
)
def test_kind_is_not_synced_after_an_object_of_it_was_missed(missed: Input, failing: set[Kind]) -> None:
    fallbacks = FallbackInputs((SERVICE, INGRESS))
    fallbacks.build_fallbacks(missed, "why")
    corrected = {kind: fallbacks.correct(change_phase(kind)) for kind in (SERVICE, INGRESS)}
    assert {kind for kind in corrected if corrected[kind] != change_phase(kind)} == failing
    assert {corrected[kind] for kind in failing} <= {DOWN, INGRESS_DOWN}
    assert fallbacks.correct(change_phase(SERVICE, Phase.LISTING)) == change_phase(SERVICE, Phase.LISTING)
