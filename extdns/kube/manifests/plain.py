"""What YAML becomes: plain values, mappings that know their lines, and what stands for no value."""

from __future__ import annotations

from dataclasses import dataclass


class Tree(dict[str, object]):
    """A mapping.

    Entries without a value are left out, as the API server does, but where every value must be text.

    Attributes:
        line: where it begins, from 1.
        lines: where each key stands, in the order of the keys.
    """

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        """An empty mapping that begins at *line*."""
        super().__init__()
        self.line = line
        self.lines: list[int] = []

    def line_of(self, key: str) -> int:
        """The line of *key*, which must be present."""
        return self.lines[list(self).index(key)]


@dataclass(frozen=True, slots=True)
class Unusable:
    """Stands where a value would, so that only an object that needs the value is lost; *why* follows its path."""

    why: str
    allowed: str
