"""The zones of the project that pass the filters (spec plan 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from extdns.errors import RetryableError
from extdns.model.zone import AccountFailure, Zone, ZoneList
from providers.remote.failure import UNNAMED, CallFailedError, Trouble
from providers.remote.names import parsed

if TYPE_CHECKING:
    from providers.google.client import Client
    from providers.google.selection import Selection
    from providers.google.wire import ManagedZone


def listed(selection: Selection, client: Client) -> ZoneList:
    """The zones; where they cannot be listed, those that `--zone-id-filter` names, one by one.

    Raises:
        RetryableError: the project does not answer, though it does not say that a right is missing.
    """
    try:
        found, calls = client.zones()
    except CallFailedError as exc:
        if exc.trouble is not Trouble.FORBIDDEN:
            raise RetryableError(str(exc)) from exc
        return _named(selection, client) if selection.ids else ZoneList(zones=(), failed=(_failure(exc, UNNAMED),))
    return ZoneList(zones=_passing(selection, found), calls=calls)


def _named(selection: Selection, client: Client) -> ZoneList:
    found: list[ManagedZone] = []
    failed: list[AccountFailure] = []
    for name in selection.ids:
        try:
            found.append(client.zone(name))
        except CallFailedError as exc:
            if exc.trouble is Trouble.FORBIDDEN:
                failed.append(_failure(exc))
            elif exc.trouble is not Trouble.REFUSED:  # refused is what another project's zone is, too
                raise RetryableError(str(exc)) from exc
    return ZoneList(zones=_passing(selection, found), failed=tuple(failed), calls=1 + len(selection.ids))


def _failure(exc: CallFailedError, after: str = "") -> AccountFailure:
    return AccountFailure(account="", message=f"{exc}{after}", permanent=True)


def _passing(selection: Selection, found: Sequence[ManagedZone]) -> tuple[Zone, ...]:
    names = ((one, parsed(one.dns_name)) for one in found)
    zones = {
        Zone(name=name, id=one.name, private=one.private)
        for one, name in names
        if name is not None and selection.passes(one, name)
    }
    return tuple(sorted(zones))
