"""The log and the metrics about a policy server."""

from __future__ import annotations

import pytest

from extdns.metrics.metrics import Metrics
from extdns.opa.policy_server_reporter import PolicyServerReporter
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import PolicyAnswers
from tests.unit.metrics.scrape import labels, series


def build_reporter(metrics: Metrics) -> PolicyServerReporter:
    return PolicyServerReporter(metrics, status_writer=None)


@pytest.mark.parametrize(
    ("name", "results"),
    [
        pytest.param("extdns_policy_queries_total", ("answered", "failed"), id="queries"),
        pytest.param("extdns_policy_answers_total", ("allow", "deny", "unavailable", "warn"), id="answers"),
    ],
)
def test_each_result_of_a_query_is_counted_from_zero_although_none_was_sent(
    name: str, results: tuple[str, ...]
) -> None:
    metrics = Metrics()
    assert series(metrics, name) == {}, "without a policy server"
    build_reporter(metrics).report_problem("no answer in time")
    assert series(metrics, name) == {labels(result=result): 0 for result in results}


def test_a_failed_query_is_counted_with_the_answers_that_are_missing() -> None:
    metrics = Metrics()
    answers = PolicyAnswers(evaluations=(Evaluation(unavailable="gone"),) * 2, problem="gone")
    build_reporter(metrics).record_answers(answers, 0.5)
    assert series(metrics, "extdns_policy_queries_total")[labels(result="failed")] == 1
    assert series(metrics, "extdns_policy_answers_total")[labels(result="unavailable")] == 2
