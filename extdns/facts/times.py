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


def since(text: str, now: datetime | None) -> str:
    """As `ago`, of RFC 3339 *text*, which stays as it is if it is no time."""
    try:
        at = datetime.fromisoformat(text)
        return ago(at.astimezone(UTC), now) if at.tzinfo else text
    except (ValueError, OverflowError):
        return text


def ago(at: datetime, now: datetime | None) -> str:
    """*at*, and how long before *now* that was if that is known: `2026-11-20 09:14:31 UTC, 4m ago`."""
    return moment(at) if now is None else f"{moment(at)}, {span((now - at).total_seconds())} ago"
