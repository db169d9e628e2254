"""The registry without ownership records (docs/spec/plan.md 3.1)."""

from __future__ import annotations

from extdns.model.change import ChangeSet
from registry.noop.registry import NoopRegistry
from tests.builders import create, delete, update
from tests.unit.registry.completion import creates, deletes, list_ours, summarize_writes, updates
from tests.unit.registry.zone_records import ZONE, build_desired, key, ownership_record, record

RECORDS = [record("MX", "foo"), ownership_record("a-foo", "other"), record("A", "foo")]


def test_the_noop_registry_counts_all_records_as_ours() -> None:
    assert list_ours(NoopRegistry(), RECORDS) == {key("A", "foo"), key("MX", "foo"), key("TXT", "a-foo")}


def test_the_noop_registry_has_no_ownership_records() -> None:
    for owned in NoopRegistry().read(RECORDS, ZONE):
        assert (owned.owner, owned.ownership_records, owned.labels, owned.has_current_format) == (None, (), (), True)
    assert NoopRegistry().owner == ""
    assert NoopRegistry().related_names(RECORDS[0].name, ZONE) == ()


def test_the_noop_registry_turns_changes_into_sorted_writes() -> None:
    _, a, mx = NoopRegistry().read(RECORDS, ZONE)
    changes = (
        delete(mx),
        update(a, build_desired("A", "foo", target="192.0.2.9")),
        create(build_desired("AAAA", "foo", "r")),
    )
    done = NoopRegistry().complete(ChangeSet(zone=ZONE, name=a.key.name, changes=changes), RECORDS)
    assert summarize_writes(done.writes) == [updates("A", "foo"), creates("AAAA", "foo"), deletes("MX", "foo")]
    assert done.changes == changes
