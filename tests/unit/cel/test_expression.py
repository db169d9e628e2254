"""What is checked before an expression is evaluated, and how its evaluation is bounded."""

from __future__ import annotations

import pytest

from extdns.cel.expression import (
    MAX_EXPRESSION,
    EvaluationError,
    InvalidExpressionError,
    check_cost,
    compile_expression,
    format_value,
    measure_value,
)
from extdns.cel.syntax import read_syntax, rename_variable

INVALID = {
    "1 +": "is not CEL: character 4: the expression is incomplete",
    "(1": "is not CEL: character 3: missing ')' at the end",
    "1 2": 'is not CEL: character 3: unexpected "2"',
    "true or false": 'is not CEL: character 6: unexpected "or"; did you mean: ||',
    "record.ttl = 60": 'is not CEL: character 12: unexpected "="; did you mean: ==',
    "": "is not CEL",
    "true\n&& (": "is not CEL: line 2, character 5",
    "(" * 500: "is not CEL",
    "record.nmae == 'a'": "refers to record.nmae, which does not exist; allowed: labels, name",
    "current.record.nmae == 'a'": "refers to current.record.nmae",
    "request.name == 'a'": "refers to request, which does not exist; allowed: current, namespace, object, operation",
    "variables.domain == 'a'": "refers to variables.domain, which does not exist; allowed: none",
    "record.targets.all(t, u == t)": "refers to u, which does not exist",
    "record.targets.all(t, t != '') && t == ''": "refers to t, which does not exist",
    "has(object.metadata)": "refers to object.metadata",
    "record.name.isSubdomainof('a')": "calls isSubdomainof(), which does not exist; did you mean: isSubdomainOf",
    "system('ls')": "calls system(), which does not exist",
    "record.name.isSubdomainOf()": "calls isSubdomainOf() with 1 arguments, counting the one before the dot",
    "record.name.split()": "calls split() with 1 arguments, counting the one before the dot; allowed: 2 to 3",
    "[1].all(a, [1].all(b, [1].all(c, true)))": "nests 3 loops; allowed: 2",
    "'" + "a" * MAX_EXPRESSION + "'": f"has {MAX_EXPRESSION + 2} characters; allowed: {MAX_EXPRESSION}",
}

VALID = (
    "record.properties.alias == 'true'",
    "has(object.annotations.owner)",
    "'owner' in object.annotations",
    "record.labels.exists(label, label.startsWith('x'))",
    "record.targets.map(target, ip(target)).all(found, found != '')",
    "record.targets.all(record, record != '')",
    "record.targets.all(ip, ip.startsWith('192.') && ip != ip.trim() + 'x')",
    "type(record.ttl) == int",
    "timestamp('2026-01-01T00:00:00Z').getFullYear() == 2026",
    "current == null || current.record.ttl >= 60",
    "record[object.name] == 'x' // a comment with record.nmae",
)


@pytest.mark.parametrize(("source", "message"), INVALID.items(), ids=[source[:30] for source in INVALID])
def test_an_expression_that_cannot_be_used_is_refused_with_a_reason(source: str, message: str) -> None:
    with pytest.raises(InvalidExpressionError) as raised:
        compile_expression(source)
    assert message in str(raised.value)


@pytest.mark.parametrize("source", VALID)
def test_an_expression_with_only_known_names_is_accepted(source: str) -> None:
    assert compile_expression(source).source == source


def test_an_expression_may_use_the_variables_that_its_rule_defines() -> None:
    assert compile_expression("variables.domain != ''", ("domain",)).syntax.variables == {"variables"}


def test_words_inside_strings_and_comments_are_not_taken_for_names_or_calls() -> None:
    syntax = read_syntax("'record.a(' + \"it's\" + r'\\' == b'x' // object.b()")
    assert (syntax.paths, syntax.calls) == ((), ())


def test_renaming_a_variable_changes_neither_fields_of_that_name_nor_strings() -> None:
    source = "namespace.labels == object . namespace + 'namespace' + record.namespace"
    assert (
        rename_variable(source, "namespace", "N") == "N.labels == object . namespace + 'namespace' + record.namespace"
    )


@pytest.mark.parametrize(
    ("source", "elements", "longest"),
    [
        ("record.targets.all(a, record.targets.all(b, a == b))", 400, 10),
        ("record.targets.all(a, a.matches('x'))", 200_000, 10),
        ("record.targets.all(a, a.matches('x'))", 1_000, 200_000),
        ("(record.targets + record.targets + record.targets).all(a, a == '')", 40_000, 10),
        ("record.targets.filter(a, a != '').size() == 0", 2_000, 10),
        ("record.targets.map(a, a + '.').size() == 0", 2_000, 10),
        (f"[{','.join('1' * 400)}].all(a, record.targets.all(b, b == ''))", 1, 1),
    ],
)
def test_an_expression_that_could_take_too_many_steps_is_not_evaluated(
    source: str, elements: int, longest: int
) -> None:
    with pytest.raises(EvaluationError, match="the loops of the expression may take"):
        check_cost(compile_expression(source), elements, longest)


@pytest.mark.parametrize(
    "source",
    [
        "record.name == 'a'",
        "record.targets.all(a, record.targets.all(b, a == b))",
        "record.targets.all(a, a != '+' + '+')",
    ],
)
def test_an_expression_of_usual_cost_may_be_evaluated(source: str) -> None:
    check_cost(compile_expression(source), 100, 500)


def test_a_list_may_be_filtered_if_it_has_as_many_targets_as_route_53_takes() -> None:
    check_cost(compile_expression("record.targets.filter(a, a != '').size() == 0"), 400, 500)


def test_measuring_a_value_returns_the_length_of_its_longest_list_and_that_of_its_longest_string() -> None:
    assert measure_value({"a": ["x", "yyy"], "b": {"c": 1}}) == (2, 3)


def test_measuring_a_value_that_is_nested_too_deeply_raises_an_error() -> None:
    value: list[object] = []
    for _ in range(20):
        value = [value]
    with pytest.raises(EvaluationError, match="nested"):
        measure_value(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (None, "null"), ("a\nb", "a b"), (["a", 1], "a, 1"), ("x" * 30, "x" * 9 + "…"), (1.5, "1.5")],
)
def test_a_value_is_shown_on_one_line_of_limited_length(value: object, text: str) -> None:
    assert format_value(value, 10) == text
