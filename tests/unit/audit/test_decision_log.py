"""Which lines the decision log gets, and what is in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from extdns.audit import decision_log
from extdns.audit.decision_log import DecisionLog
from extdns.audit.line_queue import MAX_WAITING_LINES
from extdns.documents.decision_log import parse_field_path
from extdns.metrics.metrics import Metrics
from extdns.model.violation import RuleAction, Violation
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput
from tests.fakes.clocks import MovedClock
from tests.unit.audit.line_target import ListTarget
from tests.unit.controller.barriers import HANGS_S, Barrier
from tests.unit.opa.rule_inputs import build_input

DENIED = Evaluation(
    violations=(Violation(rule="short-ttl", action=RuleAction.DENY, message="too short"),), matched=("short-ttl",)
)
WEB = build_input("web", labels={"tier": "x"})


class FixedRules:
    """Rules that match the record `web` only, and deny it."""

    revision = "7"
    needs_namespaces = False

    def evaluate(self, inputs: Sequence[RuleInput]) -> tuple[Evaluation, ...]:
        return tuple(DENIED if one == WEB else Evaluation() for one in inputs)


class Scene:
    """A decision log in memory."""

    def __init__(self, *erased: str) -> None:
        self.target = ListTarget()
        self.log = DecisionLog(
            self.target, clock=MovedClock(), labels={"app": "extdns"}, erased=erased, metrics=Metrics()
        )
        self.log.start(lambda _: None)

    def end(self) -> list[dict[str, Any]]:
        """Close the log, and return its lines."""
        self.log.close(HANGS_S)
        return [json.loads(line) for line in self.target.written]


def test_a_decision_log_line_has_the_fields_that_open_policy_agent_writes() -> None:
    scene = Scene()
    scene.log.record([WEB], [DENIED], path="extdns/deny", revision="shop=v1")
    (line,) = scene.end()
    decision_id = line.pop("decision_id")
    document = line.pop("input")
    assert len(decision_id) == 36
    assert (document["operation"], document["record"]["name"]) == ("CREATE", "web.example.org")
    assert line == {
        "labels": {"app": "extdns"},
        "path": "extdns/deny",
        "revision": "shop=v1",
        "result": [{"rule": "short-ttl", "action": "deny", "msg": "too short"}],
        "timestamp": "2026-11-20T09:14:31Z",
    }


def test_a_decision_log_line_about_a_record_without_an_answer_has_an_error_and_no_result() -> None:
    scene = Scene()
    scene.log.record([WEB], [Evaluation(unavailable="status 500")], path="extdns/deny", revision="")
    (line,) = scene.end()
    assert line["error"] == {"code": "unavailable", "message": "status 500"}
    assert "result" not in line


def test_a_decision_log_line_is_written_only_if_the_answer_or_the_policy_revision_changed() -> None:
    scene = Scene()
    for revision, evaluation in (("1", DENIED), ("1", DENIED), ("2", DENIED), ("2", Evaluation()), ("2", Evaluation())):
        scene.log.record([WEB], [evaluation], path="extdns/deny", revision=revision)
    assert [(line["revision"], len(line["result"])) for line in scene.end()] == [("1", 1), ("2", 1), ("2", 0)]


def test_an_answer_about_a_large_object_is_logged_again_after_other_large_answers_filled_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decision_log, "MAX_FORMER_CHARACTERS", 1000)
    scene = Scene()
    large = build_input("web", labels={"tier": "x" * 900})
    for item in (WEB, large, WEB, large, build_input("web", labels={"tier": "y" * 900}), WEB, large):
        scene.log.record([item], [DENIED], path="extdns/deny", revision="1")
    assert [len(line["input"]["object"]["labels"]["tier"]) for line in scene.end()] == [1, 900, 900, 1, 900]


def test_a_decision_log_line_masks_erased_text_that_its_message_quotes() -> None:
    scene = Scene("/input/object/labels")
    item = build_input("web", labels={"owner": "alice@example.org", "tier": "a\nb of x", "short": "a"})
    quoting = Violation(rule="r", action=RuleAction.DENY, message="a label: alice@example.org, a\\nb of x, a b of x")
    scene.log.record([item], [Evaluation(violations=(quoting,))], path="extdns/deny", revision="1")
    failed = Evaluation(unavailable="no such key: alice@example.org")
    scene.log.record([item], [failed], path="extdns/deny", revision="2")
    first, second = scene.end()
    assert first["result"][0]["msg"] == "a label: ******, ******, ******"
    assert second["error"]["message"] == "no such key: ******"


def test_a_decision_log_line_lists_the_fields_that_were_erased_from_its_input() -> None:
    scene = Scene("/input/object/labels", "/input/object/annotations/a~1b", "/input/nothing/here")
    scene.log.record([WEB], [DENIED], path="extdns/deny", revision="1")
    (line,) = scene.end()
    assert line["erased"] == ["/input/object/labels"]
    assert "labels" not in line["input"]["object"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "/", "/input", "/result/0", "input/object"),
        *("/input/objects/annotations", "/input/object/annotation/x", "/input/record/targets/0"),
    ],
)
def test_a_field_to_erase_from_the_decision_log_is_refused_if_no_input_has_it(text: str) -> None:
    with pytest.raises(ValueError, match="a JSON pointer to a field of the input"):
        parse_field_path(text)


@pytest.mark.parametrize("text", ["/input/object/annotations/a~1b", "/input/current/owner", "/input/record/targets"])
def test_a_field_to_erase_from_the_decision_log_is_accepted_if_some_inputs_have_it(text: str) -> None:
    assert parse_field_path(text)[0] == "input"


def test_the_decision_log_has_the_answers_of_local_rules_for_the_records_that_a_rule_matches() -> None:
    scene = Scene()
    rules = scene.log.watch(FixedRules())
    assert rules.evaluate([WEB, build_input("other")]) == (DENIED, Evaluation())
    assert rules.evaluate([WEB]) == (DENIED,)
    (line,) = scene.end()
    assert (line["path"], line["revision"], line["input"]["object"]["name"]) == ("extdns/rules", "7", "web")
    assert (rules.revision, rules.needs_namespaces) == ("7", False)


def test_a_decision_log_target_that_hangs_delays_no_caller_and_the_oldest_lines_are_dropped() -> None:
    scene = Scene()
    scene.target.gate = Barrier()
    scene.log.record([build_input("first")], [DENIED], path="extdns/deny", revision="1")
    assert scene.target.gate.reached.wait(HANGS_S)
    inputs = [build_input(f"web{number}") for number in range(MAX_WAITING_LINES + 5)]
    scene.log.record(inputs, [DENIED] * len(inputs), path="extdns/deny", revision="1")
    scene.target.gate.open()
    lines = scene.end()
    assert len(lines) == MAX_WAITING_LINES + 1
    assert scene.log.queue.dropped_count == 5
