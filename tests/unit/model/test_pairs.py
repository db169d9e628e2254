"""Pairs behave as an immutable mapping."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extdns.model import pairs
from extdns.model.pairs import Pairs

MAPPINGS = st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=5)


def test_of_a_key_given_twice_the_last_counts() -> None:
    assert Pairs.of([("b", "1"), ("a", "2"), ("b", "3")]) == (("a", "2"), ("b", "3"))


def test_nothing_is_always_the_same_nothing() -> None:
    assert Pairs.of() is pairs.NONE
    assert Pairs.of({"a": "1"}).without("a") is pairs.NONE


def test_a_key_without_value_is_not_an_absent_key() -> None:
    some = Pairs.of({"alias": ""})
    assert (some.has("alias"), some.has("other"), some.get("alias", "?"), some.get("other", "?")) == (
        True,
        False,
        "",
        "?",
    )


@given(MAPPINGS, st.text(max_size=4), st.text(max_size=4))
def test_changes_are_those_of_a_dict(mapping: dict[str, str], key: str, value: str) -> None:
    before = Pairs.of(mapping)
    assert dict(before.set(key, value)) == mapping | {key: value}
    assert dict(before.without(key)) == {name: held for name, held in mapping.items() if name != key}
    assert dict(before) == mapping


@given(MAPPINGS)
def test_order_does_not_matter(mapping: dict[str, str]) -> None:
    assert Pairs.of(mapping) == Pairs.of(list(reversed(mapping.items())))
    assert hash(Pairs.of(mapping)) == hash(Pairs.of(dict(reversed(mapping.items()))))
