"""When the policy server is queried, and what follows if it does not answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import cast

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Input, RulesAnswered, RulesRevised
from extdns.model.change import RuleAction, Violation
from extdns.opa.policy_server_reporter import PolicyServerReporter
from extdns.opa.rule_queries import POLL_S, REFRESH_S, RETRY_S, RuleQueries
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import MAX_QUERY, LoadedPolicy, PolicyAnswers, PolicyProblem, PolicyRevision
from extdns.rules.rule_input import RuleInput
from tests.fakes.clocks import MovedClock
from tests.unit.opa.rule_inputs import build_input

DENIED = Evaluation(violations=(Violation(rule="extdns", action=RuleAction.DENY, message="no"),), matched=("extdns",))
FAILED = "status 500"
WEB = build_input("web")
POLICIES = tuple(LoadedPolicy(id=f"dns/rules/{name}", revision="1") for name in ("a", "b"))


class FakeServer:
    """A policy server that denies everything, or fails; for a second if it does not answer about a record."""

    def __init__(self, clock: MovedClock) -> None:
        self.clock = clock
        self.version = PolicyRevision(revision="1", policies=POLICIES)
        self.query_problem = ""
        self.unanswered: set[RuleInput] = set()
        self.broken: dict[RuleInput, PolicyProblem] = {}
        self.queries: list[int] = []

    def evaluate(self, inputs: Sequence[RuleInput]) -> PolicyAnswers:
        self.queries.append(len(inputs))
        is_late = not self.unanswered.isdisjoint(inputs)
        self.clock.now_s += is_late
        if problem := self.version.problem or self.query_problem or (is_late and "no answer in time"):
            return PolicyAnswers(evaluations=(Evaluation(unavailable=problem),) * len(inputs), problem=problem)
        problems = [self.broken.get(item) for item in inputs]
        return PolicyAnswers(
            evaluations=tuple(Evaluation(unavailable=one.message) if one else DENIED for one in problems),
            policy_problems=tuple(one for one in problems if one),
            failed=frozenset(at for at, one in enumerate(problems) if one),
        )

    def read_version(self) -> PolicyRevision:
        return self.version

    def close(self) -> None:
        pass


def _raise(exc: Exception) -> None:
    raise exc


class Scene:
    """Queries of a fake server at a time that is moved; `inputs` are those that the engine got since `take`."""

    def __init__(self, *, allows_failure: bool = False, is_started: bool = True) -> None:
        self.clock = MovedClock()
        self.server = FakeServer(self.clock)
        self.problems: list[str] = []
        self.policies: Mapping[str, str] = {}
        self.inputs: list[Input] = []
        listener = cast("PolicyServerReporter", self)
        self.queries = RuleQueries(
            self.server, listener, report_defect=_raise, allows_failure=allows_failure, clock=self.clock
        )
        self.queries.connect(self.inputs.append)
        self.taken: list[Input] = []
        if is_started:
            self.advance(0.0)

    def record_answers(self, answers: PolicyAnswers, duration_s: float) -> None:
        assert answers.evaluations
        assert duration_s >= 0

    def report_problem(self, problem: str) -> None:
        self.problems.append(problem)

    def report_policies(self, problems: Mapping[str, str]) -> None:
        self.policies = problems

    def close(self, timeout_s: float) -> None:
        del timeout_s

    def fail(self, problem: str) -> None:
        self.server.version = replace(self.server.version, problem=problem)

    def advance(self, seconds: float) -> list[Input]:
        """Let time pass, do all that is due, and return what the engine got."""
        self.clock.now_s += seconds
        while self.queries.work() <= self.clock.now_s:
            pass
        found, self.inputs[:] = list(self.inputs), []
        self.taken += found
        return found

    def take_answered(self, seconds: float) -> list[RuleInput]:
        """Let time pass, and return the inputs that were answered, in order."""
        return [item for one in self.advance(seconds) if isinstance(one, RulesAnswered) for item, _ in one.answers]

    def list_denied(self) -> set[RuleInput]:
        """Return the inputs that were ever denied."""
        answers = (answer for one in self.taken if isinstance(one, RulesAnswered) for answer in one.answers)
        return {item for item, evaluation in answers if evaluation == DENIED}

    def query(self, *inputs: RuleInput) -> list[Evaluation]:
        """Ask about *inputs* now, and return the answers."""
        self.queries.query(inputs)
        return [
            evaluation for one in self.advance(0.0) if isinstance(one, RulesAnswered) for _, evaluation in one.answers
        ]


def build_large_inputs(count: int, namespace: str = "shop") -> list[RuleInput]:
    text = "x" * 240_000
    return [build_input(f"big{number}", labels={"text": text}, namespace=namespace) for number in range(count)]


def answered(*evaluations: Evaluation) -> RulesAnswered:
    return RulesAnswered(answers=tuple((WEB, evaluation) for evaluation in evaluations))


def test_twice_the_records_of_one_query_are_sent_in_two_queries_and_equal_records_only_once() -> None:
    scene = Scene()
    inputs = [build_input(f"web{number}") for number in range(2 * MAX_QUERY)]
    assert scene.query(*inputs, *inputs) == [DENIED] * 2 * MAX_QUERY
    assert scene.server.queries == [MAX_QUERY, MAX_QUERY]


def test_no_query_is_sent_while_the_policy_revision_stays_the_same() -> None:
    scene = Scene()
    scene.query(WEB)
    assert scene.advance(POLL_S) == []
    assert scene.server.queries == [1]


def test_a_new_policy_revision_is_reported_to_the_engine() -> None:
    scene = Scene()
    scene.server.version = PolicyRevision(revision="2", label="shop=v2")
    assert scene.advance(POLL_S) == [RulesRevised(revision="shop=v2")]


def test_the_first_revision_is_not_reported_because_there_is_no_answer_of_another_one() -> None:
    scene = Scene(is_started=False)
    assert scene.query(WEB) == [DENIED]
    assert scene.taken == [answered(DENIED)]
    assert scene.server.queries == [1]


def test_unanswered_records_but_the_newest_beyond_the_memory_limit_are_queried_again_once_the_server_is_back() -> None:
    scene = Scene()
    scene.fail(FAILED)
    large = build_large_inputs(200)
    failed = scene.query(*large)
    assert 119 <= len(failed) <= 132, "some of the newest do not fit"
    assert set(failed) == {Evaluation(unavailable=FAILED)}
    scene.fail("")
    found = scene.take_answered(POLL_S)
    assert len(found) == len(failed)
    assert found[:119] == large[:119]
    assert RulesRevised(revision="1") in scene.advance(RETRY_S)


def test_what_did_not_fit_before_the_first_revision_is_asked_about_again_soon() -> None:
    scene = Scene(is_started=False)
    scene.query(*build_large_inputs(200))
    assert scene.advance(RETRY_S) == [RulesRevised(revision="1")]


def test_a_namespace_with_more_than_can_wait_keeps_no_answer_from_another() -> None:
    scene = Scene()
    scene.queries.query([WEB, *build_large_inputs(200, namespace="loud")])
    assert scene.take_answered(0.0)[0] == WEB


def test_namespaces_take_turns_in_queries_of_about_a_megabyte() -> None:
    scene = Scene()
    scene.queries.query([*build_large_inputs(100, namespace="loud"), WEB])
    assert scene.take_answered(0.0).index(WEB) == 1
    assert max(scene.server.queries) == 6


def test_the_policy_revision_is_reported_again_after_a_while_so_that_all_records_are_queried_again() -> None:
    scene = Scene()
    assert scene.advance(REFRESH_S) == [RulesRevised(revision="1")]


def test_a_record_without_an_answer_is_queried_again_once_the_policy_server_is_back() -> None:
    scene = Scene()
    scene.fail(FAILED)
    assert scene.query(WEB) == [Evaluation(unavailable=FAILED)]
    assert scene.advance(POLL_S) == []
    scene.fail("")
    assert scene.advance(POLL_S) == [answered(DENIED)]
    assert scene.problems == [FAILED, ""]


def test_a_policy_server_that_just_failed_is_not_queried_again_before_the_next_poll() -> None:
    scene = Scene()
    scene.fail(FAILED)
    inputs = [build_input(f"web{number}") for number in range(2000)]
    assert scene.query(*inputs) == [Evaluation(unavailable=FAILED)] * 2000
    assert scene.server.queries == [500]


def test_the_policy_server_counts_as_failing_while_it_answers_only_about_its_revision() -> None:
    scene = Scene()
    scene.server.query_problem = FAILED
    scene.query(WEB)
    assert scene.advance(POLL_S) == [answered(Evaluation(unavailable=FAILED))]
    assert scene.problems == [FAILED]


def test_if_failures_are_allowed_a_record_without_an_answer_is_allowed_until_there_is_one() -> None:
    scene = Scene(allows_failure=True)
    scene.fail(FAILED)
    assert scene.query(WEB) == [Evaluation()]
    scene.fail("")
    assert scene.advance(POLL_S) == [answered(DENIED)]


def test_a_record_for_which_a_policy_fails_is_queried_again_after_a_while() -> None:
    scene = Scene()
    scene.server.broken[WEB] = PolicyProblem(message="conflict", policy="dns/rules/a")
    assert scene.query(WEB) == [Evaluation(unavailable="conflict")]
    scene.server.broken.clear()
    assert scene.advance(POLL_S) == []
    assert scene.advance(RETRY_S) == [answered(DENIED)]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param("dns/rules/a", {"dns/rules/a": "conflict", "dns/rules/b": ""}, id="known"),
        pytest.param("", {"dns/rules/a": "conflict", "dns/rules/b": "conflict"}, id="unknown"),
    ],
)
def test_a_failing_policy_is_reported_until_a_new_revision_does_not_fail(policy: str, expected: dict[str, str]) -> None:
    scene = Scene()
    scene.server.broken[WEB] = PolicyProblem(message="conflict", policy=policy)
    scene.query(WEB)
    assert scene.policies == expected
    scene.server.broken.clear()
    scene.server.version = replace(scene.server.version, revision="2")
    scene.advance(POLL_S)
    assert scene.policies == {"dns/rules/a": "", "dns/rules/b": ""}


def test_records_for_which_a_policy_failed_are_sent_in_a_query_of_their_own() -> None:
    scene = Scene()
    others = [build_input(f"web{number}") for number in range(3)]
    scene.server.broken[WEB] = PolicyProblem(message="conflict")
    scene.query(WEB, *others)
    scene.server.queries.clear()
    scene.query(WEB, *others)
    assert scene.server.queries == [1, 3]
    scene.server.broken.clear()
    scene.query(WEB)
    scene.server.queries.clear()
    scene.query(WEB, *others)
    assert scene.server.queries == [4]


def test_a_record_that_makes_each_query_time_out_waits_alone_and_the_others_get_answers() -> None:
    scene = Scene()
    slow = build_input("web7")
    inputs = [build_input(f"web{number}") for number in range(MAX_QUERY)]
    scene.server.unanswered.add(slow)
    scene.query(*inputs)
    for _ in range(20):
        scene.advance(POLL_S)
    assert scene.list_denied() == {*inputs} - {slow}


def test_a_namespace_with_ever_new_records_that_the_server_does_not_answer_delays_no_record_of_others() -> None:
    scene, others = Scene(), []
    for number in range(60):
        slow, other = build_input(f"x{number}", namespace="attacker"), build_input(f"web{number}")
        scene.server.unanswered.add(slow)
        others.append(other)
        scene.query(slow, other)
        scene.advance(1.0)
    scene.advance(POLL_S)
    assert scene.list_denied() == {*others}


def test_a_record_without_an_answer_that_nobody_needs_any_more_is_not_asked_about_for_ever() -> None:
    scene = Scene()
    scene.server.unanswered.add(WEB)
    scene.query(WEB)
    scene.advance(REFRESH_S)
    scene.advance(RETRY_S)
    scene.server.queries.clear()
    scene.advance(RETRY_S)
    assert scene.server.queries == []


def test_namespaces_are_asked_about_together_again_once_each_of_their_records_has_an_answer() -> None:
    scene = Scene()
    inputs = [build_input("web", namespace=namespace) for namespace in ("blog", "shop")]
    scene.server.query_problem = "away"
    scene.query(*inputs)
    scene.server.query_problem = ""
    scene.advance(POLL_S)
    scene.server.queries.clear()
    scene.query(*inputs)
    assert scene.server.queries == [2]


def test_a_server_that_is_back_is_not_asked_about_each_of_many_namespaces_apart() -> None:
    scene = Scene()
    inputs = [build_input("web", namespace=f"tenant{number}") for number in range(2000)]
    scene.server.unanswered.update(inputs)
    scene.query(*inputs)
    for _ in range(10):
        scene.advance(POLL_S)
    scene.server.unanswered.clear()
    scene.server.queries.clear()
    assert len(scene.take_answered(POLL_S)) == 2000
    assert len(scene.server.queries) <= 2 * MAX_QUERY + 2


@pytest.mark.parametrize("slow", [build_input("x", namespace="attacker"), WEB], ids=["together", "alone"])
def test_a_record_that_got_no_answer_once_gets_one_soon_although_many_namespaces_keep_the_server_busy(
    monkeypatch: pytest.MonkeyPatch, slow: RuleInput
) -> None:
    scene, numbers = Scene(), count()
    scene.server.unanswered.add(slow)
    scene.query(WEB, slow)
    scene.server.unanswered.discard(WEB)
    evaluate = scene.server.evaluate

    def stay_busy(inputs: Sequence[RuleInput]) -> PolicyAnswers:
        scene.clock.now_s += 0.1
        number = next(numbers)
        scene.queries.query([build_input(f"busy{number}", namespace=f"busy{number % 200}")])
        return evaluate(inputs)

    monkeypatch.setattr(scene.server, "evaluate", stay_busy)
    scene.queries.query([build_input("busy", namespace="busy")])
    until_s = scene.clock.now_s + 10.0
    while scene.clock.now_s < until_s:
        scene.clock.now_s += 0.1
        scene.queries.work()
    scene.taken += scene.inputs
    assert WEB in scene.list_denied()
