"""The status for programs; its schema: `python -m extdns.commands.statusfacts > docs/reference/status.schema.json`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from extdns.engine.budget import WINDOW_S
from extdns.facts.document import VERSION, Facts, Version, ZoneName, schema_text
from extdns.kube import shelf

if TYPE_CHECKING:
    from extdns.kube.shelf import Document
    from extdns.model.saved import SavedZone


class HeldRecord(Facts, frozen=True):
    """A record whose delete is held, and on what evidence it would go."""

    name: str
    type: str
    set_identifier: str
    evidence: str


class ZoneStatus(Facts, frozen=True):
    """What is known of a zone as of `saved`: records are ours, deleted are those of the last ten minutes that count.

    `releaseCode` is the code that releases the `held` deletes, "" if none is held; `heldRecords` are the first fifty of
    them. `released` deletes may be made until `releasedUntil`. Where the settings are not `accepted`, records that
    nobody asks for are held.
    """

    zone: ZoneName
    saved: str
    records: int
    held: int
    held_records: tuple[HeldRecord, ...]
    release_code: str
    deleted: int
    deleted_by_absence: int
    released: int
    released_until: str
    accepted: bool


class OwnerStatus(Facts, frozen=True):
    """What is kept for one owner id."""

    owner: str
    zones: tuple[ZoneStatus, ...]


class StatusFacts(Facts, frozen=True):
    """What the state tells: `held` deletes in all, releases that no process has taken in yet, and broken values."""

    held: int
    owners: tuple[OwnerStatus, ...]
    waiting: tuple[str, ...]
    unreadable: tuple[str, ...]
    api_version: Version = VERSION
    kind: Literal["Status"] = "Status"


def status_facts(document: Document, now_s: float) -> StatusFacts:
    """What *document* tells at *now_s* (seconds since the epoch)."""
    owners = tuple(
        OwnerStatus(owner=owner, zones=tuple(_zone(id_, zone, now_s) for id_, zone in kept.zones))
        for owner, kept in shelf.owners(document)
    )
    return StatusFacts(
        held=sum(zone.held for owner in owners for zone in owner.zones),
        owners=owners,
        waiting=shelf.released(document),
        unreadable=tuple(shelf.unreadable(document)),
    )


def _held_record(kept: tuple[str, str, str, str]) -> HeldRecord:
    name, rtype, identifier, evidence = kept
    return HeldRecord(name=name, type=rtype, set_identifier=identifier, evidence=evidence)


def _zone(id_: str, zone: SavedZone, now_s: float) -> ZoneStatus:
    made = [by_absence for at_s, by_absence in zone.made if at_s > now_s - WINDOW_S]
    until = [until_s for _, until_s in zone.released if until_s > now_s]
    saved_s, records = zone.most[-1] if zone.most else (None, 0)
    held = dict(zone.shown).get(zone.held, ())
    return ZoneStatus(
        zone=ZoneName(name=zone.name, id=id_),
        saved=time_text(saved_s),
        records=records,
        held=len(held),
        held_records=tuple(map(_held_record, zone.records)),
        release_code=zone.held if held else "",
        deleted=len(made),
        deleted_by_absence=sum(made),
        released=len(until),
        released_until=time_text(max(until, default=None)),
        accepted=bool(zone.fingerprint),
    )


def time_text(at_s: float | None) -> str:
    """RFC 3339, "" for a time that is none."""
    try:
        return "" if at_s is None else f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, ValueError, OSError):
        return ""


if __name__ == "__main__":
    sys.stdout.write(schema_text(StatusFacts, "extdns status --output=json"))
