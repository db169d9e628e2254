"""Creates with their ownership records (docs/spec/plan.md 3.2.6, 3.2.7, 3.2.10, 10.3, 11; docs/design/laws.md)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.value import StringMap
from registry.txt.registry import TxtRegistry
from tests.builders import build_registry, create
from tests.unit.registry.completion import (
    build_writes,
    describe_writes,
    get_block,
    list_ours,
)
from tests.unit.registry.zone_records import apply, build_desired, key, ownership_record, record

ONE = "service/d/one"
TWO = "service/d/two"
TEXT = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/d/one"'


@pytest.mark.parametrize(
    ("registry", "host", "location"),
    [
        pytest.param(build_registry(), "example", "cname-example", id="10.3-no-affix"),
        pytest.param(build_registry(prefix="txt."), "example", "txt.cname-example", id="10.3-prefix"),
        pytest.param(build_registry(suffix="-txt"), "example", "cname-example-txt", id="10.3-suffix"),
        pytest.param(build_registry(wildcard="any"), "*", "cname-any", id="3.2.1-wildcard"),
    ],
)
def test_created_with_its_ownership_record(registry: TxtRegistry, host: str, location: str) -> None:
    done = build_writes(registry, [], create(build_desired("CNAME", host, ONE)))
    assert set(describe_writes(done).split(", ")) == {f"create TXT {location}", f"create CNAME {host}"}
    (ownership,) = [write.new for write in done if write.key.type == "TXT"]
    assert ownership is not None
    assert (ownership.targets, ownership.ttl_s, ownership.labels) == ((TEXT,), 0, StringMap())


@pytest.mark.parametrize(
    ("endpoint", "keys", "properties"),
    [
        pytest.param(
            build_desired("CNAME", "multi", sid="set-1", weight="10"),
            [key("TXT", "cname-multi", "set-1"), key("CNAME", "multi", "set-1")],
            {"weight": "10"},
            id="3.2.10-weighted",
        ),
        pytest.param(
            build_desired("A", "x", alias="A"),
            [key("TXT", "a-x"), key("A", "x")],
            {"alias": "A"},
            id="10.3-alias-by-type",
        ),
    ],
)
def test_ownership_record_has_set_identifier_and_routing_properties(
    endpoint: DesiredRecord, keys: list[RecordKey], properties: dict[str, str]
) -> None:
    """See docs/spec/plan.md 3.2.7."""
    done = build_writes(build_registry(), [], create(endpoint))
    assert [write.key for write in done] == keys
    assert [write.new.properties for write in done if write.new] == [StringMap.from_items(properties)] * 2


def test_ownership_record_has_all_labels_and_our_owner_id() -> None:
    endpoint = replace(
        build_desired("A", "x"), labels=StringMap.from_items({"owner": "somebody", "extra": "v1", "resource": ONE})
    )
    ownership = build_writes(build_registry(), [], create(endpoint))[0].new
    assert ownership is not None
    assert ownership.targets == (
        '"heritage=external-dns,external-dns/extra=v1,external-dns/owner=me,external-dns/resource=service/d/one"',
    )


def test_not_created_if_its_labels_cannot_be_written() -> None:
    labels = StringMap.from_items({"extra": "1,external-dns/owner=other"})
    blocked_by = get_block(build_registry(), [], create(replace(build_desired("A", "x"), labels=labels)))
    assert blocked_by.reason is Reason.INVALID_ENDPOINT
    assert "A x.x.test" in blocked_by.detail


@pytest.mark.parametrize("sid", ["", "set-1"], ids=["simple", "routed"])
def test_ownership_record_of_ours_without_a_record_is_used(sid: str) -> None:
    """See docs/spec/plan.md 3.2.10: somebody deleted only the record, and another object may request it now."""
    at = f"/{sid}" if sid else ""
    registry, lone = build_registry(), replace(ownership_record("a-new", resource=TWO, sid=sid), ttl_s=60)
    done = build_writes(registry, [lone], create(build_desired("A", "new", ONE, sid=sid)))
    assert describe_writes(done) == f"update TXT a-new{at}, create A new{at}"
    assert done[0].old == lone
    assert done[0].new is not None
    assert (done[0].new.targets, done[0].new.ttl_s) == ((TEXT,), 60)
    done = build_writes(registry, [lone], create(build_desired("A", "new", TWO, sid=sid)))
    assert describe_writes(done) == f"restate TXT a-new{at}, create A new{at}"


def test_old_ownership_record_without_a_record_is_replaced() -> None:
    assert (
        describe_writes(
            build_writes(build_registry(), [ownership_record("foo")], create(build_desired("CNAME", "foo")))
        )
        == "create TXT cname-foo, create CNAME foo, delete TXT foo"
    )
    assert (
        describe_writes(
            build_writes(build_registry(), [ownership_record("a-foo")], create(build_desired("A", "foo", sid="s")))
        )
        == "delete TXT a-foo, create TXT a-foo/s, create A foo/s"
    )


@pytest.mark.parametrize("left", ["a-foo", "mx-foo"])
def test_ownership_record_of_another_name_is_not_replaced(left: str) -> None:
    """Its record can be in the zone below, or of a type that is not managed now."""
    found = get_block(build_registry(), [ownership_record(left)], create(build_desired("CNAME", left)))
    assert found.reason is Reason.DUPLICATE_OWNERSHIP_NAME
    assert found.detail.startswith(f"TXT {left}.x.test is the ownership record of foo.x.test; delete it if")


@pytest.mark.parametrize(
    ("records", "host", "reason", "detail"),
    [
        pytest.param([], "a" * 62, Reason.NO_OWNERSHIP_NAME, "longer than DNS allows", id="3.2.1-long-label"),
        pytest.param(
            [ownership_record("a-w2", "other")],
            "w2",
            Reason.OWNED_BY_OTHER,
            "TXT a-w2.x.test is an ownership record of owner 'other'",
            id="3.2.6",
        ),
        pytest.param(
            [ownership_record("a-w", "")], "w", Reason.OWNED_BY_OTHER, "owner ''", id="ownership-record-without-owner"
        ),
        pytest.param(
            [record("TXT", "a-foo")],
            "foo",
            Reason.NO_OWNERSHIP_NAME,
            "TXT a-foo.x.test already exists, so TXT a-foo.x.test cannot be written",
            id="txt-of-the-same-key",
        ),
        pytest.param(
            [record("TXT", "a-foo", sid="s")],
            "foo",
            Reason.NO_OWNERSHIP_NAME,
            "TXT a-foo.x.test (s) already exists",
            id="routed-txt",
        ),
        pytest.param(
            [replace(record("TXT", "a-foo"), targets=())],
            "foo",
            Reason.NO_OWNERSHIP_NAME,
            "TXT a-foo",
            id="txt-without-value",
        ),
        pytest.param([record("CNAME", "a-foo")], "foo", Reason.NO_OWNERSHIP_NAME, "CNAME a-foo.x.test", id="cname"),
        pytest.param(
            [record("CNAME", "a-foo"), ownership_record("cname-a-foo")],
            "foo",
            Reason.DUPLICATE_OWNERSHIP_NAME,
            "CNAME a-foo.x.test already exists",
            id="cname-of-ours",
        ),
        pytest.param(
            [record("A", "a-foo"), ownership_record("a-foo")],
            "foo",
            Reason.DUPLICATE_OWNERSHIP_NAME,
            "TXT a-foo.x.test is the ownership record of A a-foo.x.test",
            id="11-old-ownership-record-of-the-host",
        ),
    ],
)
def test_not_created_if_the_ownership_record_cannot_be_written(
    records: list[Record], host: str, reason: Reason, detail: str
) -> None:
    blocked_by = get_block(build_registry(), records, create(build_desired("A", host)))
    assert blocked_by.reason is reason
    assert detail in blocked_by.detail


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        pytest.param([record("A", "foo"), ownership_record("a-foo")], Reason.DUPLICATE_OWNERSHIP_NAME, id="ours"),
        pytest.param([record("A", "foo"), ownership_record("a-foo", "other")], Reason.OWNED_BY_OTHER, id="other-owner"),
    ],
)
@pytest.mark.parametrize("rtype", ["CNAME", "TXT"])
def test_record_like_an_ownership_record_is_not_created_at_such_a_name(
    records: list[Record], reason: Reason, rtype: str
) -> None:
    registry = build_registry(types=("A", "CNAME", "TXT"))
    assert get_block(registry, records, create(build_desired(rtype, "a-foo"))).reason is reason


def test_records_of_other_types_may_exist_at_the_ownership_name() -> None:
    done = build_writes(
        build_registry(), [record("AAAA", "a-foo"), record("MX", "a-foo")], create(build_desired("A", "foo"))
    )
    assert describe_writes(done) == "create TXT a-foo, create A foo"


def test_ownership_record_with_an_ambiguous_name_states_its_record() -> None:
    """See docs/spec/plan.md 11: otherwise a foreign record at `a-foo` would be ours, and `foo` would not."""
    records = [record("A", "a-foo")]
    done = build_writes(build_registry(), records, create(build_desired("A", "foo")))
    assert describe_writes(done) == "create TXT a-foo, create A foo"
    assert done[0].new is not None
    assert "external-dns/ownedRecord=foo.x.test,external-dns/owner=me" in done[0].new.targets[0]
    assert list_ours(build_registry(), apply(records, done)) == {key("A", "foo")}


@pytest.mark.parametrize("order", [("foo", "a-foo"), ("a-foo", "foo")])
def test_name_and_one_that_looks_like_its_ownership_name_can_be_created(order: tuple[str, str]) -> None:
    """See docs/spec/plan.md 11: in any order, and also if both are created in one change set."""
    apart = [
        write for host in order for write in build_writes(build_registry(), [], create(build_desired("A", host, ONE)))
    ]
    assert list_ours(build_registry(), apply([], apart)) == {key("A", "foo"), key("A", "a-foo")}
    records: list[Record] = []
    for host in order:
        records = apply(records, build_writes(build_registry(), records, create(build_desired("A", host, ONE))))
    assert list_ours(build_registry(), records) == {key("A", "foo"), key("A", "a-foo")}


@pytest.mark.parametrize(
    ("records", "host", "expected"),
    [
        pytest.param([], "@", "create A @", id="3.2.1-apex"),
        pytest.param([], "a" * 62, f"create A {'a' * 62}", id="3.2.1-long-label"),
        pytest.param(
            [ownership_record("a-w2", "other")],
            "w2",
            "create A w2",
            id="3.2.6-ownership-record-of-other-owner",
        ),
        pytest.param(
            [ownership_record("a-web", resource=TWO)],
            "web",
            "restate TXT a-web, create A web",
            id="3.2.6-ownership-record-without-record",
        ),
        pytest.param([], "a-b", "create TXT a-a-b, create A a-b", id="3.2.7"),
    ],
)
def test_created_as_with_external_dns_without_an_ownership_record(
    records: list[Record], host: str, expected: str
) -> None:
    done = build_writes(build_registry(unmarked_creates=True), records, create(build_desired("A", host, ONE)))
    assert describe_writes(done) == expected
    assert {write.new.targets[0] for write in done if write.new and write.old is None} <= {TEXT, "192.0.2.1"}


def test_txt_record_at_the_ownership_name_blocks_as_with_external_dns() -> None:
    blocked_by = get_block(
        build_registry(unmarked_creates=True), [record("TXT", "a-foo")], create(build_desired("A", "foo"))
    )
    assert blocked_by.reason is Reason.NO_OWNERSHIP_NAME
