"""TXT values between the service and us."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.texts import cut, is_value, joined

_STRING = st.lists(st.sampled_from(["a", "b" * 60, " ", "\\\\", "x" * 255]), max_size=12).map("".join)
_VALUE = st.lists(_STRING, min_size=1, max_size=3).map(lambda found: " ".join(f'"{string}"' for string in found))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        pytest.param('"a b"', True, id="one-string"),
        pytest.param('"a" "b"', True, id="two-strings"),
        pytest.param('"a \\"b\\" \\\\"', True, id="escapes"),
        pytest.param('""', True, id="empty-string"),
        pytest.param("a", False, id="no-quotes"),
        pytest.param('"a', False, id="not-closed"),
        pytest.param('"a"b"', False, id="quote-inside"),
        pytest.param('"bücher"', False, id="not-ASCII"),
        pytest.param('"a\tb"', False, id="control-character"),
    ],
)
def test_a_value_is_quoted_strings_of_printable_ascii(text: str, right: bool) -> None:
    assert is_value(text) is right


@pytest.mark.parametrize(
    ("held", "sent"),
    [
        pytest.param('"short"', '"short"', id="short"),
        pytest.param(f'"{"x" * 255}"', f'"{"x" * 255}"', id="just-fits"),
        pytest.param(f'"{"x" * 256}"', f'"{"x" * 255}" "x"', id="one-more"),
        pytest.param(f'"{"x" * 600}" "y"', f'"{"x" * 255}" "{"x" * 255}" "{"x" * 90}" "y"', id="two-strings"),
        pytest.param('"' + '\\"' * 255 + '"', '"' + '\\"' * 255 + '"', id="an-escape-is-one"),
    ],
)
def test_long_strings_are_cut_and_joined(held: str, sent: str) -> None:
    assert cut(held) == sent
    assert joined(sent) == held


def test_empty_strings_after_a_full_one_vanish() -> None:
    assert joined(f'"{"x" * 255}" "" "" "y"') == f'"{"x" * 255}y"'


def test_what_is_no_value_stays_as_it_is() -> None:
    text = "no quotes " * 40
    assert joined(text) == cut(text) == text


@given(_VALUE)
def test_what_was_joined_comes_back_from_being_cut(text: str) -> None:
    held = joined(text)
    assert joined(cut(held)) == held
    assert all(len(re.findall(r"\\.|[^\\]", string)) <= 255 for string in re.findall(r'"((?:\\.|[^"\\])*)"', cut(held)))
