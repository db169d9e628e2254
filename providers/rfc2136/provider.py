"""Read and write zones on DNS servers: the `ZoneReader` and `ZoneWriter` ports (docs/design/rfc2136.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import dns.rcode
from msgspec.structs import replace

from extdns.errors import InvalidValueError, RetryableError
from extdns.model import ttl
from extdns.model.capabilities import Capabilities
from extdns.model.change import (
    AdjustedRecords,
    Applied,
    Batch,
    Forbidden,
    Outcome,
    Refusal,
    Refused,
    TryLater,
    Unknown,
    Write,
    WriteConflict,
)
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.common.api_calls import CallFailedError, convert_to_outcome, require_configured
from providers.common.plain_batches import build_written_records, find_conflict, find_local_refusal
from providers.common.plain_records import adjust_record
from providers.common.zone_contents import ZoneContents
from providers.rfc2136.client import FORBIDDING, DnsClient
from providers.rfc2136.settings import Rfc2136Settings
from providers.rfc2136.update import build_update, measure_change_set
from providers.rfc2136.zone_copy import ZoneCopy

_HOLDERS: Final = "DNS servers"
_CONFLICTS: Final = frozenset({dns.rcode.NXRRSET, dns.rcode.YXRRSET, dns.rcode.NXDOMAIN, dns.rcode.YXDOMAIN})
_REFUSING: Final = frozenset({dns.rcode.FORMERR, dns.rcode.NOTZONE})
_MAX_BATCH_BYTES: Final = 64_700  # the rest of a message is for its header, zone and signature
_MIN_BATCH_WRITES: Final = 10
"""Enough for a CNAME that replaces A and AAAA, with the ownership records of all three (law 6)."""


class Rfc2136Zones:
    """The managed zones: one client, and the copy of each zone. Reader and writer share it."""

    def __init__(self, settings: Rfc2136Settings) -> None:
        """Prepare the client; nothing is read yet.

        Raises:
            ValueError: the key is invalid.
        """
        self.settings = settings
        self.client = DnsClient(settings)
        self.copies: Mapping[DnsName, ZoneCopy] = {name: ZoneCopy(name, self.client) for name in settings.zones}

    def find_copy(self, zone: Zone) -> ZoneCopy:
        """Return the copy of *zone*; raise `RetryableError` if it is not configured."""
        return require_configured(zone, self.copies.get(zone.name), "those of --rfc2136-zone")


class Rfc2136Reader:
    """Reads zones by transfer; safe from any thread."""

    def __init__(self, zones: Rfc2136Zones) -> None:
        self._zones = zones
        self.capabilities = Capabilities(
            atomic=True,
            conditional=True,
            max_batch_writes=max(zones.settings.max_writes, _MIN_BATCH_WRITES),
            max_batch_size=_MAX_BATCH_BYTES,
            measure=partial(measure_change_set, min_ttl_s=zones.settings.min_ttl_s),
            longest_match_only=True,
        )

    def list_zones(self) -> ZoneList:
        """Return the configured zones; no server is asked."""
        names = sorted(self._zones.settings.zones)
        return ZoneList(zones=tuple(Zone(name=name, id=str(name)) for name in names), calls=0)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* with normalized targets and TTLs raised to `min_ttl_s`, or why no server would hold it."""
        return AdjustedRecords.from_results(self._adjust(record, zone) for record in desired)

    def _adjust(self, desired: DesiredRecord, zone: Zone) -> DesiredRecord | Refusal:
        found = adjust_record(desired, zone, holders=_HOLDERS)
        least_s = self._zones.settings.min_ttl_s
        if isinstance(found, Refusal) or found.ttl_s == ttl.UNSET or found.ttl_s >= least_s:
            return found
        return replace(found, ttl_s=least_s)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next names, sorted by `DnsName.order` and type, without the SOA."""
        return self._read(zone).build_page(after, self._zones.settings.page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, in the order of *names*."""
        return self._read(zone).select_records(names)

    def _read(self, zone: Zone) -> ZoneContents:
        return self._zones.find_copy(zone).read()


class Rfc2136Writer:
    """Writes zones by DNS UPDATE; safe from any thread."""

    def __init__(self, zones: Rfc2136Zones) -> None:
        self._zones = zones

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Send *batch* as one message."""
        try:
            copy = self._zones.find_copy(zone)
        except RetryableError as exc:
            return TryLater(message=str(exc))
        writes = batch.writes
        min_ttl_s = self._zones.settings.min_ttl_s
        if not writes:
            return Applied(records=())
        if refused := find_local_refusal(writes, zone, holders=_HOLDERS):
            return refused
        try:
            rcode = self._zones.client.send_update(build_update(zone, writes, min_ttl_s))
        except InvalidValueError as exc:
            return _explain(copy, writes, str(exc))
        except CallFailedError as failed:
            return convert_to_outcome(failed)
        if rcode == dns.rcode.NOERROR:
            return Applied(records=build_written_records(writes, min_ttl_s))
        message = f"Update on {zone}: {dns.rcode.to_text(rcode)}"
        if rcode in _CONFLICTS:
            return _explain(copy, writes, message)
        if rcode in FORBIDDING:
            return Forbidden(message=message)
        if rcode == dns.rcode.SERVFAIL:
            return _explain_failure(copy, writes, message)
        return Refused(message=message) if rcode in _REFUSING else Unknown(message=message)


def _explain_failure(copy: ZoneCopy, writes: Sequence[Write], message: str) -> Forbidden | Refused | Unknown:
    """Return the outcome of *writes* after SERVFAIL: `Forbidden` if the server has undone them (RFC 2136 3.4.2).

    BIND answers SERVFAIL if a record has more values than it allows. `Forbidden` lets the engine find the name of this
    record, and pause the zone if all names fail.
    """
    try:
        explained = find_conflict(writes, copy.read().index_records(write.key.name for write in writes))
    except CallFailedError:
        return Unknown(message=message)
    if explained is None:
        return Forbidden(message=f"{message}, and the zone is unchanged")
    return explained if isinstance(explained, Refused) else Unknown(message=message)


def _explain(copy: ZoneCopy, writes: Sequence[Write], message: str) -> WriteConflict | Refused:
    """Read the zone to find why *writes* do not fit it; *message* is the server's answer, or why nothing was sent."""
    names = {write.key.name for write in writes}
    try:
        for read in (copy.read, copy.read_completely):  # some programs edit a zone without a new serial
            if explained := find_conflict(writes, read().index_records(names)):
                return replace(explained, message=f"{message}: {explained.message}")
    except CallFailedError:
        pass  # the names are read again before they are planned
    return WriteConflict(message=message)
