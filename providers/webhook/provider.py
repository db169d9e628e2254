"""Read and write records through a webhook: the `ZoneReader` and `ZoneWriter` ports (docs/design/webhook.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from threading import Lock
from typing import Final

from msgspec.structs import replace

from extdns.errors import ProviderError, RetryableError, sanitize
from extdns.model import rrtype
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
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.selection import DomainFilter
from extdns.model.zone import Zone, ZoneList, ZonePage, ZonePlacement
from providers.common.api_calls import (
    CallFailedError,
    convert_to_outcome,
    require_configured,
)
from providers.common.zone_contents import ZoneContents
from providers.webhook import records, wire
from providers.webhook.adjuster import Adjuster
from providers.webhook.client import WebhookAnswer, WebhookClient
from providers.webhook.filters import find_zones, parse_filter
from providers.webhook.record_cache import RecordCache, split_by_zone
from providers.webhook.settings import WebhookSettings
from providers.webhook.wire import WireError

_CONTINUE_S: Final = 60.0
"""How old the records may be from which a page that is not the first is taken."""

_GATEWAYS: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
_FORBIDDING: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class WebhookZones:
    """The zones of one webhook: its client, its filter and its records. Reader and writer have it in common."""

    def __init__(self, settings: WebhookSettings) -> None:
        self.settings = settings
        self.client = WebhookClient(settings)
        self.filter = DomainFilter()
        self.cache = RecordCache(self.client.read_records, self._convert)
        self._lock = Lock()
        self._placement = ZonePlacement(())
        self._zones: tuple[Zone, ...] = ()

    def list_zones(self) -> tuple[Zone, ...]:
        """Negotiate, and return the zones.

        Raises:
            ProviderError: the webhook failed, its filter is invalid, or no zones follow from the filters.
        """
        try:
            negotiated = parse_filter(self.client.negotiate())
        except ValueError as exc:
            raise RetryableError(f"Webhook negotiate: {exc}") from exc
        zones = find_zones(negotiated, self.settings.domains)
        if not zones:
            detail = "the webhook names no domain in its filter; name the zones with --domain-filter"
            raise RetryableError(f"Webhook negotiate: {detail}")
        with self._lock:
            is_changed = (zones, negotiated) != (self._zones, self.filter)
            self.filter, self._zones = negotiated, zones
            self._placement = ZonePlacement(zones, longest_only=True)
        if is_changed:
            self.cache.forget()
        return zones

    def require(self, zone: Zone) -> None:
        """Raise `RetryableError` if *zone* is not among the zones of the webhook."""
        require_configured(zone, zone if zone in self._zones else None, "the domains of the webhook")

    def _convert(self, body: bytes) -> Mapping[str, ZoneContents]:
        with self._lock:
            placement, chosen = self._placement, self.filter
        try:
            found = records.parse_records(wire.decode_endpoints(body))
        except WireError as exc:
            raise RetryableError(f"Webhook records: invalid answer: {exc}") from exc
        return split_by_zone(_select(found, chosen), placement)


def _select(found: Mapping[DnsName, tuple[Record, ...]], chosen: DomainFilter) -> dict[DnsName, tuple[Record, ...]]:
    """Return the records that the filter *chosen* includes, and all TXT records: they can be ownership records."""
    selected: dict[DnsName, tuple[Record, ...]] = {}
    for name, current in found.items():
        visible = current if chosen.matches(name) else tuple(one for one in current if one.type == rrtype.TXT)
        if visible:
            selected[name] = visible
    return selected


class WebhookReader:
    """Reads records, and shows desired records to the webhook; safe from any thread."""

    def __init__(self, zones: WebhookZones) -> None:
        self._zones = zones
        self._adjuster = Adjuster(zones.client)
        self.read_rate_limits = zones.client.rate_limiter.read_rate_limits
        self.capabilities = Capabilities(
            atomic=False,
            conditional=False,
            max_batch_writes=zones.settings.max_writes,
            reads_full_zones=True,
            longest_match_only=True,
        )

    def list_zones(self) -> ZoneList:
        """Return the zones that follow from the filter of the webhook, or from `--domain-filter`."""
        return ZoneList(zones=self._zones.list_zones())

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return what the webhook made of *desired*, from the stored answers of `load_adjustments`.

        Nothing is sent: a record that is not refused here and has no stored answer is unknown.
        """
        results: list[DesiredRecord | Refusal] = []
        unknown: list[DesiredRecord] = []
        for one in desired:
            normalized = records.normalize_desired(one, zone)
            if isinstance(normalized, Refusal):
                results.append(normalized)
            elif not self._zones.filter.matches(one.name):
                detail = f"the domain filter of the webhook excludes {one.name}"
                results.append(Refusal(desired=one, reason=Reason.UNSUPPORTED, detail=detail))
            elif (answer := self._adjuster.answers.get(normalized)) is not None:
                results += answer
            else:
                unknown.append(one)
        found = AdjustedRecords.from_results(results)
        return replace(found, unknown=tuple(unknown)) if unknown else found

    def load_adjustments(self, desired: Sequence[DesiredRecord]) -> Mapping[DesiredRecord, str]:
        """Send *desired* to the webhook to be adjusted, and store its answers.

        Returns:
            The records that the webhook cannot adjust now, although it adjusts others, with its messages. What never
            failed alone is not among them: it remains unknown.

        Raises:
            ProviderError: a request failed for which no record is to blame; the answers before it are stored.
        """
        normalized = {
            one: found for one in desired if isinstance(found := records.normalize_desired(one, None), DesiredRecord)
        }
        failing = self._adjuster.load(normalized.values())
        return {one: failing[found] for one, found in normalized.items() if found in failing}

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next names, sorted by `DnsName.order`. Several pages may come from one read."""
        self._zones.require(zone)
        max_age_s = self._zones.settings.reuse_s if after is None else _CONTINUE_S
        return self._zones.cache.get(zone, max_age_s=max_age_s).build_page(after, self._zones.settings.page_names)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*, read after this call began."""
        self._zones.require(zone)
        if not names:
            return ()
        return self._zones.cache.get(zone).select_records(names)


