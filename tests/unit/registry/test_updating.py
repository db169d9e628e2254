"""Updates and the marks that go with them (spec plan 3.2.6 to 3.2.8, 3.2.10, 10.3, 11; design 2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from extdns.model.change import Change, ChangeSet
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.ttl import UNSET
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import (
    ZONE,
    apply,
    blocked,
    create,
    delete,
    find,
    is_restated,
    mark,
    ours,
    record,
    txt,
    update,
    wanted,
    words,
    writes,
)

ONE = "service/d/one"
TWO = "service/d/two"


def test_an_update_restates_what_did_not_change() -> None:
    proof = mark("a-foo", resource=ONE)
    records = [record("A", "foo"), proof]
    held = find(txt(), records, "A foo")
    assert words(writes(txt(), records, update(held, wanted("A", "foo", ONE)))) == ["= TXT a-foo", "= A foo"]
    done = writes(txt(), records, update(held, wanted("A", "foo", TWO, target="192.0.2.2")))
    assert words(done) == ["~ TXT a-foo", "~ A foo"]
    assert [write.old for write in done] == [proof, held.record]


def test_an_update_writes_the_mark_with_the_ttl_of_the_service() -> None:
    """3.2.7: whatever it stood with."""
    records = [record("A", "foo"), replace(mark("a-foo", resource=ONE), ttl_s=60)]
    held = find(txt(), records, "A foo")
    done = writes(txt(), records, update(held, wanted("A", "foo", ONE, target="192.0.2.2")))
    assert [(write.old.ttl_s, write.new.ttl_s) for write in done if write.old and write.new] == [
        (60, UNSET),
        (300, 300),
    ]


@pytest.mark.parametrize(
    ("registry", "records", "expected"),
    [
        pytest.param(
            txt(),
            [record("CNAME", "foo"), mark("foo", resource=ONE)],
            ["+ TXT cname-foo", "= TXT foo", "= CNAME foo"],
            id="3.2.10-untyped",
        ),
        pytest.param(
            txt(),
            [record("A", "foo", alias="true"), mark("cname-foo", resource=ONE)],
            ["+ TXT a-foo", "= TXT cname-foo", "= A foo"],
            id="3.2.10-alias",
        ),
        pytest.param(
            txt(prefix="e-%{record_type}."),
            [record("A", "foo"), mark("e-.a-foo", resource=ONE)],
            ["= TXT e-.a-foo", "+ TXT e-a.foo", "= A foo"],
            id="3.2.2-dashed",
        ),
        pytest.param(
            txt(),
            [record("A", "a-foo"), mark("a-foo", resource=ONE)],
            ["+ TXT a-a-foo", "- TXT a-foo", "= A a-foo"],
            id="11-an-old-mark-that-could-be-anothers-goes",
        ),
        pytest.param(
            txt(types=("A", "MX")),
            [record("A", "a-foo"), record("MX", "a-foo"), mark("a-foo", resource=ONE)],
            ["+ TXT a-a-foo", "= TXT a-foo", "= A a-foo"],
            id="11-unless-another-record-still-needs-it",
        ),
    ],
)
def test_a_missing_mark_is_added(registry: TxtRegistry, records: list[Record], expected: list[str]) -> None:
    (held, *_) = (owned for owned in registry.read(records) if not owned.marked)
    like = held.record
    endpoint = replace(wanted(like.type, "foo", ONE), name=like.name, properties=like.properties)
    done = writes(registry, records, update(held, endpoint, "mark"))
    assert sorted(words(done)) == sorted(expected)
    after = {owned.key: owned for owned in registry.read(apply(records, done))}
    assert after[like.key].marked


def test_a_foreign_neighbour_stays_foreign_after_the_old_mark_is_replaced() -> None:
    """11: A `foo` is somebody's; `a-foo` is ours by its old mark, and gets one of today's."""
    registry = txt()
    records = [record("A", "foo"), record("A", "a-foo"), mark("a-foo", resource=ONE)]
    for _ in range(2):
        held = find(registry, records, "A a-foo")
        records = apply(records, writes(registry, records, update(held, wanted("A", "a-foo", ONE))))
        assert ours(registry, records) == {"A a-foo"}
    records = apply(records, writes(registry, records, delete(find(registry, records, "A a-foo"))))
    assert records == [record("A", "foo")]


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        pytest.param(mark("a-foo", "other"), None, id="anothers-mark-proves-it-anothers"),
        pytest.param(record("TXT", "a-foo"), Reason.NO_OWNERSHIP_NAME, id="foreign-txt"),
        pytest.param(record("CNAME", "a-foo"), Reason.NO_OWNERSHIP_NAME, id="foreign-cname"),
    ],
)
def test_a_missing_mark_whose_name_is_taken_blocks(there: Record, reason: Reason | None) -> None:
    records = [record("A", "foo"), mark("foo"), there]
    held = find(txt(), records, "A foo")
    if reason is None:
        assert not held.ours
    else:
        assert blocked(txt(), records, update(held, wanted("A", "foo"))).reason is reason


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("@", id="apex"),
        pytest.param("a" * 63, id="long-label"),
        pytest.param("a-" + "b" * 61, id="long-label-like-a-mark"),
    ],
)
def test_where_todays_mark_cannot_be_the_old_one_does(host: str) -> None:
    records = [record("A", host), mark(host)]
    (held,) = txt().read(records)
    done = writes(txt(), records, update(held, wanted("A", host, target="192.0.2.9")))
    assert sorted(words(done)) == sorted([f"~ A {host}", f"= TXT {host}"])


def test_asking_only_for_a_mark_that_cannot_be_writes_nothing() -> None:
    """Else every pass would write the same again."""
    records = [record("A", "@"), mark("@")]
    (held,) = txt().read(records)
    why = blocked(txt(), records, update(held, wanted("A", "@"), "mark"))
    assert why.reason is Reason.PROGRAMMED


def test_an_old_mark_that_cannot_be_taken_over_alone_is_told() -> None:
    """3.2.8: the A and the MX of an old owner share it, and only one of them is asked for."""
    registry = txt(types=("A", "MX"), migrate_from="old")
    records = [record("A", "@"), record("MX", "@"), mark("@", "old")]
    held = find(registry, records, "A @")
    assert blocked(registry, records, update(held, wanted("A", "@"), "owner")).reason is Reason.NO_OWNERSHIP_NAME


def test_a_migrated_record_gets_our_mark() -> None:
    """3.2.8; the old mark is what must stand there, in the words of the old owner."""
    registry = txt(migrate_from="old")
    proof = mark("a-a", "old", ONE)
    records = [record("A", "a"), proof]
    done = writes(registry, records, update(find(registry, records, "A a"), wanted("A", "a", ONE), "owner"))
    assert words(done) == ["~ TXT a-a", "= A a"]
    assert done[0].old == proof
    assert find(registry, apply(records, done), "A a").owner == "me"
    assert find(txt(), apply(records, done), "A a").ours


def test_old_marks_migrate_with_the_record_they_prove_alone() -> None:
    registry = txt(types=("A", "MX"), migrate_from="old")
    records = [record("A", "foo"), mark("foo", "old", ONE)]
    done = writes(registry, records, update(find(registry, records, "A foo"), wanted("A", "foo", ONE), "owner"))
    assert words(done) == ["+ TXT a-foo", "= A foo", "~ TXT foo"]
    assert find(registry, apply(records, done), "A foo").marks == (mark("a-foo", "me", ONE), mark("foo", "me", ONE))
    records.append(record("MX", "foo"))
    done = writes(registry, records, update(find(registry, records, "A foo"), wanted("A", "foo", ONE), "owner"))
    assert words(done) == ["+ TXT a-foo", "= A foo", "= TXT foo"]
    assert find(registry, apply(records, done), "MX foo").owner == "old"


@pytest.mark.parametrize(
    ("proofs", "reason"),
    [
        pytest.param([], Reason.FOREIGN_RECORD, id="nobodys"),
        pytest.param([mark("a-foo", "owner-2")], Reason.OWNED_BY_OTHER, id="10.3-anothers"),
    ],
)
@pytest.mark.parametrize(
    "change",
    [pytest.param(delete, id="delete"), pytest.param(lambda held: update(held, wanted("A", "foo")), id="update")],
)
def test_what_is_not_ours_is_not_changed_even_if_asked(
    proofs: list[Record], reason: Reason, change: Callable[..., Change]
) -> None:
    records = [record("A", "foo"), *proofs]
    assert blocked(txt(), records, change(find(txt(), records, "A foo"))).reason is reason


def test_a_change_that_would_make_a_foreign_record_ours_is_not_made() -> None:
    """The mark of CNAME `foo` would be the old mark of the A alias that somebody made there."""
    records = [record("A", "foo", alias="true")]
    assert blocked(txt(), records, *create(wanted("CNAME", "foo"))).reason is Reason.MARK_CLASH


def test_nothing_to_change_is_nothing_to_write() -> None:
    change_set = ChangeSet(zone=ZONE, name=record("A", "foo").name, changes=())
    assert txt().complete(change_set, []) == change_set


def test_record_and_mark_both_gone_are_made_again() -> None:
    """10.3: and no further changes in the two passes after."""
    records = apply([], writes(txt(), [], *create(wanted("A", "foo", ONE))))
    for _ in range(2):
        done = writes(txt(), records, update(find(txt(), records, "A foo"), wanted("A", "foo", ONE)))
        assert all(is_restated(write) for write in done)
        records = apply(records, done)
    assert ours(txt(), records) == {"A foo"}
