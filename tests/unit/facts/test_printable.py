"""Untrusted text on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import escaped
from extdns.facts.printable import printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("zone è · → 例", "zone è · → 例", id="letters of all scripts"),
        pytest.param("\x1b[31mred", r"\x1b[31mred", id="a terminal escape"),
        pytest.param("a\r\nb\tc", r"a\r\nb\tc", id="lines"),
        pytest.param("\u202egnp", r"\u202egnp", id="text that turns around"),
        pytest.param("\ud800", r"\ud800", id="half a character"),
        pytest.param("\x9b31m", r"\x9b31m", id="an escape of eight bits"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_cannot_be_printed_is_escaped(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_long_text_is_cut_and_says_so() -> None:
    assert printable("x" * 600) == "x" * 500 + "… (600 characters)"
    assert escaped("x" * 600) == "x" * 600


@given(st.text())
def test_the_result_can_always_be_printed(text: str) -> None:
    assert printable(text).isprintable()
    assert escaped(text).isprintable()
