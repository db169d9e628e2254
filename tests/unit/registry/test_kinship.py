"""Names that are read and planned together (design 4, "Registry")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.name import DnsName
from registry.txt.kinship import Kinship
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import full, short, txt


@pytest.mark.parametrize(
    ("registry", "name", "expected"),
    [
        pytest.param(
            txt(types=("A",)),
            "foo",
            {"a-foo", "a-a-foo", "cname-foo", "a-cname-foo"},
            id="marks-and-what-else-they-may-mean",
        ),
        pytest.param(
            txt(),
            "foo",
            {
                *("a-foo", "a-a-foo", "cname-a-foo"),
                *("aaaa-foo", "a-aaaa-foo", "cname-aaaa-foo"),
                *("cname-foo", "a-cname-foo", "cname-cname-foo"),
            },
            id="default-types",
        ),
        pytest.param(txt(types=("AAAA",)), "foo", {"aaaa-foo"}, id="aaaa-has-no-old-marks"),
        pytest.param(
            txt(prefix="e-%{record_type}.", types=("AAAA",)), "foo", {"e-.aaaa-foo", "e-aaaa.foo"}, id="template"
        ),
        pytest.param(
            txt(prefix="e.", types=("A",)),
            "foo",
            {"e.a-foo", "a-foo", "e.a-a-foo", "e.cname-foo", "cname-foo", "e.a-cname-foo", "e.foo"},
            id="prefix",
        ),
        pytest.param(txt(wildcard="any", types=("AAAA",)), "*", {"aaaa-any", "any"}, id="wildcard-and-stand-in"),
        pytest.param(txt(wildcard="any", types=("AAAA",)), "any", {"aaaa-any", "*"}, id="stand-in-and-wildcard"),
        pytest.param(txt(types=("AAAA",)), "aaaa-foo", {"aaaa-aaaa-foo", "foo"}, id="what-a-mark-there-would-prove"),
        pytest.param(txt(types=()), "foo", set(), id="nothing-managed"),
    ],
)
def test_kin_is_no_more_than_may_matter(registry: TxtRegistry, name: str, expected: set[str]) -> None:
    assert {short(kin) for kin in registry.related(full(name))} == expected


def test_a_name_that_dns_cannot_mark_has_no_kin_of_that_name() -> None:
    assert txt(types=("AAAA",)).related(full("a" * 63)) == ()


LABELS = st.one_of(
    st.sampled_from(("a", "a-a", "e", "txt", "e-a-foo", "foo-txt", "any", "*", "mx-foo", "a" * 50, "a" * 58, "a" * 63)),
    st.text("ace-x", min_size=1, max_size=8),
)


@given(
    labels=st.lists(LABELS, min_size=1, max_size=4),
    affix=st.sampled_from(
        ({}, {"prefix": "e."}, {"prefix": "e-"}, {"prefix": "a-"}, {"suffix": "-txt"}, {"suffix": ".in.a"})
    ),
    wildcard=st.sampled_from(("", "any")),
    types=st.frozensets(st.sampled_from(("A", "AAAA", "CNAME", "MX"))),
)
def test_the_pattern_gives_what_is_worked_out(
    labels: list[str], affix: dict[str, str], wildcard: str, types: frozenset[str]
) -> None:
    kinship = Kinship(Naming(**affix, wildcard_replacement=wildcard), types)
    name = DnsName(".".join(labels))
    kin = kinship.of(name)
    assert len(kin) == len(set(kin))
    assert set(kin) == set(kinship._work_out(name))
