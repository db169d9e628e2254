"""A single pass comes to an end (design 6, `--once`)."""

from __future__ import annotations

from collections import Counter

import pytest

from extdns.model.outcome import Conflict, Forbidden, Outcome, TryLater
from extdns.model.reason import Reason
from tests.fakes.faulty import Lost
from tests.unit.engine.stage import (
    REFUSED,
    host,
    new,
    running,
)

NAMES = ("api", "blog", "shop", "web")
EXISTS = Conflict(message="exists", culprits=tuple(map(host, NAMES)))
FORBIDDEN = Forbidden(message="no right to change the zone")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        pytest.param(REFUSED, Reason.REFUSED, id="refused"),
        pytest.param(FORBIDDEN, Reason.ZONE_FORBIDDEN, id="forbidden"),
        pytest.param(TryLater(message="busy"), Reason.TRY_LATER, id="try-later"),
        pytest.param(EXISTS, Reason.CHANGED_MEANWHILE, id="conflict"),
        pytest.param(Lost(applied=False), Reason.NO_ANSWER, id="no-answer"),
    ],
)
def test_a_single_pass_ends_whatever_the_service_answers(outcome: Outcome | Lost, reason: Reason) -> None:
    world = running(once=True)
    world.provider.rule = lambda _: outcome
    world.run(new(*NAMES), for_s=300.0)
    assert world.engine.settled
    assert Counter(decision.reason for decision in world.engine.decisions) == {reason: 4}


def test_a_single_pass_waits_for_what_may_still_succeed() -> None:
    world = running(once=True)
    world.provider.answers.append(TryLater(message="busy"))
    world.run(new("web"), for_s=0.2)
    assert not world.engine.settled
    world.run(for_s=1.0)
    assert world.engine.settled
