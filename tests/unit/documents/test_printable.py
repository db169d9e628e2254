"""Untrusted text is escaped before it is printed on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.documents.text import escape_line
from extdns.errors import escape_unprintable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("zone è · → 例", "zone è · → 例", id="letters of all scripts"),
        pytest.param("\x1b[31mred", r"\x1b[31mred", id="a terminal escape"),
        pytest.param("a\r\nb\tc", r"a\r\nb\tc", id="lines"),
        pytest.param("\u202egnp", r"\u202egnp", id="right-to-left override"),
        pytest.param("\ud800", r"\ud800", id="lone surrogate"),
        pytest.param("\x9b31m", r"\x9b31m", id="eight-bit escape"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_unprintable_characters_of_untrusted_text_are_escaped(text: str, expected: str) -> None:
    assert escape_line(text) == expected


def test_a_long_line_is_cut_and_its_length_appended() -> None:
    assert escape_line("x" * 600) == "x" * 500 + "… (600 characters)"
    assert escape_unprintable("x" * 600) == "x" * 600


@given(st.text())
def test_escaped_text_is_always_printable(text: str) -> None:
    assert escape_line(text).isprintable()
    assert escape_unprintable(text).isprintable()
