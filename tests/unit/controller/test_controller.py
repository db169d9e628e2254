"""The loop: it makes a pass, ends when it is asked to, and outlives defects."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from extdns.engine.inputs import Input, KindReported, Observed, PageRead, Submitted, Tick
from extdns.log import Event
from extdns.model.change import Batch
from extdns.model.claim import Claim
from extdns.model.objects import KubernetesObject
from extdns.model.outcome import Outcome
from extdns.model.zone import Page, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.scene import (
    HANGS_S,
    SYNCED,
    NamedServices,
    Scene,
    ScriptedCluster,
    ShiftedClock,
    added,
    fields,
    scene,
    told,
)
from tests.unit.engine.stage import ZONE, owned


@pytest.fixture(autouse=True)
def _every_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "extdns")


class Gate:
    """Somewhere in a call a thread waits until the test lets it on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        self._open.wait(HANGS_S)

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Opened at the end, so that no thread stays behind."""
    found = Gate()
    yield found
    found.open()


class SlowWriter:
    def __init__(self, inner: FaultyProvider, gate: Gate) -> None:
        self._inner = inner
        self._gate = gate

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._gate.pass_through()
        return self._inner.submit(zone, batch)


class SlowReader(FaultyProvider):
    gate: Gate

    def zones(self) -> ZoneList:
        self.gate.pass_through()
        return self.inner.zones()


def test_one_pass_publishes_and_ends() -> None:
    stage = scene()
    stage.make_a_pass()
    assert stage.controller.complete
    assert stage.held() == ["web.example.org A"]


def test_what_is_to_be_done_after_the_first_pass_is_done_once_by_the_thread_of_the_engine() -> None:
    stage, done = scene(), list[threading.Thread]()
    stage.controller.run(once=True, on_settled=lambda: done.append(threading.current_thread()))
    assert done == [threading.current_thread()]


def test_without_a_writer_nothing_is_written_and_the_pass_ends() -> None:
    stage = scene(writes=False)
    stage.make_a_pass()
    assert stage.controller.complete
    assert stage.held() == []
    assert [decision.verdict for decision in stage.engine.decisions] == ["create"]


# ---- the end


def test_a_signal_ends_the_loop_with_the_lines_that_people_wait_for(caplog: pytest.LogCaptureFixture) -> None:
    stage = scene(once=False)
    stage.start()
    assert stage.controller.settled.wait(HANGS_S)
    stage.stop("SIGTERM")
    assert told(caplog)[-2:] == [Event.SIGNALLED, Event.LOOP_ENDED]
    assert fields(caplog, Event.SIGNALLED) == [{"signal": "SIGTERM"}]


def test_a_pass_that_ends_by_itself_speaks_of_no_signal(caplog: pytest.LogCaptureFixture) -> None:
    scene().make_a_pass()
    assert not {Event.SIGNALLED, Event.LOOP_ENDED} & set(told(caplog))


def test_a_pass_that_is_stopped_is_not_complete(gate: Gate) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}))
    provider.gate = gate
    stage = scene(provider=provider)
    stage.start(once=True)
    assert gate.reached.wait(HANGS_S)
    stage.stop("SIGTERM")
    assert not stage.controller.complete


def test_a_read_under_way_does_not_hold_up_the_end(gate: Gate) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}))
    provider.gate = gate
    stage = scene(provider=provider, once=False)
    stage.start()
    assert gate.reached.wait(HANGS_S)
    stage.stop("SIGTERM")  # while the gate is shut


def test_a_write_under_way_is_waited_for_and_its_outcome_is_told(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    stage = scene(provider=provider, writer=SlowWriter(provider, gate), once=False)
    stage.start()
    assert gate.reached.wait(HANGS_S)
    stage.controller.stop("SIGTERM")
    gate.open()
    stage.join()
    assert stage.held() == ["web.example.org A"]
    assert fields(caplog, Event.APPLIED)[0]["count"] == 2  # the record and its mark
    assert told(caplog).index(Event.LOOP_ENDED) < told(caplog).index(Event.APPLIED)


def test_a_write_without_end_is_left_to_itself(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    stage = scene(provider=provider, writer=SlowWriter(provider, gate), once=False, patience_s=0.0)
    stage.start()
    assert gate.reached.wait(HANGS_S)
    stage.stop("SIGTERM")  # while the gate is shut
    assert told(caplog)[-1] is Event.WRITE_ABANDONED


def test_a_cluster_that_never_answers_does_not_hold_up_the_end(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extdns.controller.follower._LEAVING_S", 0.0)

    class Mute(ScriptedCluster):
        def take(self, timeout_s: float) -> tuple[()]:  # noqa: ARG002 - the port says what it is
            gate.pass_through()
            return ()

    stage = scene(cluster=Mute(), once=False)
    stage.start()
    assert gate.reached.wait(HANGS_S)
    stage.stop("SIGTERM")  # while the gate is shut


def test_what_was_never_run_closes_its_cluster_all_the_same() -> None:
    cluster = ScriptedCluster()
    stage = scene(cluster=cluster)
    stage.controller.close()
    stage.controller.close()
    assert cluster.closings == 1


# ---- defects


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
    assert "test_controller.py" in str(line["place"])


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
    breaking(stage, lambda item: not isinstance(item, KindReported), times=4)
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


# ---- health


@pytest.mark.parametrize(
    ("later_s", "healthy"), [pytest.param(119.0, True, id="soon"), pytest.param(121.0, False, id="stuck")]
)
def test_it_is_healthy_while_both_threads_take_steps(later_s: float, healthy: bool) -> None:
    clock = ShiftedClock()
    stage = scene(clock=clock)
    stage.make_a_pass()
    clock.shift_s += later_s
    assert stage.controller.healthy() is healthy


def test_an_engine_that_is_stuck_in_a_step_is_unhealthy(gate: Gate) -> None:
    clock = ShiftedClock()
    stage = scene(clock=clock, once=False)
    step = stage.engine.step

    def stuck(item: Input, now_s: float) -> object:
        gate.pass_through()
        return step(item, now_s)

    stage.engine.step = stuck  # type: ignore[method-assign, assignment]
    stage.start()
    assert gate.reached.wait(HANGS_S)
    clock.shift_s += 121.0
    assert not stage.controller.healthy()
    gate.open()
    stage.stop()


def test_it_is_ready_once_the_first_pass_is_over() -> None:
    stage = scene()
    assert stage.controller.ready() == (False, {"failing": []})
    stage.make_a_pass()
    assert stage.controller.ready() == (True, {"failing": []})


def test_it_tells_what_keeps_it_from_being_ready(gate: Gate) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}))
    provider.gate = gate
    stage = scene(provider=provider, once=False)
    stage.start()
    assert gate.reached.wait(HANGS_S)
    stage.stop()
    ready, facts = stage.controller.ready()
    assert not ready
    assert "zones have not been listed yet" in str(facts["failing"])


def test_ours_is_left_as_it_is_when_nothing_is_seen_of_its_object() -> None:
    cluster = ScriptedCluster((SYNCED,))
    cluster.exists = _raising
    stage = scene(*owned("web"), cluster=cluster, once=False)
    stage.start()
    assert cluster.taken.wait(HANGS_S)
    stage.stop()
    assert stage.held() == ["web.example.org A"]


def _raising(_key: object) -> bool | None:
    raise RuntimeError("planted")
