"""Exponential backoff, and when waiting stops (docs/design/retries.md; law 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import pytest

from extdns.engine.inputs import Input
from extdns.engine.observations import Readiness
from extdns.engine.retries import Failure, GiveUpRule, Retry, RetryTable
from extdns.engine.write_queue import WriteQueue
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Forbidden, Outcome, TryLater, WriteConflict
from extdns.model.cluster import KindState, Phase
from extdns.model.zone import AccountFailure, ZoneList
from tests.builders import INGRESS, REFUSED, SERVICE, ZONE, change_phase, host, observe_new, owned
from tests.fakes.faulty import NoAnswer
from tests.world import World, build_world


def test_backoff_doubles_from_one_second_up_to_five_minutes() -> None:
    retry, delays = Retry(Failure.PLANNING), list[float]()
    for _ in range(10):
        retry.record_failure(100.0)
        delays.append(retry.until_at - 100.0)
    assert delays == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 300.0]
    assert retry.failures == 10


@pytest.mark.parametrize(
    ("stated_s", "pause_s"),
    [
        pytest.param(None, 1.0, id="none-stated"),
        pytest.param(0.5, 1.0, id="shorter-than-the-backoff"),
        pytest.param(-5.0, 1.0, id="negative"),
        pytest.param(60.0, 60.0, id="longer-than-the-backoff"),
        pytest.param(1e9, 3600.0, id="longer-than-the-limit"),
    ],
)
def test_longer_retry_after_replaces_the_backoff_up_to_one_hour(stated_s: float | None, pause_s: float) -> None:
    retry = Retry(Failure.PLANNING)
    retry.record_failure(100.0, stated_s)
    assert retry.until_at == 100.0 + pause_s
    assert not retry.has_ended(100.0 + pause_s - 0.1)
    assert retry.has_ended(100.0 + pause_s)


@pytest.mark.parametrize(
    ("is_single_pass", "lacks_credentials", "is_reached"),
    [
        pytest.param(True, True, True, id="single pass without credentials"),
        pytest.param(True, False, False, id="single pass"),
        pytest.param(False, True, False, id="running process without credentials"),
    ],
)
def test_only_single_pass_without_credentials_gives_up_before_the_timeout(
    is_single_pass: bool, lacks_credentials: bool, is_reached: bool
) -> None:
    retry = Retry(Failure.ZONE_LIST)
    retry.record_failure(100.0, message="none", lacks_credentials=lacks_credentials)
    assert GiveUpRule(is_single_pass=is_single_pass, timeout_s=30.0).is_reached(retry, 101.0) is is_reached
    retry.record_success()
    assert not retry.lacks_credentials


_ROUNDED_AT_S: Final = 28.3  # 30 s later, the difference is a little less than 30 s


def test_a_failing_call_is_given_up_at_its_deadline_although_sums_are_rounded() -> None:
    rule, retry = GiveUpRule(is_single_pass=False, timeout_s=30.0), Retry(Failure.ZONE_LIST)
    retry.record_failure(_ROUNDED_AT_S)
    (deadline_at,) = rule.find_deadlines([retry])
    assert rule.is_reached(retry, deadline_at)


def test_planning_begins_at_the_deadline_of_a_failing_kind_although_sums_are_rounded() -> None:
    readiness = Readiness([SERVICE], 30.0)
    readiness.report(KindState(kind=SERVICE, phase=Phase.FAILING), _ROUNDED_AT_S)
    (deadline_at,) = readiness.find_deadlines()
    assert readiness.tick(deadline_at)


def test_only_write_conflicts_and_frequent_writes_keep_a_name_from_being_written() -> None:
    table, web = RetryTable(), host("web")
    table.record_failure(web, Failure.REFUSED, 100.0)
    assert table.find_ready_at(web) == 0.0
    until_at = table.record_failure(web, Failure.WRITE_CONFLICT, 100.0).until_at
    assert table.find_ready_at(web) == until_at


def test_names_count_as_conflicting_after_five_write_conflicts() -> None:
    queue, found = WriteQueue(), []
    for _ in range(5):
        queue.retries.record_failure(host("web"), Failure.WRITE_CONFLICT, 1.0)
        found.append(queue.conflicting)
    assert found == [0, 0, 0, 0, 1]


NAMES = observe_new(*(f"n{number}" for number in range(30)))
HOUR_S = 3600.0
MOST_STEPS = 1000  # per minute a list, a page, an existence check and a retry, with their answers; and some reserve


def fail_reads(*failures: ProviderError | None) -> Callable[[World], None]:
    """Build a function that lets reads end with *failures*, of which the last one is repeated."""
    return lambda world: world.provider.failures.extend([*failures, *failures[-1:] * 1000])


def fail_account(world: World) -> None:
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="timeout"),))


def fail_kind(world: World) -> None:
    world.feed(change_phase(INGRESS, Phase.FAILING))


def fail_writes(outcome: Outcome | NoAnswer) -> Callable[[World], None]:
    """Build a function that lets every batch end with *outcome*."""

    def fail(world: World) -> None:
        world.provider.rule = lambda _: outcome

    return fail


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(lambda _: None, id="nothing fails"),
        pytest.param(fail_reads(RetryableError("down")), id="all reads fail"),
        pytest.param(fail_reads(None, RetryableError("down")), id="pages fail"),
        pytest.param(fail_reads(ForbiddenError("denied")), id="reads are denied"),
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
def test_failure_that_lasts_an_hour_causes_few_steps(fail: Callable[[World], None]) -> None:
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
