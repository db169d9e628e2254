"""Read and write Cloud DNS: the `ZoneReader` and `ZoneWriter` ports, the list of zones, and the permission check.

An error response to a change lists a problem for each part of it that is wrong (guide "Error messages"). Most of them
name the part: `entity.change.additions[6].rrdata[0]` is in the seventh addition. In newer responses the name of the
record set is in these brackets, followed by its type in a second pair of brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords, Applied, Batch, Outcome, Refused, TryLater, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Permission, Zone, ZoneList, ZonePage
from providers.common.api_calls import (
    CallFailedError,
    FailureKind,
    convert_to_outcome,
    parse_service_name,
)
from providers.common.refusals import join_names
from providers.common.zone_lists import find_zones
from providers.google.adjust import adjust_record
from providers.google.record_sets import (
    CloudDnsPage,
    CloudDnsRecordSet,
    ManagedZone,
    ProjectLimits,
    build_record,
    build_record_set,
)

if TYPE_CHECKING:
    from providers.google.client import CloudDnsApi
    from providers.google.settings import GoogleSettings

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
        self._settings = settings
        self._api = api
        self._limits = limits
        max_writes = min(limits.additions, limits.deletions)
        self.read_rate_limits = api.rate_limiter.read_rate_limits
        self.capabilities = Capabilities(
            atomic=True,
            conditional=True,
            max_batch_writes=min(settings.max_changes, max_writes) if settings.max_changes > 0 else max_writes,
            max_batch_size=limits.size,
            longest_match_only=True,
        )

    def list_zones(self) -> ZoneList:
        """Return the zones that match the zone filter, and which permissions are missing to list or get zones."""
        ignored = {FailureKind.REFUSED}  # the service also refuses zones of other projects
        found = find_zones(self._api.list_zones, self._api.get_zone, self._settings.zone_ids, ignored=ignored)
        return found.build_list(self._build_zone)

    def _build_zone(self, found: ManagedZone) -> tuple[Zone, bool] | None:
        if (name := parse_service_name(found.dns_name)) is None:
            return None
        zone = Zone(name=name, id=found.name, private=found.private)
        return zone, self._settings.is_selected(found, name)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* in the form in which *zone* will hold it, or why the service would refuse it."""
        return AdjustedRecords.from_results(adjust_record(record, zone, self._limits) for record in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the next record sets, without the SOA; the service does not document their order."""
        page = self._read_sets(zone, after=after or "")
        return ZonePage(records=tuple(_build_records(page)), after=page.after or None)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, with a call for each: the service filters by one name."""
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
        return self._api.list_record_sets(zone, name=name, after=after, limit=self._settings.page_items)


def _build_records(page: CloudDnsPage) -> Iterator[Record]:
    records = (build_record(found) for found in page.sets if found.type != rrtype.SOA)
    return (record for record in records if record is not None)


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
        granted = api.test_permissions(zone, PERMISSIONS)
    except CallFailedError as exc:
        remedy = "testing permissions needs the permission to list zones: dns.managedZones.list"
        return Permission(granted=None, detail=str(exc), remedy=remedy)
    if missing := [permission for permission in PERMISSIONS if permission not in granted]:
        remedy = "grant roles/dns.admin, or a role with these permissions, on the project or on the zone"
        return Permission(granted=False, detail=f"{', '.join(missing)} not granted", remedy=remedy)
    return Permission(granted=True, detail="as testIamPermissions reports")


class CloudDnsWriter:
    """Sends batches to Cloud DNS.

    Each batch is one change, sent again only if the service rejected an expired token.
    """

    def __init__(self, api: CloudDnsApi) -> None:
        self._api = api

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one change, which counts as applied even while its status is `pending`."""
        writes = batch.writes
        if not writes:
            return Applied(records=())
        routed = sorted({write.new.name for write in writes if write.new and write.new.set_identifier})
        if routed:
            return Refused(message="Cloud DNS does not support set identifiers", offending_names=tuple(routed))
        deletions = [build_record_set(write.old) for write in writes if write.old]
        additions = [build_record_set(write.new) for write in writes if write.new]
        try:
            change_id = self._api.create_change(zone, additions, deletions)
        except CallFailedError as exc:
            return build_outcome(exc, additions, deletions)
        records = map(build_record, additions)
        return Applied(records=tuple(record for record in records if record is not None), change_id=change_id)


# The first quotes of a message are around the part, or the parameter; later ones can be around a text of users.
_NAMED: Final = r"\[[^']*' (?:resource )?(?:named '[^']*' )?"
_DIFFERS: Final = rf"additions{_NAMED}already exists|deletions{_NAMED}does not exist"
_CONFLICTS: Final = re.compile(rf"[^']*(?:Precondition not met|'entity\.change\.(?:{_DIFFERS}))", re.ASCII)
_PART: Final = re.compile(r"[^']*'entity\.change\.(additions|deletions)\[([^\]']+)\]", re.ASCII)
_ZONE: Final = re.compile(r"[^']*'parameters\.(?:managedZone|project)'", re.ASCII)


def build_outcome(
    failed: CallFailedError, additions: Sequence[CloudDnsRecordSet], deletions: Sequence[CloudDnsRecordSet]
) -> Outcome:
    """Return the outcome of a change whose call *failed*."""
    if failed.kind is not FailureKind.REFUSED:
        return convert_to_outcome(failed)
    message, sent = str(failed), {"additions": additions, "deletions": deletions}
    problems = failed.messages or (failed.detail,)
    if any(_ZONE.match(problem) for problem in problems):  # the next list of zones shows whether it was deleted
        return TryLater(message=message)
    conflicts = [problem for problem in problems if _CONFLICTS.match(problem)]
    names = join_names(_find_names(problem, sent) for problem in conflicts or problems)
    build = WriteConflict if conflicts else Refused
    return build(message=message, offending_names=names)


def _find_names(problem: str, sent: Mapping[str, Sequence[CloudDnsRecordSet]]) -> list[DnsName]:
    part = _PART.match(problem)
    if part is None:
        return []
    sets, index = sent[part[1]], part[2]
    if index.isdecimal():
        found = sets[int(index) : int(index) + 1]
    else:
        found = [one for one in sets if one.name.rstrip(".") == index.rstrip(".").lower()]
    return [name for one in found if (name := parse_service_name(one.name)) is not None]
