"""Times and durations in text output."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from extdns.documents.text import format_age, format_age_of, format_duration

AT = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(-3.0, "0s", id="negative"),
        pytest.param(59.9, "59s", id="seconds"),
        pytest.param(60.0, "1m", id="minutes"),
        pytest.param(7199.0, "1h", id="hours"),
        pytest.param(86400.0 * 12, "12d", id="days"),
    ],
)
def test_a_duration_is_shown_in_whole_numbers_of_the_largest_unit_that_fits(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_a_time_is_shown_with_its_age_if_now_is_known() -> None:
    assert format_age(AT, AT + timedelta(minutes=4)) == "2026-11-20 09:14:31 UTC, 4m ago"
    assert format_age(AT, None) == "2026-11-20 09:14:31 UTC"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-11-20T09:14:31Z", "2026-11-20 09:14:31 UTC, 1d ago", id="utc"),
        pytest.param("2026-11-20T10:14:31+01:00", "2026-11-20 09:14:31 UTC, 1d ago", id="other-time-zone"),
        pytest.param("2026-11-20T09:14:31", "2026-11-20T09:14:31", id="without-time-zone"),
        pytest.param("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00", id="before-year-1"),
        pytest.param("yesterday\x1b", "yesterday\x1b", id="not-a-time"),
    ],
)
def test_a_creation_time_is_shown_with_its_age_or_unchanged_if_it_is_invalid(text: str, expected: str) -> None:
    assert format_age_of(text, AT + timedelta(days=1)) == expected
