"""Which of two records an ownership record covers, and which texts count (docs/spec/plan.md 11, second row).

Texts of somebody else: docs/design/forgery.md.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from registry.noop.registry import NoopRegistry
from registry.txt.registry import TxtRegistry
from tests.builders import build_codec, build_registry
from tests.unit.registry.completion import MANAGED, find, list_ours
from tests.unit.registry.zone_records import ZONE, build_name, key, ownership_record, parse_keys, parse_records, record

ONE = "service/d/one"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param("A foo, A a-foo, own a-foo", "A a-foo", id="11-host-without-own-ownership-record"),
        pytest.param(
            "A foo, A a-foo, own a-foo resource=one, own a-a-foo resource=two",
            "A foo, A a-foo",
            id="11-host-with-own-ownership-record",
        ),
        pytest.param(
            "A foo, A a-foo, own a-foo, own a-a-foo owner=other",
            "A foo",
            id="11-host-with-ownership-record-of-other-owner",
        ),
        pytest.param(
            "A foo, A a-foo, own a-foo resource=one, own a-a-foo owner=other resource=one",
            "A foo",
            id="11-same-object-of-another-owner",
        ),
        pytest.param(
            "A foo, A a-foo, own a-foo resource=one, own a-a-foo resource=one",
            "A a-foo",
            id="11-same-object-wrote-both-forms",
        ),
        pytest.param(
            "A foo, A a-foo, own a-foo resource=one, own a-a-foo resource=one ownedRecord=a-foo.x.test",
            "A foo, A a-foo",
            id="11-same-object-but-stated",
        ),
        pytest.param(
            "A foo, AAAA foo, A a-foo, own a-foo resource=one, own aaaa-foo resource=one",
            "A foo, AAAA foo",
            id="11-second-ownership-record-of-foo-decides",
        ),
        pytest.param(
            "A foo, AAAA foo, A a-foo, own a-foo resource=one, own aaaa-foo resource=two",
            "AAAA foo, A a-foo",
            id="11-second-ownership-record-of-another-object",
        ),
        pytest.param("A foo, own a-foo", "A foo", id="11-only-foo"),
        pytest.param("A a-foo, own a-foo", "A a-foo", id="11-only-the-host"),
        pytest.param("A foo, AAAA a-foo, own a-foo", "A foo", id="11-aaaa-host-has-no-old-ownership-record"),
        pytest.param("A foo, MX a-foo, own a-foo", "A foo", id="11-an-unmanaged-host-has-none"),
        pytest.param("CNAME foo, A cname-foo, own cname-foo", "A cname-foo", id="11-other-types-alike"),
        pytest.param("A foo alias=true, A cname-foo, own cname-foo", "A cname-foo", id="11-aliases-alike"),
        pytest.param(
            "A foo, A a-foo, own a-foo resource=one, own aaaa-foo resource=one",
            "A a-foo",
            id="11-second-ownership-record-without-record",
        ),
        pytest.param("A foo, own a-foo ownedRecord=bar.x.test", "", id="stated-for-another-name"),
    ],
)
def test_ownership_record_for_two_names_covers_at_most_one(records: str, expected: str) -> None:
    assert list_ours(build_registry(), parse_records(records)) == parse_keys(expected)


@pytest.mark.parametrize(
    ("registry", "records", "expected"),
    [
        pytest.param(build_registry(prefix="e."), "A foo, A a-foo, own e.a-foo", "A a-foo", id="11-with-prefix"),
        pytest.param(build_registry(suffix="-e"), "A foo, A a-foo, own a-foo-e", "A a-foo", id="11-with-suffix"),
        pytest.param(build_registry(wildcard="any"), "A *, A any, own a-any", "", id="11-wildcard-or-not"),
        pytest.param(build_registry(wildcard="any"), "A *, AAAA any, own a-any", "A *", id="11-wildcard"),
        pytest.param(
            build_registry(wildcard="any"),
            "A *, A any, AAAA any, own a-any resource=one, own aaaa-any resource=one",
            "A any, AAAA any",
            id="11-second-ownership-record-decides-about-wildcard",
        ),
        pytest.param(
            build_registry(prefix="%{record_type}"),
            "AAAA web, A web, A aaaweb, own aaaaweb resource=one, own aweb resource=one",
            "A web, AAAA web",
            id="11-second-ownership-record-decides-without-separator",
        ),
        pytest.param(
            build_registry(wildcard="any"), "A *, A any, own a-any ownedRecord=*.x.test", "A *", id="11-stated-wildcard"
        ),
        pytest.param(
            build_registry(wildcard="any"),
            "A *, A any, own any, own a-any ownedRecord=any.x.test",
            "A *, A any",
            id="11-old-wildcard-ownership-record-and-one-with-type",
        ),
        pytest.param(build_registry(wildcard="any"), "A *, A any, own any", "", id="11-old-wildcard-or-not"),
    ],
)
def test_of_two_names_with_an_affix_or_wildcard_at_most_one_is_covered(
    registry: TxtRegistry, records: str, expected: str
) -> None:
    assert list_ours(registry, parse_records(records)) == parse_keys(expected)


def test_resource_label_of_an_ambiguous_old_record_is_ignored() -> None:
    """The resource may belong to A `foo`, so its deletion must not delete the host `a-foo`."""
    found = find(
        build_registry(), [record("A", "a-foo"), ownership_record("a-foo", resource=ONE, extra="1")], key("A", "a-foo")
    )
    assert (found.is_ours, found.resource, found.labels.get("extra")) == (True, "", "1")


class _Counted(DnsName):
    """A name that counts comparisons."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        _Counted.comparisons += 1
        return super().__eq__(other)

    __hash__ = DnsName.__hash__


