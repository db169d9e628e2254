"""Limits on log lines about single names and objects."""

import logging
import threading

import pytest
from msgspec.structs import replace

from extdns.controller.reporter import ActivityReporter
from extdns.log import BURST, MAX_PER_TOPIC, PER_BATCH, PER_SECOND, RESERVED, SUMMARY_S, WINDOW_S, Event, LogLimiter
from extdns.metrics.metrics import Metrics
from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.builders import host
from tests.fakes.clocks import MovedClock
from tests.unit.controller.test_reporter import DECISION


def list_records(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Return what the reporter logged; threads of other tests may log, too."""
    return [record for record in caplog.records if record.name == ActivityReporter.__module__]


def test_lines_about_a_name_that_keeps_changing_are_limited() -> None:
    limiter = LogLimiter(MovedClock().monotonic_s)
    written = [limiter.allow("flapping", "desired-change") for _ in range(100)]
    assert sum(written) == MAX_PER_TOPIC
    assert limiter.allow("another", "desired-change")


def test_limited_name_is_logged_again_in_the_next_window() -> None:
    time = MovedClock()
    limiter = LogLimiter(time.monotonic_s)
    for _ in range(MAX_PER_TOPIC + 1):
        limiter.allow("flapping", "desired-change")
    time.now_s += WINDOW_S
    assert limiter.allow("flapping", "desired-change")


def test_ten_thousand_new_names_give_few_lines_and_a_summary(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="extdns")
    time = MovedClock()
    reporter = ActivityReporter(Metrics(), "me", limiter=LogLimiter(time.monotonic_s))
    reporter.report_decisions([replace(DECISION, name=host(f"n{number}")) for number in range(10_000)])
    records = list_records(caplog)
    shown = [record for record in records if record.levelno > logging.DEBUG]
    assert len(shown) == PER_BATCH + 1
    assert shown[-1].msg == Event.LINES_OMITTED
    assert vars(shown[-1])["extdns_fields"] == {
        "count": 10_000 - PER_BATCH,
        "events": [f"desired-change {10_000 - PER_BATCH}"],
    }
    assert len(records) == 10_001, "the debug level has them all"


def test_number_of_lines_is_bounded_while_a_thousand_names_change(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    time = MovedClock()
    reporter = ActivityReporter(Metrics(), "me", limiter=LogLimiter(time.monotonic_s))
    for flip in range(25):
        action = Action.CREATE if flip % 2 else Action.DELETE
        reporter.report_decisions([replace(DECISION, name=host(f"n{number}"), action=action) for number in range(1000)])
        time.now_s += 1.0
    assert len(list_records(caplog)) <= BURST + RESERVED + 25 * PER_SECOND + 25 / SUMMARY_S + 1


def test_single_name_is_logged_right_after_many_changed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reporter = ActivityReporter(Metrics(), "me", limiter=LogLimiter(MovedClock().monotonic_s))
    reporter.report_decisions([replace(DECISION, name=host(f"n{number}")) for number in range(10_000)])
    caplog.clear()
    reporter.report_decisions([replace(DECISION, name=host("single"))])
    assert [record.msg for record in list_records(caplog)] == [Event.DESIRED_CHANGE]


def test_name_is_forgotten_after_its_window() -> None:
    time = MovedClock()
    limiter = LogLimiter(time.monotonic_s)
    for number in range(1000):
        limiter.allow(number, "desired-change")
    time.now_s += WINDOW_S
    limiter.allow("last", "desired-change")
    assert len(limiter._by_topic) <= BURST + 1


def test_lines_below_the_log_level_do_not_count(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "extdns")
    reporter = ActivityReporter(Metrics(), "me", limiter=LogLimiter(MovedClock().monotonic_s))
    hidden = [replace(DECISION, name=host(f"n{number}")) for number in range(PER_BATCH)]
    reporter.report_decisions(
        [*hidden, replace(DECISION, name=host("wrong"), action=Action.NONE, reason=Reason.NO_ZONE)]
    )
    assert [record.msg for record in caplog.records] == [Event.NAME_NOT_PUBLISHED]


def test_changes_are_logged_although_many_records_stay(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reporter = ActivityReporter(Metrics(), "me", limiter=LogLimiter(MovedClock().monotonic_s))
    foreign = [
        replace(DECISION, name=host(f"n{number}"), action=Action.KEEP, reason=Reason.FOREIGN_RECORD)
        for number in range(1000)
    ]
    changed = [replace(DECISION, name=host(f"m{number}")) for number in range(20)]
    reporter.report_decisions([*foreign, *changed[:10]])
    reporter.report_decisions(foreign)
    reporter.report_decisions([*foreign, *changed[10:]])
    assert sum(record.msg == Event.DESIRED_CHANGE for record in caplog.records) == len(changed)


class PausingTopic:
    """A topic during whose count another thread counts a line, too, unless it has to wait."""

    def __init__(self, other: threading.Thread) -> None:
        """Start *other* when the topic is counted."""
        self._other = other

    def __hash__(self) -> int:
        """Let the other thread run, if it can."""
        if not self._other.ident:
            self._other.start()
            self._other.join(0.2)
        return 1


def test_two_threads_together_write_no_more_lines_than_the_limit() -> None:
    limiter, allowed = LogLimiter(MovedClock().monotonic_s), list[bool]()
    for number in range(BURST - 1):
        limiter.start_batch()
        assert limiter.allow(number, "desired-change")
    limiter.start_batch()
    other = threading.Thread(target=lambda: allowed.append(limiter.allow("other", "desired-change")))
    allowed.append(limiter.allow(PausingTopic(other), "desired-change"))
    other.join()
    assert allowed == [True, False]


def test_batch_of_one_thread_does_not_end_that_of_another() -> None:
    limiter = LogLimiter(MovedClock().monotonic_s)
    limiter.start_batch()
    written = [limiter.allow(number, "desired-change") for number in range(PER_BATCH)]
    other = threading.Thread(target=limiter.start_batch)
    other.start()
    other.join()
    assert all(written)
    assert not limiter.allow("one more", "desired-change")
