"""Properties of a fake zone: batches apply completely or not at all, and never leave an invalid zone."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.route53 import batch, names
from tests.fakes.route53.batch import Action, Change
from tests.fakes.route53.records import decode, encode
from tests.fakes.route53.zones import Author, Zone
from tests.fakes.service.answers import ApiError
from tests.strategies import combinations
from tests.unit.fakes.route53.raw_client import build_simple

POLICIES: tuple[dict[str, Any], ...] = ({"Weight": 1}, {"Region": "eu-west-1"})
VALUES = {"A": ("192.0.2.1", "192.0.2.2"), "TXT": ('"a"', '"b"'), "CNAME": ("a.test", "b.test")}


CONTENTS = tuple((kind, value) for kind, values in VALUES.items() for value in values)
ROUTINGS: tuple[dict[str, Any], ...] = (
    *[{}] * 4,
    *({"SetIdentifier": identifier, **policy} for identifier in ("one", "two") for policy in POLICIES),
)


def build_record(picked: tuple[str, tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    name, content, routing = picked
    return build_simple(f"{name}.example.com", *content) | routing


records = combinations(("a", "a-b", "b.a", "*", "z"), CONTENTS, ROUTINGS).map(build_record)
BATCHES = st.lists(st.tuples(st.sampled_from(Action), records), min_size=1, max_size=4)


def submit(zone: Zone, items: list[tuple[Action, dict[str, Any]]]) -> bool:
    changes = tuple(Change(action, decode(record)) for action, record in items)
    try:
        batch.apply(zone, changes, knows_health_check=lambda _: True)
    except ApiError:
        return False
    return True


@given(st.lists(BATCHES, max_size=12))
def test_after_any_batches_a_zone_has_the_records_of_exactly_the_accepted_ones(
    batches: list[list[tuple[Action, dict[str, Any]]]],
) -> None:
    zone = Zone(zone_id="Z", name="example.com.", account="1")
    expected = {record.key: record for record in zone.records()}
    for items in batches:
        before = zone.records()
        if not submit(zone, items):
            assert zone.records() == before
            continue
        for action, any_record in items:
            record = decode(any_record)
            if action is Action.DELETE:
                assert expected.pop(record.key) == record
            else:
                expected[record.key] = record
    assert [record.key for record in zone.records()] == sorted(expected)
    assert {record.key: record for record in zone.records()} == expected


@given(st.lists(BATCHES, max_size=12))
def test_records_at_one_name_can_always_coexist_whatever_batches_are_sent(
    batches: list[list[tuple[Action, dict[str, Any]]]],
) -> None:
    zone = Zone(zone_id="Z", name="example.com.", account="1")
    for items in batches:
        submit(zone, items)
    held: dict[str, list[Any]] = {}
    for record in zone.records():
        held.setdefault(record.name, []).append(record)
    for together in held.values():
        kinds = {record.type for record in together}
        assert "CNAME" not in kinds or kinds == {"CNAME"}
        for kind in kinds:
            policies = [record.routing and record.routing.policy for record in together if record.type == kind]
            assert len(policies) == 1 or (len(set(policies)) == 1 and policies[0] is not None)


@given(st.lists(BATCHES, max_size=12))
def test_replaying_the_recorded_edits_gives_the_current_records_of_the_zone(
    batches: list[list[tuple[Action, dict[str, Any]]]],
) -> None:
    zone = Zone(zone_id="Z", name="example.com.", account="1")
    replayed = {record.key: record for record in zone.records()}
    for items in batches:
        submit(zone, items)
    for edit in zone.edits:
        assert edit.by is Author.API
        assert edit.before != edit.after
        if edit.before:
            assert replayed.pop(edit.before.key) == edit.before
        if edit.after:
            replayed[edit.after.key] = edit.after
    assert replayed == {record.key: record for record in zone.records()}


@given(records)
def test_an_encoded_record_set_decodes_to_the_same_record_set(any_record: dict[str, Any]) -> None:
    record = decode(any_record)
    assert decode(encode(record)) == record
    assert encode(record) == any_record | {"Name": names.normalize(any_record["Name"])}
