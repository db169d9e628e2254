"""The clock on the wall jumps an hour, either way.

A node's clock is set right by NTP, or a pod moves to a node whose clock is wrong, and the next process reads state
that seems to be of the future, or of long ago.

What must hold: a running process does not notice, since it counts steady seconds. The next one deletes nothing the
sooner: the grace begins anew, what the last one deleted counts still or again, and releases hold about as long. If the
clock was set forward meanwhile, ten minutes seem to be over, and the window is.
"""

from __future__ import annotations

import pytest

from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import HOUR_S, MINUTE_S, scene

NAMES = numbered(40)
JUMPS = [pytest.param(HOUR_S, id="forward"), pytest.param(-HOUR_S, id="back")]


@pytest.mark.parametrize("jump_s", JUMPS)
def test_a_running_process_does_not_notice(jump_s: float) -> None:
    world = scene(*services(NAMES))
    world.delete(service(NAMES[0]), for_s=30.0)
    world.fast_s = jump_s
    world.run(for_s=29.0)
    assert world.published() == set(NAMES)
    world.run(for_s=5.0)
    assert world.published() == set(NAMES[1:])


@pytest.mark.parametrize("jump_s", JUMPS)
def test_held_deletes_stay_held_and_released_ones_released(jump_s: float) -> None:
    before = scene(*services(NAMES))
    before.delete(*services(NAMES[:20]), for_s=5 * MINUTE_S)
    code = before.code
    before.fast_s = jump_s
    after = before.again(for_s=5 * MINUTE_S)
    assert after.published() == set(NAMES)
    assert after.code == code
    after.release()
    assert after.published() == set(NAMES[20:])


def test_what_was_deleted_in_the_future_counts_as_deleted_just_now() -> None:
    before = scene(*services(NAMES))
    before.fast_s = HOUR_S
    before.delete(*services(NAMES[:12]), for_s=2 * MINUTE_S)
    assert before.published() == set(NAMES[12:])
    before.fast_s = 0.0
    after = before.again(for_s=5.0)
    after.delete(service(NAMES[12]), for_s=2 * MINUTE_S)
    assert after.published() == set(NAMES[12:])
    assert after.shown_held() == {NAMES[12]}
    after.run(for_s=10 * MINUTE_S)
    assert after.published() == set(NAMES[13:])


@pytest.mark.parametrize(
    ("fast_s", "next_fast_s"),
    [pytest.param(HOUR_S, 0.0, id="first-is-fast"), pytest.param(0.0, -HOUR_S, id="next-is-slow")],
)
def test_the_whole_program_gives_no_budget_anew(production: Production, fast_s: float, next_fast_s: float) -> None:
    names = NAMES[:30]
    production.put(*services(names))
    with production.process() as running:
        production.until_published(*names)
        running.set_clock(fast_s)
        production.delete(*services(names[:10]))
        production.seen()
        running.pass_time(MINUTE_S - 10.0)
        production.seen()
        assert production.published() == set(names)
        running.pass_time(11.0)
        production.until_published(*names[10:])
    with production.process(fast_s=next_fast_s) as running:
        production.delete(*services(names[10:13]))
        production.seen()
        running.pass_time(MINUTE_S + 1.0)
        running.until("Deletes are held", "count=3")
        production.seen()
        assert production.published() == set(names[10:])
        running.pass_time(10 * MINUTE_S)
        production.until_published(*names[13:])
