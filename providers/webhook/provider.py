"""Read and write records through a webhook: the `ZoneReader` and `ZoneWriter` ports (docs/design/webhook.md)."""

from __future__ import annotations

from collections import deque
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
from extdns.model.value import group_by, take_turns
from extdns.model.zone import Zone, ZoneList, ZonePage, ZonePlacement
from providers.common.api_calls import (
    CallFailedError,
    convert_to_outcome,
    parse_service_name,
    require_configured,
)
from providers.common.zone_contents import ZoneContents
from providers.webhook import records, wire
from providers.webhook.client import EndpointsRefusedError, WebhookAnswer, WebhookClient
from providers.webhook.filters import find_zones, parse_filter
from providers.webhook.record_cache import RecordCache, split_by_zone
from providers.webhook.settings import WebhookSettings
from providers.webhook.wire import Endpoint, WireError

_CONTINUE_S: Final = 60.0
"""How old the records may be from which a page that is not the first is taken."""

_MAX_ADJUSTED: Final = 5000
"""The most endpoints of one request to adjust them."""

_MAX_CALLS: Final = 64
"""After so many calls, the requests that fail are not split further."""

_MAX_CALLS_UNANSWERED: Final = 40
"""After so many calls that all fail, no record is to blame, unless one that was adjusted before is adjusted again.

Fewer calls reach single records at both ends of 5,000.
"""

_MAX_ANSWERS: Final = 500_000
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
        self._answers: dict[DesiredRecord, tuple[DesiredRecord | Refusal, ...]] = {}
        self._failing: set[DesiredRecord] = set()  # those that failed alone, and were not answered since
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
            elif (answer := self._answers.get(normalized)) is not None:
                results += answer
            else:
                unknown.append(one)
        found = AdjustedRecords.from_results(results)
        return replace(found, unknown=tuple(unknown)) if unknown else found

    def load_adjustments(self, desired: Sequence[DesiredRecord]) -> Mapping[DesiredRecord, str]:
        """Send *desired* to the webhook to be adjusted, and store its answers.

        A request has at most one record of each name, so that answers can be attributed. Namespaces take turns, so that
        the records of one which the webhook cannot adjust do not delay those of others.

        Returns:
            The records that the webhook cannot adjust now, although it adjusts others, with its messages. What never
            failed alone is not among them: it remains unknown.

        Raises:
            ProviderError: a request failed for which no record is to blame; the answers before it are stored.
        """
        if len(self._answers) + len(self._failing) + len(desired) > _MAX_ANSWERS:
            self._answers, self._failing = {}, set()
        normalized = {
            one: found for one in desired if isinstance(found := records.normalize_desired(one, None), DesiredRecord)
        }
        ordered = list(take_turns(group_by(normalized.values(), lambda one: one.namespace).values()))
        known = [found for found in ordered if found in self._failing]
        others = [found for found in ordered if found not in self._failing]
        failed = self._load(_split_requests(others), is_answered=len(others) == 1)
        failed |= self._load(_split_requests(known), is_answered=True)
        return {one: failed[found] for one, found in normalized.items() if found in failed and found in self._failing}

    def _load(self, requests: Iterable[list[DesiredRecord]], *, is_answered: bool) -> dict[DesiredRecord, str]:
        """Send *requests*; halve those that are refused, and send the halves.

        Return the records that fail, with messages.

        With *is_answered*, records are to blame even if all requests fail. Without it, after the first record that
        fails alone, the others are sent from both ends in turn until one is answered: the records next to the first one
        may fail for the same reason, as those of one object.
        """
        waiting, failed, calls = deque(requests), dict[DesiredRecord, str](), 0
        while waiting:
            if failed and not is_answered:
                waiting.reverse()
            request, calls = waiting.popleft(), calls + 1
            try:
                self._store(request, self._zones.client.adjust(map(records.build_endpoint, request)))
                is_answered = True
            except EndpointsRefusedError as refused:
                if len(request) == 1 and refused.is_final:
                    refusal = Refusal(desired=request[0], reason=Reason.UNSUPPORTED, detail=str(refused))
                    self._answers[request[0]], is_answered = (refusal,), True
                elif len(request) == 1 or calls > _MAX_CALLS:
                    failed.update(dict.fromkeys(request, str(refused)))
                    self._failing.update(request if len(request) == 1 else ())
                else:
                    waiting.extendleft((request[len(request) // 2 :], request[: len(request) // 2]))
                if not is_answered and (not waiting or calls >= _MAX_CALLS_UNANSWERED):
                    if not self._is_working():
                        raise
                    is_answered = True
        return failed

    def _is_working(self) -> bool:
        """Return whether the webhook adjusts a record that it adjusted before."""
        known = next((one for one, found in self._answers.items() if isinstance(found[0], DesiredRecord)), None)
        try:
            return known is not None and bool(self._zones.client.adjust([records.build_endpoint(known)]))
        except CallFailedError:
            return False

    def _store(self, request: Sequence[DesiredRecord], answers: Iterable[Endpoint]) -> None:
        by_name: dict[DnsName, list[Endpoint]] = {}
        for endpoint in answers:
            if (name := parse_service_name(endpoint.dns_name)) is not None:
                by_name.setdefault(name, []).append(endpoint)
        self._failing.difference_update(request)
        self._answers.update({one: records.parse_adjusted(one, by_name.get(one.name, ())) for one in request})

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


def _split_requests(desired: Iterable[DesiredRecord]) -> list[list[DesiredRecord]]:
    """Return *desired* in lists of at most `_MAX_ADJUSTED` records, each with at most one record of each name."""
    requests: list[list[DesiredRecord]] = []
    used: dict[DnsName, int] = {}
    rounds: list[list[DesiredRecord]] = []
    for one in dict.fromkeys(desired):
        number = used[one.name] = used.get(one.name, -1) + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(one)
    for entries in rounds:
        requests += (entries[at : at + _MAX_ADJUSTED] for at in range(0, len(entries), _MAX_ADJUSTED))
    return requests


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
