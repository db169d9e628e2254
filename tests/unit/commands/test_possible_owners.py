"""Find ownership records of owners whose affixes and keys are unknown (docs/design/forgery.md)."""

from __future__ import annotations

import pytest

from extdns.commands.adoption import PossibleOwner, PossibleOwners
from extdns.model.record import Record
from registry.txt.ownership_index import PlainTextCodec
from tests.unit.registry.zone_records import build_name, ownership_record, record


def owner_of(target: Record, *others: Record) -> str | None:
    found = PossibleOwners([target, *others], (), PlainTextCodec()).find(target)
    return None if found is None else found.owner


@pytest.mark.parametrize(
    ("rtype", "name", "text", "expected"),
    [
        pytest.param("A", "www", "e.a-www", True, id="prefix-with-a-dot"),
        pytest.param("A", "www", "e-www", True, id="prefix-before-types"),
        pytest.param("A", "www", "e-a.www", True, id="prefix-with-the-type"),
        pytest.param("A", "www", "a-www-own", True, id="suffix"),
        pytest.param("A", "www", "a-www.own", True, id="suffix-with-a-dot"),
        pytest.param("A", "www", "www-a-own", True, id="suffix-with-the-type"),
        pytest.param("A", "www", "cname-www", True, id="alias"),
        pytest.param("A", "*", "e.a-any", True, id="wildcard-with-replacement"),
        pytest.param("AAAA", "*", "e.a-any", False, id="untyped-covers-aaaa-wildcard"),
        pytest.param("A", "@", "a-own", True, id="apex-with-a-templated-prefix"),
        pytest.param("A", "@", "a-x.test.", True, id="apex-in-the-parent-zone"),
        pytest.param("AAAA", "www", "e-www", False, id="untyped-does-not-cover-aaaa"),
        pytest.param("AAAA", "www", "e-aaaa-www", True, id="the-type-of-ipv6"),
        pytest.param("A", "www", "api", False, id="another-name"),
        pytest.param("A", "www.sub", "e-a-www", False, id="another-parent"),
    ],
)
def test_a_possible_owner_of_a_record_is_found_if_its_ownership_record_could_cover_the_record_with_any_affix(
    rtype: str, name: str, text: str, expected: bool
) -> None:
    assert (owner_of(record(rtype, name), ownership_record(text, "other")) == "other") is expected


def test_possible_owners_are_found_separately_for_each_set_identifier() -> None:
    target = record("A", "www", sid="blue")
    assert owner_of(target, ownership_record("e-a-www", "other")) is None
    assert owner_of(target, ownership_record("e-a-www", "other", sid="blue")) == "other"


def test_of_several_possible_ownership_records_the_one_with_the_first_name_counts() -> None:
    target = record("A", "www")
    found = PossibleOwners(
        [target, ownership_record("f-www", "one"), ownership_record("e-www", "two")], (), PlainTextCodec()
    ).find(target)
    assert found == PossibleOwner(build_name("e-www"), "two")


def test_an_ownership_record_named_for_an_existing_record_is_no_possible_owner_of_another_record() -> None:
    named = ownership_record("a-www", "other")
    assert owner_of(record("A", "www"), named) == "other"
    assert owner_of(record("A", "w"), record("A", "www"), named) is None
