"""Label and annotation selectors of filter flags (docs/spec/sources.md 2.7)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.flags.kind import ANNOTATION_SELECTOR, LABEL_SELECTOR
from extdns.model.selection import EVERYTHING

RED: Mapping[str, str] = {"team": "red", "size": "5", "empty": ""}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        pytest.param("", True, id="2.7-empty-selects-everything"),
        pytest.param(" \t\r\n", True, id="blanks-select-everything"),
        pytest.param("team", True, id="2.7-key"),
        pytest.param("other", False, id="2.7-key-missing"),
        pytest.param("!other", True, id="2.7-not-key"),
        pytest.param("!team", False, id="2.7-not-key-present"),
        pytest.param("team=red", True, id="2.7-equal"),
        pytest.param("team==red", True, id="2.7-double-equal"),
        pytest.param("team=blue", False, id="2.7-not-equal-value"),
        pytest.param("empty=", True, id="empty-value"),
        pytest.param("team in (blue, red)", True, id="2.7-in"),
        pytest.param("team in (blue)", False, id="2.7-not-in-the-set"),
        pytest.param("empty in (,)", True, id="set-of-the-empty-value"),
        pytest.param("team notin (red)", False, id="2.7-notin"),
        pytest.param("other notin (red)", True, id="2.7-notin-matches-a-missing-key"),
        pytest.param("team = red , size in( 5 )", True, id="2.7-comma-is-and-and-blanks-do-not-count"),
        pytest.param("team=red,other", False, id="2.7-all-must-hold"),
        pytest.param("in=in", False, id="words-of-the-grammar-can-be-keys"),
    ],
)
def test_label_and_annotation_selectors_accept_a_common_syntax(text: str, selected: bool) -> None:
    assert LABEL_SELECTOR.parse(text).matches(RED) is selected
    assert ANNOTATION_SELECTOR.parse(text).matches(RED) is selected


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        pytest.param("team!=blue", True, id="2.7-unequal"),
        pytest.param("other!=blue", True, id="2.7-unequal-matches-a-missing-key"),
        pytest.param("team!=red", False, id="2.7-unequal-fails"),
        pytest.param("size>4", True, id="2.7-greater"),
        pytest.param("size<4", False, id="2.7-less"),
        pytest.param("team>4", False, id="2.7-value-that-is-not-an-integer"),
        pytest.param("other<4", False, id="missing-is-not-less"),
        pytest.param("team=red,team=blue", False, id="2.7-two-equalities-are-both-required"),
    ],
)
def test_label_selectors_support_inequality_and_comparison(text: str, selected: bool) -> None:
    assert LABEL_SELECTOR.parse(text).matches(RED) is selected


@pytest.mark.parametrize("text", ["team!=red", "size>4", "size<4"])
def test_annotation_selectors_refuse_inequality_and_comparison(text: str) -> None:
    with pytest.raises(ValueError, match="for --label-filter only"):
        ANNOTATION_SELECTOR.parse(text)


def test_of_several_equalities_of_one_key_only_the_last_counts_in_an_annotation_selector() -> None:
    selector = ANNOTATION_SELECTOR.parse("team=blue,team in (red),team=red")
    assert selector.matches(RED)
    assert not ANNOTATION_SELECTOR.parse("team=red,team=blue").matches(RED)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("team=a/b", id="2.7-slash-in-a-value"),
        pytest.param("team=a b", id="2.7-blank-in-a-value"),
        pytest.param("team=" + "x" * 64, id="2.7-long-value"),
        pytest.param("team=-x", id="value-ends-with-a-letter-or-digit"),
        pytest.param("/team", id="empty-prefix"),
        pytest.param("a/b/c", id="two-slashes"),
        pytest.param("Example.com/team", id="prefix-in-capitals"),
        pytest.param("x" * 64, id="long-key"),
        pytest.param("team~red", id="unknown-sign"),
        pytest.param("team red", id="no-operator"),
        pytest.param("team,", id="ends-in-a-comma"),
        pytest.param(",", id="comma-alone"),
        pytest.param("!", id="negation-without-key"),
        pytest.param("!team=red", id="not-and-equal"),
        pytest.param("team in red", id="no-parentheses"),
        pytest.param("team in (red", id="open-parenthesis"),
        pytest.param("size>x", id="2.7-operand-is-no-integer"),
    ],
)
def test_an_invalid_label_or_annotation_selector_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        LABEL_SELECTOR.parse(text)
    with pytest.raises(ValueError, match=r"."):
        ANNOTATION_SELECTOR.parse(text)


@given(st.text(alphabet="ab!=(),<> innot/.-\n", max_size=20), st.dictionaries(st.sampled_from("ab"), st.text()))
def test_any_text_is_parsed_as_a_label_selector_or_gives_a_value_error(text: str, labels: dict[str, str]) -> None:
    try:
        selector = LABEL_SELECTOR.parse(text)
    except ValueError:
        return
    assert LABEL_SELECTOR.parse(LABEL_SELECTOR.format(selector)) == selector
    assert isinstance(selector.matches(labels), bool)


def test_an_empty_selector_selects_everything() -> None:
    assert LABEL_SELECTOR.parse("") == ANNOTATION_SELECTOR.parse("") == EVERYTHING
