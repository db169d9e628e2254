r"""Record names (developer guide, "DNS domain name format") and their order (ListResourceRecordSets, "Sort order")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.route53.names import BadName, build_sort_key, normalize
from tests.unit.fakes.route53.raw_client import RawClient, build_simple


@pytest.mark.parametrize(
    ("any_name", "remaining"),
    [
        pytest.param("www.example.com", "www.example.com.", id="the-dot-at-the-end-is-optional"),
        pytest.param("www.example.com.", "www.example.com.", id="the-dot-at-the-end-stays"),
        pytest.param("WWW.Example.COM", "www.example.com.", id="letters-are-stored-in-lower-case"),
        pytest.param(r"\127\127\127.example.com", "www.example.com.", id="letters-in-escapes-are-lowered-too"),
        pytest.param("_a-1.example.com", "_a-1.example.com.", id="hyphen-and-underscore-are-not-escaped"),
        pytest.param("*.example.com", r"\052.example.com.", id="an-asterisk-is-shown-as-its-code"),
        pytest.param(r"\052.example.com", r"\052.example.com.", id="given-by-its-code-it-is-the-same"),
        pytest.param("a/b@c.example.com", r"a\057b\100c.example.com.", id="other-printable-characters"),
        pytest.param(r"ex\344mple.com", r"ex\344mple.com.", id="ex\344mple-of-the-guide"),
        pytest.param(r"a\056b.example.com", r"a\056b.example.com.", id="a-dot-within-a-label"),
        pytest.param(f"{'a' * 63}.com", f"{'a' * 63}.com.", id="63-bytes-a-label"),
        pytest.param(rf"{'a' * 62}\052.com", rf"{'a' * 62}\052.com.", id="an-escape-is-one-byte"),
    ],
)
def test_a_name_is_normalized_as_route53_does(any_name: str, remaining: str) -> None:
    assert normalize(any_name) == remaining


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        pytest.param("", "DomainNameEmpty", id="empty"),
        pytest.param("a..com", "DomainLabelEmpty", id="an-empty-label"),
        pytest.param(f"{'a' * 64}.com", "DomainLabelTooLong", id="64-bytes-in-a-label"),
        pytest.param(".".join(["a" * 49] * 5) + ".abcd.com", "DomainNameTooLong", id="256-bytes-with-the-root"),
        pytest.param("bücher.example.com", "UnsupportedCharacter", id="not-ascii"),
    ],
)
def test_an_invalid_name_is_refused_with_its_problem(name: str, problem: str) -> None:
    with pytest.raises(BadName, match=problem):
        normalize(name)


@given(
    st.lists(
        st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=".\\"), min_size=1, max_size=20),
        min_size=1,
        max_size=4,
    )
)
def test_normalizing_a_normalized_name_changes_nothing(labels: list[str]) -> None:
    remaining = normalize(".".join(labels))
    assert normalize(remaining) == remaining
    assert remaining == remaining.lower()


def test_names_are_sorted_by_their_labels_from_right_to_left_as_the_service_sorts_them() -> None:
    """`-` (45) sorts before the dot (46), digits and letters after it; an escape starts with a backslash (92)."""
    names = ["www", "a.www", "www-x", "www1", "*", "_srv", "0", "zzz"]
    full = sorted((normalize(f"{name}.example.com") for name in names), key=build_sort_key)
    assert [name.removesuffix(".example.com.") for name in full] == [
        *("0", r"\052", "_srv", "www-x", "www", "a.www", "www1", "zzz")
    ]


def test_listed_names_are_normalized_and_sorted(raw_client: RawClient) -> None:
    raw_client.create(build_simple("WWW.example.com"), build_simple("*.example.com"), build_simple("www-x.example.com"))
    assert raw_client.listed() == [r"\052.example.com. A", "www-x.example.com. A", "www.example.com. A"]
