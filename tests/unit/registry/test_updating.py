"""Updates with their ownership records (docs/spec/plan.md 3.2.6 to 3.2.8, 3.2.10, 10.3, 11; docs/design/laws.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from extdns.model.change import Change
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.ttl import UNSET
from registry.txt.registry import TxtRegistry
from tests.builders import build_registry, create, delete, update
from tests.unit.registry.completion import (
    build_writes,
    describe_writes,
    find,
    get_block,
    list_ours,
)
from tests.unit.registry.zone_records import ZONE, apply, build_desired, key, ownership_record, parse_records, record

ONE = "service/d/one"
TWO = "service/d/two"


def test_ownership_records_are_written_again_if_they_do_not_change() -> None:
    ownership = ownership_record("a-foo", resource=ONE)
    records = [record("A", "foo"), ownership]
    held = find(build_registry(), records, key("A", "foo"))
    assert (
        describe_writes(build_writes(build_registry(), records, update(held, build_desired("A", "foo", ONE))))
        == "restate TXT a-foo, restate A foo"
    )
    done = build_writes(build_registry(), records, update(held, build_desired("A", "foo", TWO, target="192.0.2.2")))
    assert describe_writes(done) == "update TXT a-foo, update A foo"
    assert [write.old for write in done] == [ownership, held.record]


@pytest.mark.parametrize(("sid", "ttl_s"), [("", UNSET), ("one", 60)])
def test_ownership_record_has_the_default_ttl_but_that_of_the_others_in_a_weighted_set(sid: str, ttl_s: int) -> None:
    """See docs/spec/plan.md 3.2.7: the TTL that it had before does not matter."""
    records = [record("A", "foo", sid=sid), replace(ownership_record("a-foo", resource=ONE, sid=sid), ttl_s=60)]
    held = find(build_registry(), records, key("A", "foo", sid))
    desired = build_desired("A", "foo", ONE, sid=sid, target="192.0.2.2")
    done = build_writes(build_registry(), records, update(held, desired))
    assert [(write.old.ttl_s, write.new.ttl_s) for write in done if write.old and write.new] == [
        (60, ttl_s),
        (300, 300),
    ]


@pytest.mark.parametrize(
    ("registry", "zone", "expected"),
    [
        pytest.param(
            build_registry(),
            "CNAME foo, own foo resource=one",
            "create TXT cname-foo, restate TXT foo, restate CNAME foo",
            id="3.2.10-untyped",
        ),
        pytest.param(
            build_registry(),
            "A foo alias=true, own cname-foo resource=one",
            "create TXT a-foo, restate TXT cname-foo, restate A foo",
            id="3.2.10-alias",
        ),
        pytest.param(
            build_registry(prefix="e-%{record_type}."),
            "A foo, own e-.a-foo resource=one",
            "restate TXT e-.a-foo, create TXT e-a.foo, restate A foo",
            id="3.2.2-dashed",
        ),
        pytest.param(
            build_registry(),
            "A a-foo, own a-foo resource=one",
            "create TXT a-a-foo, delete TXT a-foo, restate A a-foo",
            id="11-old-ownership-record-of-two-possible-records",
        ),
        pytest.param(
            build_registry(types=("A", "MX")),
            "A a-foo, MX a-foo, own a-foo resource=one",
            "create TXT a-a-foo, restate TXT a-foo, restate A a-foo",
            id="11-unless-another-record-still-needs-it",
        ),
    ],
)
def test_missing_ownership_record_in_the_current_format_is_added(
    registry: TxtRegistry, zone: str, expected: str
) -> None:
    records = parse_records(zone)
    (held, *_) = (owned for owned in registry.read(records, ZONE) if not owned.has_current_format)
    like = held.record
    endpoint = replace(build_desired(like.type, "foo", ONE), name=like.name, properties=like.properties)
    done = build_writes(registry, records, update(held, endpoint, "ownership record"))
    assert sorted(describe_writes(done).split(", ")) == sorted(expected.split(", "))
    after = {owned.key: owned for owned in registry.read(apply(records, done), ZONE)}
    assert after[like.key].has_current_format


def test_replacing_an_old_ownership_record_makes_no_other_name_ours() -> None:
    """See docs/spec/plan.md 11: A `foo` is foreign; `a-foo` has an old ownership record of ours."""
    registry = build_registry()
    records = [record("A", "foo"), record("A", "a-foo"), ownership_record("a-foo", resource=ONE)]
    for _ in range(2):
        held = find(registry, records, key("A", "a-foo"))
        records = apply(records, build_writes(registry, records, update(held, build_desired("A", "a-foo", ONE))))
        assert list_ours(registry, records) == {key("A", "a-foo")}
    records = apply(records, build_writes(registry, records, delete(find(registry, records, key("A", "a-foo")))))
    assert records == [record("A", "foo")]


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        pytest.param(ownership_record("a-foo", "other"), None, id="ownership-record-of-another-owner"),
        pytest.param(record("TXT", "a-foo"), Reason.NO_OWNERSHIP_NAME, id="foreign-txt"),
        pytest.param(record("CNAME", "a-foo"), Reason.NO_OWNERSHIP_NAME, id="foreign-cname"),
    ],
)
def test_blocked_if_a_foreign_record_has_the_new_ownership_name(there: Record, reason: Reason | None) -> None:
    records = [record("A", "foo"), ownership_record("foo"), there]
    held = find(build_registry(), records, key("A", "foo"))
    if reason is None:
        assert not held.is_ours
    else:
        assert get_block(build_registry(), records, update(held, build_desired("A", "foo"))).reason is reason


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("@", id="apex"),
        pytest.param("a" * 63, id="long-label"),
        pytest.param("a-" + "b" * 61, id="long-label-like-an-ownership-name"),
    ],
)
def test_old_ownership_record_is_enough_if_a_current_one_is_impossible(host: str) -> None:
    records = [record("A", host), ownership_record(host)]
    (held,) = build_registry().read(records, ZONE)
    done = build_writes(build_registry(), records, update(held, build_desired("A", host, target="192.0.2.9")))
    assert describe_writes(done) == f"update A {host}, restate TXT {host}"


def test_not_made_if_it_only_adds_an_impossible_ownership_record() -> None:
    """Otherwise every full pass would write the same records again."""
    records = [record("A", "@"), ownership_record("@")]
    (held,) = build_registry().read(records, ZONE)
    blocked_by = get_block(build_registry(), records, update(held, build_desired("A", "@"), "ownership record"))
    assert blocked_by.reason is Reason.PUBLISHED


def test_shared_record_of_the_previous_owner_is_not_taken_over_for_one() -> None:
    """See docs/spec/plan.md 3.2.8: A and MX of the previous owner share it, and only one of them is requested."""
    registry = build_registry(types=("A", "MX"), migrate_from="old")
    records = [record("A", "@"), record("MX", "@"), ownership_record("@", "old")]
    held = find(registry, records, key("A", "@"))
    assert (
        get_block(registry, records, update(held, build_desired("A", "@"), "owner")).reason is Reason.NO_OWNERSHIP_NAME
    )


def test_record_taken_over_gets_our_ownership_record() -> None:
    """See docs/spec/plan.md 3.2.8: the write replaces exactly the text of the previous owner."""
    registry = build_registry(migrate_from="old")
    ownership = ownership_record("a-a", "old", ONE)
    records = [record("A", "a"), ownership]
    done = build_writes(
        registry, records, update(find(registry, records, key("A", "a")), build_desired("A", "a", ONE), "owner")
    )
    assert describe_writes(done) == "update TXT a-a, restate A a"
    assert done[0].old == ownership
    assert find(registry, apply(records, done), key("A", "a")).owner == "me"
    assert find(build_registry(), apply(records, done), key("A", "a")).is_ours


def test_old_ownership_record_is_taken_over_with_its_only_record() -> None:
    registry = build_registry(types=("A", "MX"), migrate_from="old")
    records = [record("A", "foo"), ownership_record("foo", "old", ONE)]
    done = build_writes(
        registry, records, update(find(registry, records, key("A", "foo")), build_desired("A", "foo", ONE), "owner")
    )
    assert describe_writes(done) == "create TXT a-foo, restate A foo, update TXT foo"
    assert find(registry, apply(records, done), key("A", "foo")).ownership_records == (
        ownership_record("a-foo", "me", ONE),
        ownership_record("foo", "me", ONE),
    )
    records.append(record("MX", "foo"))
    done = build_writes(
        registry, records, update(find(registry, records, key("A", "foo")), build_desired("A", "foo", ONE), "owner")
    )
    assert describe_writes(done) == "create TXT a-foo, restate A foo, restate TXT foo"
    assert find(registry, apply(records, done), key("MX", "foo")).owner == "old"


@pytest.mark.parametrize(
    ("proofs", "reason"),
    [
        pytest.param([], Reason.FOREIGN_RECORD, id="foreign"),
        pytest.param([ownership_record("a-foo", "owner-2")], Reason.OWNED_BY_OTHER, id="10.3-other-owner"),
    ],
)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(delete, id="delete"),
        pytest.param(lambda held: update(held, build_desired("A", "foo")), id="update"),
    ],
)
def test_change_of_a_foreign_record_is_blocked(
    proofs: list[Record], reason: Reason, change: Callable[..., Change]
) -> None:
    records = [record("A", "foo"), *proofs]
    assert (
        get_block(build_registry(), records, change(find(build_registry(), records, key("A", "foo")))).reason is reason
    )


def test_change_that_would_make_a_foreign_record_ours_is_blocked() -> None:
    """The ownership record of CNAME `foo` would also be an old ownership record of the foreign A alias `foo`."""
    records = [record("A", "foo", alias="true")]
    assert (
        get_block(build_registry(), records, create(build_desired("CNAME", "foo"))).reason
        is Reason.DUPLICATE_OWNERSHIP_NAME
    )
