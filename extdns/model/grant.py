"""Whether something is allowed, as far as that can be told without doing it."""

from __future__ import annotations

from extdns.model.value import Value


class Grant(Value, frozen=True, kw_only=True):
    """A right to change a zone.

    Attributes:
        granted: None if nobody can tell.
        detail: what is allowed or lacking, and by whose word; why nobody can tell.
        remedy: what to do about it, "" if nothing is, or the reader knows.
    """

    granted: bool | None
    detail: str
    remedy: str = ""
