"""StringMap, an immutable mapping stored as sorted pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extdns.model.value import EMPTY_MAP, StringMap

MAPPINGS = st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=5)


def test_a_string_map_keeps_the_last_of_two_values_for_one_key() -> None:
    assert StringMap.from_items([("b", "1"), ("a", "2"), ("b", "3")]) == (("a", "2"), ("b", "3"))


def test_empty_string_maps_are_one_object() -> None:
    assert StringMap.from_items() is EMPTY_MAP
    assert StringMap.from_items({"a": "1"}).without("a") is EMPTY_MAP


def test_a_key_with_an_empty_value_is_present_in_a_string_map() -> None:
    some = StringMap.from_items({"alias": ""})
    assert (some.has("alias"), some.has("other"), some.get("alias", "?"), some.get("other", "?")) == (
        True,
        False,
        "",
        "?",
    )


@given(MAPPINGS, st.text(max_size=4), st.text(max_size=4))
def test_the_methods_set_and_without_change_a_string_map_like_a_dict(
    mapping: dict[str, str], key: str, value: str
) -> None:
    before = StringMap.from_items(mapping)
    assert dict(before.set(key, value)) == mapping | {key: value}
    assert dict(before.without(key)) == {name: one for name, one in mapping.items() if name != key}
    assert dict(before) == mapping


@given(MAPPINGS)
def test_string_maps_of_the_same_pairs_are_equal_in_any_order(mapping: dict[str, str]) -> None:
    assert StringMap.from_items(mapping) == StringMap.from_items(list(reversed(mapping.items())))
    assert hash(StringMap.from_items(mapping)) == hash(StringMap.from_items(dict(reversed(mapping.items()))))
