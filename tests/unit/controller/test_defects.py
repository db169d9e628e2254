"""The controller outlives defects in every part of the program, and does not hide them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from extdns.engine.inputs import Input, KindReported, Observed, PageRead, ProblemReported, Submitted, Tick
from extdns.log import Event
from extdns.model.claim import Claim
from extdns.model.cluster import ObjectKey, ObjectProblem, Phase
from extdns.model.objects import KubernetesObject
from extdns.model.zone import Page, Zone
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.scene import (
    HANGS_S,
    SYNCED,
    NamedServices,
    Scene,
    ScriptedCluster,
    added,
    fields,
    scene,
)
from tests.unit.engine.stage import SERVICE, ZONE, owned


def breaking(stage: Scene, wrong: Callable[[Input], bool], times: int = 1000) -> None:
    """Let the engine raise on inputs that are *wrong*, the first *times*."""
    step, left = stage.engine.step, iter(range(times))

    def broken(item: Input, now_s: float) -> Sequence[object]:
        if wrong(item) and next(left, None) is not None:
            raise ZeroDivisionError("planted")
        return step(item, now_s)

    stage.engine.step = broken  # type: ignore[method-assign, assignment]


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda item: isinstance(item, PageRead), id="on a page"),
        pytest.param(lambda item: isinstance(item, Submitted), id="on the outcome of a batch"),
    ],
)
def test_a_pass_goes_on_after_a_defect_and_is_not_complete(
    wrong: Callable[[Input], bool], caplog: pytest.LogCaptureFixture
) -> None:
    stage = scene()
    breaking(stage, wrong, times=1)
    stage.make_a_pass()
    assert stage.held() == ["web.example.org A"]
    assert not stage.controller.complete
    assert stage.teller.defects == 1
    assert stage.sample("extdns_defects_total") == 1
    (line,) = fields(caplog, Event.DEFECT)
    assert line["error"] == "ZeroDivisionError"
    assert "test_defects.py" in str(line["place"])


def test_an_object_that_the_engine_cannot_take_in_costs_only_itself() -> None:
    stage = scene(cluster=ScriptedCluster((*added("bad", "web"), SYNCED)))

    def about_bad(item: Input) -> bool:
        if not isinstance(item, Observed):
            return False
        return any(seen.key.name == "bad" and not seen.failure for seen in item.observations)

    breaking(stage, about_bad)
    stage.make_a_pass()
    assert stage.held() == ["web.example.org A"]
    assert [key.name for key, _ in stage.engine.claims.failures()] == ["bad"]


@pytest.mark.parametrize("whose", [ObjectKey(SERVICE, "shop", "web"), None], ids=["an object", "anything"])
def test_what_cannot_be_read_is_not_taken_for_absent_though_the_engine_fails_to_hear_of_it(
    whose: ObjectKey | None,
) -> None:
    trouble = ObjectProblem(place="shop.yaml:3", key=whose, message="no YAML")
    stage = scene(*owned("web"), cluster=ScriptedCluster((trouble, SYNCED)), source_patience_s=0.0)
    breaking(stage, lambda item: isinstance(item, ProblemReported))
    stage.make_a_pass()
    assert stage.held() == ["web.example.org A"]
    assert stage.engine.readiness.missing() == (("Service", Phase.FAILING),)
    assert stage.teller.defects == 1


def test_a_pass_ends_when_the_engine_is_broken() -> None:
    stage = scene()
    breaking(stage, lambda _: True)
    stage.make_a_pass()
    assert not stage.controller.complete
    assert stage.teller.defects == 5
    assert stage.held() == []


def test_a_pass_ends_when_the_cluster_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.follower._LONGEST_PAUSE_S", 0.0)
    stage = scene(cluster=ScriptedCluster(*[OSError("planted")] * 5))
    stage.make_a_pass()
    assert not stage.controller.complete


def test_the_process_goes_on_with_a_broken_engine_and_is_unhealthy_for_good() -> None:
    stage = scene(once=False)
    planted, sixth, defects = threading.Event(), threading.Event(), list[Input]()

    def wrong(item: Input) -> bool:
        if planted.is_set():
            defects.append(item)
        if len(defects) == 6:
            sixth.set()
        return planted.is_set()

    breaking(stage, wrong)
    stage.start()
    assert stage.controller.settled.wait(HANGS_S)
    assert stage.controller.healthy()
    planted.set()
    for _ in range(6):
        stage.controller._inbox.put(Tick())
    assert sixth.wait(HANGS_S)
    assert not stage.controller.healthy()
    planted.clear()
    stage.stop("SIGTERM")
    assert not stage.controller.healthy()


def test_a_few_defects_in_a_row_leave_it_healthy() -> None:
    stage = scene(once=False)
    breaking(stage, lambda item: not isinstance(item, KindReported | Observed), times=4)
    stage.start()
    assert stage.controller.settled.wait(HANGS_S)
    assert stage.controller.healthy()
    stage.stop()


def test_a_reporter_that_fails_keeps_no_change_from_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = scene()

    def fail(_decisions: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(stage.teller, "decided", fail)
    stage.make_a_pass()
    assert stage.held() == ["web.example.org A"]
    assert not stage.controller.complete


def test_a_provider_that_breaks_its_word_is_told_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FaultyProvider):
        def page(self, zone: Zone, after: str | None) -> Page:
            if not fields(caplog, Event.DEFECT):
                raise KeyError("planted")
            return super().page(zone, after)

    stage = scene(provider=Broken(inner=InMemoryProvider(seed={ZONE: ()})))
    stage.make_a_pass()
    assert stage.held() == ["web.example.org A"]
    (line,) = fields(caplog, Event.ZONE_UNREAD)
    assert line["message"] == "KeyError: 'planted'"


def test_a_source_that_raises_costs_only_that_object() -> None:
    class Raising(NamedServices):
        def claims(self, obj: KubernetesObject, view: object) -> tuple[Claim, ...]:
            if obj.metadata.name == "bad":
                raise RuntimeError("planted")
            return super().claims(obj, view)

    stage = scene(cluster=ScriptedCluster((*added("bad", "web"), SYNCED)), source=Raising())
    stage.make_a_pass()
    assert stage.held() == ["web.example.org A"]


def test_ours_is_left_as_it_is_when_nothing_is_seen_of_its_object() -> None:
    cluster = ScriptedCluster((SYNCED,))
    cluster.answer = _raising
    stage = scene(*owned("web"), cluster=cluster, once=False)
    stage.start()
    assert cluster.taken.wait(HANGS_S)
    stage.stop()
    assert stage.held() == ["web.example.org A"]


def _raising(_key: object) -> bool | None:
    raise RuntimeError("planted")
