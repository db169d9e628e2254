"""What counts as a change (spec plan 0.2, 2.6)."""

from __future__ import annotations

from collections.abc import Sequence

from extdns.model import target
from extdns.model.ownership import Owned
from extdns.model.record import Endpoint


def smallness(targets: Sequence[str]) -> tuple[int, list[tuple[int, int, str]]]:
    """Sort key for choosing among endpoints: fewer targets first, then the first that differs (spec plan 0.2)."""
    return (len(targets), [target.order_key(text) for text in sorted(targets)])


def differences(held: Owned, wanted: Endpoint, owner: str) -> tuple[str, ...]:
    """Words for what has to change so that *held* becomes *wanted*; () if nothing has to.

    An unset TTL never is a difference; of properties, none is ignored; labels are not compared.
    """
    record = held.record
    found: list[str] = []
    if not _same_targets(record.targets, wanted.targets):
        found.append("targets")
    if wanted.ttl_s > 0 and wanted.ttl_s != record.ttl_s:
        found.append("ttl")
    if record.properties != wanted.properties:
        found.append("properties")
    if held.owner is not None and held.owner != owner:
        found.append("owner")
    if not held.marked:
        found.append("mark")
    return tuple(found)


def _same_targets(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if one == other:
        return True
    return sorted(text.casefold() for text in one) == sorted(text.casefold() for text in other)
