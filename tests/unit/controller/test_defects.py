"""The controller continues after a defect in any part, and reports it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from extdns.engine.inputs import BatchCompleted, Input, KindStateChanged, Observed, PageRead, ProblemChanged, TimePassed
from extdns.log import Event
from extdns.model.claim import Claim
from extdns.model.cluster import ObjectProblem, Phase
from extdns.model.kind import ObjectKey
from extdns.model.resources.kinds import KubernetesObject
from extdns.model.zone import Zone, ZonePage
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.scene import (
    HANGS_S,
    SYNCED,
    NamedServices,
    Scene,
    ScriptedCluster,
    add_services,
    build_scene,
    find_logged_fields,
)
from tests.unit.engine.stage import SERVICE, ZONE, owned


def break_engine(stage: Scene, is_failing: Callable[[Input], bool], times: int = 1000) -> None:
    """Make the engine raise on the first *times* inputs for which *is_failing* returns true."""
    step, left = stage.engine.step, iter(range(times))

    def broken(item: Input, now_s: float) -> Sequence[object]:
        if is_failing(item) and next(left, None) is not None:
            raise ZeroDivisionError("planted")
        return step(item, now_s)

    stage.engine.step = broken  # type: ignore[method-assign, assignment]


@pytest.mark.parametrize(
    "is_failing",
    [
        pytest.param(lambda item: isinstance(item, PageRead), id="on a page"),
        pytest.param(lambda item: isinstance(item, BatchCompleted), id="on the outcome of a batch"),
    ],
)
def test_single_pass_continues_after_a_defect_and_is_not_complete(
    is_failing: Callable[[Input], bool], caplog: pytest.LogCaptureFixture
) -> None:
    stage = build_scene()
    break_engine(stage, is_failing, times=1)
    stage.make_a_pass()
    assert stage.list_records() == ["web.example.org A"]
    assert not stage.controller.is_complete
    assert stage.reporter.defect_count == 1
    assert stage.sample("extdns_defects_total") == 1
    (line,) = find_logged_fields(caplog, Event.DEFECT)
    assert line["error"] == "ZeroDivisionError"
    assert "test_defects.py" in str(line["place"])


def test_object_that_makes_the_engine_raise_affects_no_other() -> None:
    stage = build_scene(cluster=ScriptedCluster((*add_services("bad", "web"), SYNCED)))

    def about_bad(item: Input) -> bool:
        if not isinstance(item, Observed):
            return False
        return any(seen.key.name == "bad" and not seen.failure for seen in item.observations)

    break_engine(stage, about_bad)
    stage.make_a_pass()
    assert stage.list_records() == ["web.example.org A"]
    assert [key.name for key, _ in stage.engine.claims.failures()] == ["bad"]


@pytest.mark.parametrize("whose", [ObjectKey(SERVICE, "shop", "web"), None], ids=["an object", "anything"])
def test_unreadable_object_does_not_count_as_deleted_if_reporting_it_raises(
    whose: ObjectKey | None,
) -> None:
    trouble = ObjectProblem(location="shop.yaml:3", key=whose, message="no YAML")
    stage = build_scene(*owned("web"), cluster=ScriptedCluster((trouble, SYNCED)), source_timeout_s=0.0)
    break_engine(stage, lambda item: isinstance(item, ProblemChanged))
    stage.make_a_pass()
    assert stage.list_records() == ["web.example.org A"]
    assert stage.engine.readiness.find_missing() == (("Service", Phase.FAILING),)
    assert stage.reporter.defect_count == 1


def test_single_pass_ends_when_the_engine_is_broken() -> None:
    stage = build_scene()
    break_engine(stage, lambda _: True)
    stage.make_a_pass()
    assert not stage.controller.is_complete
    assert stage.reporter.defect_count == 5
    assert stage.list_records() == []


def test_single_pass_ends_when_the_cluster_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.cluster_thread._MAX_BACKOFF_S", 0.0)
    stage = build_scene(cluster=ScriptedCluster(*[OSError("planted")] * 5))
    stage.make_a_pass()
    assert not stage.controller.is_complete


def test_process_with_a_broken_engine_continues_and_stays_unhealthy() -> None:
    stage = build_scene(once=False)
    planted, sixth, defects = threading.Event(), threading.Event(), list[Input]()

    def is_failing(item: Input) -> bool:
        if planted.is_set():
            defects.append(item)
        if len(defects) == 6:
            sixth.set()
        return planted.is_set()

    break_engine(stage, is_failing)
    stage.start()
    assert stage.controller.first_pass_done.wait(HANGS_S)
    assert stage.controller.is_healthy()
    planted.set()
    for _ in range(6):
        stage.controller._inbox.put(TimePassed())
    assert sixth.wait(HANGS_S)
    assert not stage.controller.is_healthy()
    planted.clear()
    stage.stop("SIGTERM")
    assert not stage.controller.is_healthy()


def test_process_is_healthy_after_a_few_defects() -> None:
    stage = build_scene(once=False)
    break_engine(stage, lambda item: not isinstance(item, KindStateChanged | Observed), times=4)
    stage.start()
    assert stage.controller.first_pass_done.wait(HANGS_S)
    assert stage.controller.is_healthy()
    stage.stop()


def test_changes_are_made_even_if_the_reporter_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = build_scene()

    def fail(_decisions: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(stage.reporter, "report_decisions", fail)
    stage.make_a_pass()
    assert stage.list_records() == ["web.example.org A"]
    assert not stage.controller.is_complete


def test_unexpected_error_of_a_provider_is_reported_and_the_call_retried(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FaultyProvider):
        def read_page(self, zone: Zone, after: str | None) -> ZonePage:
            if not find_logged_fields(caplog, Event.DEFECT):
                raise KeyError("planted")
            return super().read_page(zone, after)

    stage = build_scene(provider=Broken(inner=InMemoryProvider(seed={ZONE: ()})))
    stage.make_a_pass()
    assert stage.list_records() == ["web.example.org A"]
    (line,) = find_logged_fields(caplog, Event.ZONE_READ_FAILED)
    assert line["message"] == "KeyError: 'planted'"


def test_source_that_raises_affects_only_that_object() -> None:
    class Raising(NamedServices):
        def find_claims(self, obj: KubernetesObject, view: object) -> tuple[Claim, ...]:
            if obj.metadata.name == "bad":
                raise RuntimeError("planted")
            return super().find_claims(obj, view)

    stage = build_scene(cluster=ScriptedCluster((*add_services("bad", "web"), SYNCED)), source=Raising())
    stage.make_a_pass()
    assert stage.list_records() == ["web.example.org A"]


def test_record_stays_if_the_existence_check_raises() -> None:
    cluster = ScriptedCluster((SYNCED,))
    cluster.answer = _raising
    stage = build_scene(*owned("web"), cluster=cluster, once=False)
    stage.start()
    assert cluster.taken.wait(HANGS_S)
    stage.stop()
    assert stage.list_records() == ["web.example.org A"]


def _raising(_key: object) -> bool | None:
    raise RuntimeError("planted")
