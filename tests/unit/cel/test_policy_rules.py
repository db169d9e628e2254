"""Evaluating policies: violations, messages, failures and missing versions."""

from __future__ import annotations

import tracemalloc
from itertools import permutations
from threading import Thread
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.cel import policy_rules
from extdns.cel.policy import EVALUATION_FAILED, CompiledPolicy
from extdns.cel.policy_document import MATCH_EVERYTHING, MAX_MESSAGE, PolicyMatch
from extdns.cel.policy_rules import PolicyRules, UnavailablePolicy, is_matched
from extdns.cel.typical_inputs import evaluate_dry
from extdns.model.change import RuleAction, Violation
from extdns.model.dns_name import DnsName
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput
from tests.unit.cel.expressions import SERVICE, build_input, build_policy, read_match

OWN_DOMAIN = build_policy(
    {
        "expression": "record.name.isSubdomainOf(variables.domain)",
        "messageExpression": "object.namespace + ' may publish only below ' + variables.domain",
        "reason": "NameNotAllowed",
    },
    name="own-domain",
    variables=[{"name": "domain", "expression": "object.namespace + '.example.com'"}],
)


def evaluate(item: RuleInput, *policies: CompiledPolicy) -> Evaluation:
    (evaluation,) = PolicyRules(policies).evaluate((item,))
    return evaluation


def list_messages(item: RuleInput, *policies: CompiledPolicy) -> list[str]:
    return [violation.message for violation in evaluate(item, *policies).violations]


def test_a_record_that_follows_the_rule_has_no_violation() -> None:
    assert evaluate(build_input(), OWN_DOMAIN) == Evaluation(matched=("own-domain",))


def test_the_cache_of_answers_is_bounded_although_objects_have_large_annotations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(policy_rules, "MAX_CACHED_CHARACTERS", 100_000)
    rules, item = PolicyRules((build_policy("object.annotations != {}"),)), build_input()
    assert item.object is not None
    tracemalloc.start()
    for number in range(100):
        large = StringMap.from_items({"a": f"{number}" + "x" * 50_000})
        rules.evaluate((replace(item, object=replace(item.object, annotations=large)),))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 400_000


def test_a_violation_has_the_message_the_reason_and_the_values_of_variables() -> None:
    assert evaluate(build_input("www.example.com"), OWN_DOMAIN).violations == (
        Violation(
            rule="own-domain",
            action=RuleAction.DENY,
            message="team-a may publish only below team-a.example.com",
            reason="NameNotAllowed",
            values=StringMap.from_items({"domain": "team-a.example.com"}),
        ),
    )


def test_a_policy_that_does_not_match_a_record_is_not_evaluated() -> None:
    assert evaluate(build_input(), build_policy("false", match={"recordTypes": ["AAAA"]})) == Evaluation()


@pytest.mark.parametrize("action", RuleAction)
def test_a_violation_has_the_action_of_its_policy(action: RuleAction) -> None:
    (violation,) = evaluate(build_input(), build_policy("false", action=action.value)).violations
    assert violation.action is action


def test_a_violation_deletes_the_record_only_if_the_policy_says_so() -> None:
    keeps, deletes = build_policy("false", name="a"), build_policy("false", name="b", onViolation="delete")
    assert [one.deletes for one in evaluate(build_input(), keeps, deletes).violations] == [False, True]


def test_each_violated_validation_of_a_policy_is_reported() -> None:
    policy = build_policy({"expression": "false", "message": "b"}, "true", {"expression": "false", "message": "a"})
    assert list_messages(build_input(), policy) == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({}, "failed expression: 1 == 2"),
        ({"message": "written"}, "written"),
        ({"messageExpression": "'of ' + object.name", "message": "written"}, "of web"),
        ({"messageExpression": "object.annotations['none']", "message": "written"}, "written"),
        ({"messageExpression": "'  '", "message": "written"}, "written"),
        ({"messageExpression": "'a\\nb'", "message": "written"}, "written"),
        ({"messageExpression": "1", "message": "written"}, "written"),
        ({"messageExpression": "'a\\u001b[2Jb\\u202e'"}, "a [2Jb "),
        ({"messageExpression": "'" + "a" * 600 + "'"}, "a" * (MAX_MESSAGE - 1) + "…"),
    ],
)
def test_a_violation_shows_the_computed_message_or_else_the_written_one_or_else_the_expression(
    texts: dict[str, str], message: str
) -> None:
    assert list_messages(build_input(), build_policy({"expression": "1 == 2", **texts})) == [message]


def test_a_record_is_denied_if_a_rule_about_it_cannot_be_evaluated() -> None:
    policy = build_policy("object.annotations['none'] == 'x'", onViolation="delete")
    (violation,) = evaluate(build_input(), policy).violations
    assert (violation.action, violation.reason, violation.deletes) == (RuleAction.DENY, EVALUATION_FAILED, False)
    assert violation.message == (
        "The rule cannot be evaluated: spec.validations[0].expression: "
        'there is no key or field "none"; test for it first, with has() or in'
    )


