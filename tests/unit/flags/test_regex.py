"""Regular expressions in RE2 syntax (docs/spec/plan.md 7.3)."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.flags.regex import REGEX, parse_regex


def matches(expression: str, name: str) -> bool:
    regex = parse_regex(expression)
    assert regex is not None
    return regex.search(name) is not None


@pytest.mark.parametrize(
    ("expression", "found", "missed"),
    [
        pytest.param(r"(^|\.)acme\.test$", "x.acme.test", "acme-test", id="plan-7.3-search-is-unanchored"),
        pytest.param("ACME", "ACME", "acme", id="plan-7.3-case-matters"),
        pytest.param("a(?i)b|c", "C", "AB", id="flag-in-the-middle-holds-for-the-rest-of-the-group"),
        pytest.param("(?U)^a+$", "aaa", "b", id="ungreedy-flag-is-ignored"),
        pytest.param(r"^a\z", "a", "ab", id="end-of-text"),
        pytest.param(r"^(?<first>a)(?P<second>b)$", "ab", "a", id="named-groups"),
        pytest.param(r"^[[:alnum:]-]+$", "a-1", "a.1", id="posix-class"),
        pytest.param(r"^\d$", "3", "٣", id="digits-are-ascii"),
        pytest.param(r"^\p{Greek}$", "ω", "a", id="script"),
    ],
)
def test_re2_expressions_match_as_in_re2(expression: str, found: str, missed: str) -> None:
    assert matches(expression, found)
    assert not matches(expression, missed)


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("(?=x)", id="look-ahead"),
        pytest.param(r"(a)\1", id="back-reference"),
        pytest.param("a++", id="possessive"),
        pytest.param(r"\Z", id="unknown-escape"),
    ],
)
def test_expressions_that_re2_does_not_support_are_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_regex(expression)


def test_a_search_takes_linear_time_even_for_an_expression_with_exponentially_many_ways_to_match() -> None:
    assert not matches("^(a|aa)*b$", "a" * 10_000)


def test_without_re2_a_regular_expression_is_a_usage_error_that_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(UsageError, match="pip install google-re2"):
        parse_regex("a")


def test_an_empty_regular_expression_counts_as_none_given() -> None:
    assert parse_regex("") is None
    assert REGEX.format(None) == ""


@given(st.text())
def test_any_text_is_parsed_as_a_regular_expression_or_gives_a_value_error(expression: str) -> None:
    try:
        regex = parse_regex(expression)
    except ValueError:
        return
    assert REGEX.format(regex) == expression


@given(st.text(min_size=1), st.text())
def test_a_text_with_all_special_characters_escaped_matches_itself(text: str, around: str) -> None:
    quoted = "".join(f"\\{one}" if one.isascii() and not one.isalnum() else one for one in text)
    assert matches(quoted, f"{around}{text}{around}")
    assert matches(f"^[{quoted}]", text)
