"""Keeps state for the next process, which goes by another steady clock: outside, times are of the day."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from extdns.engine.effects import LoadState, LookForReleases, SaveState
from extdns.engine.inputs import StateAnswered, StateLoaded

if TYPE_CHECKING:
    from extdns.ports import Clock, State


class Keeper:
    """Loads and saves; times are seconds since the epoch in *state* and monotonic for the engine.

    If the clock was set back meanwhile, what happened counts as happened just now.
    """

    def __init__(self, state: State, clock: Clock) -> None:
        """Keep in *state*."""
        self._state = state
        self._clock = clock

    def carry_out(self, effect: LoadState | SaveState | LookForReleases) -> StateLoaded | StateAnswered:
        """Make the call of *effect*.

        Raises:
            ExtdnsError: it failed.
        """
        match effect:
            case LoadState():
                saved = self._state.load()
                steady_s = self._clock.monotonic_s()
                return StateLoaded(saved=saved.shifted(steady_s - self._clock.now().timestamp(), steady_s))
            case SaveState(saved=saved):
                now_s = self._clock.now().timestamp()
                self._state.save(saved.shifted(now_s - self._clock.monotonic_s(), now_s))
                return StateAnswered()
            case LookForReleases():
                return StateAnswered(released=self._state.released())
            case _:
                assert_never(effect)
