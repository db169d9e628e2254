"""Answers of a policy server are inputs of the engine (docs/design/rules.md, "The package")."""

from __future__ import annotations

import pytest

from extdns.engine.effects import QueryRules
from extdns.engine.inputs import Input, RulesAnswered, RulesRevised
from extdns.model.change import Action, RuleAction, Violation
from extdns.model.reason import Reason
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import MAX_QUERY
from extdns.rules.rule_input import Operation
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, observe, observe_gone, observe_new, owned
from tests.rules import change_rules, deny_targets
from tests.world import World, build_world

ALLOWED = Evaluation(matched=("opa",))
DENIED = Evaluation(
    matched=("opa",), violations=(Violation(rule="opa", action=RuleAction.DENY, message="not below team-a"),)
)
DOWN = Evaluation(unavailable="the policy server does not answer: timed out")
GOOD = "192.0.2.1"


def start(*first: Input, published: str = "", answer: Evaluation | None = ALLOWED, has_writer: bool = True) -> World:
    """Start with the observations *first*; the zone holds *published*, and the server answers *answer*."""
    records = owned("web", published) if published else ()
    world = build_world(*records, has_policy_server=True, has_writer=has_writer)
    world.policy = lambda _: answer
    world.run(*first, change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    world.queries.clear()
    return world


def request(name: str = "web", target: str = GOOD) -> Input:
    return observe(name, build_claim(name, name, target))


def run(world: World, *items: Input, answer: Evaluation | None = ALLOWED, for_s: float = 5.0) -> list[QueryRules]:
    """Feed *items* while the server answers *answer*; None is a server that does not answer. Return the queries."""
    world.policy = lambda _: answer
    world.queries.clear()
    world.run(*items, for_s=for_s)
    return list(world.queries)


def build_answer(query: QueryRules, answer: Evaluation | None) -> RulesAnswered:
    assert answer is not None
    return RulesAnswered(answers=tuple((one, answer) for one in query.inputs))


def test_new_name_waits_for_the_answer() -> None:
    world = start()
    (query,) = run(world, request(), answer=None)
    assert (world.list_records(), world.engine.is_planned) == ({}, False)
    run(world, build_answer(query, ALLOWED))
    assert (world.list_records(), world.engine.is_planned) == ({"web A": (GOOD,)}, True)


def test_an_answer_about_a_name_that_nobody_requests_any_more_is_ignored() -> None:
    world = start()
    (query,) = run(world, request(), answer=None)
    run(world, observe_gone("web"), answer=None)
    run(world, build_answer(query, ALLOWED))
    assert (world.list_records(), world.engine.is_planned) == ({}, True)


def test_no_change_is_planned_while_the_answer_about_a_new_target_is_awaited() -> None:
    world = start(request(), has_writer=False)
    assert world.decision("web").action is Action.CREATE
    run(world, request(target="192.0.2.2"), answer=None)
    assert world.list_decisions("web") == []


def test_changed_object_causes_one_query_about_its_own_records() -> None:
    world = start(request(), request("api"))
    (query,) = run(world, request(target="192.0.2.2"))
    assert [str(one.record.name) for one in query.inputs] == ["web.example.org"]
    assert world.list_records() == {"api A": (GOOD,), "web A": ("192.0.2.2",)}


def test_denied_record_is_not_published() -> None:
    world = start(request(), answer=DENIED)
    assert (world.decision("web").reason, world.decision("web").detail) == (
        Reason.POLICY_DENIED,
        "opa: not below team-a",
    )


def test_published_record_stays_while_the_server_does_not_answer() -> None:
    world = start(request(target="192.0.2.2"), published=GOOD, answer=None)
    world.run(for_s=3600.0)
    assert world.list_records() == {"web A": (GOOD,)}


@pytest.mark.parametrize("answer", [DOWN, DENIED], ids=["down", "denied"])
def test_no_record_is_deleted_although_the_answer_keeps_changing(answer: Evaluation) -> None:
    world = start(request())
    for current in (answer, ALLOWED, answer):
        queries = run(world, RulesRevised(revision=str(current)), answer=current, for_s=3600.0)
        assert len(queries) == 1
        assert world.list_records() == {"web A": (GOOD,)}


def test_new_names_are_published_when_the_server_answers_again() -> None:
    world = start()
    queries = run(world, request(), answer=DOWN)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_UNAVAILABLE)]
    run(world, *(build_answer(query, ALLOWED) for query in queries))
    assert world.list_records() == {"web A": (GOOD,)}


def test_earlier_answers_stay_valid_until_the_next_under_new_policies() -> None:
    world = start(request())
    run(world, RulesRevised(revision="2"), answer=None)
    assert world.decision("web").reason is Reason.PUBLISHED
    assert world.engine.is_planned


def test_names_without_an_answer_come_first_when_all_are_asked_about_again() -> None:
    world = start(request())
    run(world, request("api"), answer=None)
    (query,) = run(world, RulesRevised(revision="1"), answer=None)
    assert [one.record.name for one in query.inputs] == ["api.example.org", "web.example.org"]


def test_delete_waits_for_the_answer() -> None:
    world = start(request())
    (query,) = run(world, observe_gone("web"), answer=None, for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert [one.operation for one in query.inputs] == ["DELETE"]
    run(world, build_answer(query, ALLOWED), for_s=600.0)
    assert world.list_records() == {}


def test_query_is_about_at_most_500_records() -> None:
    world = start()
    queries = run(world, observe_new(*(f"h{number}" for number in range(MAX_QUERY + 1))))
    assert [len(query.inputs) for query in queries] == [MAX_QUERY, 1]
    assert len(world.list_records()) == MAX_QUERY + 1


def test_delete_needs_an_answer_of_its_own() -> None:
    violated = deny_targets(GOOD, deletes=True)
    world = start(request(), published=GOOD)
    world.policy = lambda item: DENIED if item.operation is Operation.DELETE else ALLOWED
    world.run(change_rules(violated), for_s=7200.0)
    assert world.list_records() == {"web A": (GOOD,)}
