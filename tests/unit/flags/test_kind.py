"""Booleans, numbers, choices and key-value pairs as values of flags."""

from __future__ import annotations

import re

import pytest

from extdns.flags.duration import DURATION
from extdns.flags.kind import BOOLEAN, KEY_VALUE, NUMBER, ValueKind, make_choice_kind, make_number_kind, parse_boolean


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_every_spelling_of_true_in_go_is_read_as_true(text: str) -> None:
    assert parse_boolean(text) is True


@pytest.mark.parametrize("text", ["0", "f", "F", "FALSE", "false", "False"])
def test_every_spelling_of_false_in_go_is_read_as_false(text: str) -> None:
    assert parse_boolean(text) is False


@pytest.mark.parametrize("text", ["yes", "tRue", " true", "2", ""])
def test_other_spellings_of_booleans_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        BOOLEAN.parse(text)


@pytest.mark.parametrize(
    ("text", "value"), [("10", 10), ("-1", -1), ("+7", 7), ("007", 7), (str(2**63 - 1), 2**63 - 1)]
)
def test_a_whole_number_is_parsed(text: str, value: int) -> None:
    assert NUMBER.parse(text) == value


@pytest.mark.parametrize("text", ["", "1.5", "1e3", "0x10", "1_000", "+-1", "٣", " 1", str(2**63), "9" * 5000])
def test_a_text_that_is_not_a_64_bit_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        NUMBER.parse(text)


def test_a_number_below_the_minimum_of_its_flag_is_refused() -> None:
    kind = make_number_kind(least=1)
    assert kind.allowed == "1 and more"
    with pytest.raises(ValueError, match=r"^$"):
        kind.parse("0")


def test_a_choice_value_must_have_the_right_case_and_the_nearest_choice_is_suggested() -> None:
    kind = make_choice_kind("a scope", "", "GLOBAL", "PRIVATE")
    assert kind.parse("") == ""
    assert kind.allowed == "GLOBAL, PRIVATE"
    assert kind.suggest("privat") == "PRIVATE"
    assert kind.suggest("x") == ""
    with pytest.raises(ValueError, match=r"^$"):
        kind.parse("global")


@pytest.mark.parametrize(
    ("text", "expected"), [("a=b", ("a", "b")), ("a:b=c", ("a", "b=c")), ("a=b:c", ("a", "b:c")), ("a=", ("a", ""))]
)
def test_a_key_value_flag_is_split_at_the_first_equals_sign_or_colon(text: str, expected: tuple[str, str]) -> None:
    assert KEY_VALUE.parse(text) == expected


def test_a_key_value_flag_without_equals_sign_or_colon_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^$"):
        KEY_VALUE.parse("a")


@pytest.mark.parametrize(
    ("kind", "text", "matches"),
    [
        *((NUMBER, text, True) for text in ("10", "-1", "+7", "007", str(2**63 - 1))),
        *((NUMBER, text, False) for text in ("", "1.5", "1e3", "9" * 20)),
        *((DURATION, text, True) for text in ("0", "72s", "1h30m", "-1.5\u00b5s", "+.5ms", "2\u03bcs", "1w2d")),
        *((DURATION, text, False) for text in ("", "72", "10 minutes", "1y", "s")),
    ],
)
def test_the_pattern_of_numbers_and_durations_matches_valid_values_and_no_malformed_ones(
    kind: ValueKind[object], text: str, matches: bool
) -> None:
    assert bool(re.fullmatch(kind.pattern, text)) is matches
