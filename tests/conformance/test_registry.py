"""Conformance tests of all registries. To add one, extend `REGISTRIES`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.flags.specs import REGISTRY_SPECS
from extdns.model.change import Change, Create, Delete, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import OwnedRecord, Record
from extdns.ports import Registry
from registry.aws_sd.registry import DescriptionRegistry
from registry.noop.registry import NoopRegistry
from tests.builders import build_registry, build_row_registry, create, delete, update
from tests.unit.registry.completion import build_writes, is_restated
from tests.unit.registry.zone_records import ZONE, apply, build_desired, build_name, ownership_record, record

REGISTRIES: Final[dict[str, Registry]] = {
    "aws-sd": DescriptionRegistry(owner="me", managed_types=frozenset({"A", "AAAA", "CNAME"})),
    "crd": build_row_registry(),
    "dynamodb": build_row_registry(build_registry(prefix="e.")),
    "noop": NoopRegistry(),
    "txt": build_registry(),
    "txt-prefix": build_registry(prefix="e."),
    "txt-template": build_registry(prefix="e-%{record_type}."),
    "txt-suffix": build_registry(suffix="-e"),
    "txt-compat": build_registry(unmarked_creates=True),
}
FOREIGN: Final = [record("A", "web"), record("MX", "foo"), record("TXT", "spf"), record("CNAME", "ftp", sid="one")]
SETS: Final = (("A",), ("A", "AAAA"), ("CNAME",), ())


def test_each_registry_has_the_name_of_its_package_and_is_in_these_tests() -> None:
    assert [REGISTRY_SPECS.load(name).name for name in REGISTRY_SPECS.available] == list(REGISTRY_SPECS.available)
    assert {key for key in REGISTRIES if not key.startswith("txt-")} == {*REGISTRY_SPECS.available}


@pytest.fixture(params=REGISTRIES)
def registry(request: pytest.FixtureRequest) -> Registry:
    return REGISTRIES[request.param]


def test_a_registry_that_reads_foreign_records_returns_each_once_sorted_by_key(registry: Registry) -> None:
    shuffled = list(FOREIGN)
    Random(1).shuffle(shuffled)
    assert [owned.record for owned in registry.read(shuffled, ZONE)] == sorted(FOREIGN, key=lambda record: record.key)


def test_a_registry_that_reads_an_empty_list_of_records_returns_none(registry: Registry) -> None:
    assert registry.read([], ZONE) == ()


def test_a_registry_has_an_owner_id_unless_it_treats_all_records_as_ours(registry: Registry) -> None:
    proves = not all(owned.is_ours for owned in registry.read(FOREIGN, ZONE))
    assert registry.owner == ("me" if proves else "")


@pytest.mark.parametrize("host", ["@", "_extdns-a", "web", "a-web", "*", "a" * 63])
def test_related_names_of_a_name_are_unique_and_the_relation_holds_in_both_directions(
    registry: Registry, host: str
) -> None:
    name = build_name(host)
    related = registry.related_names(name, ZONE)
    assert len(related) == len(set(related) - {name})
    assert all(name in registry.related_names(DnsName(other), ZONE) for other in related)


def read_foo(registry: Registry, records: Sequence[Record]) -> dict[str, OwnedRecord]:
    found = registry.read(records, ZONE)
    return {owned.record.type: owned for owned in found if owned.record.name == build_name("foo")}


def build_changes(registry: Registry, records: Sequence[Record], types: Sequence[str], target: str) -> list[Change]:
    """Return the changes after which `foo` has the records of *types*."""
    held = read_foo(registry, records)
    found: list[Change] = []
    for rtype in ("A", "AAAA", "CNAME"):
        endpoint = build_desired(rtype, "foo", "service/d/one", target=target if rtype == "A" else "")
        if rtype in types:
            found += [update(held[rtype], endpoint)] if rtype in held else [create(endpoint)]
        elif rtype in held:
            found.append(delete(held[rtype]))
    return found


def check_writes(changes: Sequence[Change], done: Sequence[Write]) -> None:
    """Check that *done* contains a write for each change, and each key only once."""
    assert [write.key for write in done] == sorted({write.key for write in done})
    by_key = {write.key: (write.old, write.new) for write in done}
    for change in changes:
        match change:
            case Create(desired=endpoint):
                assert by_key[change.key] == (None, endpoint)
            case Update(current=held, desired=endpoint):
                assert by_key[change.key] == (held.record, endpoint)
            case Delete(current=held):
                assert by_key[change.key] == (held.record, None)


def check_zone(registry: Registry, records: Sequence[Record], types: Sequence[str], target: str) -> None:
    """Check that `foo` has exactly the records of *types* with our ownership records, and its foreign MX record."""
    existing = read_foo(registry, records)
    assert set(existing) == {*types, "MX"}
    for rtype in types:
        assert (existing[rtype].is_ours, existing[rtype].has_current_format) == (True, True)
        assert (
            existing[rtype].record.targets == build_desired(rtype, "foo", target=target if rtype == "A" else "").targets
        )


@given(
    st.sampled_from(sorted(REGISTRIES)),
    st.lists(st.tuples(st.sampled_from(SETS), st.sampled_from(("192.0.2.1", "192.0.2.2"))), min_size=1, max_size=5),
)
def test_after_a_name_was_created_changed_and_deleted_a_registry_leaves_only_the_foreign_records(
    key: str, steps: list[tuple[tuple[str, ...], str]]
) -> None:
    registry = REGISTRIES[key]
    records = apply(FOREIGN, ())
    for types, target in (*steps, ((), "")):
        if changes := build_changes(registry, records, types, target):
            done = build_writes(registry, records, *changes)
            check_writes(changes, done)
            records = apply(records, done)
        check_zone(registry, records, types, target)
        if types:
            assert all(
                is_restated(write)
                for write in build_writes(registry, records, *build_changes(registry, records, types, target))
            )
    assert records == apply(FOREIGN, ())


def test_a_registry_reads_records_with_invalid_ownership_texts_without_error(registry: Registry) -> None:
    records = [
        record("TXT", f"t{number}", target=text) for number, text in enumerate(('"', "", "=,=", "\ud800", '"heritage='))
    ]
    assert len(registry.read(records, ZONE)) == len(records)


def test_an_ownership_record_of_another_owner_makes_no_record_ours(registry: Registry) -> None:
    before = {owned.key: owned.is_ours for owned in registry.read(FOREIGN, ZONE)}
    annotated = [
        *FOREIGN,
        ownership_record("a-web", "other"),
        ownership_record("e.a-web", "other"),
        ownership_record("e-a.web", "other"),
        ownership_record("a-web-e", "other"),
    ]
    after = {owned.key: owned.is_ours for owned in registry.read(annotated, ZONE)}
    assert {key: after[key] for key in before} == before
