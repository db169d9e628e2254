"""The clock of the process."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Implement `extdns.ports.Clock` with the system's clocks."""

    monotonic_s = staticmethod(time.monotonic)

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)
