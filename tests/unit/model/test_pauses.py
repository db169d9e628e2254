"""Pauses between attempts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extdns.model.pauses import doubled_s


@given(failures=st.integers(0, 10_000), most_s=st.floats(0.5, 3600.0))
def test_a_pause_doubles_up_to_the_longest_however_long_all_fails(failures: int, most_s: float) -> None:
    pause_s, next_s = doubled_s(0.5, failures, most_s), doubled_s(0.5, failures + 1, most_s)
    assert next_s == min(2 * pause_s, most_s)
