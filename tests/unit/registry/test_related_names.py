"""Names that are read and planned together (docs/design/architecture.md, "Ports")."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extdns.model.dns_name import DnsName
from registry.txt.naming import Naming, RelatedNames
from registry.txt.registry import TxtRegistry
from tests.unit.registry.completion import build_registry
from tests.unit.registry.zone_records import ZONE, build_name, remove_zone


@pytest.mark.parametrize(
    ("registry", "name", "expected"),
    [
        pytest.param(
            build_registry(types=("A",)),
            "foo",
            {"a-foo", "a-a-foo", "cname-foo", "a-cname-foo"},
            id="ownership-names-and-other-readings",
        ),
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
            build_registry(prefix="e-%{record_type}.", types=("AAAA",)),
            "foo",
            {"e-.aaaa-foo", "e-aaaa.foo"},
            id="template",
        ),
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
            build_registry(wildcard="any", types=("AAAA",)), "any", {"aaaa-any", "*"}, id="replacement-and-its-wildcard"
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
def test_only_names_that_can_decide_about_ownership_are_related_names(
    registry: TxtRegistry, name: str, expected: set[str]
) -> None:
    own = {
        remove_zone(found)
        for related in (name, *expected)
        if (found := registry._settings.naming.build_name(build_name(related), "TXT"))
    }
    assert {remove_zone(related) for related in registry.related_names(build_name(name), ZONE)} == expected | own


def test_a_name_whose_ownership_name_would_be_too_long_has_no_related_ownership_name() -> None:
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
def test_related_names_found_by_pattern_equal_those_built_from_naming_formats(
    labels: list[str], affix: dict[str, str], wildcard: str, types: frozenset[str]
) -> None:
    relation = RelatedNames(Naming(**affix, wildcard_replacement=wildcard), types)
    name = DnsName(".".join(labels))
    related = relation.find(name, ZONE.name)
    assert len(related) == len(set(related))
    assert set(related) == set(relation._find_all(name))
