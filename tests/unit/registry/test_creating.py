"""Creates and the marks that go with them (spec plan 3.2.6, 3.2.7, 3.2.10, 10.3, 11; design 2)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Blocked
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, Record
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import (
    apply,
    blocked,
    create,
    mark,
    named,
    ours,
    record,
    txt,
    wanted,
    words,
    writes,
)

ONE = "service/d/one"
TWO = "service/d/two"
TEXT = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/d/one"'


@pytest.mark.parametrize(
    ("registry", "host", "place"),
    [
        pytest.param(txt(), "example", "cname-example", id="10.3-no-affix"),
        pytest.param(txt(prefix="txt."), "example", "txt.cname-example", id="10.3-prefix"),
        pytest.param(txt(suffix="-txt"), "example", "cname-example-txt", id="10.3-suffix"),
        pytest.param(txt(wildcard="any"), "*", "cname-any", id="3.2.1-wildcard"),
    ],
)
def test_a_record_is_created_with_its_mark(registry: TxtRegistry, host: str, place: str) -> None:
    done = writes(registry, [], *create(wanted("CNAME", host, ONE)))
    assert sorted(words(done)) == sorted([f"+ CNAME {host}", f"+ TXT {place}"])
    (proof,) = [write.new for write in done if write.key.type == "TXT"]
    assert proof is not None
    assert (proof.targets, proof.ttl_s, proof.labels) == ((TEXT,), 0, Pairs())


@pytest.mark.parametrize(
    ("endpoint", "keys", "properties"),
    [
        pytest.param(
            wanted("CNAME", "multi", sid="set-1", weight="10"),
            ["TXT cname-multi/set-1", "CNAME multi/set-1"],
            {"weight": "10"},
            id="3.2.10-weighted",
        ),
        pytest.param(wanted("A", "x", alias="A"), ["TXT a-x", "A x"], {"alias": "A"}, id="10.3-alias-by-type"),
    ],
)
def test_a_mark_shares_routing_and_properties_of_its_record(
    endpoint: Endpoint, keys: list[str], properties: dict[str, str]
) -> None:
    """3.2.7."""
    done = writes(txt(), [], *create(endpoint))
    assert [named(write.key) for write in done] == keys
    assert [write.new.properties for write in done if write.new] == [Pairs.of(properties)] * 2


def test_all_labels_are_written_but_the_owner_is_ours() -> None:
    endpoint = replace(wanted("A", "x"), labels=Pairs.of({"owner": "somebody", "extra": "v1", "resource": ONE}))
    proof = writes(txt(), [], *create(endpoint))[0].new
    assert proof is not None
    assert proof.targets == (
        '"heritage=external-dns,external-dns/extra=v1,external-dns/owner=me,external-dns/resource=service/d/one"',
    )


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"extra": "1,external-dns/owner=other"}, id="comma"),
        pytest.param({"zone": 'b"'}, id="quote-at-the-end"),
        pytest.param({"extra": 'a"b'}, id="quote-within"),
        pytest.param({"extra": "a\\b"}, id="backslash"),
        pytest.param({"extra": "k\u00f6ln"}, id="not-ascii"),
        pytest.param({"a=b": "c"}, id="equals-sign-in-key"),
        pytest.param({"extra": "x" * 5000}, id="too-long"),
    ],
)
def test_labels_that_no_mark_can_carry_cost_the_record(labels: dict[str, str]) -> None:
    why = blocked(txt(), [], *create(replace(wanted("A", "x"), labels=Pairs.of(labels))))
    assert why.reason is Reason.INVALID_ENDPOINT
    assert "A x.x.test" in why.detail


def test_a_lone_mark_of_ours_is_used_again() -> None:
    """3.2.10: only the record was removed by hand; the object may be another by now."""
    lone = replace(mark("a-new", resource=TWO), ttl_s=60)
    done = writes(txt(), [lone], *create(wanted("A", "new", ONE)))
    assert words(done) == ["~ TXT a-new", "+ A new"]
    assert done[0].old == lone
    assert done[0].new is not None
    assert (done[0].new.targets, done[0].new.ttl_s) == ((TEXT,), 60)
    assert words(writes(txt(), [lone], *create(wanted("A", "new", TWO)))) == ["= TXT a-new", "+ A new"]


def test_a_lone_mark_of_ours_gives_way() -> None:
    assert words(writes(txt(), [mark("foo")], *create(wanted("CNAME", "foo")))) == [
        "+ TXT cname-foo",
        "+ CNAME foo",
        "- TXT foo",
    ]
    assert words(writes(txt(), [mark("a-foo")], *create(wanted("A", "foo", sid="s")))) == [
        "- TXT a-foo",
        "+ TXT a-foo/s",
        "+ A foo/s",
    ]


@pytest.mark.parametrize(
    ("records", "host", "reason", "detail"),
    [
        pytest.param([], "@", Reason.NO_OWNERSHIP_NAME, "a-x.test lies outside the zone x.test", id="3.2.1-apex"),
        pytest.param([], "a" * 62, Reason.NO_OWNERSHIP_NAME, "longer than DNS allows", id="3.2.1-long-label"),
        pytest.param(
            [mark("a-w2", "other")],
            "w2",
            Reason.OWNED_BY_OTHER,
            "TXT a-w2.x.test is a mark of owner 'other'",
            id="3.2.6",
        ),
        pytest.param([mark("a-w", "")], "w", Reason.OWNED_BY_OTHER, "owner ''", id="mark-without-owner"),
        pytest.param(
            [record("TXT", "a-foo")],
            "foo",
            Reason.NO_OWNERSHIP_NAME,
            "TXT a-foo.x.test stands where TXT a-foo.x.test must be",
            id="txt-of-the-same-key",
        ),
        pytest.param(
            [record("TXT", "a-foo", sid="s")],
            "foo",
            Reason.NO_OWNERSHIP_NAME,
            "TXT a-foo.x.test (s) stands",
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
            [record("CNAME", "a-foo"), mark("cname-a-foo")],
            "foo",
            Reason.MARK_CLASH,
            "CNAME a-foo.x.test stands",
            id="cname-of-ours",
        ),
        pytest.param(
            [record("A", "a-foo"), mark("a-foo")],
            "foo",
            Reason.MARK_CLASH,
            "TXT a-foo.x.test is the mark of A a-foo.x.test",
            id="11-old-mark-of-the-host",
        ),
    ],
)
def test_without_a_mark_nothing_is_created(records: list[Record], host: str, reason: Reason, detail: str) -> None:
    why = blocked(txt(), records, *create(wanted("A", host)))
    assert why.reason is reason
    assert detail in why.detail


def test_a_wildcard_and_its_stand_in_clash_by_name() -> None:
    """11: the second of `*.x` and `any.x` is told so."""
    registry = txt(wildcard="any")
    records = apply([], writes(registry, [], *create(wanted("A", "*"))))
    why = blocked(registry, records, *create(wanted("A", "any")))
    assert why == Blocked(reason=Reason.MARK_CLASH, detail="TXT a-any.x.test is the mark of A *.x.test")


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        pytest.param([record("A", "foo"), mark("a-foo")], Reason.MARK_CLASH, id="ours"),
        pytest.param([record("A", "foo"), mark("a-foo", "other")], Reason.OWNED_BY_OTHER, id="anothers"),
    ],
)
@pytest.mark.parametrize("rtype", ["CNAME", "TXT"])
def test_a_record_is_not_put_where_a_mark_is(records: list[Record], reason: Reason, rtype: str) -> None:
    registry = txt(types=("A", "CNAME", "TXT"))
    assert blocked(registry, records, *create(wanted(rtype, "a-foo"))).reason is reason


def test_other_types_may_stand_where_the_mark_goes() -> None:
    done = writes(txt(), [record("AAAA", "a-foo"), record("MX", "a-foo")], *create(wanted("A", "foo")))
    assert words(done) == ["+ TXT a-foo", "+ A foo"]


def test_a_mark_states_its_record_where_its_name_would_mislead() -> None:
    """11: without that, the record somebody made at `a-foo` would be ours, and `foo` would not."""
    records = [record("A", "a-foo")]
    done = writes(txt(), records, *create(wanted("A", "foo")))
    assert words(done) == ["+ TXT a-foo", "+ A foo"]
    assert done[0].new is not None
    assert "external-dns/ownedRecord=foo.x.test,external-dns/owner=me" in done[0].new.targets[0]
    assert ours(txt(), apply(records, done)) == {"A foo"}


@pytest.mark.parametrize("order", [("foo", "a-foo"), ("a-foo", "foo")])
def test_one_object_may_ask_for_a_name_and_one_like_its_mark(order: tuple[str, str]) -> None:
    """11: whichever comes first, and also when neither knows of the other."""
    apart = [write for host in order for write in writes(txt(), [], *create(wanted("A", host, ONE)))]
    assert ours(txt(), apply([], apart)) == {"A foo", "A a-foo"}
    records: list[Record] = []
    for host in order:
        records = apply(records, writes(txt(), records, *create(wanted("A", host, ONE))))
    assert ours(txt(), records) == {"A foo", "A a-foo"}


@pytest.mark.parametrize(
    ("records", "host", "expected"),
    [
        pytest.param([], "@", ["+ A @"], id="3.2.1-apex"),
        pytest.param([], "a" * 62, ["+ A " + "a" * 62], id="3.2.1-long-label"),
        pytest.param([mark("a-w2", "other")], "w2", ["+ A w2"], id="3.2.6-under-anothers-mark"),
        pytest.param([mark("a-web", resource=TWO)], "web", ["= TXT a-web", "+ A web"], id="3.2.6-lone-mark-as-it-is"),
        pytest.param([], "a-b", ["+ TXT a-a-b", "+ A a-b"], id="3.2.7"),
    ],
)
def test_the_reference_creates_without_a_mark(records: list[Record], host: str, expected: list[str]) -> None:
    done = writes(txt(unmarked_creates=True), records, *create(wanted("A", host, ONE)))
    assert sorted(words(done)) == sorted(expected)
    assert {write.new.targets[0] for write in done if write.new and write.old is None} <= {TEXT, "192.0.2.1"}


def test_even_then_what_is_in_the_way_blocks() -> None:
    why = blocked(txt(unmarked_creates=True), [record("TXT", "a-foo")], *create(wanted("A", "foo")))
    assert why.reason is Reason.NO_OWNERSHIP_NAME
