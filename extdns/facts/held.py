"""Documents about deletes that wait for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from extdns.facts.areas import Area
from extdns.facts.document import VERSION, Facts, ZoneName, zone_name

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.facts.snapshot import ZoneEntry


class HeldRecord(Facts, frozen=True):
    """A record whose delete is held, and on what evidence it would go, as a reason code."""

    name: str
    type: str
    set_identifier: str
    targets: tuple[str, ...]
    made_for: str
    evidence: str


class HeldSet(Facts, frozen=True):
    """Deletes of one zone that wait for a person, and the command that releases them."""

    zone: ZoneName
    release_code: str
    command: str
    owned: int
    records: tuple[HeldRecord, ...]


class HeldFacts(Area, frozen=True):
    """All deletes that are held."""

    kind: Literal["Held"]
    items: tuple[HeldSet, ...]


def held_facts(live: Live, config: Config) -> HeldFacts:
    """All deletes that are held, by zone."""
    items = tuple(held_set(entry, config) for entry in live.seen.zones if entry.code)
    return HeldFacts(api_version=VERSION, kind="Held", at=live.at, items=items)


def held_set(entry: ZoneEntry, config: Config) -> HeldSet:
    """The deletes of a zone that are held."""
    return HeldSet(
        zone=zone_name(entry.zone),
        release_code=entry.code,
        command=release_command(config, entry.code),
        owned=entry.owned,
        records=tuple(
            HeldRecord(
                name=one.owned.record.name,
                type=one.owned.record.type,
                set_identifier=one.owned.record.set_identifier,
                targets=one.owned.record.targets,
                made_for=one.owned.resource,
                evidence=one.evidence.value,
            )
            for one in entry.held
        ),
    )


def release_command(config: Config, code: str) -> str:
    """The command that releases what is held under *code*: told to the kept state, or where there is none to extdns."""
    if config.deletes.state_file:
        return f"extdns release {code} --state-file={config.deletes.state_file}"
    return f"extdns --release={code} [flags]" if config.cluster.manifests else f"extdns release {code}"
