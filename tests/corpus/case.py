"""One recorded case: what was given, and what the reference made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.corpus.recordsets import RecordSet, settled

CASES: Final = Path(__file__).parent / "cases"

Zones = Mapping[str, Sequence[RecordSet]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case of the corpus.

    Attributes:
        id: the name of its folder.
        flags: as a user gave them.
        zones: as the fake makes them: id, name, visibility, tags and what they held before.
        outcomes: the zones afterwards, by zone id and settled; more than one where the reference
            depends on chance.
        failed: whether the reference ended with an exit code other than 0; None: it does not count.
        quirk: what is wrong with what was recorded, "" if nothing is.
    """

    id: str
    flags: tuple[str, ...]
    environ: Mapping[str, str]
    zones: tuple[Mapping[str, Any], ...]
    outcomes: tuple[Zones, ...]
    failed: bool | None
    quirk: str

    @property
    def health_checks(self) -> set[str]:
        """The health checks that are recorded, which must have been there."""
        zones = (sets for outcome in self.outcomes for sets in outcome.values())
        return {found["HealthCheckId"] for sets in zones for found in sets if "HealthCheckId" in found}

    @property
    def objects(self) -> Path:
        """The manifests, which may not exist."""
        return CASES / self.id / "objects.yaml"


def names() -> list[str]:
    """The ids of all cases, sorted."""
    return sorted(path.name for path in CASES.iterdir() if path.is_dir())


def load(name: str) -> Case:
    """Read the case *name*."""
    given = yaml.safe_load((CASES / name / "case.yaml").read_text(encoding="utf-8"))
    expected = json.loads((CASES / name / "expect.json").read_text(encoding="utf-8"))
    before = given.get("before", {})
    return Case(
        id=name,
        flags=tuple(given["flags"]),
        environ=given.get("env", {}),
        zones=tuple(_zone(zone, before.get(zone["id"], ())) for zone in given["zones"]),
        outcomes=tuple(map(_settled, (expected["zones"], *expected.get("unstable", ())))),
        failed=None if given.get("any_exit") else expected["exit"] != 0,
        quirk=given.get("quirk", ""),
    )


def _zone(given: Mapping[str, Any], before: Sequence[RecordSet]) -> Mapping[str, Any]:
    return {
        "name": given["name"],
        "zone_id": given["id"],
        "private": given["private"],
        "tags": given.get("tags", {}),
        "records": before,
    }


def _settled(zones: Zones) -> Zones:
    return {zone: settled(sets) for zone, sets in zones.items()}
