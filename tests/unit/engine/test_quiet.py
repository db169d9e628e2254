"""Trouble that lasts costs no more calls and no more wake-ups than a service in order: nothing spins (law 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from extdns.engine.inputs import Input
from extdns.errors import ForbiddenError, RetryableError
from extdns.model.cluster import Phase
from extdns.model.outcome import Conflict, Forbidden, Outcome, TryLater
from extdns.model.zone import AccountFailure, ZoneList
from tests.fakes.faulty import Lost
from tests.unit.engine.stage import INGRESS, REFUSED, SERVICE, ZONE, Stage, new, owned, phase, stage

NAMES = new(*(f"n{number}" for number in range(30)))
HOUR_S = 3600.0
MOST_STEPS = 1000  # a list, a page, a question and a try a minute, each asked for and answered; and some


def reads(world: Stage) -> None:
    world.provider.failures.extend([RetryableError("down")] * 1000)


def pages(world: Stage) -> None:
    world.provider.failures.extend([None, *[RetryableError("down")] * 1000])


def rights(world: Stage) -> None:
    world.provider.failures.extend([ForbiddenError("denied")] * 1000)


def account(world: Stage) -> None:
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="timeout"),))


def kind(world: Stage) -> None:
    world.feed(phase(INGRESS, Phase.FAILING))


def nothing(_: Stage) -> None:
    """All is in order."""


def writes(outcome: Outcome | Lost) -> Callable[[Stage], None]:
    def fail(world: Stage) -> None:
        world.provider.rule = lambda _: outcome

    return fail


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(nothing, id="nothing fails"),
        pytest.param(reads, id="all reads fail"),
        pytest.param(pages, id="pages fail"),
        pytest.param(rights, id="reads are denied"),
        pytest.param(account, id="an account fails"),
        pytest.param(kind, id="a kind fails"),
        pytest.param(writes(TryLater(message="busy")), id="writes are throttled"),
        pytest.param(writes(Lost(applied=False)), id="writes are not answered"),
        pytest.param(writes(Lost(applied=True)), id="writes are applied and not answered"),
        pytest.param(writes(Conflict(message="changed")), id="writes conflict"),
        pytest.param(writes(Forbidden(message="denied")), id="writes are denied"),
        pytest.param(writes(REFUSED), id="writes are refused"),
    ],
)
def test_an_hour_of_trouble_is_quiet(fail: Callable[[Stage], None]) -> None:
    world, steps = stage(*owned("old", resource="service/shop/old")), Counter[str]()
    world.exists = lambda _: None
    step = world.engine.step

    def counted(item: Input, now_s: float) -> object:
        steps[type(item).__name__] += 1
        assert steps.total() < MOST_STEPS, f"it spins: {steps}"
        return step(item, now_s)

    world.engine.step = counted  # type: ignore[method-assign, assignment]
    fail(world)
    world.run(phase(SERVICE), phase(INGRESS) if fail is not kind else NAMES, NAMES, for_s=HOUR_S)
    assert world.engine.settled
