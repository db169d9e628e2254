"""List the hosted zones of all accounts that match the zone filter (docs/spec/plan.md 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.errors import CredentialsError, RetryableError
from extdns.model.zone import AccountFailure, Zone, ZoneList
from providers.aws import record_sets
from providers.aws.record_sets import MAX_TAGGED_ZONES, HostedZone
from providers.aws.settings import Route53ZoneFilter
from providers.common.api_calls import CallFailedError, FailureKind
from providers.common.zone_lists import find_zones

if TYPE_CHECKING:
    from providers.aws.client import Route53Api


def list_zones(zone_filter: Route53ZoneFilter, apis: Mapping[str, Route53Api]) -> ZoneList:
    """Return the matching zones of all accounts, and which accounts failed. A zone in two accounts counts once.

    Raises:
        RetryableError: all accounts failed, none of them for lack of a permission.
    """
    listing = _Listing(zone_filter)
    for account, api in apis.items():
        listing.add_account(account, api)
    listing.add_list_errors()
    if len(listing.failures) == len(apis) and not (listing.zones or any(one.permanent for one in listing.failures)):
        build = CredentialsError if all(one.lacks_credentials for one in listing.failures) else RetryableError
        raise build("; ".join(failure.message for failure in listing.failures))
    return ZoneList(
        zones=tuple(sorted(listing.zones.values())),
        failed=tuple(listing.failures),
        calls=listing.calls,
        excluded=tuple(sorted(listing.excluded)),
    )


@dataclass(slots=True)
class _Listing:
    """Collects the zones of all accounts, and the failures.

    Attributes:
        _found_by_id: whether any account has a zone with one of the filter's ids.
        _list_errors: errors by account, for accounts that may not list zones and have no zone with one of these ids.
    """

    zone_filter: Route53ZoneFilter
    zones: dict[str, Zone] = field(default_factory=dict[str, Zone])
    failures: list[AccountFailure] = field(default_factory=list[AccountFailure])
    calls: int = 0
    excluded: set[str] = field(default_factory=set[str])

    _found_by_id: bool = False
    _list_errors: dict[str, CallFailedError] = field(default_factory=dict[str, CallFailedError])

    def add_account(self, account: str, api: Route53Api) -> None:
        """List the zones of one account, and add those that the filter selects, or the failure."""
        try:
            # a zone that is refused can belong to another account
            found = find_zones(api.list_zones, api.get_zone, self.zone_filter.ids, ignored={FailureKind.REFUSED})
        except CallFailedError as exc:
            self.calls += 1
            self._add_failure(account, exc)
            return
        self.calls += found.calls
        self.failures += (replace(failure, account=account) for failure in found.failed)
        if found.list_error and not (found.zones or found.failed):
            self._list_errors[account] = found.list_error
        self._found_by_id = self._found_by_id or any(self.zone_filter.matches_id(one.id) for one in found.zones)
        selected = [zone for one in found.zones if (zone := self._build_zone(one, account))]
        for zone in self._select_by_tags(selected, account, api) if self.zone_filter.tags and selected else selected:
            self.zones.setdefault(zone.id, zone)

    def add_list_errors(self) -> None:
        """Add a failure for each account that may not list zones and has no zone in `--zone-id-filter`.

        Do nothing if another account has a zone in `--zone-id-filter`, because then the ids are right.
        """
        if self._found_by_id:
            return
        ids = ", ".join(self.zone_filter.ids)
        hint = f"; without this permission --zone-id-filter needs complete ids, and no zone has the id {ids}"
        for account, exc in self._list_errors.items():
            self._add_failure(account, exc, after=hint)

    def _build_zone(self, found: HostedZone, account: str) -> Zone | None:
        name = record_sets.parse_name(found.name)
        if name is None:
            return None
        if not self.zone_filter.matches(found.id, name, private=found.private):
            self.excluded.add(name)
            return None
        return Zone(name=name, id=found.id, account=account, private=found.private)

    def _select_by_tags(self, zones: Sequence[Zone], account: str, api: Route53Api) -> Sequence[Zone]:
        self.calls += -(-len(zones) // MAX_TAGGED_ZONES)
        try:
            tags = api.list_tags([zone.id for zone in zones])
        except CallFailedError as exc:
            self._add_failure(account, exc, "failed to list tags for zones: ")
            return ()
        selected = [zone for zone in zones if self.zone_filter.matches_tags(tags.get(zone.id, {}))]
        self.excluded.update(zone.name for zone in zones if zone not in selected)
        return selected

    def _add_failure(self, account: str, exc: CallFailedError, before: str = "", after: str = "") -> None:
        self.failures.append(
            AccountFailure(
                account=account,
                message=f"{before}{exc}{after}",
                permanent=exc.kind is FailureKind.FORBIDDEN,
                lacks_credentials=exc.kind is FailureKind.CREDENTIALS,
            )
        )
