"""The zones of all accounts that pass the filters (spec plan 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extdns.errors import RetryableError
from extdns.model.zone import AccountFailure, Zone, ZoneList
from providers.aws import names
from providers.aws.wire import HostedZone, bare_id
from providers.remote.failure import UNNAMED, CallFailedError, Trouble

if TYPE_CHECKING:
    from providers.aws.client import Client
    from providers.aws.selection import Selection

_ZONES_A_PAGE: Final = 100
_TAGS_A_CALL: Final = 10


def listed(selection: Selection, clients: Mapping[str, Client]) -> ZoneList:
    """The zones of every account that answers; of one listed twice, the first.

    Raises:
        RetryableError: no account answers, though none of them says that a right is missing.
    """
    listing = _Listing(selection)
    for account, client in clients.items():
        listing.add(account, client)
    listing.end()
    if len(listing.failed) == len(clients) and not (listing.found or any(one.permanent for one in listing.failed)):
        raise RetryableError("; ".join(failure.message for failure in listing.failed))
    return ZoneList(
        zones=tuple(sorted(listing.found.values())), failed=tuple(listing.failed), calls=max(listing.calls, 1)
    )


@dataclass(slots=True)
class _Listing:
    """What was found so far, what failed, and how many calls it took."""

    selection: Selection
    found: dict[str, Zone] = field(default_factory=dict[str, Zone])
    failed: list[AccountFailure] = field(default_factory=list[AccountFailure])
    calls: int = 0
    # Whether any account has a zone that is named, and what kept those that know none from being listed.
    _picked: bool = False
    _unlisted: dict[str, CallFailedError] = field(default_factory=dict[str, CallFailedError])

    def add(self, account: str, client: Client) -> None:
        """Ask one account."""
        try:
            reachable = self._reachable(account, client)
        except CallFailedError as exc:
            self._fail(account, exc)
            return
        self._picked = self._picked or any(self.selection.picks(one.id) for one in reachable)
        passing = [zone for one in reachable if (zone := self._passing(one, account))]
        for zone in self._tagged(passing, account, client) if self.selection.tags and passing else passing:
            self.found.setdefault(zone.id, zone)

    def end(self) -> None:
        """Say that zones could not be listed where none that is named was found by itself, in any account."""
        if self._picked:
            return
        ids = ", ".join(self.selection.ids)
        lack = f"; without this right --zone-id-filter takes whole ids alone, and no zone is {ids}"
        for account, exc in self._unlisted.items():
            self._fail(account, exc, after=lack)

    def _passing(self, found: HostedZone, account: str) -> Zone | None:
        name = names.parsed(found.name)
        if name is None or not self.selection.passes(found.id, name, private=found.private):
            return None
        return Zone(name=name, id=found.id, account=account, private=found.private)

    def _tagged(self, zones: Sequence[Zone], account: str, client: Client) -> Sequence[Zone]:
        self.calls += -(-len(zones) // _TAGS_A_CALL)
        try:
            tags = client.tags([zone.id for zone in zones])
        except CallFailedError as exc:
            self._fail(account, exc, "failed to list tags for zones: ")
            return ()
        return [zone for zone in zones if self.selection.wears(tags.get(zone.id, {}))]

    def _reachable(self, account: str, client: Client) -> Sequence[HostedZone]:
        """All zones; where they cannot be listed, those that `--zone-id-filter` names, one by one."""
        self.calls += 1
        try:
            found = client.zones()
        except CallFailedError as exc:
            if exc.trouble is Trouble.FORBIDDEN:
                return self._named(account, client, exc) if self.selection.ids else self._unnamed(account, exc)
            raise
        self.calls += max(len(found) - 1, 0) // _ZONES_A_PAGE
        return found

    def _unnamed(self, account: str, exc: CallFailedError) -> Sequence[HostedZone]:
        self._fail(account, exc, after=UNNAMED)
        return ()

    def _named(self, account: str, client: Client, unlisted: CallFailedError) -> Sequence[HostedZone]:
        found: list[HostedZone] = []
        strange = 0
        for zone_id in self.selection.ids:
            self.calls += 1
            try:
                found.append(client.zone(bare_id(zone_id)))
            except CallFailedError as exc:
                if exc.trouble is Trouble.FORBIDDEN:
                    self._fail(account, exc)
                elif exc.trouble is Trouble.REFUSED:  # the zone of another account, perhaps
                    strange += 1
                else:
                    raise
        if strange == len(self.selection.ids):
            self._unlisted[account] = unlisted
        return found

    def _fail(self, account: str, exc: CallFailedError, before: str = "", after: str = "") -> None:
        permanent = exc.trouble is Trouble.FORBIDDEN
        self.failed.append(AccountFailure(account=account, message=f"{before}{exc}{after}", permanent=permanent))
