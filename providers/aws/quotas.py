"""How much one batch may hold, as the service counts it (developer guide, "Quotas")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from providers.aws.wire import Action, WireChange

MOST_ELEMENTS: Final = 1000
MOST_CHARACTERS: Final = 32000


def fits(changes: Iterable[WireChange]) -> bool:
    """Tell whether *changes* are one batch; an alias counts as one value, an UPSERT counts twice."""
    elements = characters = 0
    for change in changes:
        times, values = 2 if change.action is Action.UPSERT else 1, change.record_set.values
        elements += times * (len(values) or 1)
        characters += times * sum(map(len, values))
    return elements <= MOST_ELEMENTS and characters <= MOST_CHARACTERS
