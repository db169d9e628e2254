"""Deletes, and several changes at once, with the marks that go with them (spec plan 3.2.6, 11; design 2)."""

from __future__ import annotations

import pytest

from extdns.model.record import Record
from tests.unit.registry.scene import (
    create,
    delete,
    find,
    mark,
    record,
    txt,
    update,
    wanted,
    words,
    writes,
)

ONE = "service/d/one"
TWO = "service/d/two"


@pytest.mark.parametrize(
    ("records", "name", "expected"),
    [
        pytest.param([record("A", "foo"), mark("a-foo")], "A foo", ["- TXT a-foo", "- A foo"], id="3.2.6"),
        pytest.param(
            [record("A", "gone"), mark("gone")], "A gone", ["- A gone", "- TXT gone"], id="11-only-an-old-mark"
        ),
        pytest.param(
            [record("A", "x", alias="true"), mark("a-x"), mark("cname-x"), mark("x")],
            "A x",
            ["- TXT a-x", "- TXT cname-x", "- A x", "- TXT x"],
            id="design-2-every-mark-of-ours",
        ),
        pytest.param(
            [record("A", "foo"), mark("a-foo"), mark("foo", "other")],
            "A foo",
            ["- TXT a-foo", "- A foo"],
            id="design-2-not-those-of-others",
        ),
        pytest.param(
            [record("A", "foo"), record("CNAME", "foo", sid="s"), mark("foo"), mark("foo", sid="s")],
            "A foo",
            ["- A foo", "- TXT foo"],
            id="not-those-of-other-set-identifiers",
        ),
    ],
)
def test_a_record_goes_with_its_marks(records: list[Record], name: str, expected: list[str]) -> None:
    assert words(writes(txt(), records, delete(find(txt(), records, name)))) == expected


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(
            '"heritage=external-dns,external-dns/resource=service/d/one,external-dns/owner=me"', id="11-order"
        ),
        pytest.param('"heritage=external-dns,junk,external-dns/owner=me"', id="11-junk"),
        pytest.param("heritage=external-dns,external-dns/owner=me", id="11-no-quotes"),
    ],
)
def test_a_mark_is_deleted_as_it_was_read(spelling: str) -> None:
    proof = Record(name=mark("a-foo").name, type="TXT", targets=(spelling,), ttl_s=17, exact=("opaque", 1))
    records = [record("A", "foo"), proof]
    done = writes(txt(), records, delete(find(txt(), records, "A foo")))
    assert done[0].old is proof
    assert done[0].new is None


def test_a_mark_that_proves_another_record_is_restated() -> None:
    registry = txt(types=("A", "MX"))
    records = [record("A", "foo"), record("MX", "foo"), mark("foo")]
    done = writes(registry, records, delete(find(registry, records, "A foo")))
    assert words(done) == ["- A foo", "= TXT foo"]
    both = [delete(owned) for owned in registry.read(records)]
    assert words(writes(registry, records, *both)) == ["- A foo", "- MX foo", "- TXT foo"]


def test_a_mark_that_proves_anothers_record_no_more_goes() -> None:
    registry = txt(types=("A", "MX"))
    records = [record("A", "foo"), mark("a-foo", "other"), record("MX", "foo"), mark("foo")]
    assert words(writes(registry, records, delete(find(registry, records, "MX foo")))) == ["- MX foo", "- TXT foo"]


def test_an_old_mark_that_could_be_anothers_goes_with_the_last_record_that_needs_it() -> None:
    registry = txt(types=("A", "MX"))
    records = [record("A", "a-foo"), mark("a-a-foo"), record("MX", "a-foo"), mark("a-foo")]
    done = writes(registry, records, delete(find(registry, records, "MX a-foo")))
    assert words(done) == ["- MX a-foo", "- TXT a-foo"]


def test_a_change_of_type_changes_both_marks() -> None:
    records = [record("CNAME", "foo"), mark("cname-foo", resource=ONE)]
    held = find(txt(), records, "CNAME foo")
    done = writes(txt(), records, delete(held), *create(wanted("A", "foo", ONE), wanted("AAAA", "foo", ONE)))
    assert words(done) == [
        "+ TXT a-foo",
        "+ TXT aaaa-foo",
        "- TXT cname-foo",
        "+ A foo",
        "+ AAAA foo",
        "- CNAME foo",
    ]


def test_a_mark_that_both_forms_share_is_written_once() -> None:
    """An A alias under its old mark becomes the CNAME whose mark has that name today."""
    records = [record("A", "foo", alias="true"), mark("cname-foo", resource=ONE)]
    held = find(txt(), records, "A foo")
    assert words(writes(txt(), records, delete(held), *create(wanted("CNAME", "foo", TWO)))) == [
        "~ TXT cname-foo",
        "- A foo",
        "+ CNAME foo",
    ]


def test_a_shared_old_mark_is_restated_once() -> None:
    registry = txt(types=("A", "MX"))
    records = [record("A", "foo"), record("MX", "foo"), mark("foo")]
    a, mx = registry.read(records)
    done = writes(registry, records, update(a, wanted("A", "foo")), delete(mx))
    assert words(done) == ["+ TXT a-foo", "= A foo", "- MX foo", "= TXT foo"]


def test_simple_and_routed_are_exchanged() -> None:
    records = [record("A", "foo"), mark("a-foo")]
    held = find(txt(), records, "A foo")
    done = writes(txt(), records, delete(held), *create(wanted("A", "foo", sid="s", weight="1")))
    assert words(done) == ["- TXT a-foo", "+ TXT a-foo/s", "- A foo", "+ A foo/s"]
