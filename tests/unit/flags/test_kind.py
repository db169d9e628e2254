"""The plain kinds of value."""

from __future__ import annotations

import re

import pytest

from extdns.flags.duration import DURATION
from extdns.flags.kind import BOOLEAN, NUMBER, PAIR, Kind, choice, number, read_boolean


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_true_is_spelled_as_in_go(text: str) -> None:
    assert read_boolean(text) is True


@pytest.mark.parametrize("text", ["0", "f", "F", "FALSE", "false", "False"])
def test_false_is_spelled_as_in_go(text: str) -> None:
    assert read_boolean(text) is False


@pytest.mark.parametrize("text", ["yes", "tRue", " true", "2", ""])
def test_nothing_else_is_true_or_false(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        BOOLEAN.read(text)


@pytest.mark.parametrize(
    ("text", "value"), [("10", 10), ("-1", -1), ("+7", 7), ("007", 7), (str(2**63 - 1), 2**63 - 1)]
)
def test_a_number_is_read(text: str, value: int) -> None:
    assert NUMBER.read(text) == value


@pytest.mark.parametrize("text", ["", "1.5", "1e3", "0x10", "1_000", "+-1", "٣", " 1", str(2**63), "9" * 5000])
def test_what_is_no_number_of_64_bits_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        NUMBER.read(text)


def test_a_number_can_have_a_least() -> None:
    kind = number(least=1)
    assert kind.allowed == "1 and more"
    with pytest.raises(ValueError, match=r"^$"):
        kind.read("0")


def test_the_case_of_a_choice_matters_and_the_right_one_is_suggested() -> None:
    kind = choice("a scope", "", "GLOBAL", "PRIVATE")
    assert kind.read("") == ""
    assert kind.allowed == "GLOBAL, PRIVATE"
    assert kind.suggest("privat") == "PRIVATE"
    assert kind.suggest("x") == ""
    with pytest.raises(ValueError, match=r"^$"):
        kind.read("global")


@pytest.mark.parametrize(
    ("text", "pair"), [("a=b", ("a", "b")), ("a:b=c", ("a", "b=c")), ("a=b:c", ("a", "b:c")), ("a=", ("a", ""))]
)
def test_a_pair_is_split_at_its_first_sign(text: str, pair: tuple[str, str]) -> None:
    assert PAIR.read(text) == pair


def test_a_pair_needs_a_sign() -> None:
    with pytest.raises(ValueError, match=r"^$"):
        PAIR.read("a")


@pytest.mark.parametrize(
    ("kind", "text", "matches"),
    [
        *((NUMBER, text, True) for text in ("10", "-1", "+7", "007", str(2**63 - 1))),
        *((NUMBER, text, False) for text in ("", "1.5", "1e3", "9" * 20)),
        *((DURATION, text, True) for text in ("0", "72s", "1h30m", "-1.5\u00b5s", "+.5ms", "2\u03bcs", "1w2d")),
        *((DURATION, text, False) for text in ("", "72", "10 minutes", "1y", "s")),
    ],
)
def test_the_pattern_of_a_kind_matches_whatever_can_be_right(kind: Kind[object], text: str, matches: bool) -> None:
    assert bool(re.fullmatch(kind.pattern, text)) is matches
