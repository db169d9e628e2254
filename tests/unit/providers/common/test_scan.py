"""Split zone files into entries and words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.common import scan

TEXT = st.text(st.sampled_from('ab.;"()\\ \t\r\n$@\xe4\x00'), max_size=60)


@given(TEXT)
def test_the_entries_of_a_zone_file_joined_together_are_its_text(text: str) -> None:
    assert "".join(piece.text for piece in scan.split_entries(text)) == text


@given(TEXT)
def test_each_word_of_an_entry_has_its_position_in_the_text_of_the_entry(text: str) -> None:
    for piece in scan.split_entries(text):
        assert all(piece.text[word.start : word.end] == word.text for word in piece.words)


@given(TEXT)
def test_each_entry_of_a_zone_file_has_its_line_number(text: str) -> None:
    position = 0
    for piece in scan.split_entries(text):
        assert piece.line == text.count("\n", 0, position) + 1
        position += len(piece.text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("a A 1.2.3.4 ; a comment\n", [["a", "A", "1.2.3.4"]], id="comment"),
        pytest.param('a TXT "x ; y" z\n', [["a", "TXT", '"x ; y"', "z"]], id="semicolon-in-quotes"),
        pytest.param('a TXT "x""y"\n', [["a", "TXT", '"x"', '"y"']], id="quotes-without-blank"),
        pytest.param('a TXT "x \\" y"\n', [["a", "TXT", '"x \\" y"']], id="escaped-quote"),
        pytest.param("a\\ b\\;c A x\n", [["a\\ b\\;c", "A", "x"]], id="escaped-blank"),
        pytest.param(
            "a SOA b c ( 1 ; one\n 2 )\nb A x\n", [["a", "SOA", "b", "c", "1", "2"], ["b", "A", "x"]], id="lines"
        ),
        pytest.param("a TXT (x\n\n)\n", [["a", "TXT", "x"]], id="blank-line-in-parentheses"),
        pytest.param("a A x\r\nb A y", [["a", "A", "x"], ["b", "A", "y"]], id="carriage-return-and-no-end"),
        pytest.param("\n; only\n \t\n", [[], [], []], id="nothing"),
    ],
)
def test_a_zone_file_is_split_into_entries(text: str, words: list[list[str]]) -> None:
    assert [[word.text for word in piece.words] for piece in scan.split_entries(text)] == words


@pytest.mark.parametrize(
    ("text", "line", "allowed"),
    [
        pytest.param('a A x\nb TXT "open\nc A y\n', 2, "quotes that end on their line", id="open-quote"),
        pytest.param("a A x\n\nb TXT \\", 3, "a character after each backslash", id="backslash-at-the-end"),
        pytest.param("a A x\nb TXT ( y\nc A z\n", 2, "a closing parenthesis", id="open-parenthesis"),
        pytest.param("a A x )\nb A y\n", 1, "an opening parenthesis", id="closed-unopened"),
    ],
)
def test_an_invalid_entry_of_a_zone_file_has_a_problem_and_a_line_number(text: str, line: int, allowed: str) -> None:
    (piece,) = [piece for piece in scan.split_entries(text) if piece.problem]
    assert piece.line == line
    assert allowed in piece.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(' a "b c" d', ("a", '"b c"', "d"), id="words"),
        pytest.param("", (), id="empty"),
        pytest.param("a ; b", None, id="comment"),
        pytest.param("a (b)", None, id="parentheses"),
        pytest.param("a\nb", None, id="newline"),
        pytest.param('a "b', None, id="open-quote"),
    ],
)
def test_a_line_is_split_only_if_it_has_nothing_but_words_and_blanks(text: str, words: tuple[str, ...] | None) -> None:
    assert scan.split_words(text) == words
