"""Changes and the marks that go with them (spec plan 3.2.6 to 3.2.8, 3.2.10, 10.3, 11; design 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from extdns.model.change import Blocked, Change, ChangeSet
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import Record
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import (
    ZONE,
    apply,
    complete,
    create,
    delete,
    find,
    is_restated,
    mark,
    named,
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
TEXT = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/d/one"'


def blocked(registry: TxtRegistry, records: Sequence[Record], *changes: Change) -> Blocked:
    """What blocks *changes*."""
    done = complete(registry, records, *changes)
    assert isinstance(done, Blocked), done
    return done


# --- create ---


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


def test_a_mark_shares_routing_and_properties_of_its_record() -> None:
    """3.2.7, 3.2.10 and 10.3: weighted CNAME, and A with alias=A."""
    done = writes(txt(), [], *create(wanted("CNAME", "multi", sid="set-1", weight="10")))
    assert [named(write.key) for write in done] == ["TXT cname-multi/set-1", "CNAME multi/set-1"]
    assert [write.new.properties for write in done if write.new] == [Pairs.of({"weight": "10"})] * 2
    done = writes(txt(), [], *create(wanted("A", "x", alias="A")))
    assert [write.new.properties for write in done if write.new] == [Pairs.of({"alias": "A"})] * 2


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
            Reason.FOREIGN_RECORD,
            "TXT a-foo.x.test stands where TXT a-foo.x.test must be",
            id="txt-of-the-same-key",
        ),
        pytest.param(
            [record("TXT", "a-foo", sid="s")],
            "foo",
            Reason.FOREIGN_RECORD,
            "TXT a-foo.x.test (s) stands",
            id="routed-txt",
        ),
        pytest.param(
            [replace(record("TXT", "a-foo"), targets=())],
            "foo",
            Reason.FOREIGN_RECORD,
            "TXT a-foo",
            id="txt-without-value",
        ),
        pytest.param([record("CNAME", "a-foo")], "foo", Reason.FOREIGN_RECORD, "CNAME a-foo.x.test", id="cname"),
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


# --- update ---


def test_an_update_restates_what_did_not_change() -> None:
    proof = replace(mark("a-foo", resource=ONE), ttl_s=60)
    records = [record("A", "foo"), proof]
    held = find(txt(), records, "A foo")
    assert words(writes(txt(), records, update(held, wanted("A", "foo", ONE)))) == ["= TXT a-foo", "= A foo"]
    done = writes(txt(), records, update(held, wanted("A", "foo", TWO, target="192.0.2.2")))
    assert words(done) == ["~ TXT a-foo", "~ A foo"]
    assert [write.old for write in done] == [proof, held.record]


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
        pytest.param(record("TXT", "a-foo"), Reason.FOREIGN_RECORD, id="foreign-txt"),
        pytest.param(record("CNAME", "a-foo"), Reason.FOREIGN_RECORD, id="foreign-cname"),
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
    assert why.reason is Reason.NO_OWNERSHIP_NAME


# --- delete ---


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


# --- several changes at once ---


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


# --- migration ---


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


# --- as the reference does ---


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
    assert why.reason is Reason.FOREIGN_RECORD


# --- law 1 ---


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
