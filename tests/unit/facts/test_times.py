"""Times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from extdns.facts.times import ago, since, span

AT = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(-3.0, "0s", id="less-than-nothing"),
        pytest.param(59.9, "59s", id="seconds"),
        pytest.param(60.0, "1m", id="minutes"),
        pytest.param(7199.0, "1h", id="hours"),
        pytest.param(86400.0 * 12, "12d", id="days"),
    ],
)
def test_a_span_has_the_largest_unit_that_fits(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_a_time_is_absolute_and_relative_where_it_is_known_when_that_is() -> None:
    assert ago(AT, AT + timedelta(minutes=4)) == "2026-11-20 09:14:31 UTC, 4m ago"
    assert ago(AT, None) == "2026-11-20 09:14:31 UTC"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("2026-11-20T09:14:31Z", "2026-11-20 09:14:31 UTC, 1d ago", id="zulu"),
        pytest.param("2026-11-20T10:14:31+01:00", "2026-11-20 09:14:31 UTC, 1d ago", id="elsewhere"),
        pytest.param("2026-11-20T09:14:31", "2026-11-20T09:14:31", id="nowhere"),
        pytest.param("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00", id="before-all-times"),
        pytest.param("yesterday\x1b", "yesterday\x1b", id="no-time"),
    ],
)
def test_what_objects_say_of_their_time_is_read_or_left(text: str, said: str) -> None:
    assert since(text, AT + timedelta(days=1)) == said
