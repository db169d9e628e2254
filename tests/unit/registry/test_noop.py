"""The registry that proves nothing (spec plan 3.1)."""

from __future__ import annotations

from extdns.model.change import ChangeSet
from registry.noop import NoopRegistry
from tests.unit.registry.scene import ZONE, create, delete, mark, ours, record, update, wanted, words

RECORDS = [record("MX", "foo"), mark("a-foo", "other"), record("A", "foo")]


def test_everything_counts_as_ours() -> None:
    assert ours(NoopRegistry(), RECORDS) == {"A foo", "MX foo", "TXT a-foo"}


def test_nothing_is_marked() -> None:
    for owned in NoopRegistry().read(RECORDS):
        assert (owned.owner, owned.marks, owned.labels, owned.marked) == (None, (), (), True)
    assert NoopRegistry().owner == ""
    assert NoopRegistry().related(RECORDS[0].name) == ()


def test_changes_become_plain_writes_in_order() -> None:
    _, a, mx = NoopRegistry().read(RECORDS)
    changes = (delete(mx), update(a, wanted("A", "foo", target="192.0.2.9")), *create(wanted("AAAA", "foo", "r")))
    done = NoopRegistry().complete(ChangeSet(zone=ZONE, name=a.key.name, changes=changes), RECORDS)
    assert words(done.writes) == ["~ A foo", "+ AAAA foo", "- MX foo"]
    assert done.changes == changes
