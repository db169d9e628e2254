"""Times as people read them: absolute in UTC, and how long ago or ahead."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 86400


def moment(at: datetime) -> str:
    """`2026-11-20 09:14:31 UTC`; *at* is in UTC."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def span(seconds: float) -> str:
    """`42s`, `4m`, `3h` or `2d`; nothing is less than `0s`."""
    for size_s, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "m")):
        if seconds >= size_s:
            return f"{int(seconds // size_s)}{unit}"
    return f"{max(0, int(seconds))}s"


def instant(text: str) -> datetime | None:
    """The time that RFC 3339 *text* stands for, in UTC; None if it is none."""
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None


def since(text: str, now: datetime | None) -> str:
    """As `ago`, of RFC 3339 *text*, which stays as it is if it is no time."""
    at = instant(text)
    return text if at is None else ago(at, now)


def ago(at: datetime, now: datetime | None) -> str:
    """*at*, and how long before *now* that was if that is known: `2026-11-20 09:14:31 UTC, 4m ago`."""
    return moment(at) if now is None else f"{moment(at)}, {span((now - at).total_seconds())} ago"
