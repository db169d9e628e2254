"""The loop: it makes a pass, and ends when it is asked to."""

from __future__ import annotations

import threading

import pytest

from extdns.log import Event
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.scene import (
    HANGS_S,
    Gate,
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


def test_what_was_never_run_closes_its_cluster_all_the_same() -> None:
    cluster = ScriptedCluster()
    stage = scene(cluster=cluster)
    stage.controller.close()
    stage.controller.close()
    assert cluster.closings == 1
