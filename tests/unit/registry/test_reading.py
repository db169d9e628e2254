"""Owners of records, by their ownership records (docs/spec/plan.md 3.2.5, 3.2.10, 10.3, 11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.errors import UsageError
from extdns.model.record import Record
from extdns.model.value import StringMap
from registry.noop.registry import NoopRegistry
from registry.txt.registry import TxtRegistry
from tests.builders import build_registry
from tests.unit.registry.completion import (
    find,
    list_ours,
)
from tests.unit.registry.zone_records import (
    ZONE,
    key,
    ownership_record,
    parse_key,
    parse_keys,
    parse_records,
    record,
)

ONE = "service/d/one"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param("CNAME foo, own foo", "CNAME foo", id="3.2.10-untyped"),
        pytest.param(
            "A dual, own dual, AAAA dual, own aaaa-dual owner=owner-2", "A dual", id="3.2.10-untyped-is-not-for-aaaa"
        ),
        pytest.param("AAAA dual, own dual", "", id="3.2.5-aaaa-needs-its-type"),
        pytest.param("A x alias=true, own cname-x", "A x", id="3.2.10-alias"),
        pytest.param("A x alias=A, own cname-x", "A x", id="3.2.5-alias-of-type-a"),
        pytest.param("A x alias=false, own cname-x", "", id="10.3-alias-only-if-alias"),
        pytest.param("A x, own cname-x", "", id="10.3-alias-only-with-the-property"),
        pytest.param("AAAA x alias=true, own cname-x", "", id="3.2.5-alias-not-for-aaaa"),
        pytest.param("A rec", "", id="3.2.10-no-ownership-record"),
        pytest.param("own a-new", "", id="3.2.10-ownership-record-without-record"),
        pytest.param("A foo, own a-foo owner=other, own foo", "", id="3.2.5-typed-decides"),
        pytest.param("CNAME m/one, CNAME m/two, own cname-m/one", "CNAME m/one", id="3.2.5-per-set-identifier"),
        pytest.param("CNAME m/one, own m", "", id="3.2.5-untyped-per-set-identifier"),
        pytest.param("A foo, own a-foo owner=Me", "", id="owners-in-other-capitals-are-others"),
        pytest.param('A a, TXT a-a target="heritage=mate,external-dns/owner=me"', "", id="3.2.3-other-heritage"),
    ],
)
def test_record_is_ours_only_if_an_ownership_record_of_ours_covers_it(records: str, expected: str) -> None:
    assert list_ours(build_registry(), parse_records(records)) == parse_keys(expected)


@pytest.mark.parametrize(
    ("registry", "records", "expected"),
    [
        pytest.param(
            build_registry(types=("TXT",)), "TXT foo, own txt-foo", "TXT foo", id="3.2.7-txt-with-ownership-record"
        ),
        pytest.param(
            build_registry(types=("CAA",)), "CAA foo, own caa-foo", "CAA foo", id="a-type-the-reference-lacks"
        ),
        pytest.param(build_registry(prefix="TxT."), "A tar, own txt.tar", "A tar", id="10.3-prefix-in-any-case"),
        pytest.param(build_registry(prefix="txt."), "A tar, own a-tar", "", id="10.3-without-the-prefix"),
        pytest.param(
            build_registry(prefix="txt.", wildcard="wc"),
            "A *.wildcard, own txt.wc.wildcard",
            "A *.wildcard",
            id="10.3-untyped-wildcard",
        ),
        pytest.param(build_registry(wildcard="ANY"), "A *.s, own a-any.s", "A *.s", id="3.2.5-replacement-in-capitals"),
        pytest.param(
            build_registry(suffix="-txt", types=("A", "AAAA", "MX", "SRV")),
            "A bar, own bar-txt, AAAA dualstack, own aaaa-dualstack-txt, "
            "MX mail, own mx-mail-txt, SRV _sip._udp.sip1, own _sip-txt._udp.sip1",
            "A bar, AAAA dualstack, MX mail, SRV _sip._udp.sip1",
            id="10.3-suffix",
        ),
        pytest.param(
            build_registry(suffix="txt%{record_type}", types=("CNAME", "MX")),
            "CNAME bar, own bartxtcname, MX mail, own mailtxt",
            "CNAME bar, MX mail",
            id="10.3-template-suffix",
        ),
        pytest.param(
            build_registry(prefix="%{record_type}-edns."),
            "A @, own a-edns.x.test.",
            "A @",
            id="3.2.1-apex-with-template",
        ),
        pytest.param(
            build_registry(prefix="%{record_type}"),
            "AAAA web, A aaaweb, own aaaaweb",
            "",
            id="11-no-separator-and-two-records",
        ),
    ],
)
def test_record_is_ours_only_if_its_ownership_record_has_the_affix(
    registry: TxtRegistry, records: str, expected: str
) -> None:
    assert list_ours(registry, parse_records(records)) == parse_keys(expected)


def test_record_of_ours_has_owner_labels_and_ownership_records() -> None:
    ownership = ownership_record("a-foo", resource=ONE, extra="1")
    found = find(build_registry(), [record("A", "foo"), ownership], key("A", "foo"))
    assert (found.owner, found.is_ours, found.has_current_format) == ("me", True, True)
    assert found.labels == StringMap.from_items({"resource": ONE, "extra": "1"})
    assert found.ownership_records == (ownership,)
    assert found.resource == ONE


def test_record_without_ownership_record_has_no_owner() -> None:
    found = find(build_registry(), [record("A", "foo"), ownership_record("foo", "")], key("A", "foo"))
    assert (found.owner, found.is_ours) == (None, False)
    assert find(build_registry(), [record("A", "foo")], key("A", "foo")).ownership_records == ()


def test_record_of_another_owner_has_its_owner_id() -> None:
    found = find(
        build_registry(),
        [record("A", "foo"), ownership_record("a-foo", "other"), ownership_record("foo")],
        key("A", "foo"),
    )
    assert (found.owner, found.is_ours, found.has_current_format) == ("other", False, True)
    assert found.ownership_records == (ownership_record("a-foo", "other"),)


def test_record_of_an_unmanaged_type_has_no_owner() -> None:
    found = find(build_registry(), [record("MX", "foo"), ownership_record("mx-foo")], key("MX", "foo"))
    assert (found.owner, found.is_ours, found.ownership_records) == (None, False, ())


def test_records_of_the_previous_owner_are_ours_and_keep_its_id() -> None:
    registry = build_registry(migrate_from="old")
    records = [
        record("A", "a"),
        ownership_record("a-a", "old"),
        record("A", "c"),
        ownership_record("a-c", "third"),
        record("A", "d"),
        ownership_record("a-d", ""),
    ]
    found = find(registry, records, key("A", "a"))
    assert (found.owner, found.is_ours) == ("old", True)
    assert list_ours(registry, records) == {key("A", "a")}
    assert list_ours(build_registry(), records) == set()


def test_previous_and_current_owner_count_during_a_migration() -> None:
    records = [record("A", "foo"), ownership_record("a-foo"), ownership_record("foo", "old")]
    assert find(build_registry(migrate_from="old"), records, key("A", "foo")).ownership_records == (
        ownership_record("a-foo"),
        ownership_record("foo", "old"),
    )
    assert find(build_registry(), records, key("A", "foo")).ownership_records == (ownership_record("a-foo"),)


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        pytest.param("a,b", r"^--txt-owner-id=.*\n  allowed: ", id="cannot-be-encoded"),
        pytest.param("", r"^--txt-owner-id= is empty\n  allowed: a name for this installation", id="3.2-empty"),
    ],
)
def test_invalid_owner_id_is_a_usage_error(owner: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build_registry(owner=owner)


@pytest.mark.parametrize(
    ("registry", "records", "key", "expected"),
    [
        pytest.param(
            build_registry(), "CNAME foo, own foo", "CNAME foo", False, id="10.3-only-an-old-ownership-record"
        ),
        pytest.param(
            build_registry(), "A x alias=true, own cname-x", "A x", False, id="10.3-only-an-alias-ownership-record"
        ),
        pytest.param(
            build_registry(types=("NS",)), "NS newformat, own ns-newformat", "NS newformat", True, id="10.3-ns"
        ),
        pytest.param(build_registry(), "A foo, own foo owner=other", "A foo", True, id="10.3-other-owner"),
        pytest.param(build_registry(), "MX foo, own foo", "MX foo", True, id="10.3-unmanaged"),
        pytest.param(
            build_registry(),
            f"A {'a' * 63}, own {'a' * 63}",
            f"A {'a' * 63}",
            True,
            id="10.3-no-possible-ownership-name",
        ),
        pytest.param(
            build_registry(prefix="e-%{record_type}."), "A foo, own e-.a-foo", "A foo", False, id="3.2.2-dashed"
        ),
    ],
)
def test_only_a_record_of_ours_can_lack_a_current_ownership_record(
    registry: TxtRegistry, records: str, key: str, expected: bool
) -> None:
    assert find(registry, parse_records(records), parse_key(key)).has_current_format is expected


def test_returns_all_records_of_a_zone_except_ownership_records() -> None:
    records = [
        ownership_record("a-foo", "other"),
        ownership_record("lonely"),
        record("TXT", "random"),
        record("CNAME", "txt.bar"),
        replace(record("TXT", "empty"), targets=()),
        replace(ownership_record("shared"), targets=(ownership_record("shared").targets[0], '"v=spf1 -all"')),
    ]
    found = [owned.key for owned in build_registry().read(records, ZONE)]
    assert found == [key("TXT", "random"), key("TXT", "shared"), key("CNAME", "txt.bar")]


def test_txt_record_with_ownership_text_and_another_value_is_none() -> None:
    common = replace(ownership_record("a-foo"), targets=(ownership_record("a-foo").targets[0], '"v=spf1 -all"'))
    assert list_ours(build_registry(), [record("A", "foo"), common]) == set()
    owned = find(build_registry(), [record("A", "foo"), common], key("A", "foo"))
    assert (owned.mixed_name, owned.forged) == ("a-foo.x.test", "")


@pytest.mark.parametrize(
    "neighbour",
    [
        pytest.param(replace(record("TXT", "a-foo"), targets=('"one"', '"two"')), id="no-ownership-record"),
        pytest.param(
            replace(ownership_record("a-bar"), targets=(ownership_record("a-bar").targets[0], '"two"')),
            id="of-another-record",
        ),
    ],
)
def test_unrelated_txt_record_is_not_reported_as_mixed(neighbour: Record) -> None:
    assert find(build_registry(), [record("A", "foo"), neighbour], key("A", "foo")).mixed_name == ""


RECORDS = [record("MX", "foo"), ownership_record("a-foo", "other"), record("A", "foo")]


# without ownership records (docs/spec/plan.md 3.1)


def test_noop_registry_counts_all_records_as_ours() -> None:
    assert list_ours(NoopRegistry(), RECORDS) == {key("A", "foo"), key("MX", "foo"), key("TXT", "a-foo")}


def test_noop_registry_has_no_ownership_records() -> None:
    for owned in NoopRegistry().read(RECORDS, ZONE):
        assert (owned.owner, owned.ownership_records, owned.labels, owned.has_current_format) == (None, (), (), True)
    assert NoopRegistry().related_names(RECORDS[0].name, ZONE) == ()