def test_with_failure_policy_ignore_a_rule_that_cannot_be_evaluated_has_no_effect() -> None:
    policy = build_policy("object.annotations['none'] == 'x'", failurePolicy="Ignore")
    assert evaluate(build_input(), policy) == Evaluation(matched=("rule",))


def test_an_error_in_a_variable_is_reported_only_where_the_variable_is_used() -> None:
    variables = [{"name": "team", "expression": "object.labels['team']"}, {"name": "unused", "expression": "1 / 0"}]
    policy = build_policy("record.type == 'TXT' || variables.team == 'a'", variables=variables)
    (message,) = list_messages(build_input(), policy)
    assert "variables.team: there is no key" in message
    assert list_messages(build_input(record_type="TXT"), policy) == []


def test_a_variable_may_use_the_variables_defined_before_it() -> None:
    variables = [{"name": "a", "expression": "'x'"}, {"name": "b", "expression": "variables.a + 'y'"}]
    (violation,) = evaluate(build_input(), build_policy("variables.b == ''", variables=variables)).violations
    assert violation.values == StringMap.from_items({"a": "x", "b": "xy"})


def test_a_variable_whose_value_grows_too_large_is_an_error() -> None:
    doubled = [{"name": "v0", "expression": "'" + "x" * 1000 + "'"}]
    doubled += [{"name": f"v{at}", "expression": f"variables.v{at - 1} + variables.v{at - 1}"} for at in range(1, 30)]
    (message,) = list_messages(build_input(), build_policy("variables.v29 == ''", variables=doubled))
    assert "variables.v7: the value is too large" in message


def test_nested_loops_over_many_targets_are_an_error() -> None:
    targets = [f"10.0.{at // 256}.{at % 256}" for at in range(1000)]
    policy = build_policy("record.targets.all(a, record.targets.exists(b, a == b))")
    (message,) = list_messages(build_input("web.example.com", *targets), policy)
    assert "the loops of the expression may take 1000000 steps" in message


def test_a_rule_whose_result_is_not_a_boolean_denies_the_record() -> None:
    (message,) = list_messages(build_input(), build_policy("object.annotations['dns.example/owner']"))
    assert message.endswith('the value is "ops"; allowed: true or false')


def test_the_order_of_policies_changes_neither_the_answers_nor_the_revision() -> None:
    policies = [OWN_DOMAIN, build_policy("false", name="b"), build_policy("record.ttl < 60", name="a")]
    item = build_input("www.example.com")
    results = {PolicyRules(order).evaluate((item,)) for order in permutations(policies)}
    revisions = {PolicyRules(order).revision for order in permutations(policies)}
    assert (len(results), len(revisions)) == (1, 1)


def test_the_revision_differs_if_any_policy_differs() -> None:
    sets = (PolicyRules(()), PolicyRules((build_policy("true"),)), PolicyRules((build_policy("false"),)))
    assert len({rules.revision for rules in sets}) == len(sets)


@pytest.mark.parametrize(
    ("match", "unavailable"),
    [(MATCH_EVERYTHING, "broken: spec is missing"), (PolicyMatch(record_types=("TXT",)), "")],
)
def test_a_record_gets_no_answer_if_it_could_match_a_policy_without_a_valid_version(
    match: PolicyMatch, unavailable: str
) -> None:
    rules = PolicyRules((), (UnavailablePolicy(problem="broken: spec is missing", match=match),))
    (evaluation,) = rules.evaluate((build_input(),))
    assert evaluation.unavailable == unavailable


def test_a_record_gets_no_answer_while_its_namespace_is_not_read() -> None:
    policy = build_policy("namespace.labels['team'] == 'a'")
    assert evaluate(build_input(namespace=None), policy).unavailable == "rule: the namespace team-a was not read"
    assert PolicyRules((policy,)).needs_namespaces


def test_policies_that_do_not_use_namespaces_do_not_require_reading_them() -> None:
    assert not PolicyRules((OWN_DOMAIN,)).needs_namespaces


def test_policies_can_be_evaluated_on_several_threads_at_once() -> None:
    rules = PolicyRules((OWN_DOMAIN, build_policy("record.targets.all(t, ip(t).family() == 4)", name="v4")))
    items = [build_input(f"{at}.team-a.example.com", f"192.0.2.{at}") for at in range(50)]
    expected = rules.evaluate(items)
    results: list[tuple[Evaluation, ...]] = []
    threads = [Thread(target=lambda: results.append(rules.evaluate(items))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_a_delete_is_evaluated_only_by_policies_whose_match_names_deletes() -> None:
    item = build_input(operation=Operation.DELETE)
    protected = build_policy("false", name="protected", match={"operations": ["DELETE"]})
    assert [one.rule for one in evaluate(item, build_policy("false"), protected).violations] == ["protected"]


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (
            "record.ttl > '60'",
            "has no value for any typical record: an operator is not defined for values of these types",
        ),
        ("record.ttl", "gives 300; allowed: true or false"),
        ("size(record.ttl) > 1", "size() is not defined for values of these types"),
    ],
)
def test_a_trial_evaluation_finds_type_errors_in_expressions(expression: str, problem: str) -> None:
    (found,) = evaluate_dry(build_policy(expression)).problems
    assert problem in found


