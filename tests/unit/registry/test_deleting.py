"""Deletes, and several changes at once, with the changes to their ownership records.

See docs/spec/plan.md 3.2.6, 11; docs/design/laws.md.
"""

from __future__ import annotations

import pytest

from extdns.model.record import Record
from tests.builders import build_registry, create, delete, update
from tests.unit.registry.completion import (
    build_writes,
    describe_writes,
    find,
)
from tests.unit.registry.zone_records import (
    ZONE,
    build_desired,
    key,
    ownership_record,
    parse_key,
    parse_records,
    record,
)

ONE = "service/d/one"
TWO = "service/d/two"


@pytest.mark.parametrize(
    ("records", "deleted", "expected"),
    [
        pytest.param("A foo, own a-foo", "A foo", "delete TXT a-foo, delete A foo", id="3.2.6"),
        pytest.param(
            "A gone, own gone", "A gone", "delete A gone, delete TXT gone", id="11-only-an-old-ownership-record"
        ),
        pytest.param(
            "A x alias=true, own a-x, own cname-x, own x",
            "A x",
            "delete TXT a-x, delete TXT cname-x, delete A x, delete TXT x",
            id="every-ownership-record-of-ours",
        ),
        pytest.param(
            "A foo, own a-foo, own foo owner=other",
            "A foo",
            "delete TXT a-foo, delete A foo",
            id="design-2-not-those-of-others",
        ),
        pytest.param(
            "A foo, CNAME foo/s, own foo, own foo/s",
            "A foo",
            "delete A foo, delete TXT foo",
            id="not-those-of-other-set-identifiers",
        ),
    ],
)
def test_deleted_with_its_ownership_records(records: str, deleted: str, expected: str) -> None:
    registry, held = build_registry(), parse_records(records)
    done = build_writes(registry, held, delete(find(registry, held, parse_key(deleted))))
    assert describe_writes(done) == expected


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
def test_ownership_record_is_deleted_exactly_as_it_was_read(spelling: str) -> None:
    ownership = Record(
        name=ownership_record("a-foo").name, type="TXT", targets=(spelling,), ttl_s=17, exact=("opaque", 1)
    )
    records = [record("A", "foo"), ownership]
    done = build_writes(build_registry(), records, delete(find(build_registry(), records, key("A", "foo"))))
    assert done[0].old is ownership
    assert done[0].new is None


def test_ownership_record_stays_while_it_also_covers_another_record() -> None:
    registry = build_registry(types=("A", "MX"))
    records = [record("A", "foo"), record("MX", "foo"), ownership_record("foo")]
    done = build_writes(registry, records, delete(find(registry, records, key("A", "foo"))))
    assert describe_writes(done) == "delete A foo, restate TXT foo"
    both = [delete(owned) for owned in registry.read(records, ZONE)]
    assert describe_writes(build_writes(registry, records, *both)) == "delete A foo, delete MX foo, delete TXT foo"


def test_ownership_record_is_deleted_with_the_last_record_it_covers() -> None:
    registry = build_registry(types=("A", "MX"))
    records = [record("A", "foo"), ownership_record("a-foo", "other"), record("MX", "foo"), ownership_record("foo")]
    assert (
        describe_writes(build_writes(registry, records, delete(find(registry, records, key("MX", "foo")))))
        == "delete MX foo, delete TXT foo"
    )


def test_ambiguous_old_ownership_record_is_deleted_with_its_last_record() -> None:
    registry = build_registry(types=("A", "MX"))
    records = [record("A", "a-foo"), ownership_record("a-a-foo"), record("MX", "a-foo"), ownership_record("a-foo")]
    done = build_writes(registry, records, delete(find(registry, records, key("MX", "a-foo"))))
    assert describe_writes(done) == "delete MX a-foo, delete TXT a-foo"


def test_change_of_type_replaces_the_ownership_record() -> None:
    records = [record("CNAME", "foo"), ownership_record("cname-foo", resource=ONE)]
    held = find(build_registry(), records, key("CNAME", "foo"))
    done = build_writes(
        build_registry(),
        records,
        delete(held),
        create(build_desired("A", "foo", ONE)),
        create(build_desired("AAAA", "foo", ONE)),
    )
    assert describe_writes(done) == (
        "create TXT a-foo, create TXT aaaa-foo, delete TXT cname-foo, create A foo, create AAAA foo, delete CNAME foo"
    )


def test_ownership_record_of_old_and_new_type_is_written_once() -> None:
    """An A alias with an old ownership record becomes a CNAME, whose current ownership record has the same name."""
    records = [record("A", "foo", alias="true"), ownership_record("cname-foo", resource=ONE)]
    held = find(build_registry(), records, key("A", "foo"))
    assert (
        describe_writes(
            build_writes(build_registry(), records, delete(held), create(build_desired("CNAME", "foo", TWO)))
        )
        == "update TXT cname-foo, delete A foo, create CNAME foo"
    )


def test_old_ownership_record_that_two_changes_share_is_written_once() -> None:
    registry = build_registry(types=("A", "MX"))
    records = [record("A", "foo"), record("MX", "foo"), ownership_record("foo")]
    a, mx = registry.read(records, ZONE)
    done = build_writes(registry, records, update(a, build_desired("A", "foo")), delete(mx))
    assert describe_writes(done) == "create TXT a-foo, restate A foo, delete MX foo, restate TXT foo"


def test_simple_record_is_replaced_by_a_routed_one_with_its_own() -> None:
    records = [record("A", "foo"), ownership_record("a-foo")]
    held = find(build_registry(), records, key("A", "foo"))
    done = build_writes(build_registry(), records, delete(held), create(build_desired("A", "foo", sid="s", weight="1")))
    assert describe_writes(done) == "delete TXT a-foo, create TXT a-foo/s, delete A foo, create A foo/s"
