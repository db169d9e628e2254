"""The times in the saved state, which each process converts to its own clock (docs/design/state.md)."""

from __future__ import annotations

from extdns.model.saved_state import Saved, SavedGrant, SavedHolds, SavedScope, SavedZone


def build_scope(*at_s: float) -> SavedScope:
    """Build the state of a scope with a delete, a number of names and a hold at each time."""
    return SavedScope(
        made=tuple((one, True, 3) for one in at_s),
        most=tuple((one, 7) for one in at_s),
        holds=tuple(SavedHolds(since_s=one, digests=("d1",)) for one in at_s),
    )


def build_saved(*at_s: float, approved_until_s: float) -> Saved:
    """Build the saved state of a zone with a namespace, and an approval."""
    scope, granted = build_scope(*at_s), tuple(SavedGrant(digest="d2", resource="r", at_s=one) for one in at_s)
    zone = SavedZone(name="example.org", whole=scope, namespaces=(("shop", scope),), granted=granted)
    return Saved(zones=(("Z1", zone),), all_zones=scope, approved=(("d1", approved_until_s),))


def test_saved_times_are_converted_to_another_clock_and_only_an_approval_may_end_in_the_future() -> None:
    saved = build_saved(3900.0, 4500.0, approved_until_s=5000.0)
    assert saved.shift(-4000.0, latest_s=100.0) == build_saved(-100.0, 100.0, approved_until_s=1000.0)
