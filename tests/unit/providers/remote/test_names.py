"""Names as they come back."""

from __future__ import annotations

import pytest

from providers.remote.names import parsed


@pytest.mark.parametrize(
    ("text", "name"),
    [("WWW.Example.org.", "www.example.org"), ("*.example.org", "*.example.org"), ("_a._tcp.x.", "_a._tcp.x")],
)
def test_a_name_has_one_spelling(text: str, name: str) -> None:
    assert parsed(text) == name


@pytest.mark.parametrize("text", ["", " x.org", "a b.org", "a..org", "bücher.org", "x\\052.org", f"{'a' * 64}.org"])
def test_what_we_could_not_ask_for_is_no_name(text: str) -> None:
    assert parsed(text) is None
