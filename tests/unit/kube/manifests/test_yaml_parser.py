"""Parsed YAML: line numbers, aliases, duplicate keys, limits, and the values of scalars."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from extdns.kube.manifests import yaml_parser
from extdns.kube.manifests.yaml_parser import YamlMapping, parse_documents
from extdns.kube.object_decoder import DocumentProblem, ParsedDocument
from extdns.model.kind import InvalidValue


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def _either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with libyaml and with PyYAML's pure Python parser."""
    monkeypatch.setattr(yaml_parser, "_LOADER", getattr(yaml, request.param))


pytestmark = pytest.mark.usefixtures("_either_parser")


def mapping(text: str) -> YamlMapping:
    [document] = parse_documents(text.encode(), 1)
    assert isinstance(document, ParsedDocument)
    assert isinstance(document.content, YamlMapping)
    return document.content


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
    found = mapping(f"a: {text}")["a"]
    assert (found, type(found)) == (expected, type(expected))


def test_each_mapping_stores_its_line() -> None:
    tree = mapping("# comment\n\na: 1\nb:\n  c: |\n    x\n    y\n  d: 2\n")
    inner = tree["b"]
    assert isinstance(inner, YamlMapping)
    assert (tree.line, inner.line) == (3, 5)


def test_yaml_aliases_share_a_value_and_keys_of_a_mapping_override_merged_ones() -> None:
    tree = mapping("base: &b {x: 1, y: 2}\nsame: *b\none: {<<: *b, y: 3}\ntwo: {<<: [{z: 5}, *b], y: 4}\n")
    assert tree["same"] is tree["base"]
    assert tree["one"] == {"x": 1, "y": 3}
    assert tree["two"] == {"x": 1, "y": 4, "z": 5}


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
        pytest.param("[" * 200_000, 10, "the document is nested too deeply; allowed: 64 levels", id="depth"),
        pytest.param("a: 1\nb: \x01\n", None, "not YAML: ", id="control-character"),
    ],
)
def test_yaml_syntax_errors_are_reported_with_their_line(text: str, line: int | None, message: str) -> None:
    *_, last = parse_documents(text.encode(), 10)
    assert isinstance(last, DocumentProblem)
    assert last.message.startswith(message)
    assert line is None or last.line == line


def test_bytes_that_are_not_text_are_reported() -> None:
    [broken] = parse_documents(b"a: 1\nb: \xff\n", 10)
    assert isinstance(broken, DocumentProblem)
    assert broken.line in (10, 11)


def bomb(levels: int) -> str:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)]
    return "\n".join(rows)


def test_yaml_aliases_that_expand_to_too_many_values_are_rejected() -> None:
    [broken] = parse_documents(bomb(40).encode(), 1)
    assert broken == DocumentProblem(
        line=7, key=None, message="the document is too large; allowed: 5,000,000 values in one document"
    )


def test_yaml_values_are_counted_with_aliases_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &a [1, 2, 3]\nb: *a\n"  # the root, two keys, two lists of four, and the alias
    monkeypatch.setattr(yaml_parser, "MAX_VALUES", 12)
    assert mapping(text)["b"] == [1, 2, 3]
    monkeypatch.setattr(yaml_parser, "MAX_VALUES", 11)
    assert list(parse_documents(text.encode(), 1)) == [
        DocumentProblem(line=2, key=None, message="the document is too large; allowed: 11 values in one document")
    ]


def test_yaml_documents_before_an_invalid_one_are_read() -> None:
    first, second = parse_documents(b"a: 1\n...\n---\nb: [\n", 1)
    assert first == ParsedDocument(1, {"a": 1})
    assert isinstance(second, DocumentProblem)


@given(st.text(alphabet=st.sampled_from(list("abé:-&*!<>{}[],'\"|#?% \n\t\x00\\")), max_size=60))
def test_parsing_any_text_as_yaml_raises_no_exception(text: str) -> None:
    for document in parse_documents(text.encode(), 1):
        assert isinstance(document, ParsedDocument | DocumentProblem)
