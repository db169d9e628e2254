"""The ttl annotation (docs/spec/sources.md 2.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import InvalidValueError
from extdns.model.ttl import MAX_TTL_S, check_ttl, parse_ttl


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("60", 60, id="sources-2.2-seconds"),
        pytest.param("+60", 60, id="sources-2.2-sign"),
        pytest.param("10m", 600, id="sources-2.2-minutes"),
        pytest.param("1.5s", 1, id="sources-2.2-truncated"),
        pytest.param("1h30m", 5400, id="sources-2.2-groups"),
        pytest.param(".5h", 1800, id="sources-2.2-fraction-alone"),
        pytest.param("1000ms", 1, id="sources-2.2-milliseconds"),
        pytest.param("2000000µs", 2, id="sources-2.2-micro-sign"),
        pytest.param("2000000\u03bcs", 2, id="sources-2.2-greek-mu"),
        pytest.param("2147483647", MAX_TTL_S, id="sources-2.2-largest"),
        pytest.param("60".zfill(64), 60, id="longest-text"),
    ],
)
def test_a_ttl_is_parsed_from_seconds_or_a_duration(text: str, expected: int) -> None:
    assert parse_ttl(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("500ms", id="sources-2.2-below-one-second"),
        pytest.param("0", id="sources-2.2-zero"),
        pytest.param("-1", id="sources-2.2-negative"),
        pytest.param("-10m", id="sources-2.2-negative-duration"),
        pytest.param("1d", id="sources-2.2-days"),
        pytest.param("", id="sources-2.2-empty"),
        pytest.param("4294967296", id="sources-2.2-out-of-range"),
        pytest.param("10 minutes", id="words"),
        pytest.param("60 ", id="blank"),
        pytest.param("1_000", id="underscore"),
        pytest.param("٦٠", id="digits-of-another-script"),
        pytest.param("9" * 5000, id="huge"),
        pytest.param("60".zfill(65), id="text-of-65-characters"),
    ],
)
def test_an_invalid_ttl_is_rejected_and_the_error_states_what_is_allowed(text: str) -> None:
    with pytest.raises(InvalidValueError, match="allowed: seconds") as caught:
        parse_ttl(text)
    assert caught.value.reason == "invalid-ttl"


@given(st.integers(min_value=1, max_value=MAX_TTL_S))
def test_a_ttl_of_whole_seconds_is_the_same_with_or_without_unit(seconds: int) -> None:
    assert parse_ttl(str(seconds)) == parse_ttl(f"{seconds}s") == seconds


def test_the_error_about_a_number_of_seconds_quotes_the_text_or_the_number() -> None:
    assert (check_ttl(1), check_ttl(MAX_TTL_S)) == (1, MAX_TTL_S)
    for seconds, text, value in ((0, "", "0"), (MAX_TTL_S + 1, "70y", "70y")):
        with pytest.raises(InvalidValueError) as caught:
            check_ttl(seconds, text)
        assert caught.value.value == value
