"""Numbers of things, in words."""

from __future__ import annotations


def count(number: int, one: str, several: str = "") -> str:
    """`1 delete`, `2 deletes`; *several* is said of any number but one, if it is not *one* with an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"
