"""Who owns what; its schema: `python -m extdns.commands.ownersfacts > docs/reference/owners.schema.json`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from extdns.app.registries import registry
from extdns.commands.statusfacts import time_text
from extdns.facts.document import (
    VERSION,
    Facts,
    RecordFacts,
    Version,
    ZoneFacts,
    record_facts,
    schema_text,
)
from extdns.facts.holding import holdings
from extdns.facts.plan import zone_facts
from extdns.kube import shelf
from extdns.model.ownership import Owned

if TYPE_CHECKING:
    from extdns.commands.onepass import Pass
    from extdns.engine.zones import ZoneState
    from extdns.facts.holding import Holding
    from extdns.kube.shelf import Document
    from extdns.model.record import Record, RecordKey
    from extdns.ports import Registry


class StandingRecord(Facts, frozen=True):
    """A record set that stands.

    owner is null where nothing proves one; madeFor is the object that its ownership record names; an orphan is ours,
    and no object asks for it. mark is true of an ownership record, and stray of one that proves no record that stands.
    """

    name: str
    type: str
    set_identifier: str
    record: RecordFacts
    owner: str | None
    ours: bool
    made_for: str
    orphan: bool
    mark: bool
    stray: bool


class OwnerFacts(Facts, frozen=True):
    """An owner id, null for records that nobody owns.

    seen is when it kept state of the zone last, "" if never here, null where that cannot be known.
    """

    owner: str | None
    ours: bool
    records: int
    seen: str | None


class OwnedZone(Facts, frozen=True):
    """All that stands in one zone."""

    zone: ZoneFacts
    owners: tuple[OwnerFacts, ...]
    records: tuple[StandingRecord, ...]


class OwnersFacts(Facts, frozen=True):
    """What stands in all zones, and whose it is; also what `extdns plan --zone-snapshot` reads in place of the zones.

    missing says what could not be read.
    """

    api_version: Version
    kind: Literal["Owners"]
    provider: str
    owner: str
    zones: tuple[OwnedZone, ...]
    missing: tuple[str, ...]


def owners_facts(made: Pass, kept: Document | None) -> OwnersFacts:
    """What *made* has read, where *kept* is what outlives processes, None if there is no place for it."""
    ledger, held = registry(made.config), holdings(made.engine)
    orphans = {
        (decision.zone.id, decision.held.key)
        for decision in made.engine.decisions
        if decision.zone and decision.held and decision.held.ours and not decision.asked_by
    }
    seen = None if kept is None else _seen(kept)
    return OwnersFacts(
        api_version=VERSION,
        kind="Owners",
        provider=made.config.control.provider,
        owner=ledger.owner,
        zones=tuple(
            _zone(state, ledger, held[state.zone], orphans, seen) for state in made.engine.zones if state.zone in held
        ),
        missing=made.missing,
    )


def _zone(
    state: ZoneState,
    ledger: Registry,
    holding: Holding,
    orphans: set[tuple[str, RecordKey]],
    seen: Mapping[tuple[str, str], str] | None,
) -> OwnedZone:
    zone = state.zone
    records = sorted(state.mirror.records(), key=lambda record: record.key)
    owned = {one.key: one for one in ledger.read(records)}
    proving = {mark.key for one in owned.values() for mark in one.marks}
    return OwnedZone(
        zone=zone_facts(zone, holding),
        owners=tuple(_owners(owned.values(), lambda owner: None if seen is None else seen.get((owner, zone.id), ""))),
        records=tuple(
            _standing(
                record,
                owned.get(record.key),
                orphan=(zone.id, record.key) in orphans,
                stray=record.key not in owned and record.key not in proving,
            )
            for record in records
        ),
    )


def _standing(record: Record, owned: Owned | None, *, orphan: bool, stray: bool) -> StandingRecord:
    return StandingRecord(
        name=record.name,
        type=record.type,
        set_identifier=record.set_identifier,
        record=record_facts(record),
        owner=owned.owner if owned else None,
        ours=owned is not None and owned.ours,
        made_for=owned.resource if owned else "",
        orphan=orphan,
        mark=owned is None,
        stray=stray,
    )


def _owners(owned: Iterable[Owned], seen: Callable[[str], str | None]) -> Iterator[OwnerFacts]:
    """Each owner once: ours first, then others by id, then nobody."""
    counts = Counter((not one.ours, one.owner) for one in owned)
    for others, owner in sorted(counts, key=lambda one: (one[1] is None, one[0], one[1] or "")):
        records = counts[others, owner]
        yield OwnerFacts(owner=owner, ours=not others, records=records, seen=None if owner is None else seen(owner))


def _seen(kept: Document) -> dict[tuple[str, str], str]:
    """By owner and zone, when state was kept last."""
    return {
        (owner, id_): time_text(zone.most[-1][0])
        for owner, saved in shelf.owners(kept)
        for id_, zone in saved.zones
        if zone.most
    }


if __name__ == "__main__":
    sys.stdout.write(schema_text(OwnersFacts, "extdns owners --output=json"))
