"""Durations as values of flags: the syntax of Go, with days and weeks (docs/spec/sources.md 9.1)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from extdns.flags.kind import ValueKind, restrict

_NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 24 * 3600 * 10**9,
    "w": 7 * 24 * 3600 * 10**9,
}
_GROUP = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|\u03bcs|ms|s|m|h|d|w)", re.ASCII)
_LONGEST: Final = 2**63 - 1  # nanoseconds, some 292 years
_MAX_CHARACTERS: Final = 128


def parse_duration(text: str) -> float:
    """Parse a duration such as `1h30m`. Return seconds.

    Raises:
        ValueError: *text* is not a duration, or it is longer than 292 years.
    """
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    total = 0 if digits == "0" else _parse_nanoseconds(digits)
    if total > _LONGEST:
        raise ValueError("it is longer than 292 years")
    return (-total if sign == "-" else total) / 10**9


def _parse_nanoseconds(text: str) -> int:
    if not text or len(text) > _MAX_CHARACTERS:
        raise ValueError
    total = position = 0
    while position < len(text):
        group = _GROUP.match(text, position)
        if group is None or not (group[1] or group[2]):
            raise ValueError
        fraction = group[2] or ""
        total += int(group[1] + fraction) * _NANOSECONDS[group[3]] // 10 ** len(fraction)
        position = group.end()
    return total


def format_duration(seconds: float) -> str:
    """Format *seconds*, rounded to nanoseconds, with the units h, m and s, such as `1h30m`."""
    numerator, denominator = abs(seconds).as_integer_ratio()
    nanoseconds = (2 * numerator * 10**9 + denominator) // (2 * denominator)
    hours, rest = divmod(nanoseconds, _NANOSECONDS["h"])
    minutes, rest = divmod(rest, _NANOSECONDS["m"])
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else "", _format_seconds(rest)]
    return ("-" if seconds < 0 else "") + "".join(parts) if nanoseconds else "0s"


def _format_seconds(nanoseconds: int) -> str:
    seconds, fraction = divmod(nanoseconds, 10**9)
    if fraction:
        return f"{seconds}.{fraction:09d}".rstrip("0") + "s"
    return f"{seconds}s" if seconds else ""


def _suggest(text: str) -> str:
    """Suggest the duration in seconds for a number without a unit, a common error; "" for any other text."""
    return f"{text}s" if text.isascii() and text.isdigit() and text.strip("0") else ""


DURATION: Final[ValueKind[float]] = ValueKind(
    noun="a duration",
    metavar="DURATION",
    allowed="numbers with units, such as 90s, 1m30s or 2h (units: ns us ms s m h d w)",
    parse=parse_duration,
    format=format_duration,
    suggest=_suggest,
    pattern="[+-]?(0|([0-9.]+([nuµ\u03bcm]?s|[mhdw]))+)",
)
POSITIVE_DURATION: Final = restrict(DURATION, lambda seconds: seconds > 0, "it must be longer than 0s")
NON_NEGATIVE_DURATION: Final = restrict(
    replace(DURATION, allowed="0s and more, such as 90s, 1m30s or 2h"), lambda seconds: seconds >= 0, "it is negative"
)
"""A duration of 0 or more, for flags that only extdns has."""
