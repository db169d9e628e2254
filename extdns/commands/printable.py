"""Untrusted text made safe for a terminal: no control characters, bounded."""

from __future__ import annotations

from extdns.errors import shortened

_MOST = 500


def printable(text: str) -> str:
    """*text* as one line of bounded length, with every character that is not printable escaped."""
    return shortened(escaped(text), _MOST)


def escaped(text: str) -> str:
    """*text* with every character that is not printable escaped, whatever its length."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
