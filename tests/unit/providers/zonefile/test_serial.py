"""Advance SOA serials."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.zonefile.edit import advance_serial, is_before

TODAY = date(2026, 11, 21)


@given(st.integers(0, 2**32 - 1), st.dates(date(1970, 1, 1), date(2199, 12, 31)))
def test_the_next_serial_of_the_soa_is_greater_as_rfc_1982_defines_it_whatever_the_date(
    serial: int, today: date
) -> None:
    following = advance_serial(serial, today)
    assert 0 < following < 2**32
    assert is_before(serial, following)


@pytest.mark.parametrize(
    ("serial", "following"),
    [
        pytest.param(1, 2, id="count"),
        pytest.param(0, 1, id="zero"),
        pytest.param(2026112000, 2026112100, id="date-of-yesterday"),
        pytest.param(2026112100, 2026112101, id="date-of-today"),
        pytest.param(2026112199, 2026112200, id="hundredth-change-of-a-day"),
        pytest.param(2027010101, 2027010102, id="date-to-come"),
        pytest.param(2026133101, 2026133102, id="no-such-month"),
        pytest.param(2026022901, 2026022902, id="no-such-day"),
        pytest.param(1795305600, 1795305601, id="time-stamp"),
        pytest.param(4294967295, 1, id="wraps-past-zero"),
        pytest.param(4294967294, 4294967295, id="last"),
    ],
)
def test_the_next_serial_stays_a_date_if_it_was_one_and_a_counter_otherwise(serial: int, following: int) -> None:
    assert advance_serial(serial, TODAY) == following


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        pytest.param(1, 1, False, id="equal"),
        pytest.param(1, 2, True, id="next"),
        pytest.param(2, 1, False, id="before"),
        pytest.param(4294967295, 0, True, id="wrapped"),
        pytest.param(0, 2**31 - 1, True, id="farthest"),
        pytest.param(0, 2**31, False, id="undefined"),
    ],
)
def test_serials_are_compared_as_rfc_1982_defines_it(earlier: int, later: int, expected: bool) -> None:
    assert is_before(earlier, later) is expected
