"""Host names of listeners and Routes, and what two of them have in common (spec sources 5.5)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from extdns.model.target import address

ALLOWED: Final = "a host name of letters, digits and '-' in labels of up to 63, perhaps after '*.'"

_LABEL: Final = r"[A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?"
_HOSTNAME: Final = re.compile(rf"(?:\*\.)?(?=.{{1,255}}$){_LABEL}(?:\.{_LABEL})*\.?")
_WILD: Final = "*."


@lru_cache(maxsize=4096)
def is_hostname(text: str) -> bool:
    """Tell whether *text* is a host name (RFC 1123 section 2.1), perhaps behind a wildcard, and no address."""
    return _HOSTNAME.fullmatch(text) is not None and address(text) is None


def overlap(listener: str, route: str) -> str | None:
    """The more specific of two host names of which one covers the other, in small letters; None if none does.

    "" covers everything, but two of them say nothing. What is no host name has nothing in common with any.
    """
    if not all(is_hostname(text) for text in (listener, route) if text):
        return None
    first, second = listener.lower(), route.lower()
    if not first or not second or first == second:
        return first or second or None
    pattern, other = sorted((first, second), key=lambda text: (len(text), not text.startswith(_WILD)))
    return other if pattern.startswith(_WILD) and other.endswith(pattern[1:]) else None
