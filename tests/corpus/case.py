"""The cases of the corpus: objects, flags and zones, and the zones that external-dns made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.corpus.recordsets import RecordSet, normalize_record_sets

CASES: Final = Path(__file__).parent / "cases"

Zones = Mapping[str, Sequence[RecordSet]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case of the corpus.

    Attributes:
        id: the name of the folder of the case.
        flags: the command-line flags.
        zones: the zones before the run, as keyword arguments of `Route53.add_zone`.
        recorded: the record sets after the run of external-dns, by zone id; several versions if the result
            depends on chance.
        failed: whether external-dns ended with an exit code other than 0; None if any exit code is accepted.
        quirk: the defect of external-dns that the recorded zones show, "" if none.
    """

    id: str
    flags: tuple[str, ...]
    environ: Mapping[str, str]
    zones: tuple[Mapping[str, Any], ...]
    recorded: tuple[Zones, ...]
    failed: bool | None
    quirk: str

    @property
    def outcomes(self) -> tuple[Zones, ...]:
        """The recorded zones, normalized; several where external-dns depends on chance."""
        return tuple(map(_normalize_zones, self.recorded))

    @property
    def health_checks(self) -> set[str]:
        zones = (sets for outcome in self.recorded for sets in outcome.values())
        return {found["HealthCheckId"] for sets in zones for found in sets if "HealthCheckId" in found}

    @property
    def objects(self) -> Path:
        """The path of the manifests; the file may not exist."""
        return CASES / self.id / "objects.yaml"


def names() -> list[str]:
    return sorted(path.name for path in CASES.iterdir() if path.is_dir())


def load(name: str) -> Case:
    config = yaml.load((CASES / name / "case.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    expected = json.loads((CASES / name / "expect.json").read_text(encoding="utf-8"))
    before = config.get("before", {})
    return Case(
        id=name,
        flags=tuple(config["flags"]),
        environ=config.get("env", {}),
        zones=tuple(_zone(zone, before.get(zone["id"], ())) for zone in config["zones"]),
        recorded=(expected["zones"], *expected.get("unstable", ())),
        failed=None if config.get("any_exit") else expected["exit"] != 0,
        quirk=config.get("quirk", ""),
    )


def _zone(config: Mapping[str, Any], before: Sequence[RecordSet]) -> Mapping[str, Any]:
    return {
        "name": config["name"],
        "zone_id": config["id"],
        "private": config["private"],
        "tags": config.get("tags", {}),
        "records": before,
    }


def _normalize_zones(zones: Zones) -> Zones:
    return {zone: normalize_record_sets(sets) for zone, sets in zones.items()}
