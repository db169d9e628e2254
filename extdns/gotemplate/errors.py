"""The error of templates."""

from __future__ import annotations

from extdns.errors import ExtdnsError


class TemplateError(ExtdnsError):
    """A template has a syntax error, or cannot be rendered for some data.

    Attributes:
        message: the problem, without its location.
        offset: position in the text of the template, in characters from 0; -1 if not known yet.
    """

    def __init__(self, message: str, offset: int = -1) -> None:
        """Create an error with *message*, at *offset* in the text of the template."""
        super().__init__(message)
        self.message = message
        self.offset = offset
