"""Durations as flags write them: Go's syntax, and days and weeks (spec sources 9.1)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from extdns.flags.kind import Kind

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
    """Read a duration and return seconds.

    Raises:
        ValueError: not a duration, or longer than 292 years; the message says which.
    """
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    total = 0 if digits == "0" else _nanoseconds(digits)
    if total > _LONGEST:
        raise ValueError("it is longer than 292 years")
    return (-total if sign == "-" else total) / 10**9


def _nanoseconds(text: str) -> int:
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


def duration_text(seconds: float) -> str:
    """Write *seconds* in the shortest mix of h, m and s, such as `1h30m`; to the nanosecond."""
    numerator, denominator = abs(seconds).as_integer_ratio()
    whole = (2 * numerator * 10**9 + denominator) // (2 * denominator)
    hours, rest = divmod(whole, _NANOSECONDS["h"])
    minutes, rest = divmod(rest, _NANOSECONDS["m"])
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else "", _seconds_text(rest)]
    return ("-" if seconds < 0 else "") + "".join(parts) if whole else "0s"


def _seconds_text(nanoseconds: int) -> str:
    whole, fraction = divmod(nanoseconds, 10**9)
    if fraction:
        return f"{whole}.{fraction:09d}".rstrip("0") + "s"
    return f"{whole}s" if whole else ""


def _suggest(text: str) -> str:
    """A number alone lacks its unit: the commonest mistake, since some help texts invite it."""
    return f"{text}s" if text.isascii() and text.isdigit() and text.strip("0") else ""


def _read_period(text: str) -> float:
    seconds = parse_duration(text)
    if seconds <= 0:
        raise ValueError("it must be longer than nothing")
    return seconds


DURATION: Final[Kind[float]] = Kind(
    noun="a duration",
    metavar="DURATION",
    allowed="numbers with units, such as 90s, 1m30s or 2h (units: ns us ms s m h d w)",
    read=parse_duration,
    write=duration_text,
    suggest=_suggest,
    pattern="[+-]?(0|([0-9.]+([nuµ\u03bcm]?s|[mhdw]))+)",
)
PERIOD: Final = replace(DURATION, read=_read_period)
