"""Maps of strings, counts in messages, and pauses of exponential backoff."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.value import EMPTY_MAP, StringMap, compute_backoff_s, format_count

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


@pytest.mark.parametrize(
    ("number", "plain", "phrase"),
    [
        pytest.param(0, "0 deletes", "0 names wait", id="none"),
        pytest.param(1, "1 delete", "1 name waits", id="one"),
        pytest.param(2, "2 deletes", "2 names wait", id="several"),
    ],
)
def test_the_noun_after_a_count_is_singular_only_for_one(number: int, plain: str, phrase: str) -> None:
    assert format_count(number, "delete") == plain
    assert format_count(number, "name waits", "names wait") == phrase


@given(failures=st.integers(0, 10_000), most_s=st.floats(0.5, 3600.0))
def test_the_backoff_doubles_with_each_failure_up_to_its_maximum(failures: int, most_s: float) -> None:
    pause_s, next_s = compute_backoff_s(0.5, failures, most_s), compute_backoff_s(0.5, failures + 1, most_s)
    assert next_s == min(2 * pause_s, most_s)
