"""Read and write zones by octoDNS: the `ZoneReader` and `ZoneWriter` ports (docs/design/octodns.md)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from msgspec.structs import replace
from octodns.provider.plan import UnsafePlan

from extdns.errors import InvalidValueError, RetryableError, sanitize
from extdns.model import rrtype, ttl
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
)
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.common.api_calls import (
    CallFailedError,
    FailureKind,
    convert_to_outcome,
    require_configured,
)
from providers.common.plain_batches import build_record, build_written_records, find_conflict, find_local_refusal
from providers.common.plain_records import adjust_record
from providers.common.refusals import refuse
from providers.common.zone_contents import ZoneContents
from providers.octodns.configuration import ConfiguredZone, Target, load_zones
from providers.octodns.record_sets import build_octodns_record, convert_targets, find_text_problem
from providers.octodns.runs import OctodnsSnapshot, apply_plans, build_plans, read_zone
from providers.octodns.settings import OctodnsSettings

_HOLDERS: Final = "octoDNS providers"
_CONFIGURED: Final = "the zones of --octodns-config"
_MAX_SNAPSHOT_AGE_S: Final = 10.0


@dataclass(slots=True)
class _ZoneState:
    """What is known of a managed zone.

    Attributes:
        snapshot: the last snapshot; None if a batch ended after it, or began or ended while it was taken.
        batch_count: the number of beginnings and ends of batches so far.
    """

    snapshot: OctodnsSnapshot | None = None
    batch_count: int = 0
    lock: Lock = field(default_factory=Lock)


class OctodnsZones:
    """The managed zones, whose snapshots reader and writer share; safe from any thread.

    Reading raises only `CallFailedError`.
    """

    def __init__(self, settings: OctodnsSettings) -> None:
        self.settings = settings
        self.managed, self.excluded = load_zones(settings)
        self._states = {name: _ZoneState() for name in self.managed}

    def read(self, name: DnsName, *, before_batch: bool) -> OctodnsSnapshot:
        """Read a managed zone.

        With *before_batch*, store the snapshot for the next batch, unless a batch began or ended during the read.
        """
        state = self._states[name]
        with state.lock:
            count = state.batch_count
        snapshot = read_zone(self.managed[name], self.settings.calls.on_call)
        if before_batch:
            with state.lock:
                state.snapshot = snapshot if state.batch_count == count else None
        return snapshot

    def begin_batch(self, name: DnsName) -> OctodnsSnapshot:
        """Return the last snapshot of a managed zone if it is recent and no batch came after it, else a new one."""
        state = self._states[name]
        with state.lock:
            state.batch_count += 1
            snapshot = state.snapshot
        if snapshot is not None and time.monotonic() < snapshot.read_at_s + _MAX_SNAPSHOT_AGE_S:
            return snapshot
        return read_zone(self.managed[name], self.settings.calls.on_call)

    def end_batch(self, name: DnsName) -> None:
        """Discard the snapshot, which shows the zone before the batch or during it."""
        state = self._states[name]
        with state.lock:
            state.batch_count += 1
            state.snapshot = None


class OctodnsReader:
    """Reads zones with octoDNS's `populate`; safe from any thread."""

    capabilities = Capabilities(
        atomic=False,
        conditional=False,
        max_batch_writes=100,  # many packages make one call for each, one after the other
        reads_full_zones=True,
        longest_match_only=True,
    )

    def __init__(self, zones: OctodnsZones) -> None:
        self._zones = zones

    def list_zones(self) -> ZoneList:
        """Return the configured zones that pass the filters; nothing is called."""
        zones = self._zones.managed.values()
        return ZoneList(
            zones=tuple(sorted(Zone(name=zone.name, id=str(zone.name), account=zone.target.id) for zone in zones)),
            calls=0,
            excluded=self._zones.excluded,
        )

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* as octoDNS and the provider of *zone* hold it, or why they cannot."""
        configured = self._zones.managed.get(zone.name)
        return AdjustedRecords.from_results(_adjust(record, zone, configured) for record in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next names, sorted by `DnsName.order` and type. Reads the whole zone."""
        return self._read(zone, before_batch=False).build_page(after, self._zones.settings.page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, in the order of *names*. Reads the whole zone."""
        return self._read(zone, before_batch=True).select_records(names)

    def _read(self, zone: Zone, *, before_batch: bool) -> ZoneContents:
        require_configured(zone, self._zones.managed.get(zone.name), _CONFIGURED)
        return self._zones.read(zone.name, before_batch=before_batch).contents


def _adjust(desired: DesiredRecord, zone: Zone, configured: ConfiguredZone | None) -> DesiredRecord | Refusal:
    if configured is None:
        return refuse(desired, f"zone {zone} is not among {_CONFIGURED}")
    found = adjust_record(desired, zone, holders=_HOLDERS)
    if isinstance(found, Refusal):
        return found
    target = configured.target
    if detail := _find_unsupported(found, zone, target):
        return refuse(desired, detail)
    try:
        theirs = build_octodns_record(configured.build(), build_record(found, target.min_ttl_s), {})
        targets = convert_targets(theirs)
    except InvalidValueError as exc:
        return Refusal(desired=desired, reason=Reason.INVALID_TARGET, detail=str(exc))
    ttl_s = found.ttl_s if found.ttl_s == ttl.UNSET else max(found.ttl_s, target.min_ttl_s)
    return found if (targets, ttl_s) == (found.targets, found.ttl_s) else replace(found, targets=targets, ttl_s=ttl_s)


def _find_unsupported(desired: DesiredRecord, zone: Zone, target: Target) -> str:
    """Return why *target* cannot hold the valid record *desired* by the restrictions on its type; "" if it can."""
    if desired.type not in target.instance.SUPPORTS:
        return f"provider {target.id} does not have {desired.type}"
    if desired.type == rrtype.TXT:
        return find_text_problem(desired.targets)
    if desired.type == rrtype.NS and desired.name == zone.name:
        return f"octoDNS protects the NS records at the name of {zone}"
    if desired.type == rrtype.PTR and len(desired.targets) > 1 and not target.instance.SUPPORTS_MULTIVALUE_PTR:
        return f"with provider {target.id} a PTR can have only one target, not {len(desired.targets)}"
    return ""


class OctodnsWriter:
    """Writes zones with octoDNS's `apply`; safe from any thread."""

    def __init__(self, zones: OctodnsZones) -> None:
        self._zones = zones

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Compare the records of *batch* with those of the last snapshot; apply *batch* in as few plans as are safe."""
        writes = batch.writes
        try:
            require_configured(zone, self._zones.managed.get(zone.name), _CONFIGURED)
        except RetryableError as exc:
            return TryLater(message=str(exc))
        if not writes:
            return Applied(records=())
        if refused := find_local_refusal(writes, zone, holders=_HOLDERS):
            return refused
        try:
            return self._apply(self._zones.begin_batch(zone.name), batch)
        except CallFailedError as failed:  # nothing was written yet
            later = TryLater(message=str(failed))
            return Forbidden(message=str(failed)) if failed.kind is FailureKind.FORBIDDEN else later
        finally:
            self._zones.end_batch(zone.name)

    def _apply(self, snapshot: OctodnsSnapshot, batch: Batch) -> Outcome:
        zone, writes, min_ttl_s = batch.zone, batch.writes, snapshot.zone.target.min_ttl_s
        names = {write.key.name for write in writes}
        current = snapshot.contents.index_records(names)
        if conflict := find_conflict(writes, current):
            return conflict
        try:
            plans = build_plans(snapshot, batch.change_sets, min_ttl_s)
        except (InvalidValueError, UnsafePlan) as exc:
            return Refused(message=f"{zone}: {sanitize(str(exc), 300)}")
        if snapshot.provider.apply_disabled and plans:
            return Forbidden(message=f"{zone}: apply_disabled is set for provider {snapshot.zone.target.id}")
        settings = self._zones.settings
        settings.calls.require_can_write("Apply", zone.name)
        try:
            apply_plans(snapshot, plans, settings.calls.on_call)
        except CallFailedError as failed:
            return self._explain(failed, snapshot, names)
        return Applied(records=build_written_records(writes, min_ttl_s), unconditional=bool(plans))

    def _explain(self, failed: CallFailedError, before: OctodnsSnapshot, names: set[DnsName]) -> Outcome:
        """Return the outcome of a batch whose call *failed*.

        If an answer came, read the zone to see whether it changed.
        """
        message = str(failed)
        if failed.kind is FailureKind.UNANSWERED:
            return Unknown(message=message)
        try:
            now = read_zone(before.zone, self._zones.settings.calls.on_call)
        except CallFailedError as unread:
            return Unknown(message=f"{message}; {unread}")
        if now.contents.index_records(names) != before.contents.index_records(names):
            return Unknown(message=f"{message}; part of the change was made")
        return convert_to_outcome(failed)
