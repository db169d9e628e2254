"""Names of ownership records, built and read (docs/spec/plan.md 3.2.1, 3.2.2), and related names."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.flags.records import RegistryFlags
from extdns.model.dns_name import DnsName
from extdns.model.rrtype import OWNABLE
from registry.txt.naming import Naming, NamingFormat, RecordReference, RelatedNames, build_apex_name
from registry.txt.registry import TxtRegistry
from registry.txt.spec import REGISTRY
from tests.builders import build_registry
from tests.unit.registry.zone_records import ZONE, build_name, remove_zone


@pytest.mark.parametrize(
    ("naming", "web", "apex", "wildcard"),
    [
        pytest.param(Naming(), "a-web.example.com", "a-example.com", "cname-*.example.com", id="3.2.1-no-flags"),
        pytest.param(
            Naming(wildcard_replacement="any"),
            "a-web.example.com",
            "a-example.com",
            "cname-any.example.com",
            id="3.2.1-wildcard-replacement",
        ),
        pytest.param(
            Naming(prefix="edns."),
            "edns.a-web.example.com",
            "edns.a-example.com",
            "edns.cname-*.example.com",
            id="3.2.1-prefix-with-dot",
        ),
        pytest.param(
            Naming(prefix="edns-%{record_type}."),
            "edns-a.web.example.com",
            "edns-a.example.com",
            "edns-cname.*.example.com",
            id="3.2.1-template-prefix-with-dot",
        ),
        pytest.param(
            Naming(suffix="-txt"),
            "a-web-txt.example.com",
            "a-example-txt.com",
            "cname-*-txt.example.com",
            id="3.2.1-suffix",
        ),
        pytest.param(
            Naming(suffix="-%{record_type}x"),
            "web-ax.example.com",
            "example-ax.com",
            "*-cnamex.example.com",
            id="3.2.1-template-suffix",
        ),
    ],
)
def test_ownership_name_contains_type_and_name(naming: Naming, web: str, apex: str, wildcard: str) -> None:
    assert naming.build_name(DnsName("web.example.com"), "A") == web
    assert naming.build_name(DnsName("example.com"), "A") == apex
    assert naming.build_name(DnsName("*.example.com"), "CNAME") == wildcard
    for ownership_record, name, rtype in (
        (web, "web.example.com", "A"),
        (apex, "example.com", "A"),
        (wildcard, "*.example.com", "CNAME"),
    ):
        assert RecordReference(DnsName(name), rtype) in naming.find_references(DnsName(ownership_record), OWNABLE)


def test_ownership_name_inside_the_zone_has_at_most_253_bytes() -> None:
    zone = DnsName("a." * 121 + "a")
    assert build_apex_name(zone, "A") == f"_extdns-a.{zone}"
    assert build_apex_name(DnsName(f"{zone}a"), "A") is None


@pytest.mark.parametrize(
    ("name", "rtype", "ownership_record"),
    [
        pytest.param("a" * 61 + ".test", "A", "a-" + "a" * 61 + ".test", id="3.2.1-63-bytes-fit"),
        pytest.param("a" * 62 + ".test", "A", None, id="3.2.1-64-bytes-do-not"),
        pytest.param("a" * 59 + ".test", "CNAME", None, id="3.2.1-longer-type"),
        pytest.param("a." * 125 + "a", "A", "a-" + "a." * 125 + "a", id="253-bytes-fit"),
        pytest.param("a." * 125 + "aa", "A", None, id="254-bytes-do-not"),
        pytest.param("example", "CNAME", "cname-example", id="10.3-single-label"),
    ],
)
def test_none_is_built_if_it_would_not_be_a_valid_dns_name(name: str, rtype: str, ownership_record: str | None) -> None:
    assert Naming().build_name(DnsName(name), rtype) == ownership_record


@pytest.mark.parametrize(
    ("naming", "ownership_record", "first"),
    [
        pytest.param(Naming(prefix="foo"), "fooa-example.com", ("example.com", "A"), id="3.2.2-prefix"),
        pytest.param(
            Naming(suffix=".foo.bar.test"),
            "cname-example.foo.bar.test.com",
            ("example.com", "CNAME"),
            id="3.2.2-suffix-with-dots",
        ),
        pytest.param(
            Naming(prefix="bar.%{record_type}.foo."),
            "bar.cname.foo.example.com",
            ("example.com", "CNAME"),
            id="3.2.2-template-between-dots",
        ),
        pytest.param(
            Naming(prefix="foo-%{record_type}-"),
            "foo--test.example.com",
            ("test.example.com", ""),
            id="3.2.2-template-left-out",
        ),
        pytest.param(
            Naming(prefix="foo-%{record_type}-"),
            "foo--mx-test.example.com",
            ("test.example.com", "MX"),
            id="3.2.2-template-left-out-type-before-name",
        ),
        pytest.param(Naming(), "aaaa-zone.example.com", ("zone.example.com", "AAAA"), id="3.2.2-default-position"),
        pytest.param(Naming(), "a-foo.x.test", ("foo.x.test", "A"), id="3.2.2-ambiguous"),
        pytest.param(
            Naming(prefix="%{record_type}"), "aaaaweb.x.test", ("aaaweb.x.test", "A"), id="3.2.2-no-separator"
        ),
        pytest.param(
            Naming(prefix="txt-%{record_type}."), "txt-cname.bar.x.test", ("bar.x.test", "CNAME"), id="10.3-template"
        ),
    ],
)
def test_read_first_as_the_record_that_external_dns_reads(
    naming: Naming, ownership_record: str, first: tuple[str, str]
) -> None:
    assert naming.find_references(DnsName(ownership_record), OWNABLE)[0] == first


@pytest.mark.parametrize(
    ("naming", "ownership_record"),
    [
        pytest.param(Naming(prefix="txt."), "txt", id="prefix-alone"),
        pytest.param(Naming(prefix="txt"), "txt.x.test", id="only-the-prefix"),
        pytest.param(Naming(suffix="-txt"), "web.x-txt.test", id="suffix-on-another-label"),
        pytest.param(Naming(suffix="-txt"), "-txt.x.test", id="only-the-suffix"),
        pytest.param(Naming(suffix=".b.c"), "a.b", id="3.2.2-too-few-labels"),
    ],
)
def test_other_prefix_or_suffix_refers_to_no_record(naming: Naming, ownership_record: str) -> None:
    assert naming.find_references(DnsName(ownership_record), OWNABLE) == ()


def test_first_label_that_starts_with_a_type_can_refer_to_two_names() -> None:
    assert Naming().find_references(DnsName("a-foo.x.test"), OWNABLE) == (("foo.x.test", "A"), ("a-foo.x.test", ""))
    assert Naming().can_hold_type(DnsName("a-foo.x.test"), ())
    assert not Naming().can_hold_type(DnsName("foo.x.test"), ())
    assert Naming().can_hold_type(DnsName("caa-foo.x.test"), ("CAA",))


def test_an_asterisk_as_wildcard_replacement_replaces_nothing() -> None:
    def list_names(replacement: str) -> list[str]:
        assert REGISTRY.ownership_names
        return [
            *REGISTRY.ownership_names(RegistryFlags(txt_wildcard_replacement=replacement), DnsName("*.a.test"), "A")
        ]

    assert list_names("*") == list_names("")


def test_possible_names_are_listed_from_the_newest_format_to_the_oldest() -> None:
    name = DnsName("foo.x.test")
    assert list(Naming().build_all_names(name, "A", alias=True)) == [
        (NamingFormat.CURRENT, "a-foo.x.test"),
        (NamingFormat.ALIAS_AS_CNAME, "cname-foo.x.test"),
        (NamingFormat.UNTYPED, "foo.x.test"),
    ]
    assert list(Naming(prefix="e-%{record_type}.").build_all_names(name, "A", alias=True)) == [
        (NamingFormat.CURRENT, "e-a.foo.x.test"),
        (NamingFormat.TYPE_FIRST, "e-.a-foo.x.test"),
        (NamingFormat.ALIAS_AS_CNAME, "e-cname.foo.x.test"),
        (NamingFormat.ALIAS_AS_CNAME, "e-.cname-foo.x.test"),
        (NamingFormat.UNTYPED, "e-.foo.x.test"),
    ]


@pytest.mark.parametrize("alias", [True, False])
def test_aaaa_record_has_no_name_without_type(alias: bool) -> None:
    assert list(Naming().build_all_names(DnsName("foo.x.test"), "AAAA", alias=alias)) == [
        (NamingFormat.CURRENT, "aaaa-foo.x.test")
    ]


@pytest.mark.parametrize(
    ("affixes", "message"),
    [
        pytest.param(
            {"prefix": "p", "suffix": "s"}, "--txt-prefix=p and --txt-suffix=s cannot be used together", id="3.2-both"
        ),
        pytest.param({"prefix": "my mark-"}, "--txt-prefix=my mark- does not give a valid name", id="blank"),
        pytest.param({"prefix": "."}, "--txt-prefix=. does not give a valid name", id="empty-label"),
        pytest.param({"suffix": "-ü"}, "--txt-suffix=-ü does not give a valid name", id="not-ascii"),
        pytest.param({"suffix": "-txt."}, "--txt-suffix=-txt. does not give a valid name", id="dot-at-the-end"),
        pytest.param({"prefix": "p" * 90}, "does not give a valid name", id="too-long"),
        pytest.param({"prefix": "_extdns."}, "must not begin with _extdns- or _extdns.", id="reserved"),
        pytest.param({"prefix": "_extdns-%{record_type}."}, "must not begin with _extdns-", id="reserved-with-a-type"),
        pytest.param(
            {"suffix": "-t", "wildcard_replacement": "a.b"},
            "--txt-suffix=-t --txt-wildcard-replacement=a.b does not give a valid name",
            id="replacement-hides-the-suffix",
        ),
    ],
)
def test_prefix_or_suffix_without_valid_names_is_a_usage_error(affixes: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Naming(**affixes)
    assert message in str(caught.value)
    assert "allowed: " in str(caught.value)


namings = st.builds(
    lambda affix, stand_in: Naming(**affix, wildcard_replacement=stand_in),
    st.sampled_from(
        (
            {},
            *(
                {side: text}
                for side in ("prefix", "suffix")
                for text in (
                    "e",
                    "e-",
                    "-e",
                    ".e.f",
                    "%{record_type}",
                    "e-%{record_type}-",
                    "e%{record_type}",
                    "%{record_type}-e",
                )
                if side == "suffix" or not text.startswith(".")
            ),
            {"prefix": "e."},
            {"prefix": "e.f.%{record_type}.g."},
            {"suffix": ".e.%{record_type}.f"},
        )
    ),
    st.sampled_from(("", "any", "a-any")),
)
labels = st.sampled_from(("*", "foo", "a-foo", "aaaa", "any", "e", "-", "mx-1", "_sip", "example", "a" * 50, "a" * 63))
names = st.lists(labels, min_size=1, max_size=3).map(lambda found: DnsName(".".join(found)))


@given(namings, names, st.sampled_from((*OWNABLE, "CAA")), st.booleans())
def test_each_ownership_name_can_be_read_back_as_its_record(
    naming: Naming, name: DnsName, rtype: str, alias: bool
) -> None:
    for form, ownership_record in naming.build_all_names(name, rtype, alias=alias):
        read = "" if form is NamingFormat.UNTYPED else "CNAME" if form is NamingFormat.ALIAS_AS_CNAME else rtype
        assert DnsName.parse(ownership_record) == ownership_record
        assert RecordReference(name, read) in naming.find_references(ownership_record, (*OWNABLE, "CAA"))


@given(namings, names)
def test_each_record_that_a_name_refers_to_has_that_ownership_name(naming: Naming, ownership_record: DnsName) -> None:
    for name, rtype in naming.find_references(ownership_record, OWNABLE):
        records = naming.build_all_names(name, rtype or "A", alias=False)
        assert ownership_record in {found for form, found in records if (form is NamingFormat.UNTYPED) == (not rtype)}


# related names


@pytest.mark.parametrize(
    ("registry", "name", "expected"),
    [
        pytest.param(
            build_registry(),
            "foo",
            {
                *("a-foo", "a-a-foo", "cname-a-foo"),
                *("aaaa-foo", "a-aaaa-foo", "cname-aaaa-foo"),
                *("cname-foo", "a-cname-foo", "cname-cname-foo"),
            },
            id="default-types",
        ),
        pytest.param(build_registry(types=("AAAA",)), "foo", {"aaaa-foo"}, id="aaaa-has-no-untyped-ownership-name"),
        pytest.param(
            build_registry(prefix="e.", types=("A",)),
            "foo",
            {"e.a-foo", "a-foo", "e.a-a-foo", "e.cname-foo", "cname-foo", "e.a-cname-foo", "e.foo"},
            id="prefix",
        ),
        pytest.param(
            build_registry(wildcard="any", types=("AAAA",)), "*", {"aaaa-any", "any"}, id="wildcard-and-its-replacement"
        ),
        pytest.param(
            build_registry(types=("AAAA",)),
            "aaaa-foo",
            {"aaaa-aaaa-foo", "foo"},
            id="name-that-looks-like-an-ownership-name",
        ),
        pytest.param(build_registry(types=()), "foo", set(), id="nothing-managed"),
    ],
)
def test_only_names_that_can_decide_about_ownership_are_related(
    registry: TxtRegistry, name: str, expected: set[str]
) -> None:
    own = {
        remove_zone(found)
        for related in (name, *expected)
        if (found := registry._settings.naming.build_name(build_name(related), "TXT"))
    }
    assert {remove_zone(related) for related in registry.related_names(build_name(name), ZONE)} == expected | own


def test_no_related_name_if_the_ownership_name_would_be_too_long() -> None:
    assert build_registry(types=("AAAA",)).related_names(build_name("a" * 63), ZONE) == ()


PARTS = st.sampled_from(("a", "aaa", "e", "-", "x", "n", "txt", "mx", "any", "*", "foo", "in", "a" * 50, "a" * 63))
LABELS = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "".join(parts)[:63])


@given(
    labels=st.lists(LABELS, min_size=1, max_size=4),
    affix=st.one_of(
        st.builds(dict, prefix=st.sampled_from(("", "e.", "e-", "a-", "%{record_type}-e.", "e%{record_type}"))),
        st.builds(dict, suffix=st.sampled_from(("-txt", ".in.a", "-%{record_type}", "e%{record_type}"))),
    ),
    wildcard=st.sampled_from(("", "any")),
    types=st.frozensets(st.sampled_from(("A", "AAAA", "CNAME", "MX", "TXT"))),
)
@example(["aaafoo", "x"], {"prefix": "e%{record_type}"}, "", frozenset({"A", "AAAA"}))
@example(["fooaaa", "x"], {"suffix": "%{record_type}e"}, "", frozenset({"A", "AAAA"}))
@example(["foo-txt", "x"], {"suffix": "-txt"}, "", frozenset({"A"}))
@example(["foo", "in", "a", "x"], {"suffix": ".in.a"}, "", frozenset({"A"}))
@example(["txt", "x"], {"suffix": "-txt"}, "", frozenset({"TXT"}))
def test_related_names_by_pattern_equal_those_from_naming_formats(
    labels: list[str], affix: dict[str, str], wildcard: str, types: frozenset[str]
) -> None:
    relation = RelatedNames(Naming(**affix, wildcard_replacement=wildcard), types)
    name = DnsName(".".join(labels))
    related = relation.find(name, ZONE.name)
    assert len(related) == len(set(related))
    assert set(related) == set(relation._find_all(name))
