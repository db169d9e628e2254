"""TTLs as annotations state them (docs/spec/sources.md 2.2)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from extdns.errors import InvalidValueError

UNSET: Final = 0
MAX_TTL_S: Final = 2**31 - 1  # RFC 2181 section 8

TTL_ALLOWED = f"seconds (600) or a duration (10m), from 1 to {MAX_TTL_S} seconds"
_UNITS: Final = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "\u03bcs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
}
_GROUP = re.compile(rf"(\d+\.?\d*|\.\d+)({'|'.join(_UNITS)})", re.ASCII)
TTL_DURATION = re.compile(rf"[+-]?(?:{_GROUP.pattern})+", re.ASCII)
TTL_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
MAX_TTL_CHARACTERS = 64


def parse_ttl(text: str) -> int:
    """Parse a `ttl` annotation: a Go duration truncated to whole seconds, or a number of seconds.

    Raises:
        InvalidValueError: anything else, or a value outside 1 to 2147483647 seconds.
    """
    seconds = _seconds(text) if len(text) <= MAX_TTL_CHARACTERS else None
    if seconds is None:
        raise InvalidValueError(text, TTL_ALLOWED, "invalid-ttl")
    return check_ttl(seconds, text)


def check_ttl(seconds: int, text: str = "") -> int:
    """Return *seconds*, which an object states as *text*; "" is the number itself.

    Raises:
        InvalidValueError: a value outside 1 to 2147483647 seconds.
    """
    if not 1 <= seconds <= MAX_TTL_S:
        raise InvalidValueError(text or str(seconds), TTL_ALLOWED, "invalid-ttl")
    return seconds


def _seconds(text: str) -> int | None:
    if TTL_INTEGER.fullmatch(text):
        return int(text)
    if not TTL_DURATION.fullmatch(text):
        return None
    total = sum((Decimal(number) * _UNITS[unit] for number, unit in _GROUP.findall(text)), Decimal(0))
    return -int(total) if text.startswith("-") else int(total)
