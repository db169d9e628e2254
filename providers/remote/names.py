"""Domain names that a service gives back."""

from __future__ import annotations

from extdns.errors import InvalidValueError
from extdns.model.name import DnsName


def parsed(text: str) -> DnsName | None:
    """The name *text*, None if it is one that we could not ask for.

    Such names hold blanks, control characters or raw octets; nothing of ours is ever there, and none
    may be taken for the A-label that its letters would make.
    """
    if not text.isascii() or text != text.strip():
        return None
    try:
        return DnsName.parse(text)
    except InvalidValueError:
        return None
