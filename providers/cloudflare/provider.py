"""Read and write zones of Cloudflare: the `ZoneReader` and `ZoneWriter` ports, and the permission check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords, Applied, Batch, Outcome, Refused, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Permission, Zone, ZoneList, ZonePage
from providers.cloudflare.adjust import adjust_record
from providers.cloudflare.client import CloudflareApi, CloudflareZone
from providers.cloudflare.entries import CloudflareValue, build_records, plan_operations
from providers.cloudflare.hostnames import (
    CHANGERS,
    MAX_CALLS,
    Refusals,
    count_calls,
    find_changes,
    find_results,
    read_hostnames,
)
from providers.cloudflare.settings import CloudflareSettings
from providers.common.api_calls import (
    CallFailedError,
    convert_to_outcome,
    parse_service_name,
)
from providers.common.zone_contents import ZoneContents
from providers.common.zone_lists import find_zones, get_zones

_MANAGED_TYPES: Final = frozenset({"full", "partial"})
_CONFLICTS: Final = frozenset({"81044", "81053", "81054", "81056", "81057", "81058"})
"""A record of the request does not exist, exists already, or cannot be beside one that exists."""

_NO_SUCH_ZONE: Final = "7003"
_EDIT: Final = "#dns_records:edit"


class CloudflareReader:
    """Reads zones; safe from any thread."""

    def __init__(self, settings: CloudflareSettings, api: CloudflareApi) -> None:
        self._settings = settings
        self._api = api
        self._plans: dict[str, str] = {}
        self._pages: Counter[str] = Counter()
        self.read_rate_limits = api.rate_limiter.read_rate_limits
        self.capabilities = Capabilities(
            atomic=True,
            conditional=False,
            max_batch_writes=settings.max_operations,
            max_batch_values=settings.max_operations,
            max_batch_size=MAX_CALLS,
            size_unit="API calls",
            measure=count_calls,
            reads_full_zones=True,
            longest_match_only=True,
        )

    def list_zones(self) -> ZoneList:
        """Return the zones that match the filters."""
        ids = self._settings.zone_ids
        found = get_zones(self._api.get_zone, ids) if ids else find_zones(self._api.list_zones, self._api.get_zone, ())
        self._plans |= {zone.id: zone.plan.legacy_id for zone in found.zones}
        return found.build_list(self._build_zone)

    def _build_zone(self, found: CloudflareZone) -> tuple[Zone, bool] | None:
        name = parse_service_name(found.name)
        if name is None or found.type not in _MANAGED_TYPES:
            return None
        return Zone(name=name, id=found.id), bool(self._settings.zone_ids) or self._settings.domains.matches(name)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* in the form in which *zone* will hold it, or why Cloudflare would refuse it."""
        plan = self._plans.get(zone.id, "")
        return AdjustedRecords.from_results(adjust_record(record, zone, self._settings, plan) for record in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next names. Each page reads the whole zone; few zones have several."""
        return self._read_zone(zone).build_page(after, self._settings.page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*: by reading the zone, or each name if that takes fewer calls."""
        wanted = sorted(set(names))
        if len(wanted) >= (self._pages[zone.id] or 1):
            return self._read_zone(zone).select_records(wanted) if wanted else ()
        entries = [entry for name in wanted for entry in self._api.read(zone.id, f"zone {zone}", name)[0]]
        return ZoneContents(self._build_records(zone, entries)).select_records(wanted)

    def _read_zone(self, zone: Zone) -> ZoneContents:
        entries, self._pages[zone.id] = self._api.read(zone.id, f"zone {zone}")
        return ZoneContents(self._build_records(zone, entries))

    def _build_records(self, zone: Zone, entries: Iterable[CloudflareValue]) -> dict[DnsName, tuple[Record, ...]]:
        return build_records(entries, read_hostnames(self._api, zone.id, self._settings.hostname_properties))


class CloudflareWriter:
    """Sends batches, each in one call, and changes regional and custom hostnames, each in a call of its own."""

    def __init__(self, api: CloudflareApi) -> None:
        self._api = api

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one transaction, and change regional and custom hostnames (see `hostnames`).

        If those of a record that is made, or gets other values, are refused, the record is written without. The next
        attempt changes only them, so it is refused, and says so. The outcome is unconditional: an edit that came after
        the names were read keeps the ids, so it is overwritten.
        """
        writes = batch.writes
        if routed := sorted({write.key.name for write in writes if write.key.set_identifier}):
            return Refused(message="Cloudflare has no set identifiers", offending_names=tuple(routed))
        if unread := sorted({write.key.name for write in writes if write.old and not write.old.exact}):
            return WriteConflict(message="the ids of the values are not known", offending_names=tuple(unread))
        operations, entries = plan_operations(writes)
        try:
            found = (self._change_hostnames(zone, writes, key, is_written=False) for key in CHANGERS)
            if problems := [problem for refused in found for problem in refused.items()]:
                names, texts = zip(*problems, strict=True)
                return Refused(message="; ".join(texts), offending_names=tuple(sorted(set(names))))
            if operations:
                entries += self._api.write(zone.id, operations, f"zone {zone}").entries
        except CallFailedError as exc:
            return convert_to_outcome(exc, conflicts=_CONFLICTS, gone={_NO_SUCH_ZONE})
        hostnames = self._finish_hostnames(zone, writes)
        records = (record for found in build_records(entries, hostnames).values() for record in found)
        return Applied(records=tuple(sorted(records, key=lambda record: record.key)), unconditional=bool(writes))

    def _finish_hostnames(self, zone: Zone, writes: Sequence[Write]) -> dict[str, dict[str, str]]:
        """Change those of names whose records were written. Return those of all names, by property, as far as known."""
        found: dict[str, dict[str, str]] = {}
        for key in CHANGERS:
            refused: Collection[DnsName]
            try:
                refused = self._change_hostnames(zone, writes, key, is_written=True)
            except CallFailedError:
                refused = {change.name for change in find_changes(writes, key) if change.is_written}
            found[key] = find_results(writes, key, refused)
        return found

    def _change_hostnames(self, zone: Zone, writes: Sequence[Write], key: str, *, is_written: bool) -> Refusals:
        found = [one for one in find_changes(writes, key) if one.is_written == is_written]
        return CHANGERS[key](self._api, zone.id, found) if found else {}


def check_permission(api: CloudflareApi, zone: Zone) -> Permission:
    """Return whether our credentials may change records in *zone*, as the zone itself says."""
    try:
        permissions = api.get_zone(zone.id).permissions
    except CallFailedError as exc:
        return Permission(granted=None, detail=str(exc), remedy="give the token the permission Zone Read")
    if not permissions:
        return Permission(granted=None, detail="Cloudflare does not say what the token may do")
    if _EDIT in permissions:
        return Permission(granted=True, detail="as the permissions of the zone say")
    return Permission(granted=False, detail=f"{_EDIT} not granted", remedy="give the token the permission DNS Write")
