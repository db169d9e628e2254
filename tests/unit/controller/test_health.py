"""Liveness and readiness of the controller."""

from __future__ import annotations

import pytest

from extdns.controller import cluster_thread, controller
from extdns.engine.inputs import Input
from extdns.model.cluster import KindChange, KindState, Phase
from providers.inmemory.provider import InMemoryProvider
from tests.builders import SERVICE, ZONE
from tests.fakes.clocks import MovedClock, ShiftedClock
from tests.unit.controller.barriers import HANGS_S, Barrier, SlowReader
from tests.unit.controller.runnable_controller import build_controller
from tests.unit.controller.scripted_cluster import ScriptedCluster


@pytest.mark.parametrize(
    ("later_s", "healthy"), [pytest.param(59.0, True, id="soon"), pytest.param(61.0, False, id="stuck")]
)
def test_a_process_is_unhealthy_after_a_minute_without_progress_of_its_threads(later_s: float, healthy: bool) -> None:
    clock = ShiftedClock()
    world = build_controller(clock=clock)
    world.make_a_pass()
    clock.shift_s += later_s
    assert world.controller.is_healthy() is healthy


def test_an_idle_thread_makes_progress_often_enough_not_to_count_as_stuck() -> None:
    assert max(controller._MAX_WAIT_S, cluster_thread._TAKE_TIMEOUT_S) < cluster_thread._STUCK_AFTER_S


def test_a_process_is_unhealthy_if_the_engine_is_stuck_in_a_step_after_the_first_pass(gate: Barrier) -> None:
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


def test_a_process_is_ready_once_the_first_full_pass_is_done() -> None:
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
def test_readiness_details_show_the_phase_of_each_kind(script: tuple[KindState, ...], shown: dict[str, str]) -> None:
    cluster = ScriptedCluster(tuple(KindChange(state=state) for state in script))
    world = build_controller(cluster=cluster, clock=MovedClock(), once=False)
    world.start()
    assert cluster.taken.wait(HANGS_S)
    world.stop()
    assert world.controller.read_readiness()[1]["kinds"] == {"services": shown}


def test_readiness_details_list_as_failing_that_zones_have_not_been_listed_yet(gate: Barrier) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    world = build_controller(provider=provider, once=False)
    world.start()
    assert gate.reached.wait(HANGS_S)
    world.stop()
    ready, details = world.controller.read_readiness()
    assert not ready
    assert "zones have not been listed yet" in str(details["failing"])
