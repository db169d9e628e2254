"""Numbers of things, in words."""

from __future__ import annotations

import pytest

from extdns.model.quantity import count


@pytest.mark.parametrize(
    ("number", "plain", "phrase"),
    [
        pytest.param(0, "0 deletes", "0 names wait", id="none"),
        pytest.param(1, "1 delete", "1 name waits", id="one"),
        pytest.param(2, "2 deletes", "2 names wait", id="several"),
    ],
)
def test_a_noun_follows_its_number(number: int, plain: str, phrase: str) -> None:
    assert count(number, "delete") == plain
    assert count(number, "name waits", "names wait") == phrase
