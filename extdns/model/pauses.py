"""Pauses between attempts."""

from __future__ import annotations

from typing import Final

_MOST_DOUBLINGS: Final = 30  # more would say nothing else, and a float ends at a thousand


def doubled_s(first_s: float, failures: int, most_s: float) -> float:
    """The pause after another failure than *failures* in a row before: *first_s*, doubled each time up to *most_s*."""
    return min(first_s * 2.0 ** min(failures, _MOST_DOUBLINGS), most_s)
