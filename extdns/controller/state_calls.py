"""Calls of the state store, in the monotonic time of the engine (docs/design/state.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from extdns.engine.effects import LoadState, ReadApprovals, SaveState
from extdns.engine.inputs import StateAnswered, StateLoaded

if TYPE_CHECKING:
    from extdns.ports import Clock, StateStore


class StateCalls:
    """Call the state store, and convert times: saved ones are seconds since the epoch, those of the engine monotonic.

    If the system's clock was set back, events that seem to lie in the future count as of now.
    """

    def __init__(self, store: StateStore, clock: Clock) -> None:
        """Load and save with *store*, and convert times with *clock*."""
        self._store = store
        self._clock = clock

    def execute(self, effect: LoadState | SaveState | ReadApprovals) -> StateLoaded | StateAnswered:
        """Load or save the state, or read approvals, as *effect* states.

        Raises:
            ExtdnsError: the call failed.
        """
        match effect:
            case LoadState():
                saved = self._store.load()
                monotonic_s = self._clock.monotonic_s()
                return StateLoaded(saved=saved.shift(monotonic_s - self._clock.now().timestamp(), monotonic_s))
            case SaveState(saved=saved):
                now_s = self._clock.now().timestamp()
                self._store.save(saved.shift(now_s - self._clock.monotonic_s(), now_s))
                return StateAnswered()
            case ReadApprovals():
                return StateAnswered(approved=self._store.load_approvals())
            case _:
                assert_never(effect)
