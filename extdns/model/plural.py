"""Counts in messages."""

from __future__ import annotations


def format_count(number: int, one: str, several: str = "") -> str:
    """Return `1 delete` or `2 deletes`. *several* is the plural if it is not *one* with an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"
