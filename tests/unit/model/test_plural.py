"""Counts of things in messages."""

from __future__ import annotations

import pytest

from extdns.model.value import format_count


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
