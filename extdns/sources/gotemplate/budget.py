"""What a template may use up while it is carried out on one object."""

from __future__ import annotations

from typing import Final

from extdns.sources.gotemplate.errors import TemplateError

MAX_STEPS: Final = 100_000
MAX_TEXT: Final = 1 << 20
"""Characters that are read and written by functions and output, in all."""


class Budget:
    """What is left of it."""

    __slots__ = ("_steps", "_text")

    def __init__(self) -> None:
        """Begin with all of it."""
        self._steps = MAX_STEPS
        self._text = MAX_TEXT

    def step(self, count: int = 1) -> None:
        """Take *count* steps; raises `TemplateError` when there are none left."""
        self._steps -= count
        if self._steps < 0:
            raise TemplateError(f"the template does not come to an end; allowed: {MAX_STEPS} steps")

    def text(self, size: int) -> None:
        """Handle *size* characters; raises `TemplateError` when that is too many."""
        self._text -= size
        if self._text < 0:
            raise TemplateError(f"the template makes too much text; allowed: {MAX_TEXT} characters")
