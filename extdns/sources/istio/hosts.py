"""Host names as Istio writes them: perhaps after a namespace and a slash (spec sources 7.1, 7.2)."""

from __future__ import annotations

from typing import Final

EVERY: Final = "*"


def published(host: str) -> str:
    """The name to publish for *host*, "" for none: a bare wildcard names nothing."""
    parts = host.split("/")
    name = parts[1] if len(parts) == 2 else host  # noqa: PLR2004 - namespace and name
    return "" if name == EVERY else name
