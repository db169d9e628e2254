"""A lasting failure causes few calls and steps (law 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from extdns.engine.inputs import Input
from extdns.errors import ForbiddenError, RetryableError
from extdns.model.change import Forbidden, Outcome, TryLater, WriteConflict
from extdns.model.cluster import Phase
from extdns.model.zone import AccountFailure, ZoneList
from tests.builders import INGRESS, REFUSED, SERVICE, ZONE, change_phase, observe_new, owned
from tests.fakes.faulty import NoAnswer
from tests.world import World, build_world

NAMES = observe_new(*(f"n{number}" for number in range(30)))
HOUR_S = 3600.0
MOST_STEPS = 1000  # per minute a list, a page, an existence check and a retry, with their answers; and some reserve


def fail_reads(world: World) -> None:
    """Let every read fail."""
    world.provider.failures.extend([RetryableError("down")] * 1000)


def fail_pages(world: World) -> None:
    """Let every read of a page fail, but not the list of zones."""
    world.provider.failures.extend([None, *[RetryableError("down")] * 1000])


def deny_reads(world: World) -> None:
    """Let every read fail for lack of a permission."""
    world.provider.failures.extend([ForbiddenError("denied")] * 1000)


def fail_account(world: World) -> None:
    """Let the list of zones of one account fail."""
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="timeout"),))


def fail_kind(world: World) -> None:
    """Let the list of Ingresses fail."""
    world.feed(change_phase(INGRESS, Phase.FAILING))


def fail_nothing(_: World) -> None:
    """Let everything succeed."""


def fail_writes(outcome: Outcome | NoAnswer) -> Callable[[World], None]:
    """Build a function that lets every batch end with *outcome*."""

    def fail(world: World) -> None:
        world.provider.rule = lambda _: outcome

    return fail


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(fail_nothing, id="nothing fails"),
        pytest.param(fail_reads, id="all reads fail"),
        pytest.param(fail_pages, id="pages fail"),
        pytest.param(deny_reads, id="reads are denied"),
        pytest.param(fail_account, id="an account fails"),
        pytest.param(fail_kind, id="a kind fails"),
        pytest.param(fail_writes(TryLater(message="busy")), id="writes are throttled"),
        pytest.param(fail_writes(NoAnswer(applied=False)), id="writes are not answered"),
        pytest.param(fail_writes(NoAnswer(applied=True)), id="writes are applied and not answered"),
        pytest.param(fail_writes(WriteConflict(message="changed")), id="writes conflict"),
        pytest.param(fail_writes(Forbidden(message="denied")), id="writes are denied"),
        pytest.param(fail_writes(REFUSED), id="writes are refused"),
    ],
)
def test_a_failure_that_lasts_an_hour_causes_few_steps_of_the_engine(fail: Callable[[World], None]) -> None:
    world, steps = build_world(*owned("old", resource="service/shop/old")), Counter[str]()
    world.exists = lambda _: None
    step = world.engine.step

    def counted(item: Input, now_s: float) -> object:
        steps[type(item).__name__] += 1
        assert steps.total() < MOST_STEPS, f"too many steps: {steps}"
        return step(item, now_s)

    world.engine.step = counted  # type: ignore[method-assign, assignment]
    fail(world)
    world.run(change_phase(SERVICE), change_phase(INGRESS) if fail is not fail_kind else NAMES, NAMES, for_s=HOUR_S)
    assert world.engine.is_idle
