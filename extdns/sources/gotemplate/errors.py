"""What goes wrong in a template."""

from __future__ import annotations

from extdns.errors import ExtdnsError


class TemplateError(ExtdnsError):
    """A template cannot be read, or not be carried out on some data.

    Attributes:
        message: what is wrong, without the place.
        offset: where in the text, in characters from 0; -1 if that is not known yet.
    """

    def __init__(self, message: str, offset: int = -1) -> None:
        """Keep both."""
        super().__init__(message)
        self.message = message
        self.offset = offset
