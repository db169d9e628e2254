"""The loop: it makes a pass, and ends when it is asked to."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence

import pytest

from extdns.engine.effects import Effect
from extdns.engine.inputs import Input, Tick
from extdns.errors import UsageError
from extdns.log import Event
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.scene import (
    HANGS_S,
    Gate,
    MovedClock,
    ScriptedCluster,
    SlowReader,
    SlowWriter,
    fields,
    scene,
    told,
)
from tests.unit.engine.stage import ZONE


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


def test_who_is_asked_sees_the_whole_plan_before_anything_is_written() -> None:
    stage, seen = scene(asks=True), list[tuple[list[str], list[str]]]()
    stage.controller.run(
        once=True, approve=lambda: seen.append((stage.held(), [one.verdict for one in stage.engine.decisions]))
    )
    assert seen == [([], ["create"])]
    assert stage.controller.complete
    assert stage.held() == ["web.example.org A"]


def test_who_is_asked_can_refuse() -> None:
    stage = scene(asks=True)

    def refuse() -> None:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        stage.controller.run(once=True, approve=refuse)
    assert not stage.controller.complete
    assert stage.held() == []


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
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    stage = scene(provider=provider)
    stage.start(once=True)
    assert gate.reached.wait(HANGS_S)
    stage.stop("SIGTERM")
    assert not stage.controller.complete


def test_a_read_under_way_does_not_hold_up_the_end(gate: Gate) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
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


class Inbox:
    """Remembers how long the loop wanted to wait."""

    def __init__(self, inner: queue.SimpleQueue[Input]) -> None:
        self._inner = inner
        self.waits = list[float]()
        self.get_nowait, self.empty, self.put = inner.get_nowait, inner.empty, inner.put

    def get(self, timeout: float) -> Input:
        self.waits.append(timeout)
        return self._inner.get(timeout=timeout)


def test_the_loop_sleeps_until_something_is_due_or_happens() -> None:
    clock = MovedClock()
    stage = scene(clock=clock, once=False, cluster=ScriptedCluster())
    stage.controller._inbox = inbox = Inbox(stage.controller._inbox)  # type: ignore[assignment]
    stage.start()
    assert stage.controller._parts.cluster.taken.wait(HANGS_S)  # type: ignore[attr-defined]
    stage.stop()
    look_s, list_s = 1.0, 60.0
    assert set(inbox.waits) <= {look_s, list_s}


def test_after_a_defect_the_engine_is_asked_again_soon() -> None:
    stage = scene(clock=MovedClock(), once=False)
    step, first = stage.engine.step, iter([True])

    def broken(item: Input, now_s: float) -> Sequence[Effect]:
        if next(first, False):
            raise ZeroDivisionError("planted")
        return step(item, now_s)

    stage.engine.step = broken  # type: ignore[method-assign, assignment]
    stage.controller._feed(Tick())
    stage.controller._inbox = inbox = Inbox(stage.controller._inbox)  # type: ignore[assignment]
    inbox.put(Tick())
    stage.controller._next()
    assert inbox.waits == [1.0]
    stage.controller.close()


def test_what_was_never_run_closes_its_cluster_all_the_same() -> None:
    cluster = ScriptedCluster()
    stage = scene(cluster=cluster)
    stage.controller.close()
    stage.controller.close()
    assert cluster.closings == 1
