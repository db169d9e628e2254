"""Report what the policy server answered: log, metrics, and the status of its policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from extdns import log
from extdns.log import Event
from extdns.model.change import RuleAction

if TYPE_CHECKING:
    from extdns.metrics.metrics import Metrics
    from extdns.ports import PolicyStatusWriter
    from extdns.rules.evaluation import Evaluation
    from extdns.rules.policy_server import PolicyAnswers

_log = log.get(__name__)


class PolicyServerReporter:
    """Logs and counts what the policy server answers, on the thread that queries it."""

    def __init__(self, metrics: Metrics, status_writer: PolicyStatusWriter | None) -> None:
        """Report what one policy server answers: to *metrics*, and to the object that a policy comes from."""
        metrics.start_policy_queries()
        self._metrics = metrics
        self._status_writer = status_writer
        self._is_failing = False
        self._failing: frozenset[str] = frozenset()

    def record_answers(self, answers: PolicyAnswers, duration_s: float) -> None:
        """Count one query and its answers."""
        counts = Counter(map(_classify, answers.evaluations))
        self._metrics.count_policy_query(counts, failed=bool(answers.problem), duration_s=duration_s)

    def report_problem(self, problem: str) -> None:
        """Log and count that the server does not answer because of *problem*, or, if that is "", answers again."""
        was_failing, self._is_failing = self._is_failing, bool(problem)
        self._metrics.set_policy_server(is_failing=bool(problem))
        if problem and not was_failing:
            _log.error(Event.POLICY_SERVER_FAILED, message=problem)
        elif was_failing and not problem:
            _log.info(Event.POLICY_SERVER_ANSWERS)

    def report_policies(self, problems: Mapping[str, str]) -> None:
        """Log the policies that began to fail, and write the status of all."""
        failing = frozenset(policy for policy, message in problems.items() if message)
        for policy in sorted(failing - self._failing):
            _log.error(Event.POLICY_FAILED, policy=policy, message=problems[policy])
        self._failing = failing
        if self._status_writer:
            self._status_writer.write(problems)

    def close(self, timeout_s: float) -> None:
        """Write the statuses that are queued, for up to *timeout_s* seconds."""
        if self._status_writer:
            self._status_writer.close(timeout_s)


def _classify(evaluation: Evaluation) -> str:
    """Return the result of *evaluation* as the value of a metric's label."""
    if evaluation.unavailable:
        return "unavailable"
    actions = {one.action for one in evaluation.violations}
    return next((action.value for action in (RuleAction.DENY, RuleAction.WARN) if action in actions), "allow")
