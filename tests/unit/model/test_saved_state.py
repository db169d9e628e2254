"""The times in the saved state, which each process converts to its own clock (docs/design/state.md)."""

from __future__ import annotations

from extdns.model.saved_state import Saved


def test_the_expiry_of_a_saved_approval_is_converted_to_the_clock_of_the_next_process() -> None:
    saved = Saved(approved=(("d1", 5000.0),))
    assert saved.shift(-4000.0, latest_s=100.0).approved == (("d1", 1000.0),)