@pytest.mark.parametrize(
    ("message", "warning"),
    [
        ("'TTL of ' + record.ttl", "has no value for any typical record, so message is used: Unsupported operation"),
        ("record.ttl", "gives 300, so message is used; allowed: a string"),
    ],
)
def test_a_trial_evaluation_warns_of_a_message_expression_that_never_gives_a_string(message: str, warning: str) -> None:
    found = evaluate_dry(build_policy({"expression": "record.ttl >= 60", "messageExpression": message}))
    assert found.problems == ()
    assert [one.partition(" ")[2][: len(warning)] for one in found.warnings] == [warning]


@pytest.mark.parametrize(
    ("expression", "warnings"),
    [
        ("object.annotations['x'] == 'y'", 1),
        ("current.record.ttl >= 60", 1),
        ("record.targets.all(t, ip(t).family() == 4)", 1),
        ("current == null || current.record.ttl >= 60", 0),
        ("record.targets.all(t, !isIP(t) || ip(t).family() == 4)", 0),
    ],
)
def test_a_trial_evaluation_warns_of_typical_records_for_which_an_expression_fails(
    expression: str, warnings: int
) -> None:
    found = evaluate_dry(build_policy(expression))
    assert (found.problems, len(found.warnings)) == ((), warnings)


def test_answers_stay_right_after_the_full_cache_was_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_rules, "_MAX_CACHED", 2)
    rules = PolicyRules((build_policy("record.ttl < 5"),))
    inputs = [build_input(ttl_s=ttl_s) for ttl_s in (*range(10), *range(10))]
    assert [len(one.violations) for one in rules.evaluate(inputs)] == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 2


# Which inputs a policy is evaluated on


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], bool | None]] = {
    "everything": ({}, {}, True),
    "an update": ({}, {"operation": Operation.UPDATE}, True),
    "no delete by default": ({}, {"operation": Operation.DELETE}, False),
    "a delete": ({"operations": ["DELETE"]}, {"operation": Operation.DELETE}, True),
    "no create": ({"operations": ["DELETE"]}, {}, False),
    "the source": ({"sources": ["ingress", "service"]}, {}, True),
    "another source": ({"sources": ["ingress"]}, {}, False),
    "a delete, whose source is unknown": (
        {"sources": ["ingress"], "operations": ["DELETE"]},
        {"operation": Operation.DELETE, "source": ""},
        True,
    ),
    "the type": ({"recordTypes": ["A"]}, {}, True),
    "another type": ({"recordTypes": ["CNAME"]}, {}, False),
    "the zone": ({"zones": ["Example.com."]}, {}, True),
    "another zone": ({"zones": ["example.com"]}, {"zone": Zone(name=DnsName("example.org"), id="x")}, False),
    "the domain itself": ({"domains": ["web.team-a.example.com"]}, {}, True),
    "a domain above": ({"domains": ["team-a.example.com"]}, {}, True),
    "half a label": ({"domains": ["a.example.com"]}, {}, False),
    "the namespace": ({"namespaces": ["team-a"]}, {}, True),
    "another namespace": ({"namespaces": ["team-b"]}, {}, False),
    "an unknown object": ({"namespaces": ["team-a"]}, {"object": None}, False),
    "labels": ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, {}, True),
    "other labels": ({"namespaceSelector": {"matchLabels": {"team": "b"}}}, {}, False),
    "an empty selector": ({"namespaceSelector": {}}, {}, True),
    "labels of a namespace that was not read": ({"namespaceSelector": {}}, {"namespace": None}, None),
    "labels of an object without a namespace": (
        {"namespaceSelector": {"matchLabels": {"team": "b"}}},
        {"namespace": None, "object": SERVICE.__class__(api_version="v1", kind="Node", namespace="", name="n1")},
        True,
    ),
}

REQUIREMENTS: dict[str, tuple[str, str, list[str], bool]] = {
    "in": ("team", "In", ["a", "b"], True),
    "in, without the label": ("env", "In", ["a"], False),
    "not in": ("team", "NotIn", ["a"], False),
    "not in, without the label": ("env", "NotIn", ["a"], True),
    "exists": ("team", "Exists", [], True),
    "does not exist": ("team", "DoesNotExist", [], False),
}


@pytest.mark.parametrize(("match", "changes", "expected"), CASES.values(), ids=CASES)
def test_a_policy_is_evaluated_on_exactly_the_inputs_that_its_match_selects(
    match: dict[str, Any], changes: dict[str, Any], expected: bool | None
) -> None:
    assert is_matched(read_match(**match), build_input(**changes)) is expected


@pytest.mark.parametrize(("key", "operator", "values", "expected"), REQUIREMENTS.values(), ids=REQUIREMENTS)
def test_label_requirements_of_a_match_work_as_in_kubernetes(
    key: str, operator: str, values: list[str], expected: bool
) -> None:
    selector = {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}
    assert is_matched(read_match(namespaceSelector=selector), build_input()) is expected
