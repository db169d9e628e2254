"""What marks prove (spec plan 3.2.5, 3.2.10, 10.3, 11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.errors import UsageError
from extdns.model.pairs import Pairs
from extdns.model.record import Record
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import MANAGED, find, mark, named, ours, record, txt

ONE = "service/d/one"


@pytest.mark.parametrize(
    ("registry", "records", "expected"),
    [
        pytest.param(txt(), [record("CNAME", "foo"), mark("foo")], {"CNAME foo"}, id="3.2.10-untyped"),
        pytest.param(
            txt(),
            [record("A", "dual"), mark("dual"), record("AAAA", "dual"), mark("aaaa-dual", "owner-2")],
            {"A dual"},
            id="3.2.10-untyped-is-not-for-aaaa",
        ),
        pytest.param(txt(), [record("AAAA", "dual"), mark("dual")], set(), id="3.2.5-aaaa-needs-its-type"),
        pytest.param(txt(), [record("A", "x", alias="true"), mark("cname-x")], {"A x"}, id="3.2.10-alias"),
        pytest.param(txt(), [record("A", "x", alias="A"), mark("cname-x")], {"A x"}, id="3.2.5-alias-of-type-a"),
        pytest.param(txt(), [record("A", "x", alias="false"), mark("cname-x")], set(), id="10.3-alias-only-if-alias"),
        pytest.param(txt(), [record("A", "x"), mark("cname-x")], set(), id="10.3-alias-only-with-the-property"),
        pytest.param(txt(), [record("AAAA", "x", alias="true"), mark("cname-x")], set(), id="3.2.5-alias-not-for-aaaa"),
        pytest.param(txt(), [record("A", "rec")], set(), id="3.2.10-no-mark"),
        pytest.param(txt(), [mark("a-new")], set(), id="3.2.10-lone-mark"),
        pytest.param(txt(), [record("A", "foo"), mark("a-foo", "other"), mark("foo")], set(), id="3.2.5-typed-decides"),
        pytest.param(
            txt(types=("TXT",)), [record("TXT", "foo"), mark("txt-foo")], {"TXT foo"}, id="3.2.7-txt-is-marked-too"
        ),
        pytest.param(
            txt(types=("CAA",)), [record("CAA", "foo"), mark("caa-foo")], {"CAA foo"}, id="a-type-the-reference-lacks"
        ),
        pytest.param(
            txt(),
            [record("CNAME", "m", sid="one"), record("CNAME", "m", sid="two"), mark("cname-m", sid="one")],
            {"CNAME m/one"},
            id="3.2.5-per-set-identifier",
        ),
        pytest.param(txt(), [record("CNAME", "m", sid="one"), mark("m")], set(), id="3.2.5-untyped-per-set-identifier"),
        pytest.param(txt(), [record("A", "foo"), mark("a-foo", "Me")], set(), id="owners-in-other-capitals-are-others"),
        pytest.param(
            txt(),
            [record("A", "a"), replace(mark("a-a"), targets=('"heritage=mate,external-dns/owner=me"',))],
            set(),
            id="3.2.3-other-heritage",
        ),
        pytest.param(
            txt(prefix="TxT."), [record("A", "tar"), mark("txt.tar")], {"A tar"}, id="10.3-prefix-in-any-case"
        ),
        pytest.param(txt(prefix="txt."), [record("A", "tar"), mark("a-tar")], set(), id="10.3-without-the-prefix"),
        pytest.param(
            txt(prefix="txt.", wildcard="wc"),
            [record("A", "*.wildcard"), mark("txt.wc.wildcard")],
            {"A *.wildcard"},
            id="10.3-untyped-wildcard",
        ),
        pytest.param(
            txt(wildcard="ANY"), [record("A", "*.s"), mark("a-any.s")], {"A *.s"}, id="3.2.5-replacement-in-capitals"
        ),
        pytest.param(
            txt(suffix="-txt", types=("A", "AAAA", "MX", "SRV")),
            [
                record("A", "bar"),
                mark("bar-txt"),
                record("AAAA", "dualstack"),
                mark("aaaa-dualstack-txt"),
                record("MX", "mail"),
                mark("mx-mail-txt"),
                record("SRV", "_sip._udp.sip1"),
                mark("_sip-txt._udp.sip1"),
            ],
            {"A bar", "AAAA dualstack", "MX mail", "SRV _sip._udp.sip1"},
            id="10.3-suffix",
        ),
        pytest.param(
            txt(suffix="txt%{record_type}", types=("CNAME", "MX")),
            [record("CNAME", "bar"), mark("bartxtcname"), record("MX", "mail"), mark("mailtxt")],
            {"CNAME bar", "MX mail"},
            id="10.3-template-suffix",
        ),
        pytest.param(
            txt(prefix="%{record_type}-edns."),
            [record("A", "@"), mark("a-edns.x.test.")],
            {"A @"},
            id="3.2.1-apex-with-template",
        ),
        pytest.param(
            txt(prefix="%{record_type}"),
            [record("AAAA", "web"), mark("aaaaweb")],
            {"AAAA web"},
            id="3.2.2-no-separator-but-one-record",
        ),
        pytest.param(
            txt(prefix="%{record_type}"),
            [record("AAAA", "web"), record("A", "aaaweb"), mark("aaaaweb")],
            set(),
            id="11-no-separator-and-two-records",
        ),
    ],
)
def test_marks_tell_what_is_ours(registry: TxtRegistry, records: list[Record], expected: set[str]) -> None:
    assert ours(registry, records) == expected


def test_a_record_of_ours_shows_its_mark() -> None:
    proof = mark("a-foo", resource=ONE, extra="1")
    found = find(txt(), [record("A", "foo"), proof], "A foo")
    assert (found.owner, found.ours, found.marked) == ("me", True, True)
    assert found.labels == Pairs.of({"resource": ONE, "extra": "1"})
    assert found.marks == (proof,)
    assert found.resource == ONE


def test_what_nothing_proves_has_no_owner() -> None:
    found = find(txt(), [record("A", "foo"), mark("foo", "")], "A foo")
    assert (found.owner, found.ours) == (None, False)
    assert find(txt(), [record("A", "foo")], "A foo").marks == ()


def test_marks_of_others_are_shown_with_their_owner() -> None:
    found = find(txt(), [record("A", "foo"), mark("a-foo", "other"), mark("foo")], "A foo")
    assert (found.owner, found.ours, found.marked) == ("other", False, True)
    assert found.marks == (mark("a-foo", "other"),)


def test_all_marks_of_ours_are_shown_in_order() -> None:
    marks = (mark("a-x"), mark("cname-x"), mark("x"))
    assert find(txt(), [record("A", "x", alias="true"), *reversed(marks)], "A x").marks == marks


@pytest.mark.parametrize(
    ("registry", "there", "shown"),
    [
        pytest.param(txt(prefix="txt."), record("TXT", "random"), ["TXT random"], id="10.3-text-of-somebody"),
        pytest.param(txt(prefix="txt."), record("CNAME", "txt.bar"), ["CNAME txt.bar"], id="10.3-cname-like-a-mark"),
        pytest.param(txt(prefix="txt."), mark("bar"), [], id="10.3-mark-without-the-prefix"),
        pytest.param(txt(), replace(record("TXT", "empty"), targets=()), [], id="10.3-text-without-value"),
    ],
)
def test_what_is_shown_of_what_stands_beside_a_record_and_its_mark(
    registry: TxtRegistry, there: Record, shown: list[str]
) -> None:
    standing = [record("A", "bar"), mark("txt.bar"), mark("a-bar"), there]
    assert [named(owned.key) for owned in registry.read(standing)] == ["A bar", *shown]


def test_marks_are_hidden_and_everything_else_is_not() -> None:
    records = [
        mark("a-foo", "other"),
        mark("lonely"),
        record("TXT", "random"),
        record("CNAME", "txt.bar"),
        replace(record("TXT", "empty"), targets=()),
        replace(mark("shared"), targets=(mark("shared").targets[0], '"v=spf1 -all"')),
    ]
    found = [named(owned.key) for owned in txt().read(records)]
    assert found == ["TXT random", "TXT shared", "CNAME txt.bar"]


def test_a_mark_beside_another_value_proves_nothing() -> None:
    shared = replace(mark("a-foo"), targets=(mark("a-foo").targets[0], '"v=spf1 -all"'))
    assert ours(txt(), [record("A", "foo"), shared]) == set()
    assert find(txt(), [record("A", "foo"), shared], "A foo").shared == "a-foo.x.test"


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param(replace(record("TXT", "a-foo"), targets=('"one"', '"two"')), id="no-mark-at-all"),
        pytest.param(replace(mark("a-bar"), targets=(mark("a-bar").targets[0], '"two"')), id="of-another-record"),
    ],
)
def test_what_is_no_mark_of_a_record_in_any_case_shares_none(beside: Record) -> None:
    assert find(txt(), [record("A", "foo"), beside], "A foo").shared == ""


@pytest.mark.parametrize(
    ("registry", "records", "name", "expected"),
    [
        pytest.param(txt(), [record("CNAME", "foo"), mark("foo")], "CNAME foo", False, id="10.3-only-an-old-mark"),
        pytest.param(
            txt(), [record("A", "x", alias="true"), mark("cname-x")], "A x", False, id="10.3-only-an-alias-mark"
        ),
        pytest.param(
            txt(types=("NS",)), [record("NS", "newformat"), mark("ns-newformat")], "NS newformat", True, id="10.3-ns"
        ),
        pytest.param(txt(), [record("A", "foo"), mark("foo", "other")], "A foo", True, id="10.3-other-owner"),
        pytest.param(txt(), [record("MX", "foo"), mark("foo")], "MX foo", True, id="10.3-unmanaged"),
        pytest.param(
            txt(), [record("A", "a" * 63), mark("a" * 63)], "A " + "a" * 63, True, id="10.3-no-name-for-a-mark"
        ),
        pytest.param(
            txt(prefix="e-%{record_type}."), [record("A", "foo"), mark("e-.a-foo")], "A foo", False, id="3.2.2-dashed"
        ),
    ],
)
def test_a_record_without_a_mark_in_todays_naming_wants_one(
    registry: TxtRegistry, records: list[Record], name: str, expected: bool
) -> None:
    assert find(registry, records, name).marked is expected


def test_an_unmanaged_record_is_nobodys() -> None:
    found = find(txt(), [record("MX", "foo"), mark("mx-foo")], "MX foo")
    assert (found.owner, found.ours, found.marks) == (None, False, ())


def test_records_of_the_old_owner_are_ours_and_keep_its_name() -> None:
    registry = txt(migrate_from="old")
    records = [
        record("A", "a"),
        mark("a-a", "old"),
        record("A", "c"),
        mark("a-c", "third"),
        record("A", "d"),
        mark("a-d", ""),
    ]
    found = find(registry, records, "A a")
    assert (found.owner, found.ours) == ("old", True)
    assert ours(registry, records) == {"A a"}
    assert ours(txt(), records) == set()


def test_marks_of_both_owners_are_ours_while_migrating() -> None:
    records = [record("A", "foo"), mark("a-foo"), mark("foo", "old")]
    assert find(txt(migrate_from="old"), records, "A foo").marks == (mark("a-foo"), mark("foo", "old"))
    assert find(txt(), records, "A foo").marks == (mark("a-foo"),)


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param("", id="3.2-empty"),
        pytest.param("a,b", id="comma"),
        pytest.param('me"', id="quote"),
        pytest.param("me\\you", id="backslash"),
        pytest.param("k\u00f6ln", id="not-ascii"),
        pytest.param("x" * 5000, id="too-long"),
    ],
)
def test_an_owner_that_no_mark_can_carry_stops_the_start(owner: str) -> None:
    with pytest.raises(UsageError, match=r"--txt-owner-id=.*\n  allowed: "):
        TxtRegistry(owner=owner, naming=Naming(), managed_types=MANAGED)


def test_the_registry_tells_its_owner() -> None:
    assert txt().owner == "me"
