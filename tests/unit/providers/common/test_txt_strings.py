"""TXT values as one string in records, and split into strings of 255 bytes for DNS services."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.common.txt_strings import is_txt_value, join_strings, split_strings

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
def test_a_txt_value_consists_of_quoted_strings_of_printable_ascii(text: str, right: bool) -> None:
    assert is_txt_value(text) is right


@pytest.mark.parametrize(
    ("joined", "split"),
    [
        pytest.param('"short"', '"short"', id="short"),
        pytest.param(f'"{"x" * 255}"', f'"{"x" * 255}"', id="just-fits"),
        pytest.param(f'"{"x" * 256}"', f'"{"x" * 255}" "x"', id="one-more"),
        pytest.param(f'"{"x" * 600}" "y"', f'"{"x" * 255}" "{"x" * 255}" "{"x" * 90}" "y"', id="two-strings"),
        pytest.param('"' + '\\"' * 255 + '"', '"' + '\\"' * 255 + '"', id="an-escape-counts-once"),
    ],
)
def test_txt_strings_longer_than_255_bytes_are_split_and_joined_again(joined: str, split: str) -> None:
    assert split_strings(joined) == split
    assert join_strings(split) == joined


def test_empty_strings_after_a_full_one_are_dropped_when_joining() -> None:
    assert join_strings(f'"{"x" * 255}" "" "" "y"') == f'"{"x" * 255}y"'


def test_a_text_that_is_no_txt_value_is_neither_split_nor_joined() -> None:
    text = "no quotes " * 40
    assert join_strings(text) == split_strings(text) == text


@given(_VALUE)
def test_a_joined_txt_value_is_unchanged_after_splitting_and_joining_it(text: str) -> None:
    held = join_strings(text)
    assert join_strings(split_strings(held)) == held
    assert all(
        len(re.findall(r"\\.|[^\\]", string)) <= 255
        for string in re.findall(r'"((?:\\.|[^"\\])*)"', split_strings(held))
    )


def test_a_text_of_escapes_without_an_end_is_no_value_and_is_read_without_backtracking() -> None:
    text = '"' + r"\101" * 1000  # with backtracking, this would not end
    assert not is_txt_value(text)
    assert split_strings(text) == text
