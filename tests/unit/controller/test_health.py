"""What the controller says of itself to probes."""

from __future__ import annotations

import pytest

from extdns.controller import controller, follower, pulse
from extdns.engine.inputs import Input
from extdns.model.cluster import KindChange, KindState, Phase
from providers.inmemory.provider import InMemoryProvider
from tests.unit.controller.scene import (
    HANGS_S,
    Gate,
    MovedClock,
    ScriptedCluster,
    ShiftedClock,
    SlowReader,
    scene,
)
from tests.unit.engine.stage import SERVICE, ZONE


@pytest.mark.parametrize(
    ("later_s", "healthy"), [pytest.param(119.0, True, id="soon"), pytest.param(121.0, False, id="stuck")]
)
def test_it_is_healthy_while_both_threads_take_steps(later_s: float, healthy: bool) -> None:
    clock = ShiftedClock()
    stage = scene(clock=clock)
    stage.make_a_pass()
    clock.shift_s += later_s
    assert stage.controller.healthy() is healthy


def test_an_idle_process_gives_a_sign_of_life_before_it_is_taken_for_stuck() -> None:
    assert max(controller._LONGEST_WAIT_S, follower._TAKE_S) < pulse._STUCK_AFTER_S


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
    assert stage.controller.ready() == (False, {"failing": [], "kinds": {}})
    stage.make_a_pass()
    ready, facts = stage.controller.ready()
    assert (ready, facts["failing"]) == (True, [])


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
def test_it_tells_how_far_each_kind_is(script: tuple[KindState, ...], shown: dict[str, str]) -> None:
    cluster = ScriptedCluster(tuple(KindChange(state=state) for state in script))
    stage = scene(cluster=cluster, clock=MovedClock(), once=False)
    stage.start()
    assert cluster.taken.wait(HANGS_S)
    stage.stop()
    assert stage.controller.ready()[1]["kinds"] == {"services": shown}


def test_it_tells_what_keeps_it_from_being_ready(gate: Gate) -> None:
    provider = SlowReader(inner=InMemoryProvider(seed={ZONE: ()}), gate=gate)
    stage = scene(provider=provider, once=False)
    stage.start()
    assert gate.reached.wait(HANGS_S)
    stage.stop()
    ready, facts = stage.controller.ready()
    assert not ready
    assert "zones have not been listed yet" in str(facts["failing"])
