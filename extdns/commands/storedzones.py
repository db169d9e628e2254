"""Zones as `extdns owners --output=json` printed them, read in place of the DNS service."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from extdns.app.services import offline
from extdns.commands.ownersfacts import OwnedZone, OwnersFacts, StandingRecord
from extdns.errors import ForbiddenError, InvalidValueError, shown
from extdns.flags.mistakes import mistake
from extdns.model import ttl
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import Record
from extdns.model.zone import AccountFailure, Page, Zone, ZoneList

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.engine.backoff import Backoff
    from extdns.engine.engine import Engine
    from extdns.engine.zones import ZoneState
    from extdns.model.adjusted import Adjusted
    from extdns.model.record import Endpoint
    from extdns.model.zone import Traits
    from extdns.ports import ZoneReader

_CUT_SHORT: Final = "the pass ended before"
_MAKE: Final = "make one: extdns owners --output=json [flags] > zones.json"


class StoredZones:
    """A `ZoneReader` of what stood when it was read; what could not be read then is refused."""

    def __init__(
        self,
        zones: Mapping[Zone, tuple[Record, ...]],
        service: ZoneReader,
        *,
        unread: Mapping[Zone, str] = {},
        failed: tuple[AccountFailure, ...] = (),
    ) -> None:
        """Hold *zones*; ask *service* for no more than what it makes of endpoints.

        Args:
            zones: what stood in each zone.
            service: the service of which they are.
            unread: why further zones could not be read.
            failed: accounts whose zones could not be listed.
        """
        self._zones = zones
        self._service = service
        self._unread = unread
        self._failed = failed

    @property
    def traits(self) -> Traits:
        """As the service's."""
        return self._service.traits

    def zones(self) -> ZoneList:
        """Every zone that was listed."""
        return ZoneList(zones=tuple(sorted((*self._zones, *self._unread))), failed=self._failed)

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """As the service's."""
        return self._service.adjust(wanted, zone)

    def page(self, zone: Zone, after: str | None) -> Page:  # noqa: ARG002 - one page holds all
        """The whole zone.

        Raises:
            ForbiddenError: it could not be read; there is no use in asking again.
        """
        if zone in self._unread:
            raise ForbiddenError(self._unread[zone])
        return Page(records=self._zones[zone])

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*."""
        return tuple(record for record in self._zones[zone] if record.name in names)


def stored_zones(path: str, config: Config) -> StoredZones:
    """What is stored in the file at *path*, for the provider of *config*, of which nothing is asked.

    Raises:
        UsageError: it cannot be read, or is not as `extdns owners` prints it, or not all or not of this provider.
    """
    named = f"--zone-snapshot={shown(path)}"
    try:
        facts = msgspec.json.decode(Path(path).read_bytes(), type=OwnersFacts)
        zones = dict(map(_zone, facts.zones))
    except OSError as exc:
        raise mistake(f"{named} cannot be read: {exc.strerror}", _MAKE) from exc
    except (msgspec.DecodeError, InvalidValueError, ValueError, RecursionError) as exc:
        raise mistake(f"{named} holds no stored zones: {shown(str(exc))}", _MAKE) from exc
    if facts.missing:
        raise mistake(f"{named} does not hold all: {shown(facts.missing[0])}", _MAKE)
    if facts.provider != config.control.provider:
        raise mistake(f"{named} holds zones of another provider", f"give --provider={shown(facts.provider)}")
    return StoredZones(zones, offline(config))


def as_read(engine: Engine, left: Callable[[ZoneState], Iterable[Record]], config: Config) -> StoredZones:
    """What *engine* has read, for another pass, that of *config*, of which nothing else is asked.

    Args:
        engine: what it could not read is not read by the other pass, either.
        left: what of a zone the other pass shall find there.
        config: what the flags say.
    """
    zones = engine.zones
    return StoredZones(
        {state.zone: tuple(left(state)) for state in zones if state.mirror.whole},
        offline(config),
        unread={state.zone: state.audit.backoff.message or _CUT_SHORT for state in zones if not state.mirror.whole},
        failed=zones.failed if zones.listed else (_unlisted(zones.backoff),),
    )


def _unlisted(backoff: Backoff) -> AccountFailure:
    return AccountFailure(account="", message=backoff.message or _CUT_SHORT, permanent=backoff.refused)


def _zone(stored: OwnedZone) -> tuple[Zone, tuple[Record, ...]]:
    of = stored.zone
    zone = Zone(name=DnsName.parse(of.name), id=of.id, account=of.account, private=of.private)
    return zone, tuple(map(_record, stored.records))


def _record(stored: StandingRecord) -> Record:
    return Record(
        name=DnsName.parse(stored.name),
        type=stored.type,
        targets=tuple(sorted(set(stored.record.targets))),
        ttl_s=stored.record.ttl_seconds or ttl.UNSET,
        set_identifier=stored.set_identifier,
        properties=Pairs.of(stored.record.properties),
    )
