"""Reading DNSPolicy documents: one clear message for each mistake, and never an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.cel.policy import CompiledPolicy, compile_policy
from extdns.cel.policy_document import (
    MATCH_EVERYTHING,
    MAX_MESSAGE,
    MAX_VALIDATIONS,
    PolicyMatch,
    read_policy,
)
from extdns.flags.sources import SOURCES
from extdns.model.change import RuleAction
from extdns.model.kind import InvalidValue
from extdns.model.selection import Operator, Requirement
from extdns.rules.rule_input import Operation

TRUE = [{"expression": "true"}]
AGAIN = InvalidValue("is given again on line 8", "each key once")

INVALID: dict[str, tuple[object, str]] = {
    "no spec": (None, "spec is missing; allowed: a mapping with validations"),
    "spec is a list": ([], "spec is a list; allowed: a mapping"),
    "unknown field": (
        {"validations": TRUE, "actions": "deny"},
        (
            "spec.actions does not exist; allowed: match, variables, validations, action, onViolation, failurePolicy; "
            "did you mean: action"
        ),
    ),
    "no validations": (
        {},
        "spec.validations is empty; allowed: at least one expression that is true for valid records",
    ),
    "validations is a text": ({"validations": "true"}, 'spec.validations is the string "true"; allowed: a list'),
    "too many validations": (
        {"validations": TRUE * (MAX_VALIDATIONS + 1)},
        f"spec.validations has {MAX_VALIDATIONS + 1} items; allowed: {MAX_VALIDATIONS}",
    ),
    "no expression": (
        {"validations": [{"message": "a"}]},
        "spec.validations[0].expression is empty; allowed: an expression in CEL",
    ),
    "expression is a number": (
        {"validations": [{"expression": 1}]},
        "spec.validations[0].expression is the number 1; allowed: a string, so quote it",
    ),
    "long message": (
        {"validations": [{"expression": "true", "message": "a" * (MAX_MESSAGE + 1)}]},
        f"spec.validations[0].message has {MAX_MESSAGE + 1} characters; allowed: {MAX_MESSAGE}",
    ),
    "message of two lines": (
        {"validations": [{"expression": "true", "message": "a\nb"}]},
        "spec.validations[0].message is 'a\\nb'; allowed: printable characters on one line",
    ),
    "reason with a blank": (
        {"validations": [{"expression": "true", "reason": "not allowed"}]},
        'spec.validations[0].reason is "not allowed"; allowed: letters and digits, as NameNotAllowed',
    ),
    "action": (
        {"validations": TRUE, "action": "Deny"},
        'spec.action is "Deny"; allowed: deny, warn, audit; did you mean: deny',
    ),
    "failure policy": (
        {"validations": TRUE, "failurePolicy": "fail"},
        'spec.failurePolicy is "fail"; allowed: Fail, Ignore; did you mean: Fail',
    ),
    "delete without deny": (
        {"validations": TRUE, "action": "warn", "onViolation": "delete"},
        "spec.onViolation is delete, but spec.action is warn; allowed: delete with action deny",
    ),
    "variable twice": (
        {"validations": TRUE, "variables": [{"name": "a", "expression": "1"}] * 2},
        'spec.variables[1].name is "a" again; allowed: each name once',
    ),
    "variable name": (
        {"validations": TRUE, "variables": [{"name": "a-b", "expression": "1"}]},
        'spec.variables[0].name is "a-b"; allowed: letters, digits and _, as domain',
    ),
    "operation": (
        {"validations": TRUE, "match": {"operations": ["REMOVE"]}},
        'spec.match.operations[0] is "REMOVE"; allowed: CREATE, UPDATE, DELETE',
    ),
    "record type": (
        {"validations": TRUE, "match": {"recordTypes": ["a"]}},
        'spec.match.recordTypes[0] is "a"; allowed: a record type in capitals, as A or CNAME',
    ),
    "domain": (
        {"validations": TRUE, "match": {"domains": ["a..b"]}},
        'spec.match.domains[0] is "a..b"; allowed: a name without empty labels',
    ),
    "zones is a text": (
        {"validations": TRUE, "match": {"zones": "example.com"}},
        'spec.match.zones is the string "example.com"; allowed: a list',
    ),
    "namespace": (
        {"validations": TRUE, "match": {"namespaces": ["Team"]}},
        'spec.match.namespaces[0] is "Team"; allowed: the name of a namespace',
    ),
    "source": (
        {"validations": TRUE, "match": {"sources": ["services"]}},
        f'spec.match.sources[0] is "services"; allowed: {", ".join(SOURCES)}; did you mean: service',
    ),
    "selector operator": (
        {"validations": TRUE, "match": {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "in"}]}}},
        'spec.match.namespaceSelector.matchExpressions[0].operator is "in"; allowed: In, NotIn, Exists, DoesNotExist',
    ),
    "selector without values": (
        {"validations": TRUE, "match": {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}},
        "spec.match.namespaceSelector.matchExpressions[0].values is empty; allowed with In: at least one value",
    ),
    "action twice": (
        {"validations": TRUE, "action": AGAIN},
        "spec.action is given again on line 8; allowed: each key once",
    ),
    "spec twice": (AGAIN, "spec is given again on line 8; allowed: each key once"),
    "unknown field twice": (
        {"validations": TRUE, "actions": AGAIN},
        "spec.actions is given again on line 8; allowed: each key once",
    ),
    "expression twice": (
        {"validations": [{"expression": AGAIN}]},
        "spec.validations[0].expression is given again on line 8; allowed: each key once",
    ),
    "record types twice": (
        {"validations": TRUE, "match": {"recordTypes": AGAIN}},
        "spec.match.recordTypes is given again on line 8; allowed: each key once",
    ),
    "label value is a number": (
        {"validations": TRUE, "match": {"namespaceSelector": {"matchLabels": {"a": 1}}}},
        'spec.match.namespaceSelector.matchLabels["a"] is the number 1; allowed: the value of a label, so quote it',
    ),
}

INVALID_EXPRESSIONS = {
    "unknown field": ("record.nmae == ''", "spec.validations[0].expression refers to record.nmae"),
    "not evaluated on deletes": (
        "operation != 'DELETE'",
        (
            "spec.validations[0].expression names DELETE, on which the rule is not evaluated; "
            "add DELETE to spec.match.operations, which is CREATE, UPDATE"
        ),
    ),
}


@pytest.mark.parametrize(("spec", "message"), INVALID.values(), ids=INVALID)
def test_each_mistake_in_a_policy_is_reported_with_field_value_and_allowed_values(spec: object, message: str) -> None:
    parsed = read_policy("rule", spec)
    assert (parsed.text, parsed.problems) == (None, (message,))


@pytest.mark.parametrize(("expression", "message"), INVALID_EXPRESSIONS.values(), ids=INVALID_EXPRESSIONS)
def test_an_invalid_expression_is_reported_with_its_field(expression: str, message: str) -> None:
    parsed = read_policy("rule", {"validations": [{"expression": expression}]})
    assert parsed.text is not None
    problems = compile_policy(parsed.text)
    assert isinstance(problems, tuple)
    assert [problem[: len(message)] for problem in problems] == [message]


def test_all_mistakes_in_a_policy_are_reported_at_once() -> None:
    spec = {"action": "no", "failurePolicy": "no", "validations": TRUE, "match": {"sources": ["A"]}}
    assert len(read_policy("rule", spec).problems) == 3


def test_fields_that_a_policy_leaves_out_have_defaults() -> None:
    text = read_policy("rule", {"validations": TRUE}).text
    assert text is not None
    assert text.match == PolicyMatch(operations=(Operation.CREATE, Operation.UPDATE))
    assert (text.action, text.deletes, text.ignores_errors) == (RuleAction.DENY, False, False)


def test_the_match_of_a_policy_is_read_with_canonical_names_and_label_requirements() -> None:
    match = {
        "domains": ["Example.COM."],
        "zones": ["münchen.example"],
        "namespaceSelector": {
            "matchLabels": {"team": "a"},
            "matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["test"]}],
        },
    }
    found = read_policy("rule", {"validations": TRUE, "match": match}).match
    assert (found.domains, found.zones) == (("example.com",), ("xn--mnchen-3ya.example",))
    assert found.namespace_selector == (
        Requirement(key="team", operator=Operator.IN, values=("a",)),
        Requirement(key="env", operator=Operator.NOT_IN, values=("test",)),
    )


def test_a_wildcard_among_the_domains_of_a_match_gives_a_warning_with_the_domain_to_write_instead() -> None:
    match = {"domains": ["corp.example", "*.Corp.example."]}
    found = read_policy("rule", {"validations": TRUE, "match": match})
    assert (found.match.domains, found.problems) == (("corp.example", "*.corp.example"), ())
    (warning,) = found.warnings
    assert warning == (
        'spec.match.domains[1] is "*.corp.example", which is one name, the wildcard itself; '
        'to match corp.example and all names below it, write "corp.example"'
    )


def test_the_match_of_a_policy_is_read_although_its_other_fields_are_invalid() -> None:
    assert read_policy("rule", {"match": {"recordTypes": ["A"]}}).match == PolicyMatch(record_types=("A",))


@pytest.mark.parametrize("spec", [None, 5, {"match": {"recordTypes": 5}}, {"match": {"unknown": 1}}])
def test_a_policy_whose_match_cannot_be_read_counts_as_matching_everything(spec: object) -> None:
    assert read_policy("rule", spec).match == MATCH_EVERYTHING


_KEYS = st.sampled_from(
    """match variables validations action onViolation failurePolicy operations sources namespaces namespaceSelector
    recordTypes zones domains matchLabels matchExpressions key operator values expression message messageExpression
    reason name""".split()  # noqa: SIM905 - a long list of words
)
_TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "true",
            "In",
            "Exists",
            "deny",
            "delete",
            "Fail",
            "DELETE",
            "A",
            "a",
            "record.name == 'x'",
            "variables.a",
            "namespace",
        ]
    ),
)
_SCALARS: st.SearchStrategy[Any] = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS)
_DOCUMENTS = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.one_of(_KEYS, _TEXTS), inner, max_size=6)),
    max_leaves=30,
)


@given(spec=st.one_of(_DOCUMENTS, st.dictionaries(_KEYS, _DOCUMENTS)))
def test_no_content_of_a_policy_makes_reading_or_compiling_raise_an_exception(spec: object) -> None:
    parsed = read_policy("rule", spec)
    assert (parsed.text is None) == bool(parsed.problems)
    assert all(problem.isprintable() for problem in parsed.problems)
    if parsed.text is not None:
        assert isinstance(compile_policy(parsed.text), CompiledPolicy | tuple)
