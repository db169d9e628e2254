"""The main loop of the controller: a single pass, approval of a plan, stopping, liveness and readiness."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence

import pytest

from extdns.controller import cluster_thread, controller
from extdns.engine.effects import Effect
from extdns.engine.inputs import Input, TimePassed
from extdns.errors import UsageError
from extdns.log import Event
from extdns.model.cluster import KindChange, KindState, Phase
from providers.inmemory.provider import InMemoryProvider
from tests.builders import SERVICE, ZONE
from tests.fakes.clocks import MovedClock, ShiftedClock
from tests.fakes.faulty import FaultyProvider
from tests.log_lines import find_logged_events, find_logged_fields
from tests.unit.controller.barriers import HANGS_S, Barrier, SlowReader, SlowWriter
from tests.unit.controller.runnable_controller import build_controller
from tests.unit.controller.scripted_cluster import ScriptedCluster


def test_callback_after_the_first_pass_is_called_once_on_the_engine_thread() -> None:
    world, done = build_controller(), list[threading.Thread]()
    world.controller.run(once=True, on_first_pass=lambda: done.append(threading.current_thread()))
    assert done == [threading.current_thread()]


def test_approval_is_requested_after_planning_and_before_writing() -> None:
    world, seen = build_controller(needs_approval=True), list[tuple[list[str], list[str]]]()
    world.controller.run(
        once=True, approve=lambda: seen.append((world.list_records(), [one.action for one in world.engine.decisions]))
    )
    assert seen == [([], ["create"])]
    assert world.controller.is_complete
    assert world.list_records() == ["web.example.org A"]


def test_nothing_is_written_if_approval_is_refused() -> None:
    world = build_controller(needs_approval=True)

    def refuse() -> None:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        world.controller.run(once=True, approve=refuse)
    assert not world.controller.is_complete
    assert world.list_records() == []


def test_single_pass_that_ends_by_itself_logs_no_signal(caplog: pytest.LogCaptureFixture) -> None:
    build_controller().make_a_pass()
    assert not {Event.SIGNAL_RECEIVED, Event.LOOP_TERMINATED} & set(find_logged_events(caplog))


def test_single_pass_is_not_complete_if_it_was_stopped(gate: Barrier) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    world = build_controller(provider=provider)
    world.start(once=True)
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")
    assert not world.controller.is_complete


def test_closing_does_not_wait_for_a_running_read(gate: Barrier) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    world = build_controller(provider=provider, once=False)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")  # while the gate is shut


def test_closing_waits_for_a_running_write_and_reports_its_outcome(
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


def test_closing_waits_for_a_write_no_longer_than_its_timeout(gate: Barrier, caplog: pytest.LogCaptureFixture) -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    world = build_controller(provider=provider, writer=SlowWriter(provider, gate), once=False, close_timeout_s=0.0)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.stop("SIGTERM")  # while the gate is shut
    assert find_logged_events(caplog)[-1] is Event.WRITE_ABANDONED


def test_closing_does_not_wait_for_a_cluster_that_never_answers(gate: Barrier, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_main_loop_sleeps_until_the_next_deadline_or_input() -> None:
    clock = MovedClock()
    world = build_controller(clock=clock, once=False, cluster=ScriptedCluster())
    world.controller._inbox = inbox = Inbox(world.controller._inbox)  # type: ignore[assignment]
    world.start()
    assert world.controller._parts.cluster.taken.wait(HANGS_S)  # type: ignore[attr-defined]
    world.stop()
    update_s, wait_s = 1.0, 15.0
    assert set(inbox.waits) <= {update_s, wait_s}


def test_main_loop_continues_a_second_after_an_exception() -> None:
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


def test_closing_closes_the_cluster_once_if_the_controller_never_ran() -> None:
    cluster = ScriptedCluster()
    world = build_controller(cluster=cluster)
    world.controller.close()
    world.controller.close()
    assert cluster.closings == 1


# liveness and readiness


def test_unhealthy_after_a_minute_without_progress_of_its_threads() -> None:
    clock = ShiftedClock()
    world = build_controller(clock=clock)
    world.make_a_pass()
    clock.shift_s += 59.0
    assert world.controller.is_healthy()
    clock.shift_s += 2.0
    assert not world.controller.is_healthy()


def test_idle_thread_makes_progress_often_enough() -> None:
    assert max(controller._MAX_WAIT_S, cluster_thread._TAKE_TIMEOUT_S) < cluster_thread.STUCK_AFTER_S


def test_unhealthy_if_the_engine_is_stuck_in_a_step_after_the_first_pass(gate: Barrier) -> None:
    clock = ShiftedClock()
    world = build_controller(clock=clock, once=False)
    step = world.engine.step

    def stuck(item: Input, now_s: float) -> object:
        gate.pass_through()
        return step(item, now_s)

    world.engine.step = stuck  # type: ignore[method-assign, assignment]
    world.start()
    assert gate.reached.wait(HANGS_S)
    clock.shift_s += 61.0
    was_healthy = world.controller.is_healthy()  # during the first pass
    world.controller.first_pass_done.set()
    is_healthy = world.controller.is_healthy()
    gate.open()
    world.stop()
    assert (was_healthy, is_healthy) == (True, False)


def test_ready_when_the_first_full_pass_is_done() -> None:
    world = build_controller()
    assert world.controller.read_readiness() == (False, {"failing": [], "kinds": {}})
    world.make_a_pass()
    ready, details = world.controller.read_readiness()
    assert (ready, details["failing"]) == (True, [])


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        pytest.param((), {"phase": "listing", "since": "2026-11-20T08:57:51Z"}, id="at-first"),
        pytest.param(
            (KindState(kind=SERVICE, phase=Phase.SYNCED, since_s=940.0),),
            {"phase": "synced", "since": "2026-11-20T09:13:31Z"},
            id="synced",
        ),
        pytest.param(
            (KindState(kind=SERVICE, phase=Phase.FORBIDDEN, since_s=999.0, detail="no right"),),
            {"phase": "forbidden", "since": "2026-11-20T09:14:30Z", "message": "no right"},
            id="forbidden",
        ),
    ],
)
def test_readiness_shows_the_phase_of_each_kind(script: tuple[KindState, ...], shown: dict[str, str]) -> None:
    cluster = ScriptedCluster(tuple(KindChange(state=state) for state in script))
    world = build_controller(cluster=cluster, clock=MovedClock(), once=False)
    world.start()
    assert cluster.taken.wait(HANGS_S)
    world.stop()
    assert world.controller.read_readiness()[1]["kinds"] == {"services": shown}
