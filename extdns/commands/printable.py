"""Untrusted text made safe for a terminal: one line, no control characters, bounded."""

from __future__ import annotations

from extdns.errors import shortened

_MOST = 500


def printable(text: str) -> str:
    """*text* with every character that is not printable escaped, cut to a bounded length."""
    if text.isascii() and text.isprintable():
        return shortened(text, _MOST)
    return shortened(
        "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text), _MOST
    )
