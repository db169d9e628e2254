"""Records that extdns can take ownership of, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from extdns.documents.document import VERSION, Document, Version, ZoneDocument
from extdns.documents.plan import PlanEntry, build_entry, build_zone
from extdns.documents.plan_text import build_plan_row, describe_zone, format_table
from extdns.documents.snapshot import count_records
from extdns.documents.text import format_missing
from extdns.model.reason import Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from extdns.documents.plan import PassResult
    from extdns.model.change import Decision


class AdoptionDocument(Document, frozen=True):
    """Records that can be adopted; if `taken` is true, that were adopted.

    `refused` are records that cannot be adopted.
    """

    api_version: Version
    kind: Literal["Adoption"]
    provider: str
    owner: str
    taken: bool
    zones: tuple[ZoneDocument, ...]
    records: tuple[PlanEntry, ...]
    refused: tuple[PlanEntry, ...]
    missing: tuple[str, ...]


def build_adoption(
    result: PassResult, records: Sequence[Decision], refused: Sequence[Decision], *, taken: bool
) -> AdoptionDocument:
    """Describe *records* as adopted if *taken*, otherwise as candidates, and the *refused* ones with reasons."""
    return AdoptionDocument(
        api_version=VERSION,
        kind="Adoption",
        provider=result.config.control.provider,
        owner=result.config.registry.txt_owner_id,
        taken=taken,
        zones=tuple(build_zone(zone, counts) for zone, counts in sorted(count_records(result.engine).items())),
        records=tuple(map(build_entry, records)),
        refused=tuple(map(build_entry, refused)),
        missing=result.missing,
    )


def format_adoption(document: AdoptionDocument) -> Iterator[str]:
    """Yield the lines about an adoption: the records by zone, then what was done and what to do next."""
    text = Reason.PUBLISHED.row.text
    current = [replace(one, action="keep", reason=Reason.PUBLISHED.value, evidence=(text,)) for one in document.records]
    zones = {(zone.name, zone.id): zone for zone in document.zones}
    for zone, group in groupby(sorted((*current, *document.refused), key=_sort_key), key=lambda one: one.zone):
        yield describe_zone(zones.get((zone.name, zone.id), zone) if zone else None, document.provider)
        yield ""
        yield from format_table(map(build_plan_row, group))
        yield ""
    yield from format_missing(document.missing)
    yield from _format_conclusion(document)


def _sort_key(one: PlanEntry) -> tuple[str, ...]:
    zone = (one.zone.name, one.zone.id) if one.zone else ("", "")
    return (*zone, one.name, one.set_identifier, one.type, one.reason)


def _format_conclusion(document: AdoptionDocument) -> Iterator[str]:
    records, refused = len(document.records), len(document.refused)
    if refused:
        yield f"{format_count(refused, 'record')} {'could not' if document.taken else 'cannot'} be adopted."
    if records and document.taken:
        yield f"{format_count(records, 'record')} adopted. Only ownership records were written."
    elif records and document.missing:
        yield f"{format_count(records, 'record')} can be adopted; nothing is written until everything can be read."
    elif records:
        yield f"{format_count(records, 'record')} can be adopted. To adopt them: extdns adopt --yes [flags]"
    elif not refused:
        yield "Nothing to adopt: no record without an owner is exactly as an object requests."
