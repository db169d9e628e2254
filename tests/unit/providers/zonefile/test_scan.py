"""Entries and words of a master file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.zonefile import scan

TEXT = st.text(st.sampled_from('ab.;"()\\ \t\r\n$@\xe4\x00'), max_size=60)


@given(TEXT)
def test_pieces_joined_are_the_text_again(text: str) -> None:
    assert "".join(piece.text for piece in scan.pieces(text)) == text


@given(TEXT)
def test_words_stand_where_they_say(text: str) -> None:
    for piece in scan.pieces(text):
        assert all(piece.text[word.start : word.end] == word.text for word in piece.words)


@given(TEXT)
def test_lines_are_counted(text: str) -> None:
    position = 0
    for piece in scan.pieces(text):
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
def test_a_file_is_cut_into_entries(text: str, words: list[list[str]]) -> None:
    assert [[word.text for word in piece.words] for piece in scan.pieces(text)] == words


@pytest.mark.parametrize(
    ("text", "line", "allowed"),
    [
        pytest.param('a A x\nb TXT "open\nc A y\n', 2, "quotes that end on their line", id="open-quote"),
        pytest.param("a A x\n\nb TXT \\", 3, "a character behind each backslash", id="backslash-at-the-end"),
        pytest.param("a A x\nb TXT ( y\nc A z\n", 2, "a closing parenthesis", id="open-parenthesis"),
        pytest.param("a A x )\nb A y\n", 1, "an opening parenthesis", id="closed-unopened"),
    ],
)
def test_what_is_no_entry_says_so_with_its_line(text: str, line: int, allowed: str) -> None:
    (piece,) = [piece for piece in scan.pieces(text) if piece.fault]
    assert piece.line == line
    assert allowed in piece.fault


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
def test_words_are_words_and_nothing_else(text: str, words: tuple[str, ...] | None) -> None:
    assert scan.words(text) == words
