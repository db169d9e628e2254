"""Serve one provider by the webhook protocol: what each call does (docs/design/webhook.md, "The server")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from queue import SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.app.webhook_changes import ChangePlanner, ImpossibleChangeError, list_names, parse_endpoint
from extdns.controller.clock import SystemClock
from extdns.controller.worker_pool import ThreadPool
from extdns.engine.batches import find_offending_names, select_for_batch
from extdns.errors import ProviderError
from extdns.model import rrtype
from extdns.model.change import Applied, Batch, ChangeSet, Outcome, Refused, Unknown, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, RecordKey, restate_record
from extdns.model.zone import Zone, ZonePlacement
from extdns.ports import AdjustingReader, RateLimited, ZoneReader, ZoneWriter
from providers.webhook.records import build_endpoint
from providers.webhook.wire import Changes, Endpoint, FilterDocument

if TYPE_CHECKING:
    from extdns.model.change import AdjustedRecords
    from extdns.model.selection import DomainFilter
    from extdns.model.zone import RateLimitStatus, ZoneList

_THREADS: Final = 8
_Read = tuple[Zone, dict[RecordKey, Record] | Exception]
_MAX_PROBLEMS: Final = 50
_OMITTED_TYPES: Final = frozenset({rrtype.SOA, rrtype.UNREADABLE})


class WebhookServiceError(Exception):
    """A call failed; the message is the body of the answer."""


class WebhookService:
    """One provider behind the calls of the protocol; safe from any thread. One call is carried out at a time.

    Attributes:
        made: how many records were written or deleted since the start, ownership records included.
    """

    def __init__(
        self, reader: ZoneReader, writer: ZoneWriter, domains: DomainFilter, *, max_wait_s: float = 20.0
    ) -> None:
        """Serve *reader* and *writer*; names that *domains* exclude are not written.

        A call waits at most *max_wait_s* for the call before it to end, and then fails, so that calls do not pile up
        behind a slow service. By then its client has given up, and will call again.
        """
        self._max_wait_s = max_wait_s
        self._reader = reader
        self._writer = writer
        self._domains = domains
        self._lock = Lock()
        self._writing = Lock()
        self._numbers = count(1)
        self._zones: tuple[Zone, ...] = ()
        self._placement = ZonePlacement(())
        self._snapshots: dict[str, dict[RecordKey, Record]] = {}
        self.made = 0

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return how many calls of the DNS service may be made now."""
        return self._reader.read_rate_limits() if isinstance(self._reader, RateLimited) else ()

    def list_zones(self) -> ZoneList:
        """List the zones, as each request that needs their names does.

        Raises:
            WebhookServiceError: they cannot be listed.
        """
        with self._begin_call():
            return self._list_zones()

    def negotiate(self) -> FilterDocument:
        """Return the zones, as far as the domain filter includes them.

        Raises:
            WebhookServiceError: there are none, or they cannot be listed.
        """
        with self._begin_call():
            self._list_zones()
        include = [name for zone in self._zones for name in self._find_included(zone)]
        if not include:
            raise WebhookServiceError(
                "no zone is managed, and an empty domain filter would mean all names; "
                "extdns webhook logs at its start why there is no zone"
            )
        exclude = () if self._has_patterns else self._domains.exclude
        return FilterDocument(include=tuple(sorted(set(include))), exclude=exclude or None)

    @property
    def _has_patterns(self) -> bool:
        return bool(self._domains.include_pattern or self._domains.exclude_pattern)

    def _find_included(self, zone: Zone) -> Iterator[str]:
        """Yield the name of *zone* if `--domain-filter` includes all of it, else the included domains in it."""
        suffixes = () if self._has_patterns else self._domains.include
        if not suffixes or any(zone.name.within(suffix.removeprefix(".")) for suffix in suffixes):
            yield zone.name
        else:
            yield from (suffix for suffix in suffixes if suffix.removeprefix(".").endswith(f".{zone.name}"))

    def read_records(self) -> tuple[Endpoint, ...]:
        """Return the records of all zones, and remember them as the conditions of the next changes.

        Raises:
            WebhookServiceError: a zone cannot be read.
        """
        with self._begin_call():
            self._list_zones()
            self._read_zones()
            records = (record for zone in self._zones for record in self._snapshots[zone.id].values())
            return tuple(build_endpoint(restate_record(one)) for one in records if one.type not in _OMITTED_TYPES)

    def adjust(self, endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
        """Return *endpoints* as the provider would hold them. An endpoint that it cannot hold is returned unchanged.

        external-dns would delete the record of an endpoint that is not returned.

        Raises:
            WebhookServiceError: zones cannot be listed.
        """
        with self._begin_call():
            if not self._zones:
                self._list_zones()
            return tuple(adjusted for endpoint in endpoints for adjusted in self._adjust_endpoint(endpoint))

    def apply(self, changes: Changes) -> None:
        """Make those of *changes* whose record is still what was last read.

        Raises:
            WebhookServiceError: some of them were not made; the message lists them.
        """
        with self._begin_call():
            if not self._zones or any(zone.id not in self._snapshots for zone in self._zones):
                self._list_zones()
                self._read_zones()
            planner = ChangePlanner(self._placement.find_zones, self._snapshots, self._adjust_for_write, self._domains)
            planner.plan(changes)
            problems = planner.problems
            with self._writing:
                for zone, sets in planner.build_change_sets().items():
                    problems += self._write(zone, sets)
        if problems:
            more = [f"and {len(problems) - _MAX_PROBLEMS} more"] if len(problems) > _MAX_PROBLEMS else []
            lines = "\n".join((*problems[:_MAX_PROBLEMS], *more))
            raise WebhookServiceError(f"{len(problems)} change(s) not made, the others were:\n{lines}")

    def close(self, timeout_s: float) -> None:
        """Begin no more writes, and wait up to *timeout_s* seconds for those of the call that writes now."""
        self._writing.acquire(timeout=timeout_s)

    @contextmanager
    def _begin_call(self) -> Iterator[None]:
        """Wait for the call before, so that only one is carried out at a time.

        Raises:
            WebhookServiceError: the call before takes too long.
        """
        if not self._lock.acquire(timeout=self._max_wait_s):
            raise WebhookServiceError(
                f"the call before this one takes more than {self._max_wait_s:g}s; try again later"
            )
        try:
            yield
        finally:
            self._lock.release()

    def _list_zones(self) -> ZoneList:
        try:
            found = self._reader.list_zones()
        except ProviderError as exc:
            raise WebhookServiceError(str(exc)) from exc
        if found.failed:
            raise WebhookServiceError("; ".join(failure.message for failure in found.failed))
        self._zones = found.zones
        self._placement = ZonePlacement(found.zones, longest_only=self._reader.capabilities.longest_match_only)
        return found

    def _read_zones(self) -> None:
        """Read all zones and store their records. The threads that read do not keep the process from ending."""
        results: SimpleQueue[_Read] = SimpleQueue()
        pool = ThreadPool("read", max_threads=_THREADS)
        for zone in self._zones:
            pool.submit(partial(self._read_into, results, zone))
        found = dict(results.get() for _ in self._zones)
        pool.close(SystemClock(), 0.0)
        snapshots: dict[str, dict[RecordKey, Record]] = {}
        for zone in self._zones:
            records = found[zone]
            if isinstance(records, ProviderError):
                raise WebhookServiceError(str(records)) from records
            if isinstance(records, Exception):
                raise records
            snapshots[zone.id] = records
        self._snapshots = snapshots

    def _read_into(self, results: SimpleQueue[_Read], zone: Zone) -> None:
        try:
            results.put((zone, self._read_zone(zone)))
        except Exception as exc:  # noqa: BLE001 - the call that waits for it raises it
            results.put((zone, exc))

    def _read_zone(self, zone: Zone) -> dict[RecordKey, Record]:
        found: dict[RecordKey, Record] = {}
        after = None
        while True:
            page = self._reader.read_page(zone, after)
            found |= {record.key: record for record in page.records}
            if page.after is None:
                return found
            after = page.after

    def _adjust_endpoint(self, endpoint: Endpoint) -> Iterator[Endpoint]:
        try:
            desired = parse_endpoint(endpoint)
        except ImpossibleChangeError:
            yield endpoint
            return
        found: dict[RecordKey, DesiredRecord] = {}
        for zone in self._placement.find_zones(desired.name):
            found |= {one.key: one for one in self._adjust_record(desired, zone).accepted}
        if not found:
            yield endpoint
        for one in found.values():
            yield replace(build_endpoint(one), dns_name=endpoint.dns_name, labels=endpoint.labels)

    def _adjust_for_write(self, desired: DesiredRecord, zone: Zone) -> tuple[DesiredRecord, ...]:
        found = self._adjust_record(desired, zone)
        if not found.accepted:
            raise ImpossibleChangeError(
                "; ".join(one.detail for one in found.refused) or "the provider does not take it"
            )
        return found.accepted

    def _adjust_record(self, desired: DesiredRecord, zone: Zone) -> AdjustedRecords:
        found = self._reader.adjust((desired,), zone)
        if found.unknown and isinstance(self._reader, AdjustingReader):
            try:
                self._reader.load_adjustments(found.unknown)
            except ProviderError as exc:
                raise WebhookServiceError(str(exc)) from exc
            found = self._reader.adjust((desired,), zone)
        return found

    def _write(self, zone: Zone, sets: Sequence[ChangeSet]) -> list[str]:
        """Write *sets* in as few batches as possible. Return a line for each that was not written."""
        problems: list[str] = []
        waiting = list(sets)
        alone: set[DnsName] = set()
        while waiting:
            candidates = waiting[:1] if waiting[0].name in alone else [one for one in waiting if one.name not in alone]
            selected = select_for_batch(candidates, self._reader.capabilities)
            outcome = self._submit(zone, selected)
            names = {one.name for one in selected}
            if isinstance(outcome, Applied):
                self._record(zone, selected, outcome)
            elif isinstance(outcome, Refused | WriteConflict):
                offending = self._find_offending(zone, selected, outcome)
                if not offending and len(selected) > 1:
                    alone |= names
                    waiting.sort(key=lambda one: one.name in names)
                    continue
                names = set(offending) or names
                problems += [f"{name}: {outcome.message}" for name in sorted(names)]
            else:
                if isinstance(outcome, Unknown):
                    self._snapshots.pop(zone.id, None)  # read again before the next changes
                problems += [f"{one.name}: {outcome.message}" for one in waiting]
                return problems
            done = {_list_keys(one) for one in selected if one.name in names}  # their writes may be in another order
            waiting = [one for one in waiting if _list_keys(one) not in done]
        return problems

    def _find_offending(
        self, zone: Zone, sets: Sequence[ChangeSet], outcome: Refused | WriteConflict
    ) -> Sequence[DnsName]:
        batch = Batch(number=0, zone=zone, change_sets=tuple(sets))
        return find_offending_names(batch, outcome.offending_names)

    def _submit(self, zone: Zone, sets: Sequence[ChangeSet]) -> Outcome:
        """Submit *sets*. If the service has no conditional writes, compare the records first."""
        if not self._reader.capabilities.is_safe_to_write_blind:
            names = tuple(dict.fromkeys(list_names(sets)))
            try:
                current = {record.key: record for record in self._reader.read_names(zone, names)}
            except ProviderError as exc:
                return Refused(message=str(exc))
            changed = [w.key.name for one in sets for w in one.writes if current.get(w.key) != w.old]
            if changed:
                return WriteConflict(message="changed since the records were read", offending_names=tuple(changed))
        return self._writer.submit(zone, Batch(number=next(self._numbers), zone=zone, change_sets=tuple(sets)))

    def _record(self, zone: Zone, sets: Iterable[ChangeSet], outcome: Applied) -> None:
        snapshot = self._snapshots.setdefault(zone.id, {})
        for write in (write for one in sets for write in one.writes):
            snapshot.pop(write.key, None)
            self.made += 1
        snapshot.update({record.key: record for record in outcome.records})


def _list_keys(change_set: ChangeSet) -> frozenset[RecordKey]:
    return frozenset(write.key for write in change_set.writes)
