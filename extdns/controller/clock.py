"""The clock of the process; the only place that asks the system for the time."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Implements `extdns.ports.Clock`."""

    def now(self) -> datetime:
        """The time of day in UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()
