"""Parsed YAML: line numbers, aliases, duplicate keys, limits, and the values of scalars."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from extdns.kube.manifests import yaml_parser
from extdns.kube.manifests.document_tree import DocumentTree
from extdns.kube.manifests.yaml_parser import BrokenDocument, ParsedDocument, parse_documents
from extdns.model.kind import InvalidValue


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def _either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with libyaml and with PyYAML's pure Python parser."""
    monkeypatch.setattr(yaml_parser, "_LOADER", getattr(yaml, request.param))


pytestmark = pytest.mark.usefixtures("_either_parser")


def value(text: str) -> object:
    [document] = parse_documents(text.encode(), 1)
    assert isinstance(document, ParsedDocument)
    return document.value


def mapping(text: str) -> DocumentTree:
    tree = value(text)
    assert isinstance(tree, DocumentTree)
    return tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("web", "web", id="text"),
        pytest.param("'60'", "60", id="quoted"),
        pytest.param("!!str 60", "60", id="tagged-as-text"),
        pytest.param("!!int '60'", 60, id="tagged-as-number"),
        pytest.param("!Ref web", "web", id="unknown-tag"),
        pytest.param("60", 60, id="number"),
        pytest.param("-1_000", -1000, id="underscores"),
        pytest.param("0x1F", 31, id="hexadecimal"),
        pytest.param("010", 8, id="octal"),
        pytest.param("0o10", 8, id="octal-of-yaml-1.2"),
        pytest.param("0b101", 5, id="binary"),
        pytest.param("1.5e3", 1500.0, id="float"),
        pytest.param("-.inf", float("-inf"), id="infinity"),
        pytest.param("1.2.3", "1.2.3", id="version"),
        pytest.param("192.0.2.1", "192.0.2.1", id="address"),
        pytest.param("12:30:45", "12:30:45", id="no-base-60"),
        pytest.param("2026-01-22", "2026-01-22", id="date-is-text"),
        pytest.param("9" * 65, "9" * 65, id="too-long-for-a-number"),
        pytest.param("yes", True, id="yes"),
        pytest.param("Off", False, id="off"),
        pytest.param("n", False, id="n"),
        pytest.param("~", None, id="null"),
        pytest.param("'~'", "~", id="quoted-null"),
    ],
)
def test_values_are_read_as_numbers_booleans_or_text_as_the_api_server_reads_them(text: str, expected: object) -> None:
    found = mapping(f"[key]: 1\nannotations: {{a: {text}}}")["annotations"]
    assert isinstance(found, DocumentTree)
    assert (found["a"], type(found["a"])) == (expected, type(expected))


def test_each_mapping_stores_its_line_and_the_lines_of_its_keys() -> None:
    tree = mapping("# comment\n\na: 1\nb:\n  c: |\n    x\n    y\n  d: 2\n")
    assert (tree.line, tree.lines) == (3, [3, 4])
    inner = tree["b"]
    assert isinstance(inner, DocumentTree)
    assert (inner.line, inner.lines, inner.line_of("d")) == (5, [5, 8], 8)


def test_yaml_keys_without_value_are_removed_except_in_mappings_of_strings() -> None:
    tree = mapping("a:\nb: 1\nlabels: {x: , y: z}\nc: null\nd: 2\n")
    assert tree == {"b": 1, "labels": {"x": None, "y": "z"}, "d": 2}
    assert tree.lines == [2, 3, 5]


def test_yaml_keys_that_look_like_numbers_are_strings() -> None:
    assert mapping("labels: {1: a, on: b, 1.10: c}")["labels"] == {"1": "a", "on": "b", "1.10": "c"}


def test_yaml_aliases_share_a_value_and_keys_of_a_mapping_override_merged_ones() -> None:
    tree = mapping("base: &b {x: 1, y: 2}\nsame: *b\none: {<<: *b, y: 3}\ntwo: {<<: [{z: 5}, *b], y: 4}\n")
    assert tree["same"] is tree["base"]
    assert tree["one"] == {"x": 1, "y": 3}
    assert tree["two"] == {"x": 1, "y": 4, "z": 5}


def test_a_quoted_merge_key_is_an_ordinary_key() -> None:
    assert mapping("annotations: {'<<': a}")["annotations"] == {"<<": "a"}
    assert mapping("a: {<<: 5, b: 1}")["a"] == {"b": 1}


def test_a_repeated_yaml_key_makes_only_this_key_invalid() -> None:
    assert mapping("a: 1\nb: 2\na: 3\n") == {"a": InvalidValue("is given again on line 3", "each key once"), "b": 2}


def test_a_yaml_key_that_is_not_a_string_is_invalid_unless_it_is_an_alias_of_a_string() -> None:
    tree = mapping("x: &a name\n? {a: b}\n: c\n? [d]\n: e\n*a : f\n")
    assert (tree["x"], tree["name"], len(tree)) == ("name", "f", 3)
    assert isinstance(tree["?"], InvalidValue)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("a: 1\nb: c: d\n", 11, "not YAML: mapping values are not allowed", id="syntax"),
        pytest.param(
            "a: 1\nb: *c\n", 11, "not YAML: the alias *c refers to no complete anchor before it", id="no-anchor"
        ),
        pytest.param(
            "a: &a [*a]\n", 10, "not YAML: the alias *a refers to no complete anchor before it", id="in-itself"
        ),
        pytest.param("a:\n\tb: 1\n", 11, "not YAML: the line is indented with a tab; allowed: blanks", id="tab"),
        pytest.param("[" * 70, 10, "the document is nested too deeply; allowed: 64 levels", id="depth"),
        pytest.param("a: 1\nb: \x01\n", None, "not YAML: ", id="control-character"),
    ],
)
def test_yaml_syntax_errors_are_reported_with_their_line(text: str, line: int | None, message: str) -> None:
    *_, last = parse_documents(text.encode(), 10)
    assert isinstance(last, BrokenDocument)
    assert last.message.startswith(message)
    assert line is None or last.line == line


def test_bytes_that_are_not_text_are_reported() -> None:
    [broken] = parse_documents(b"a: 1\nb: \xff\n", 10)
    assert isinstance(broken, BrokenDocument)
    assert broken.line in (10, 11)


def bomb(levels: int) -> str:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)]
    return "\n".join(rows)


def test_yaml_aliases_that_expand_to_too_many_values_are_rejected() -> None:
    [broken] = parse_documents(bomb(40).encode(), 1)
    assert broken == BrokenDocument(7, "the document is too large; allowed: 5,000,000 values in one document")


def test_yaml_values_are_counted_with_aliases_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &a [1, 2, 3]\nb: *a\n"  # the root, two keys, two lists of four, and the alias
    monkeypatch.setattr(yaml_parser, "MAX_VALUES", 12)
    assert mapping(text)["b"] == [1, 2, 3]
    monkeypatch.setattr(yaml_parser, "MAX_VALUES", 11)
    assert list(parse_documents(text.encode(), 1)) == [
        BrokenDocument(2, "the document is too large; allowed: 11 values in one document")
    ]


def test_yaml_documents_before_an_invalid_one_are_read() -> None:
    first, second = parse_documents(b"a: 1\n...\n---\nb: [\n", 1)
    assert first == ParsedDocument({"a": 1}, 1)
    assert isinstance(second, BrokenDocument)


@given(st.text(alphabet=st.sampled_from(list("abé:-&*!<>{}[],'\"|#?% \n\t\x00\\")), max_size=60))
def test_parsing_any_text_as_yaml_raises_no_exception(text: str) -> None:
    for document in parse_documents(text.encode(), 1):
        assert isinstance(document, ParsedDocument | BrokenDocument)
