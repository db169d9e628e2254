"""The main loop of the controller: a single pass, approval of a plan, and stopping."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence

import pytest

from extdns.engine.effects import Effect
from extdns.engine.inputs import Input, TimePassed
from extdns.errors import UsageError
from extdns.log import Event
from providers.inmemory.provider import InMemoryProvider
from tests.builders import ZONE
from tests.fakes.clocks import MovedClock
from tests.fakes.faulty import FaultyProvider
from tests.log_lines import find_logged_events, find_logged_fields
from tests.unit.controller.barriers import HANGS_S, Barrier, SlowReader, SlowWriter
from tests.unit.controller.runnable_controller import build_controller
from tests.unit.controller.scripted_cluster import ScriptedCluster


def test_a_single_pass_publishes_records_and_ends() -> None:
    world = build_controller()
    world.make_a_pass()
    assert world.controller.is_complete
    assert world.list_records() == ["web.example.org A"]


def test_the_callback_after_the_first_full_pass_is_called_once_on_the_engine_thread() -> None:
    world, done = build_controller(), list[threading.Thread]()
    world.controller.run(once=True, on_first_pass=lambda: done.append(threading.current_thread()))
    assert done == [threading.current_thread()]


def test_a_single_pass_without_a_writer_plans_changes_writes_nothing_and_ends() -> None:
    world = build_controller(writes=False)
    world.make_a_pass()
    assert world.controller.is_complete
    assert world.list_records() == []
    assert [decision.action for decision in world.engine.decisions] == ["create"]


def test_approval_of_the_plan_is_requested_after_planning_and_before_writing() -> None:
    world, seen = build_controller(needs_approval=True), list[tuple[list[str], list[str]]]()
    world.controller.run(
        once=True, approve=lambda: seen.append((world.list_records(), [one.action for one in world.engine.decisions]))
    )
    assert seen == [([], ["create"])]
    assert world.controller.is_complete
    assert world.list_records() == ["web.example.org A"]


def test_nothing_is_written_if_approval_of_the_plan_is_refused() -> None:
    world = build_controller(needs_approval=True)

    def refuse() -> None:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        world.controller.run(once=True, approve=refuse)
    assert not world.controller.is_complete
    assert world.list_records() == []


def test_a_stop_signal_ends_the_main_loop_and_logs_what_external_dns_logs(caplog: pytest.LogCaptureFixture) -> None:
    world = build_controller(once=False)
    world.start()
    assert world.controller.first_pass_done.wait(HANGS_S)
    world.stop("SIGTERM")
    assert find_logged_events(caplog)[-2:] == [Event.SIGNAL_RECEIVED, Event.LOOP_TERMINATED]
    assert find_logged_fields(caplog, Event.SIGNAL_RECEIVED) == [{"signal": "SIGTERM"}]


def test_a_single_pass_that_ends_by_itself_logs_no_signal(caplog: pytest.LogCaptureFixture) -> None:
    build_controller().make_a_pass()
    assert not {Event.SIGNAL_RECEIVED, Event.LOOP_TERMINATED} & set(find_logged_events(caplog))


def test_a_single_pass_that_was_stopped_is_not_complete(gate: Barrier) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    world = build_controller(provider=provider)
    world.start(once=True)
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")
    assert not world.controller.is_complete


def test_closing_the_controller_does_not_wait_for_a_running_read(gate: Barrier) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    world = build_controller(provider=provider, once=False)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")  # while the gate is shut


def test_closing_the_controller_waits_for_a_running_write_and_reports_its_outcome(
    gate: Barrier, caplog: pytest.LogCaptureFixture
) -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    world = build_controller(provider=provider, writer=SlowWriter(provider, gate), once=False)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.controller.stop("SIGTERM")
    gate.open()
    world.join()
    assert world.list_records() == ["web.example.org A"]
    assert find_logged_fields(caplog, Event.APPLIED)[0]["count"] == 2  # the record and its ownership record
    assert find_logged_events(caplog).index(Event.LOOP_TERMINATED) < find_logged_events(caplog).index(Event.APPLIED)


def test_closing_the_controller_waits_for_a_write_no_longer_than_its_timeout(
    gate: Barrier, caplog: pytest.LogCaptureFixture
) -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    world = build_controller(provider=provider, writer=SlowWriter(provider, gate), once=False, close_timeout_s=0.0)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")  # while the gate is shut
    assert find_logged_events(caplog)[-1] is Event.WRITE_ABANDONED


def test_closing_the_controller_does_not_wait_for_a_cluster_that_never_answers(
    gate: Barrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extdns.controller.cluster_thread._CLOSE_TIMEOUT_S", 0.0)

    class Mute(ScriptedCluster):
        def take(self, timeout_s: float) -> tuple[()]:  # noqa: ARG002 - the port says what it is
            gate.pass_through()
            return ()

    world = build_controller(cluster=Mute(), once=False)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")  # while the gate is shut


class Inbox:
    """An engine inbox that stores the timeout of each read."""

    def __init__(self, inner: queue.SimpleQueue[Input]) -> None:
        self._inner = inner
        self.waits = list[float]()
        self.get_nowait, self.empty, self.put = inner.get_nowait, inner.empty, inner.put

    def get(self, timeout: float) -> Input:
        self.waits.append(timeout)
        return self._inner.get(timeout=timeout)


def test_the_main_loop_sleeps_until_the_next_deadline_or_input() -> None:
    clock = MovedClock()
    world = build_controller(clock=clock, once=False, cluster=ScriptedCluster())
    world.controller._inbox = inbox = Inbox(world.controller._inbox)  # type: ignore[assignment]
    world.start()
    assert world.controller._parts.cluster.taken.wait(HANGS_S)  # type: ignore[attr-defined]
    world.stop()
    update_s, wait_s = 1.0, 15.0
    assert set(inbox.waits) <= {update_s, wait_s}


def test_the_main_loop_continues_a_second_after_an_exception_in_the_engine() -> None:
    world = build_controller(clock=MovedClock(), once=False)
    step, first = world.engine.step, iter([True])

    def broken(item: Input, now_s: float) -> Sequence[Effect]:
        if next(first, False):
            raise ZeroDivisionError("planted")
        return step(item, now_s)

    world.engine.step = broken  # type: ignore[method-assign, assignment]
    world.controller._feed(TimePassed())
    world.controller._inbox = inbox = Inbox(world.controller._inbox)  # type: ignore[assignment]
    inbox.put(TimePassed())
    world.controller._take_input()
    assert inbox.waits == [1.0]
    world.controller.close()


def test_closing_a_controller_that_never_ran_closes_its_cluster_once() -> None:
    cluster = ScriptedCluster()
    world = build_controller(cluster=cluster)
    world.controller.close()
    world.controller.close()
    assert cluster.closings == 1
