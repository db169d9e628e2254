"""Whatever is submitted: all or nothing, in order, and nothing that the API excludes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.route53 import batch, names
from tests.fakes.route53.batch import Action, Change
from tests.fakes.route53.probe import simple
from tests.fakes.route53.records import decode, encode
from tests.fakes.route53.zones import Author, Zone
from tests.fakes.service.answers import ApiError

VALUES = {"A": ("192.0.2.1", "192.0.2.2"), "TXT": ('"a"', '"b"'), "CNAME": ("a.test", "b.test")}


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(VALUES)))
    name = draw(st.sampled_from(["a", "a-b", "b.a", "*", "z"]))
    record = simple(f"{name}.example.com", kind, draw(st.sampled_from(VALUES[kind])))
    policy = draw(st.sampled_from([None, None, "Weight", "Region"]))
    if policy:
        record["SetIdentifier"] = draw(st.sampled_from(["one", "two"]))
        record[policy] = 1 if policy == "Weight" else "eu-west-1"
    return record


BATCHES = st.lists(st.tuples(st.sampled_from(Action), records()), min_size=1, max_size=4)


def submit(zone: Zone, items: list[tuple[Action, dict[str, Any]]]) -> bool:
    changes = tuple(Change(action, decode(record)) for action, record in items)
    try:
        batch.apply(zone, changes, knows_health_check=lambda _: True)
    except ApiError:
        return False
    return True


@given(st.lists(BATCHES, max_size=12))
def test_a_zone_holds_what_accepted_batches_leave(batches: list[list[tuple[Action, dict[str, Any]]]]) -> None:
    zone = Zone(zone_id="Z", name="example.com.", account="1")
    expected = {record.key: record for record in zone.records()}
    for items in batches:
        before = zone.records()
        if not submit(zone, items):
            assert zone.records() == before
            continue
        for action, given_record in items:
            record = decode(given_record)
            if action is Action.DELETE:
                assert expected.pop(record.key) == record
            else:
                expected[record.key] = record
    assert [record.key for record in zone.records()] == sorted(expected)
    assert {record.key: record for record in zone.records()} == expected


@given(st.lists(BATCHES, max_size=12))
def test_what_stands_may_stand_together(batches: list[list[tuple[Action, dict[str, Any]]]]) -> None:
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
def test_edits_replayed_give_the_zone(batches: list[list[tuple[Action, dict[str, Any]]]]) -> None:
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


@given(records())
def test_a_record_set_is_read_as_it_is_written(given_record: dict[str, Any]) -> None:
    record = decode(given_record)
    assert decode(encode(record)) == record
    assert encode(record) == given_record | {"Name": names.normalise(given_record["Name"])}
