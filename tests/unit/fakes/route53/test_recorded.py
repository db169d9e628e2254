"""The fake Route 53 accepts the recorded changes of the corpus, and ends with the recorded zones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.fakes.route53.batch import Action, Change, apply
from tests.fakes.route53.records import decode, encode
from tests.fakes.route53.server import Route53

CASES: Final = Path(__file__).parents[3] / "corpus" / "cases"


def spelled(found: dict[str, Any]) -> str:
    values = [one if isinstance(one, str) else one["Value"] for one in found.get("ResourceRecords", ())]
    return json.dumps({**found, "ResourceRecords": sorted(values)}, sort_keys=True)


@pytest.mark.parametrize("name", sorted(case.name for case in CASES.iterdir() if (case / "expect.json").exists()))
def test_the_fake_route53_accepts_the_recorded_changes_of_a_corpus_case_and_ends_with_the_recorded_zones(
    name: str,
) -> None:
    original = yaml.load((CASES / name / "case.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    expected = json.loads((CASES / name / "expect.json").read_text(encoding="utf-8"))
    fake = Route53()
    for zone in original["zones"]:
        before = (original.get("before") or {}).get(zone["id"], ())
        fake.add_zone(zone["name"], zone_id=zone["id"], private=zone["private"], records=before)
    for zone_id in expected["zones"]:
        made = [one for one in expected["changes"] if one["zone"] == zone_id]
        changes = [Change(Action(one["action"]), decode(one["set"])) for one in made]
        changes.sort(key=lambda change: (change.record.name, change.record.type))
        changes.sort(key=lambda change: change.action, reverse=True)  # as they were sent: UPSERT, DELETE, CREATE
        apply(fake.api.zones[zone_id], tuple(changes), knows_health_check=lambda _: True)
        ended = [encode(record) for record in fake.records(zone_id)]
        assert sorted(map(spelled, ended)) == sorted(map(spelled, expected["zones"][zone_id]))
