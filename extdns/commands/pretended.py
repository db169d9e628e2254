"""State that is only pretended: what is loaded is said beforehand, and nothing is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.model.saved import Saved


class PretendedState:
    """A `State` that begins with what it was given, and goes nowhere."""

    def __init__(self, saved: Saved) -> None:
        """Load *saved*, always."""
        self._saved = saved

    def load(self) -> Saved:
        """What was given."""
        return self._saved

    def save(self, saved: Saved) -> None:
        """Keep nothing."""

    def released(self) -> tuple[str, ...]:
        """Nobody released anything."""
        return ()
