"""A quick check gives the answer of the evaluator, or none."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.cel.expression import compile_expression
from extdns.cel.quick_check import compile_quick_check
from extdns.cel.references import References
from extdns.rules.rule_input import RuleInput
from tests.bench.rules import EXPRESSIONS
from tests.unit.cel.expressions import INPUTS, SERVICE, build_input, evaluate

_TEXTS = (
    "record.name",
    "record.type",
    "record.zone",
    "record.labels[0]",
    "record.labels[3]",
    "record.targets[0]",
    "record.properties['alias']",
    "object.namespace",
    "object.labels.team",
    'object.labels["team"]',
    "object.annotations.owner",
    "namespace.labels['team']",
    "current.owner",
    "current.record.name",
    "current.record.zone",
    "operation",
    "source",
    "ip(record.targets[0])",
    "cidr(record.targets[0] + '/24')",
    "'10.0.0.0/8'",
    "'192.0.2.1'",
    "'a'",
    "'web.example.com'",
    "'example.com'",
    "''",
)
_LISTS = ("record.labels", "record.targets", "object.labels", "namespace.annotations", "record.name.labels()")
_TRUTHS = (
    "true",
    "record.private",
    "current.ours",
    "record.ttl >= 60",
    "record.ttl != 0",
    "size(record.targets) == record.ttl",
    "object == null",
    "current != null",
    "namespace != null",
)
_CALLS = (
    "{}.isSubdomainOf({})",
    "isIP({0}) && {0} != {1}",
    "{}.isPrivate() == isCIDR({})",
    "ip.isCanonical({0}) || {1} == ''",
    "{}.containsIP({})",
    "cidr({}).containsIP({})",
    "{}.startsWith({})",
    "{}.endsWith({})",
    "{}.contains({})",
    "{} == {}",
    "{} != {}",
    "{} in [{}]",
    "{0} in ['a', 'A'] == ({1} in [])",
    "{0}.matches('^[a-z0-9.-]+$') || {1}.matches('web')",
    "{} + 'm' == {}",
)


@st.composite
def write_condition(draw: st.DrawFn, depth: int = 3, *, in_loop: bool = False) -> str:
    texts = st.sampled_from((*_TEXTS, "t") if in_loop else _TEXTS)
    inner = write_condition(depth - 1, in_loop=in_loop)
    kinds = ("call", "truth", "in", "and", "or", "not", "loop")
    kind = draw(st.sampled_from(kinds[: (2, 6, 7, 7)[depth]]))
    match kind:
        case "truth":
            return draw(st.sampled_from(_TRUTHS))
        case "in":
            return f"{draw(texts)} in {draw(st.sampled_from(_LISTS))}"
        case "and" | "or":
            return f"({draw(inner)} {'&&' if kind == 'and' else '||'} {draw(inner)})"
        case "not":
            return f"!({draw(inner)})"
        case "loop":
            found = draw(write_condition(depth - 1, in_loop=True))
            return f"{draw(st.sampled_from(_LISTS))}.{draw(st.sampled_from(('all', 'exists')))}(t, {found})"
        case _:
            return draw(st.sampled_from(_CALLS)).format(draw(texts), draw(texts))


@given(source=write_condition(), items=st.lists(INPUTS, min_size=1, max_size=5))
def test_the_quick_check_of_a_condition_gives_the_same_value_as_the_evaluator_unless_it_raises(
    source: str, items: list[RuleInput]
) -> None:
    check = compile_quick_check(source)
    if check is None:
        return
    expression = compile_expression(source)
    references = References([expression.syntax])
    for item in items:
        try:
            value = check((item,))
        except Exception:  # noqa: BLE001 - then the evaluator decides
            continue
        document = references.build_document(references.read(item))
        assert value is expression.evaluate(references.build_context(document))


_ATOMS = ("a", "-", "_", r"\.", "[a-c]", "[a-z0-9.-]", "[_.]", "[0-9]+", "a*", "b+")


@given(
    atoms=st.lists(st.sampled_from(_ATOMS), max_size=4),
    is_anchored=st.booleans(),
    has_end=st.booleans(),
    text=st.text("ab.-_0\u00e9\n", max_size=6),
)
@example(atoms=["a"], is_anchored=False, has_end=True, text="a\n")
@example(atoms=["a"], is_anchored=True, has_end=False, text="b\na")
@example(atoms=[r"\."], is_anchored=False, has_end=False, text="a")
def test_the_quick_check_of_a_regular_expression_gives_the_same_result_as_the_evaluator(
    atoms: list[str], is_anchored: bool, has_end: bool, text: str
) -> None:
    pattern = "^" * is_anchored + "".join(atoms) + "$" * has_end
    source = "object.name.matches('" + pattern.replace("\\", "\\\\") + "')"
    check = compile_quick_check(source)
    item = build_input(object=replace(SERVICE, name=text))
    if check:
        assert check((item,)) is evaluate(source, item)


@pytest.mark.parametrize(
    "expression",
    [
        *EXPRESSIONS,
        "record.targets.all(t, t == '192.0.2.1')",
        "record.targets.all(t, t == 'x')",
        "record.targets.exists(t, t == '192.0.2.1')",
        "record.targets.exists(t, t == 'x')",
        "object.labels.all(key, key in ['app'] && record.labels.exists(t, t + 'p' == key))",
        "record.labels.exists(t, t in object.labels)",
        "record.labels.exists(t, t == 'com' && record.targets.all(t, t != 'com') && t == 'com')",
        "!(record.ttl > 300) && !record.private",
        "record.ttl < 300 || record.ttl <= 299 || record.ttl > 300 || record.ttl >= 301",
        "object != null && namespace.labels.team == 'a' && current == null",
        "isSubdomainOf(record.name, 'EXAMPLE.com.')",
        "record.name.labels()[0] == 'web' && record.name.endsWith('com') && 'a'.contains('')",
        "size(object.annotations) == 1 && record.targets.size() == 1",
    ],
)
def test_typical_conditions_have_a_quick_check_that_gives_the_same_value_as_the_evaluator(expression: str) -> None:
    check = compile_quick_check(expression)
    assert check is not None
    assert check((build_input(),)) is evaluate(expression)


@pytest.mark.parametrize(
    "source",
    [
        "record.ttl",
        "record.ttl + 1 == 2",
        "-1 < record.ttl",
        "1 == 1.0",
        "1u < 2u",
        "true == record.ttl",
        "true < false",
        "'a' < 'b'",
        "record.ttl < 1 == true",
        "record.private ? true : false",
        "has(object.labels.team)",
        r"record.name == 'web\u002e'",
        "record.name == 'it\"s'",
        "record.name == r'web'",
        "record == record",
        "record.targets == ['a']",
        "record.name in [object.name]",
        "object.labels == namespace.labels",
        "1 in [1]",
        "null == current.owner",
        "current.owner in object.labels",
        "size(record.name) == 3",
        "contains(record.name, 'a')",
        "record.name.contains(1)",
        "record.labels['a'] == 'a'",
        "object.labels[0] == 'a'",
        "record.labels[-1] == 'a'",
        "record.name.split('.') == []",
        "object.labels.map(t, t) == []",
        "record.targets.all(record, record.name == 'a')",
        "record.targets.exists_one(t, t == 'a')",
        "record.name.isSubdomainOf(1)",
        "record.name.matches(object.name)",
        "record.name.matches('(a|b)')",
        "record.name.matches('a+b')",
        "record.name.matches('^a+b+')",
        "record.name.matches('^(a+)+$')",
        "record.name.matches('a?')",
        "record.name.matches('[^a]')",
        "record.name.matches('[a&&b]')",
        "record.name.matches('[z-a]')",
        "object.labels.dns.example.io == 'a'",
    ],
)
def test_an_expression_in_an_unsupported_form_has_no_quick_check(source: str) -> None:
    assert compile_quick_check(source) is None


def test_a_quick_check_that_reads_a_field_of_a_null_variable_raises_an_error() -> None:
    check = compile_quick_check("object.name == 'web' || true")
    assert check is not None
    with pytest.raises(AttributeError):
        check((build_input(object=None),))


def test_a_quick_check_that_reads_the_zone_of_no_current_record_raises_an_error() -> None:
    check = compile_quick_check("current.record.zone == record.zone")
    assert check is not None
    with pytest.raises(LookupError):
        check((build_input(),))
