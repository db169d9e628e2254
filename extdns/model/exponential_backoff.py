"""Exponential backoff between attempts."""

from __future__ import annotations

from typing import Final

_MOST_DOUBLINGS: Final = 30  # more would not change the result, and a float overflows at a thousand


def compute_backoff_s(first_s: float, failures: int, most_s: float) -> float:
    """Return the pause in seconds: *first_s*, doubled *failures* times, at most *most_s*."""
    return min(first_s * 2.0 ** min(failures, _MOST_DOUBLINGS), most_s)
