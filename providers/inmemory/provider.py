"""The in-memory DNS service; any thread may read and write it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from types import MappingProxyType
from typing import Final

from extdns.errors import InvalidValueError, RetryableError, UsageError, shown
from extdns.model import rrtype, ttl
from extdns.model.adjusted import Adjusted, Refusal
from extdns.model.change import Batch
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Outcome, TryLater
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, Record
from extdns.model.zone import Page, Traits, Zone, ZoneList
from providers.inmemory.held import Held
from providers.inmemory.rules import objection

_TRAITS: Final = Traits(
    atomic=True, conditional=True, names_culprits=True, ordered=True, types=frozenset(rrtype.OWNABLE)
)
_NO_SEED: Final[Mapping[Zone, Iterable[Record]]] = MappingProxyType({})


class InMemoryProvider:
    """Zones and their records; both `ZoneReader` and `ZoneWriter`."""

    def __init__(
        self,
        zones: Iterable[str] = (),
        *,
        seed: Mapping[Zone, Iterable[Record]] = _NO_SEED,
        page_size: int = 300,
        default_ttl_s: int = 300,
    ) -> None:
        """Begin with empty *zones* and with those of *seed*, which hold records.

        Args:
            zones: values of `--inmemory-zone`; "" names none, as the reference's default does.
            seed: records by zone, also for zones whose id or account is not their name.
            page_size: record sets a page.
            default_ttl_s: seconds, for endpoints whose TTL is unset.

        Raises:
            UsageError: one of *zones* is no domain name.
        """
        named = [_zone(text) for text in zones if text]
        self._zones = {zone.id: zone for zone in (*named, *seed)}
        self._held = {zone_id: Held(seed.get(zone, ())) for zone_id, zone in self._zones.items()}
        self._page_size = page_size
        self._default_ttl_s = default_ttl_s
        self._lock = Lock()

    @property
    def traits(self) -> Traits:
        """All that a service can promise."""
        return _TRAITS

    def zones(self) -> ZoneList:
        """The zones it began with; listing them never fails."""
        return ZoneList(zones=tuple(sorted(self._zones.values())))

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """Refuse unknown types and names outside *zone*; the rest is held as it is wanted."""
        return Adjusted.of(_adjusted(endpoint, zone) for endpoint in wanted)

    def page(self, zone: Zone, after: str | None) -> Page:
        """The next record sets, sorted by `DnsName.order`, set identifier and type.

        Raises:
            RetryableError: there is no such zone.
        """
        with self._lock:
            return self._of(zone).page(after, self._page_size)

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*, in the order asked for.

        Raises:
            RetryableError: there is no such zone.
        """
        with self._lock:
            return self._of(zone).names(names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Apply the writes of *batch* if all of them find what they expect and break no rule."""
        writes = batch.writes
        with self._lock:
            try:
                held = self._of(zone)
            except RetryableError as exc:
                return TryLater(message=str(exc))
            refused = objection(held, writes, zone)
            if refused is not None:
                return refused
            records = tuple(self._record(write.new) for write in writes if write.new is not None)
            for write in writes:
                if write.new is None:
                    held.remove(write.key)
            for record in records:
                held.put(record)
        return Applied(records=records)

    def _of(self, zone: Zone) -> Held:
        held = self._held.get(zone.id)
        if held is None:
            raise RetryableError(f"there is no zone {zone} in memory")
        return held

    def _record(self, endpoint: Endpoint) -> Record:
        return Record(
            name=endpoint.name,
            type=endpoint.type,
            targets=endpoint.targets,
            ttl_s=self._default_ttl_s if endpoint.ttl_s == ttl.UNSET else endpoint.ttl_s,
            set_identifier=endpoint.set_identifier,
            properties=endpoint.properties,
        )


def _zone(text: str) -> Zone:
    try:
        name = DnsName.parse(text)
    except InvalidValueError as exc:
        raise UsageError(f"--inmemory-zone={shown(text)}: {exc}") from exc
    return Zone(name=name, id=name)


def _adjusted(endpoint: Endpoint, zone: Zone) -> Endpoint | Refusal:
    if endpoint.type not in _TRAITS.types:
        detail = f"{endpoint.type} is not among the types held in memory: {', '.join(rrtype.OWNABLE)}"
    elif not endpoint.name.within(zone.name):
        detail = f"{endpoint.name} lies outside zone {zone}"
    else:
        return endpoint
    return Refusal(endpoint=endpoint, reason=Reason.UNSUPPORTED, detail=detail)
