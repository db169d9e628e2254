"""What every registry promises; one takes part by its entry in `REGISTRIES`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.change import Change, Create, Delete, Update, Write
from extdns.model.record import Record
from extdns.ports import Registry
from registry.noop import NoopRegistry
from tests.unit.registry.scene import (
    apply,
    create,
    delete,
    full,
    is_restated,
    mark,
    record,
    txt,
    update,
    wanted,
    writes,
)

REGISTRIES: Final[dict[str, Registry]] = {
    "noop": NoopRegistry(),
    "txt": txt(),
    "txt-prefix": txt(prefix="e."),
    "txt-template": txt(prefix="e-%{record_type}."),
    "txt-suffix": txt(suffix="-e"),
    "txt-compat": txt(unmarked_creates=True),
}
FOREIGN: Final = [record("A", "web"), record("MX", "foo"), record("TXT", "spf"), record("CNAME", "ftp", sid="one")]
SETS: Final = (("A",), ("A", "AAAA"), ("CNAME",), ())


@pytest.fixture(params=REGISTRIES)
def registry(request: pytest.FixtureRequest) -> Registry:
    return REGISTRIES[request.param]


def test_records_are_read_once_each_by_key(registry: Registry) -> None:
    shuffled = list(FOREIGN)
    Random(1).shuffle(shuffled)
    assert [owned.record for owned in registry.read(shuffled)] == sorted(FOREIGN, key=lambda record: record.key)


def test_nothing_at_all_is_read_as_nothing(registry: Registry) -> None:
    assert registry.read([]) == ()


def test_an_owner_is_told_by_those_that_prove_one(registry: Registry) -> None:
    proves = not all(owned.ours for owned in registry.read(FOREIGN))
    assert bool(registry.owner) is proves


@pytest.mark.parametrize("host", ["@", "web", "a-web", "*", "a" * 63])
def test_kin_is_mutual_and_each_once(registry: Registry, host: str) -> None:
    name = full(host)
    kin = registry.related(name)
    assert len(kin) == len(set(kin) - {name})
    assert all(name in registry.related(other) for other in kin)


def changes_to(registry: Registry, records: Sequence[Record], types: Sequence[str], target: str) -> list[Change]:
    """What makes the records of `foo` those of *types*."""
    held = {owned.record.type: owned for owned in registry.read(records) if owned.record.name == full("foo")}
    found: list[Change] = []
    for rtype in ("A", "AAAA", "CNAME"):
        endpoint = wanted(rtype, "foo", "service/d/one", target=target if rtype == "A" else "")
        if rtype in types:
            found += [update(held[rtype], endpoint)] if rtype in held else create(endpoint)
        elif rtype in held:
            found.append(delete(held[rtype]))
    return found


def check_writes(changes: Sequence[Change], done: Sequence[Write]) -> None:
    """Every change is written as asked, and no key twice."""
    assert [write.key for write in done] == sorted({write.key for write in done})
    by_key = {write.key: (write.old, write.new) for write in done}
    for change in changes:
        match change:
            case Create(wanted=endpoint):
                assert by_key[change.key] == (None, endpoint)
            case Update(held=held, wanted=endpoint):
                assert by_key[change.key] == (held.record, endpoint)
            case Delete(held=held):
                assert by_key[change.key] == (held.record, None)


def check_zone(registry: Registry, records: Sequence[Record], types: Sequence[str], target: str) -> None:
    """`foo` has just *types*, ours and marked, beside the MX that it always had."""
    standing = {owned.record.type: owned for owned in registry.read(records) if owned.record.name == full("foo")}
    assert set(standing) == {*types, "MX"}
    for rtype in types:
        assert (standing[rtype].ours, standing[rtype].marked) == (True, True)
        assert standing[rtype].record.targets == wanted(rtype, "foo", target=target if rtype == "A" else "").targets


@given(
    st.sampled_from(sorted(REGISTRIES)),
    st.lists(st.tuples(st.sampled_from(SETS), st.sampled_from(("192.0.2.1", "192.0.2.2"))), min_size=1, max_size=5),
)
def test_a_name_goes_through_any_changes_and_leaves_no_trace(
    key: str, steps: list[tuple[tuple[str, ...], str]]
) -> None:
    registry = REGISTRIES[key]
    records = apply(FOREIGN, ())
    for types, target in (*steps, ((), "")):
        if changes := changes_to(registry, records, types, target):
            done = writes(registry, records, *changes)
            check_writes(changes, done)
            records = apply(records, done)
        check_zone(registry, records, types, target)
        if types:
            assert all(
                is_restated(write) for write in writes(registry, records, *changes_to(registry, records, types, target))
            )
    assert records == apply(FOREIGN, ())


def test_garbage_is_read_without_complaint(registry: Registry) -> None:
    records = [
        record("TXT", f"t{number}", target=text) for number, text in enumerate(('"', "", "=,=", "\ud800", '"heritage='))
    ]
    assert len(registry.read(records)) == len(records)


def test_a_mark_of_another_owner_makes_nothing_ours_that_was_not(registry: Registry) -> None:
    before = {owned.key: owned.ours for owned in registry.read(FOREIGN)}
    marked = [
        *FOREIGN,
        mark("a-web", "other"),
        mark("e.a-web", "other"),
        mark("e-a.web", "other"),
        mark("a-web-e", "other"),
    ]
    after = {owned.key: owned.ours for owned in registry.read(marked)}
    assert {key: after[key] for key in before} == before
