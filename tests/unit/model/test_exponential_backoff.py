"""Pauses of exponential backoff."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extdns.model.value import compute_backoff_s


@given(failures=st.integers(0, 10_000), most_s=st.floats(0.5, 3600.0))
def test_the_backoff_doubles_with_each_failure_up_to_its_maximum(failures: int, most_s: float) -> None:
    pause_s, next_s = compute_backoff_s(0.5, failures, most_s), compute_backoff_s(0.5, failures + 1, most_s)
    assert next_s == min(2 * pause_s, most_s)