class WebhookWriter:
    """Sends changes to the webhook; safe from any thread."""

    def __init__(self, zones: WebhookZones) -> None:
        self._zones = zones

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Send *batch* as one request, in one attempt."""
        writes = batch.writes
        try:
            self._zones.require(zone)
        except ProviderError as exc:
            return TryLater(message=str(exc))
        if refused := _find_local_refusal(writes, zone):
            return refused
        changes = records.build_changes(batch.change_sets)
        if not len(changes):
            return _build_applied(writes)
        try:
            answer = self._zones.client.apply(changes)
        except CallFailedError as failed:
            return convert_to_outcome(failed)
        finally:
            self._zones.cache.outdate()
        return self._interpret(answer, zone, writes)

    def _interpret(self, answer: WebhookAnswer, zone: Zone, writes: Sequence[Write]) -> Outcome:
        status, message = answer.status, f"Webhook applychanges on {zone}: {answer.text}"
        if status == wire.APPLIED:
            return _build_applied(writes)
        if status in _FORBIDDING:
            return Forbidden(message=message)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return TryLater(message=message)
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return Refused(message=message)
        if status < HTTPStatus.MULTIPLE_CHOICES or status in _GATEWAYS:
            return Unknown(message=message)
        return self._read_effect(zone, writes, message)

    def _read_effect(self, zone: Zone, writes: Sequence[Write], message: str) -> Outcome:
        """Read the zone after an error response, and return the outcome of *writes*: some may have been made."""
        try:
            current = self._zones.cache.get(zone).index_records(write.key.name for write in writes)
        except ProviderError as exc:
            return Unknown(message=f"{message}; {exc}")
        pending = [write for write in writes if not _is_made(write, current.get(write.key))]
        if not pending:
            return Applied(records=_list_known(current.get(write.key) for write in writes), unconditional=True)
        changed = [write.key.name for write in pending if current.get(write.key) != write.old]
        if changed and len(pending) == len(writes):
            return WriteConflict(message=message, offending_names=tuple(dict.fromkeys(changed)))
        return Refused(message=message)


def _is_made(write: Write, current: Record | None) -> bool:
    if write.new is None:
        return current is None
    return current is not None and records.is_as_requested(current, write.new)


def _list_known(found: Iterable[Record | None]) -> tuple[Record, ...]:
    return tuple(record for record in found if record is not None)


def _build_applied(writes: Sequence[Write]) -> Applied:
    return Applied(records=_list_known(map(records.build_written_record, writes)), unconditional=bool(writes))


def _find_local_refusal(writes: Sequence[Write], zone: Zone) -> Refused | None:
    """Return why *writes* are not sent, None if they are: each name must be in the zone, and each new record valid."""
    for write in writes:
        desired = write.new
        detail = ""
        if not write.key.name.within(zone.name):
            detail = f"{write.key.name} lies outside zone {zone}"
        elif desired is not None and isinstance(checked := records.normalize_desired(desired, zone), Refusal):
            detail = checked.detail
        if detail:
            return Refused(message=sanitize(detail, 500), offending_names=(write.key.name,))
    return None
