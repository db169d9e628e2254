"""Joins what the watches of one kind, one a namespace, say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.model.cluster import Phase

_WORST_FIRST: Final = (Phase.FORBIDDEN, Phase.NOT_SERVED, Phase.FAILING, Phase.LISTING, Phase.SYNCED)


def joined(parts: Mapping[str, tuple[Phase, str]]) -> tuple[Phase, str]:
    """The worst phase of *parts* by namespace, and what is behind it; a kind is synced when all of it is."""
    worst = min((phase for phase, _ in parts.values()), key=_WORST_FIRST.index)
    return worst, next(detail for _, (phase, detail) in sorted(parts.items()) if phase is worst)
