"""A value of a document that cannot be used, whatever its type should be."""

from __future__ import annotations

from extdns.model.value import Value


class InvalidValue(Value, frozen=True):
    """Stands for an invalid value in a document, so that only objects that need the value are rejected.

    Attributes:
        problem: what is wrong. Messages put the path of the value before it.
        allowed: description of valid values.
    """

    problem: str
    allowed: str
