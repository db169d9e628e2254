"""The common hostname of a listener and a Route (docs/spec/sources.md 5.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.sources.gateway.admission import find_common_hostname, is_hostname

LABELS = st.sampled_from(["a", "b", "x-y", "*", "acme", "_x", "", "T"])
NAMES = st.lists(LABELS, max_size=4).map(".".join)


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("listener", "route", "expected"),
    [
        pytest.param("*.acme.test", "a.b.acme.test", "a.b.acme.test", id="5.5-below-a-wildcard"),
        pytest.param("*.acme.test", "acme.test", None, id="5.5-wildcards-need-a-label"),
        pytest.param("foo.acme.test", "*.acme.test", "foo.acme.test", id="5.5-wildcard-of-the-route"),
        pytest.param("*.acme.test", "*.dev.acme.test", "*.dev.acme.test", id="5.5-longer-wildcard"),
        pytest.param("*.dev.acme.test", "*.acme.test", "*.dev.acme.test", id="5.5-longer-wildcard-of-the-listener"),
        pytest.param("", "X.Acme.Test", "x.acme.test", id="5.5-nothing-covers-all-in-small-letters"),
        pytest.param("x.test", "", "x.test", id="5.5-route-without-name"),
        pytest.param("", "", None, id="5.5-both-empty"),
        pytest.param("*.acme.test", "x.acme.test.", None, id="5.5-trailing-dot"),
        pytest.param("x.acme.test.", "x.acme.test.", "x.acme.test.", id="5.5-trailing-dots-alike"),
        pytest.param("A.test", "a.TEST", "a.test", id="5.5-equal-but-for-case"),
        pytest.param("a.test", "b.test", None, id="5.5-different"),
        pytest.param("*.a.test", "long-a.test", None, id="5.5-suffix-within-a-label"),
        pytest.param("*.test", "b.test", "b.test", id="5.5-as-long-as-the-wildcard"),
        pytest.param("", "192.0.2.1", None, id="5.5-address"),
        pytest.param("", "_x.test", None, id="5.5-underscore"),
        pytest.param("", "*", None, id="5.5-bare-wildcard"),
        pytest.param("_x.test", "", None, id="5.5-listener-that-has-no-host-name"),
    ],
)
def test_the_common_hostname_of_a_listener_and_a_route_is_the_more_specific_one_if_they_match(
    listener: str, route: str, expected: str | None
) -> None:
    assert find_common_hostname(listener, route) == expected


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a" * 63 + ".t", True, id="5.5-label-of-63"),
        pytest.param("a" * 64 + ".t", False, id="5.5-label-of-64"),
        pytest.param(".".join(["a" * 62] * 4) + ".ab", True, id="5.5-254"),
        pytest.param(".".join(["a" * 63] * 4), True, id="5.5-255"),
        pytest.param(".".join(["a" * 63] * 4) + ".", False, id="5.5-256"),
        pytest.param("*.*.t", False, id="5.5-one-wildcard"),
        pytest.param("-a.t", False, id="5.5-hyphen-at-an-end"),
        pytest.param("a..t", False, id="5.5-empty-label"),
        pytest.param("a.t\n", False, id="line-break"),
        pytest.param("fe80::1", False, id="5.5-ipv6"),
    ],
)
def test_a_hostname_may_have_255_bytes_with_labels_of_63_bytes_and_one_wildcard(text: str, expected: bool) -> None:
    assert is_hostname(text) is expected


@given(NAMES, NAMES)
def test_the_common_hostname_of_a_listener_and_a_route_does_not_depend_on_their_order(one: str, other: str) -> None:
    assert find_common_hostname(one, other) == find_common_hostname(other, one)


@given(NAMES)
def test_the_common_hostname_of_a_hostname_and_an_empty_or_equal_one_is_that_hostname(name: str) -> None:
    same = name.lower() if is_hostname(name) else None
    assert find_common_hostname("", name) == find_common_hostname(name, name) == same
