"""The wall clock jumps an hour forward or back.

NTP corrects a node's clock, or a pod moves to a node with a wrong clock, so that the next process reads saved state
that seems to be from the future or from long ago.

What must hold: a running process counts monotonic seconds and is not affected. The next process deletes nothing
earlier: the grace period starts again, earlier deletes still count against the budget, and approvals remain valid about
as long. Only if the clock was set forward, the ten minutes of the budget seem to be over.
"""

from __future__ import annotations

import pytest

from tests.cluster_world import HOUR_S, MINUTE_S, start_cluster
from tests.incidents.production import Production
from tests.objects import numbered, service, services

NAMES = numbered(40)
JUMPS = [pytest.param(HOUR_S, id="forward"), pytest.param(-HOUR_S, id="back")]


@pytest.mark.parametrize("jump_s", JUMPS)
def test_a_clock_jump_does_not_change_the_grace_period_of_a_running_process(jump_s: float) -> None:
    world = start_cluster(*services(NAMES))
    world.delete(service(NAMES[0]), for_s=30.0)
    world.fast_s = jump_s
    world.run(for_s=29.0)
    assert world.published() == set(NAMES)
    world.run(for_s=5.0)
    assert world.published() == set(NAMES[1:])


@pytest.mark.parametrize("jump_s", JUMPS)
def test_held_deletes_keep_their_code_after_a_clock_jump_and_restart(jump_s: float) -> None:
    before = start_cluster(*services(NAMES))
    before.delete(*services(NAMES[:20]), for_s=5 * MINUTE_S)
    code = before.code
    before.fast_s = jump_s
    after = before.restart(for_s=5 * MINUTE_S)
    assert after.published() == set(NAMES)
    assert after.code == code
    after.approve()
    assert after.published() == set(NAMES[20:])


def test_deletes_saved_with_a_future_time_still_count_against_the_budget() -> None:
    before = start_cluster(*services(NAMES))
    before.fast_s = HOUR_S
    before.delete(*services(NAMES[:12]), for_s=2 * MINUTE_S)
    assert before.published() == set(NAMES[12:])
    before.fast_s = 0.0
    after = before.restart(for_s=5.0)
    after.delete(service(NAMES[12]), for_s=2 * MINUTE_S)
    assert after.published() == set(NAMES[12:])
    assert after.held_names() == {NAMES[12]}
    after.run(for_s=HOUR_S)
    assert after.published() == set(NAMES[12:]), "held deletes stay held"


@pytest.mark.parametrize(
    ("fast_s", "next_fast_s"),
    [pytest.param(HOUR_S, 0.0, id="first-is-fast"), pytest.param(0.0, -HOUR_S, id="next-is-slow")],
)
def test_the_program_gets_no_new_delete_budget_from_a_clock_jump(
    production: Production, fast_s: float, next_fast_s: float
) -> None:
    names = NAMES[:30]
    production.apply(*services(names))
    with production.process() as running:
        production.until_published(*names)
        running.set_clock(fast_s)
        production.delete(*services(names[:10]))
        production.wait_for_marker()
        running.pass_time(MINUTE_S - 10.0)
        production.wait_for_marker()
        assert production.published() == set(names)
        running.pass_time(11.0)
        production.until_published(*names[10:])
    with production.process(fast_s=next_fast_s) as running:
        production.delete(*services(names[10:13]))
        production.wait_for_marker()
        running.pass_time(MINUTE_S + 1.0)
        running.until("Deletes are held", "count=3")
        production.wait_for_marker()
        assert production.published() == set(names[10:])
        running.pass_time(10 * MINUTE_S)
        production.wait_for_marker()
        assert production.published() == set(names[10:]), "held deletes stay held"
