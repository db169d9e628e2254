"""The nearest of several texts, for messages."""

from __future__ import annotations

from difflib import get_close_matches

from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import find_similar

TEXTS = st.text("abcd", max_size=6)


@given(text=TEXTS, known=st.lists(TEXTS), least=st.sampled_from([0.6, 0.8, 0.95]))
def test_the_similar_text_is_the_one_that_difflib_finds(text: str, known: list[str], least: float) -> None:
    assert [find_similar(text, known, least)] == (get_close_matches(text, known, n=1, cutoff=least) or [""])
