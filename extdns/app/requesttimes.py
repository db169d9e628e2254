"""How long the requests of this process take, wherever they go and whichever part sends them."""

from __future__ import annotations

from typing import Final

from extdns.metrics.requests import RequestTimes

TIMES: Final = RequestTimes()
"""One for the process, as a process serves its metrics once."""
