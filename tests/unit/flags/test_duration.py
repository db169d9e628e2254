"""Durations of flags (docs/spec/sources.md 9.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.flags.duration import POSITIVE_DURATION, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("1m30s", 90.0, id="sources-9.1-groups-add-up"),
        pytest.param("500ms", 0.5, id="plan-8.1-milliseconds"),
        pytest.param("0", 0.0, id="sources-9.1-a-bare-zero-needs-no-unit"),
        pytest.param("-0", 0.0, id="a-bare-zero-may-have-a-sign"),
        pytest.param("1.5h", 5400.0, id="fractions"),
        pytest.param(".5s", 0.5, id="fraction-without-a-digit-before-the-point"),
        pytest.param("1.s", 1.0, id="fraction-without-a-digit-after-the-point"),
        pytest.param("2d", 172800.0, id="sources-9.1-days"),
        pytest.param("1w", 604800.0, id="sources-9.1-weeks"),
        pytest.param("1us", 1e-6, id="microseconds-in-ascii"),
        pytest.param("1µs", 1e-6, id="microseconds-with-the-micro-sign"),
        pytest.param("1\u03bcs", 1e-6, id="microseconds-with-the-greek-letter"),
        pytest.param("7ns", 7e-9, id="nanoseconds"),
        pytest.param("-5s", -5.0, id="negative"),
        pytest.param("+5s", 5.0, id="explicit-plus"),
        pytest.param("0.0000000001s", 0.0, id="less-than-a-nanosecond-is-cut-off"),
    ],
)
def test_a_duration_is_parsed_to_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["72", "", "-", "s", ".s", "1 m", "1M", "1m30", "1y", "m1", "٣s", "1e3s"])
def test_a_duration_that_go_does_not_accept_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["300000w", "9223372036854775808ns"])
def test_a_duration_beyond_64_bits_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="292 years"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(0.0, "0s", id="zero"),
        pytest.param(60.0, "1m", id="a-whole-minute"),
        pytest.param(5400.0, "1h30m", id="hours-and-minutes"),
        pytest.param(90.25, "1m30.25s", id="fractions-of-seconds"),
        pytest.param(-5.0, "-5s", id="negative"),
        pytest.param(3605.0, "1h5s", id="zero-minutes-are-omitted"),
    ],
)
def test_a_duration_is_formatted_in_hours_minutes_and_seconds(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


# Near the maximum, a float can round up to more than 64 bits.
@given(st.integers(min_value=-(2**62), max_value=2**62))
def test_a_formatted_duration_parses_to_the_same_seconds(nanoseconds: int) -> None:
    seconds = parse_duration(f"{nanoseconds}ns")
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize("text", ["0s", "-1m"])
def test_a_positive_duration_flag_refuses_zero_and_negative_values(text: str) -> None:
    with pytest.raises(ValueError, match="longer than 0s"):
        POSITIVE_DURATION.parse(text)


def test_the_error_about_a_duration_without_unit_suggests_one_with_a_unit() -> None:
    assert POSITIVE_DURATION.suggest("72") == "72s"
    assert POSITIVE_DURATION.suggest("soon") == ""
    assert POSITIVE_DURATION.suggest("0") == "", "0s is not longer than 0s"
