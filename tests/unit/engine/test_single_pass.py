"""Runs with --once: the process ends whatever the outcomes (docs/design/delete-safety.md, "One pass and dry runs")."""

from __future__ import annotations

from collections import Counter

import pytest

from extdns.model.change import Forbidden, Outcome, TryLater, WriteConflict
from extdns.model.reason import Reason
from tests.builders import INGRESS, REFUSED, SERVICE, change_phase, host, observe_new, owned
from tests.fakes.faulty import NoAnswer
from tests.world import build_world, start_world

NAMES = ("api", "blog", "shop", "web")
EXISTS = WriteConflict(message="exists", offending_names=tuple(map(host, NAMES)))
FORBIDDEN = Forbidden(message="no right to change the zone")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        pytest.param(REFUSED, Reason.REFUSED, id="refused"),
        pytest.param(FORBIDDEN, Reason.ZONE_FORBIDDEN, id="forbidden"),
        pytest.param(TryLater(message="busy"), Reason.TRY_LATER, id="try-later"),
        pytest.param(EXISTS, Reason.REFUSED, id="conflict"),
        pytest.param(NoAnswer(applied=False), Reason.NO_ANSWER, id="no-answer"),
    ],
)
def test_a_single_pass_ends_whatever_outcome_its_batches_have(outcome: Outcome | NoAnswer, reason: Reason) -> None:
    world = start_world(once=True)
    world.provider.rule = lambda _: outcome
    world.run(observe_new(*NAMES), for_s=300.0)
    assert world.engine.is_idle
    assert Counter(decision.reason for decision in world.engine.decisions) == {reason: 4}


def test_a_single_pass_waits_for_the_retry_of_a_throttled_batch() -> None:
    world = start_world(once=True)
    world.provider.answers.append(TryLater(message="busy"))
    world.run(observe_new("web"), for_s=0.2)
    assert not world.engine.is_idle
    world.run(for_s=1.0)
    assert world.engine.is_idle


def test_a_single_pass_deletes_an_orphan_without_grace_period_once_a_get_confirmed_that_its_object_is_gone() -> None:
    world = build_world(*owned("web"), once=True, has_state_store=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert world.list_records() == {}
    assert [one.reason for one in world.reported] == [Reason.ABSENCE_UNCONFIRMED, Reason.ORPHAN_GONE]
