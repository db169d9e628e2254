"""Find the wildcards that match a hostname, without comparing it with each of them.

An object may have as many hostnames as the object that it is compared with has wildcards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_MAX_SUFFIX: Final = 254
"""The length of the longest name with a dot before it."""


def list_wildcards(host: str) -> Iterator[str]:
    """Yield each `*.` suffix that matches *host*, the longest first; itself, if it is one."""
    for at in range(max(0, len(host) - _MAX_SUFFIX), len(host)):
        if host[at] == ".":
            yield f"*{host[at:]}"
