"""Read Cloud DNS: the `ZoneReader` port, the list of zones, and the permission check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from extdns.errors import RetryableError
from extdns.model.change import AdjustedRecords
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import AccountFailure, Capabilities, Permission, Zone, ZoneList, ZonePage
from providers.common.api_calls import (
    ZONE_ID_FILTER_HINT,
    CallFailedError,
    FailureKind,
    convert_to_read_error,
    parse_service_name,
)
from providers.google.adjust import SUPPORTED_TYPES, adjust_record
from providers.google.record_sets import CloudDnsPage, ManagedZone, ProjectLimits, build_record
from providers.google.settings import CloudDnsZoneFilter

if TYPE_CHECKING:
    from extdns.model.zone import RateLimitStatus
    from providers.google.client import CloudDnsApi
    from providers.google.settings import GoogleSettings

_SOA: Final = "SOA"  # SOA records are managed by Cloud DNS
_DEFAULT_LIMITS: Final = ProjectLimits()


def read_limits(api: CloudDnsApi) -> ProjectLimits:
    """Return the limits of the project, or the documented defaults if they cannot be read now."""
    try:
        return api.get_limits()
    except CallFailedError:
        return _DEFAULT_LIMITS


class CloudDnsReader:
    """Reads the zones of a project."""

    def __init__(self, settings: GoogleSettings, api: CloudDnsApi, limits: ProjectLimits = _DEFAULT_LIMITS) -> None:
        """Create a reader that calls *api*; *settings* and the project's *limits* bound the size of a batch."""
        self._settings = settings
        self._api = api
        self._limits = limits
        max_writes = min(limits.additions, limits.deletions)
        self._capabilities = Capabilities(
            atomic=True,
            conditional=True,
            names_offending_records=True,
            max_batch_writes=min(settings.max_changes, max_writes) if settings.max_changes > 0 else max_writes,
            max_batch_bytes=limits.size,
            types=SUPPORTED_TYPES,
            longest_match_only=True,
        )

    @property
    def capabilities(self) -> Capabilities:
        """What Cloud DNS can do: changes are atomic, and conditional: they delete the exact current record set."""
        return self._capabilities

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return how many calls the project may make now."""
        return self._api.read_rate_limits()

    def list_zones(self) -> ZoneList:
        """Return the zones that match the zone filter, and which of them failed.

        Raises:
            RetryableError: the zones cannot be listed, and not for lack of permissions.
        """
        return list_zones(self._settings.zone_filter, self._api)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* in the form in which *zone* will hold it, or why the service would refuse it."""
        return AdjustedRecords.from_results(adjust_record(record, zone, self._limits) for record in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the next record sets, without the SOA; the service does not document their order.

        Raises:
            ProviderError: the zone cannot be read, or does not exist.
        """
        page = self._read_sets(zone, after=after or "")
        return ZonePage(records=tuple(_build_records(page)), after=page.after or None)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, with a call for each: the service filters by one name.

        Raises:
            ProviderError: the zone cannot be read, or does not exist.
        """
        return tuple(record for name in sorted(set(names)) for record in self._read_name(zone, name))

    def _read_name(self, zone: Zone, name: DnsName) -> Iterator[Record]:
        after = ""
        while True:
            page = self._read_sets(zone, name=f"{name}.", after=after)
            yield from _build_records(page)
            after = page.after
            if not after:
                return

    def _read_sets(self, zone: Zone, *, name: str = "", after: str) -> CloudDnsPage:
        try:
            return self._api.list_record_sets(
                zone.id, f"zone {zone}", name=name, after=after, limit=self._settings.page_items
            )
        except CallFailedError as exc:
            raise convert_to_read_error(exc) from exc


def _build_records(page: CloudDnsPage) -> Iterator[Record]:
    records = (build_record(found) for found in page.sets if found.type != _SOA)
    return (record for record in records if record is not None)


def list_zones(zone_filter: CloudDnsZoneFilter, api: CloudDnsApi) -> ZoneList:
    """Return the matching zones; if listing is forbidden, get those in `--zone-id-filter` one by one.

    Raises:
        RetryableError: the zones cannot be listed, and not for lack of permissions.
    """
    try:
        found, calls = api.list_zones()
    except CallFailedError as exc:
        if exc.kind is not FailureKind.FORBIDDEN:
            raise RetryableError(str(exc)) from exc
        if zone_filter.ids:
            return _get_zones_by_id(zone_filter, api)
        return ZoneList(zones=(), failed=(_build_failure(exc, ZONE_ID_FILTER_HINT),))
    return ZoneList(zones=_select_zones(zone_filter, found), calls=calls)


def _get_zones_by_id(zone_filter: CloudDnsZoneFilter, api: CloudDnsApi) -> ZoneList:
    found: list[ManagedZone] = []
    failed: list[AccountFailure] = []
    for name in zone_filter.ids:
        try:
            found.append(api.get_zone(name))
        except CallFailedError as exc:
            if exc.kind is FailureKind.FORBIDDEN:
                failed.append(_build_failure(exc))
            elif exc.kind is not FailureKind.REFUSED:  # the service also refuses zones of other projects
                raise RetryableError(str(exc)) from exc
    return ZoneList(zones=_select_zones(zone_filter, found), failed=tuple(failed), calls=1 + len(zone_filter.ids))


def _build_failure(exc: CallFailedError, hint: str = "") -> AccountFailure:
    return AccountFailure(account="", message=f"{exc}{hint}", permanent=True)


def _select_zones(zone_filter: CloudDnsZoneFilter, found: Sequence[ManagedZone]) -> tuple[Zone, ...]:
    names = ((zone, parse_service_name(zone.dns_name)) for zone in found)
    zones = {
        Zone(name=name, id=zone.name, private=zone.private)
        for zone, name in names
        if name is not None and zone_filter.matches(zone, name)
    }
    return tuple(sorted(zones))


PERMISSIONS: Final = (
    "dns.changes.create",
    "dns.resourceRecordSets.create",
    "dns.resourceRecordSets.delete",
    "dns.resourceRecordSets.update",
)
"""The permissions that `changes.create` needs (guide "Roles and permissions")."""


def check_permission(api: CloudDnsApi, zone: Zone) -> Permission:
    """Return whether our credentials may change records in *zone*, according to `testIamPermissions`."""
    try:
        granted = api.test_permissions(zone.id, f"zone {zone}", PERMISSIONS)
    except CallFailedError as exc:
        remedy = "testing permissions needs the permission to list zones: dns.managedZones.list"
        return Permission(granted=None, detail=str(exc), remedy=remedy)
    if missing := [permission for permission in PERMISSIONS if permission not in granted]:
        remedy = "grant roles/dns.admin, or a role with these, on the project or on the zone"
        return Permission(granted=False, detail=f"{', '.join(missing)} not granted", remedy=remedy)
    return Permission(granted=True, detail="as testIamPermissions reports")