def test_ambiguous_ownership_records_are_indexed_in_linear_time() -> None:
    costs = []
    for size in (60, 120):
        names = [f"{prefix}{number}" for number in range(size) for prefix in ("", "a-")]
        ownership_records = [
            ownership_record(name, resource=ONE) for name in (*names, *(f"a-{name}" for name in names))
        ]
        hosts = [replace(one, name=_Counted(one.name)) for one in (record("A", name) for name in names)]
        _Counted.comparisons = 0
        assert len(list_ours(build_registry(), [*hosts, *ownership_records])) == 2 * size
        costs.append(_Counted.comparisons)
    assert costs[1] < 3 * costs[0]


WITH_TXT = (*MANAGED, "TXT")
FORGED = '"heritage=external-dns,external-dns/owner=me"'


def find_owner(registry: TxtRegistry, records: list[Record], name: str, rtype: str) -> str | None:
    """Return the owner id of the record, read together with its related names, as in planning."""
    around = {build_name(name), *registry.related_names(build_name(name), ZONE)}
    found = [
        one
        for read in (records, [one for one in records if one.name in around])
        for one in registry.read(read, ZONE)
        if (one.record.name, one.record.type) == (build_name(name), rtype)
    ]
    assert found[0] == found[1]
    return found[0].owner


# forged ownership records


@pytest.mark.parametrize("types", [WITH_TXT, MANAGED], ids=["txt-managed", "txt-not-managed"])
@pytest.mark.parametrize(
    ("affix", "rtype", "name", "forged", "own"),
    [
        pytest.param({}, "A", "mail", "a-mail", "txt-a-mail", id="address"),
        pytest.param({}, "CNAME", "www", "cname-www", "txt-cname-www", id="cname"),
        pytest.param({}, "A", "www", "www", "txt-www", id="without-a-type"),
        pytest.param({}, "A", "*", "a-*", "txt-a-*", id="wildcard"),
        pytest.param({"wildcard": "any"}, "A", "*", "a-any", "txt-a-any", id="wildcard-with-replacement"),
        pytest.param({"prefix": "e."}, "A", "mail", "e.a-mail", "e.txt-e.a-mail", id="prefix"),
        pytest.param(
            {"prefix": "e-%{record_type}."}, "A", "mail", "e-a.mail", "e-txt.e-a.mail", id="prefix-with-a-type"
        ),
        pytest.param({"suffix": "-own"}, "A", "mail", "a-mail-own", "txt-a-mail-own-own", id="suffix"),
    ],
)
def test_txt_record_with_an_ownership_record_of_its_own_does_not_count(
    affix: dict[str, str], rtype: str, name: str, forged: str, own: str, types: tuple[str, ...]
) -> None:
    registry = build_registry(types=types, **affix)  # type: ignore[arg-type]
    by_hand = record(rtype, name)
    published = record("TXT", forged, target=FORGED)
    assert find_owner(registry, [by_hand, published], name, rtype) == "me"  # as for a record of external-dns
    everything = [by_hand, published, ownership_record(own, resource="crd/shop/x")]
    assert find_owner(registry, everything, name, rtype) is None
    assert find_owner(registry, everything, forged, "TXT") == ("me" if "TXT" in types else None)


def test_ownership_record_of_another_owner_also_marks_a_text_as_forged() -> None:
    records = [record("A", "mail"), ownership_record("a-mail"), ownership_record("txt-a-mail", "other")]
    assert find_owner(build_registry(types=WITH_TXT), records, "mail", "A") is None


def test_text_is_forged_only_under_its_own_set_identifier() -> None:
    one, two = ([record("A", "mail", sid=sid), ownership_record("a-mail", sid=sid)] for sid in ("1", "2"))
    found = build_registry(types=WITH_TXT).read([*one, *two, ownership_record("txt-a-mail", sid="1")], ZONE)
    owners = {owned.record.set_identifier: owned.owner for owned in found if owned.record.type == "A"}
    assert owners == {"1": None, "2": "me"}


@pytest.mark.parametrize("length", [3, 4, 5])
def test_chain_of_forged_ownership_records_makes_no_record_ours(length: int) -> None:
    chain = [ownership_record("txt-" * depth + "a-mail") for depth in range(length)]
    assert find_owner(build_registry(types=WITH_TXT), [record("A", "mail"), *chain], "mail", "A") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FORGED, True, id="ours"),
        pytest.param('"heritage=external-dns,external-dns/owner=other"', True, id="other-owner"),
        pytest.param("heritage=external-dns,external-dns/owner=me", True, id="without-quotes"),
        pytest.param('"x,heritage=external-dns"', True, id="after-other-text"),
        pytest.param(r'"\150eritage=external-dns,external-dns/owner=me"', True, id="octal-escape"),
        pytest.param(r'"\104eritage=external-dns,external-dns/owner=me"', True, id="decimal-escape"),
        pytest.param(r'"\heritage=external-dns"', True, id="escape-of-itself"),
        pytest.param('"HERITAGE=external-dns,external-dns/owner=me"', False, id="capitals"),
        pytest.param('"heritage=mate"', False, id="another-program"),
        pytest.param('"v=spf1 -all"', False, id="spf"),
        pytest.param(r'"\999"', False, id="no-character"),
    ],
)
def test_text_that_could_be_an_ownership_record_is_recognized(text: str, expected: bool) -> None:
    assert build_registry().is_ownership_text(text) is expected
    assert NoopRegistry().is_ownership_text(text) is expected


def test_encrypted_text_is_recognized_only_with_our_key() -> None:
    text = build_codec("k" * 32).encode(ownership_record("x").properties)
    assert text is not None
    assert build_registry(codec=build_codec("k" * 32)).is_ownership_text(text)
    assert not build_registry(codec=build_codec("q" * 32)).is_ownership_text(text)
