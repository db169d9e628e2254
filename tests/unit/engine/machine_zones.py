"""The two zones of the state machine, one within the other, and the ownership records that one holds for the other.

The ownership record of the name of the inner zone is in the outer zone (docs/design/zone-names.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from extdns.engine.engine import Engine
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Zone
from tests.builders import REGISTRY, ZONE
from tests.fakes.faulty import Contents
from tests.world import World

INNER = Zone(name=DnsName("shop.example.org"), id="inner", account="b")
ZONES = (ZONE, INNER)
_ABOVE = frozenset(REGISTRY.related_names(INNER.name, INNER))


def contents_with_ownership(world: World, zone: Zone) -> Contents:
    """Return the records in *zone*, and its ownership records in the parent zone."""
    in_parent = select_ownership_in_parent(world.provider.contents(ZONE).values()) if zone.id == INNER.id else {}
    return {**world.provider.contents(zone), **in_parent}


def known_with_ownership(engine: Engine, zone: Zone) -> Contents:
    """Return the records of *zone*, and of its ownership records in the parent zone, that *engine* knows."""
    found: Contents = {}
    for zone_state in engine.zones:
        if zone_state.zone.id == zone.id:
            found |= {record.key: record for record in zone_state.cache.all_records()}
        elif zone.id == INNER.id:
            found |= select_ownership_in_parent(zone_state.cache.all_records())
    return found


def select_ownership_in_parent(records: Iterable[Record]) -> Contents:
    """Return the ownership records of the name of the inner zone among *records* of the outer zone."""
    found = [record for record in records if record.name in _ABOVE]
    return {record.key: record for record in found if not record.name.within(INNER.name)}
