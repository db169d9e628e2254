"""SOA serials that move forward (RFC 1982 section 3; RFC 1912 section 2.2)."""

from __future__ import annotations

from datetime import date
from typing import Final

_MODULUS: Final = 2**32
_HALF: Final = 2**31
_PER_DAY: Final = 100
_FIRST_YEAR: Final = 1990  # an earlier "date" is a count or a time stamp that happens to look like one
_LAST_YEAR: Final = 2100


def advanced(serial: int, today: date) -> int:
    """The serial that follows *serial*: by date if it is one (YYYYMMDDnn), else by one.

    It is greater by the arithmetic of RFC 1982 whatever the clock says, and never 0, which some
    servers take for "none".
    """
    following = (serial + 1) % _MODULUS or 1
    dated = int(today.strftime("%Y%m%d")) * _PER_DAY
    return dated if _is_dated(serial) and precedes(following, dated) else following


def precedes(earlier: int, later: int) -> bool:
    """Whether *later* is greater than *earlier* by the arithmetic of RFC 1982."""
    return 0 < (later - earlier) % _MODULUS < _HALF


def _is_dated(serial: int) -> bool:
    year, rest = divmod(serial, 10_000 * _PER_DAY)
    month, rest = divmod(rest, 100 * _PER_DAY)
    if not _FIRST_YEAR <= year < _LAST_YEAR:
        return False
    try:
        date(year, month, rest // _PER_DAY)
    except ValueError:
        return False
    return True
