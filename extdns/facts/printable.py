"""Untrusted text made safe for a terminal: no control characters, bounded."""

from __future__ import annotations

from extdns.errors import shown

_MOST = 500


def printable(text: str) -> str:
    """*text* as one line of bounded length, with every character that is not printable escaped."""
    if len(text) <= _MOST and text.isprintable():  # as nearly all are
        return text
    return shown(text, _MOST)
