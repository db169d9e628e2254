"""Passing rules to the engine: when they were read, when they change, and when reading fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import cast

import pytest

from extdns.cel.policy_rules import PolicyRules
from extdns.engine.inputs import Input, RulesChanged
from extdns.log import Event
from extdns.model.cluster import KindChange, KindState, ObjectChange, Phase
from extdns.model.kind import ObjectKey, ObjectMeta
from extdns.policies import policy_watcher
from extdns.policies.policy_watcher import PolicyWatcher
from extdns.resources.extdns import DNS_POLICY, DnsPolicy
from extdns.rules.evaluation import Evaluation
from tests.log_lines import find_logged_fields
from tests.unit.cel.expressions import build_input
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.scripted_cluster import ScriptedCluster

SYNCED = KindChange(state=KindState(kind=DNS_POLICY, phase=Phase.SYNCED))
FORBIDDEN = KindChange(state=KindState(kind=DNS_POLICY, phase=Phase.FORBIDDEN, detail="HTTP 403"))


def policy(expression: str, name: str = "rule", domain: str = "example.com") -> ObjectChange:
    spec = {"match": {"domains": [domain]}, "validations": [{"expression": expression, "message": expression}]}
    new = DnsPolicy(metadata=ObjectMeta(name=name), spec=spec)
    return ObjectChange(key=ObjectKey(DNS_POLICY, "", name), old=None, new=new)


@contextmanager
def watch(*origins: ScriptedCluster) -> Iterator[tuple[PolicyWatcher, SimpleQueue[Input], list[Exception]]]:
    inputs: SimpleQueue[Input] = SimpleQueue()
    defects: list[Exception] = []
    watcher = PolicyWatcher(origins, report_defect=defects.append)
    watcher.start(inputs.put)
    try:
        yield watcher, inputs, defects
    finally:
        watcher.close(HANGS_S)


def evaluate_next(inputs: SimpleQueue[Input]) -> Evaluation:
    """Return the evaluation of a usual record by the next rules."""
    item = cast("RulesChanged", inputs.get(timeout=10.0))
    (evaluation,) = cast("PolicyRules", item.rules).evaluate((build_input(),))
    return evaluation


def list_messages(evaluation: Evaluation) -> list[str]:
    return [violation.message for violation in evaluation.violations]


def test_no_record_gets_an_answer_if_the_policies_were_not_read_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_watcher, "FIRST_READ_TIMEOUT_S", 0.0)
    with watch(ScriptedCluster()) as (_, inputs, _):
        assert evaluate_next(inputs).unavailable == "DNSPolicies: the list is not complete (listing)"


def test_an_invalid_new_version_of_a_policy_is_reported_and_the_last_valid_one_stays_in_use() -> None:
    with watch(ScriptedCluster((policy("1 == 2"), SYNCED), (policy("nothing"),))) as (watcher, inputs, _):
        assert list_messages(evaluate_next(inputs)) == ["1 == 2"]
        assert list_messages(evaluate_next(inputs)) == ["1 == 2"]
        (problem,) = watcher.problems
        assert problem.startswith("DNSPolicy rule: spec.validations[0].expression refers to nothing")
        assert [state.is_used for state in watcher.read_snapshot().policies] == [True]


def test_a_domain_that_is_a_wildcard_is_logged_as_a_warning_once(caplog: pytest.LogCaptureFixture) -> None:
    origin = ScriptedCluster((policy("1 == 2", domain="*.x"), SYNCED), (policy("1 == 3", domain="*.x"),))
    with watch(origin) as (_, inputs, _):
        evaluate_next(inputs)
        evaluate_next(inputs)
    (found,) = find_logged_fields(caplog, Event.RULE_WARNING)
    assert str(found["message"]).startswith('DNSPolicy rule: spec.match.domains[0] is "*.x", ')


def test_an_unexpected_exception_is_reported_and_policies_are_read_again() -> None:
    origin = ScriptedCluster(RuntimeError("defect"), (policy("1 == 2"), SYNCED))
    with watch(origin) as (_, inputs, defects):
        assert list_messages(evaluate_next(inputs)) == ["1 == 2"]
        assert [str(defect) for defect in defects] == ["defect"]
