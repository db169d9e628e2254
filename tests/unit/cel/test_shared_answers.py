"""Evaluating several policies together, and storing their answers, changes no answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.cel.functions import FUNCTIONS
from extdns.cel.library import Context
from extdns.cel.policy import CompiledPolicy
from extdns.cel.policy_group import PolicyGroup
from extdns.cel.policy_rules import PolicyRules, is_matched
from extdns.cel.references import ReadValues, References
from extdns.cel.syntax import read_syntax
from extdns.model.change import Violation
from extdns.rules.rule_input import Operation, RuleInput, build_document
from tests.unit.cel.expressions import INPUTS, build_current, build_input, build_policy

_CONDITIONS = (
    "record.ttl >= 60",
    "record.type in ['A', 'TXT']",
    "record.labels[0] != 'web'",
    "record.labels[4] == 'x'",
    "record.name.isSubdomainOf(object.namespace + '.example.com')",
    "record.targets.all(t, isIP(t) && isGlobal(t))",
    "record.targets.all(object, object != '192.0.2.1') || object.name == 'web'",
    "size(record.targets) < 2",
    "record.properties.alias == 'true'",
    "'alias' in record.properties",
    "object == null || 'team' in object.labels && object.labels['team'] == 'a'",
    "object.labels.team == 'a'",
    "has(object.labels.team)",
    "!has(object.annotations.owner) || object.annotations['owner'] == object.namespace",
    "object.labels.exists(key, key == 'team')",
    "object.labels[object.name] == 'a'",
    "object.labels == {}",
    "object.labels['te' + 'am'] == 'a'",
    'object.labels["team"].size() == 1',
    "object.labels['te\\u0061m'] == 'a'",
    "'a' in object.labels['team'].split(',')",
    "'te' + 'am' in object.labels",
    "object.size() == 6",
    "current == null",
    "null != current && current.owner == 'default'",
    "current == null || current.record.zone == record.zone",
    "current == null || current.record.ttl == record.ttl",
    "current.record == null",
    "(current == null) == (operation == 'CREATE')",
    "operation == 'CREATE'",
    "namespace != null && namespace.labels['team'] == 'a'",
    "namespace == object",
    "record.private ? record.zone == 'example.com' : true",
    "source == 'service' // a comment",
    "record.ttl",
    "1",
    "record.ttl / 0 == 1",
    "record.setIdentifier == null",
    "record.targets.all(a, record.targets.all(b, a == b))",
)
_VARIABLES = ("object.labels['team']", "record.targets", "record.ttl", "current == null", "1 / 0", "object.namespace")
_MATCHES: tuple[dict[str, object], ...] = (
    {},
    {"recordTypes": ["A"]},
    {"domains": ["team-a.example.com", "web.example.com"]},
    {"domains": ["example.com"], "sources": ["service"]},
    {"namespaces": ["team-a"]},
    {"namespaceSelector": {"matchLabels": {"team": "a"}}},
    {"operations": ["DELETE", "CREATE"]},
    {"zones": ["example.org"]},
)


@st.composite
def build_policies(draw: st.DrawFn) -> list[CompiledPolicy]:
    policies = []
    for number in range(draw(st.integers(1, 5))):
        validations = []
        variables = draw(st.lists(st.sampled_from(_VARIABLES), max_size=2))
        for expression in draw(st.lists(st.sampled_from(_CONDITIONS), min_size=1, max_size=3)):
            used = draw(st.sampled_from(("", "variables.v0 == variables.v0 && "))) if variables else ""
            message = draw(st.sampled_from(("", "'of ' + object.name", "'TTL ' + string(record.ttl)")))
            validations.append({"expression": used + expression} | ({"messageExpression": message} if message else {}))
        policies.append(
            build_policy(
                *validations,
                name=f"rule-{number}",
                match=draw(st.sampled_from(_MATCHES)),
                variables=[{"name": f"v{at}", "expression": one} for at, one in enumerate(variables)],
                failurePolicy=draw(st.sampled_from(("Fail", "Ignore"))),
            )
        )
    return policies


def evaluate_alone(policies: Sequence[CompiledPolicy], item: RuleInput) -> Iterator[Violation]:
    """Evaluate each policy on the complete document, with no other policy beside it, and store nothing."""
    for policy in policies:
        if is_matched(policy.match, item):
            document = build_document(item)
            document["Namespace"] = document.pop("namespace")
            yield from policy.evaluate(Context(document, dict(FUNCTIONS)), item)


@given(policies=build_policies(), items=st.lists(INPUTS, min_size=1, max_size=12))
def test_policies_evaluated_together_give_the_same_violations_as_each_policy_alone(
    policies: list[CompiledPolicy], items: list[RuleInput]
) -> None:
    rules = PolicyRules(policies)
    for item in (*items, *items):
        (found,) = rules.evaluate((item,))
        if not found.unavailable:
            assert found.violations == tuple(sorted(set(evaluate_alone(policies, item))))


def test_the_answer_of_policies_that_read_only_the_ttl_is_computed_once_for_each_ttl() -> None:
    rules = PolicyRules((build_policy("record.ttl >= 60"), build_policy("current == null || record.ttl < 90000")))
    computed = count_evaluations(rules, [build_input(f"{at}.example.com", ttl_s=60 + at % 3) for at in range(50)])
    assert computed == 3


def test_an_answer_that_depends_on_neither_operation_nor_current_record_is_not_computed_again_after_the_write() -> None:
    rules = PolicyRules((build_policy("record.name != 'a'"), build_policy("operation != 'X'")))
    item = build_input()
    written = replace(item, operation=Operation.UPDATE, current=build_current())
    assert (count_evaluations(rules, [item]), count_evaluations(rules, [written, item])) == (2, 1)


def test_answers_are_dropped_while_another_thread_adds_a_group_of_policies() -> None:
    rules = PolicyRules([build_policy("record.ttl > 0", match={"recordTypes": [one]}) for one in ("A", "TXT")])
    others = [build_input(record_type="TXT")]

    class Answers(dict[ReadValues, tuple[Violation, ...]]):
        """Answers, during whose removal another input is evaluated, as by another thread."""

        def clear(self) -> None:
            super().clear()
            if others:
                rules.evaluate((others.pop(),))

    with patch("extdns.cel.policy_rules._MAX_CACHED", 1):
        rules.evaluate([build_input(ttl_s=60)])
        (group,) = rules._groups.values()
        group.answers = Answers(group.answers)
        (evaluation,) = rules.evaluate([build_input(ttl_s=61)])
    assert (others, evaluation.unavailable) == ([], "")


def count_evaluations(rules: PolicyRules, items: Sequence[RuleInput]) -> int:
    """Return how often a group of policies is evaluated for *items*."""
    counted: list[RuleInput] = []
    evaluate = PolicyGroup.evaluate

    def count(group: PolicyGroup, item: RuleInput, values: ReadValues, size: int) -> tuple[Violation, ...]:
        counted.append(item)
        return evaluate(group, item, values, size)

    with patch.object(PolicyGroup, "evaluate", count):
        rules.evaluate(items)
    return len(counted)


def test_the_number_1_is_not_taken_for_true_beside_other_conditions() -> None:
    (evaluation,) = PolicyRules((build_policy("1"), build_policy("true"))).evaluate((build_input(),))
    assert [one.message for one in evaluation.violations] == [
        "The rule cannot be evaluated: spec.validations[0].expression: the value is 1; allowed: true or false"
    ]


@given(item=INPUTS)
def test_expressions_that_read_all_variables_get_the_complete_input_document(item: RuleInput) -> None:
    everything = References([read_syntax("[operation, source, stated, record, object, namespace, current]")])
    assert everything.build_document(everything.read(item)) == build_document(item)


@pytest.mark.parametrize(
    "source",
    [
        "object.labels == {}",
        "'a' + 'pp' in object.labels",
        "object.labels['a' + 'pp'] == ''",
        "object.labels['\\u0061pp'] == ''",
        "object.labels[r'app'] == ''",
        "object.labels[object.name] == ''",
        "object.labels[?'app'] == ''",
        "'app' in object.labels == true",
        "true == 'app' in object.labels",
        "object.labels.all(key, key != '')",
        "size(object.labels) == 0",
        "object == null == true",
        "object in [null]",
    ],
)
def test_all_labels_are_read_if_it_is_unclear_which_of_them_an_expression_uses(source: str) -> None:
    references = References([read_syntax(source)])
    found = references.build_document(references.read(build_input()))["object"]
    assert isinstance(found, dict)
    assert found["labels"] == {"app": "web"}
