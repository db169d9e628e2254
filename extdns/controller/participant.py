"""What takes part in the main loop beside the engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.engine.effects import Effect
    from extdns.engine.inputs import Input


class Participant:
    """Observes the steps of the engine, and does its own work between them. Each method here does nothing.

    The engine's thread calls them, but for `describe` and `count_waiting`, which any thread and a handler of a signal
    may call. An exception in `before_step`, `after_step`, `update` or `close` affects no other participant (law 3).

    Attributes:
        deadline_name: how SIGUSR1 names `next_deadline_at`, "" if there is none.
        close_limit_s: how long `close` may take at most.
    """

    deadline_name: str = ""
    close_limit_s: float = 2.0

    def start(self, put: Callable[[Input], None]) -> None:
        """Start the threads, if any. *put* takes inputs for the engine, from any thread."""

    def before_step(self, item: Input) -> None:
        """Observe *item*, the input of the next step."""

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Observe the *effects* of a step, before they are carried out; while the process ends, only outcomes."""

    def update(self) -> None:
        """Do what is due. This is called after one or more steps, but not while the process ends."""

    @property
    def next_deadline_at(self) -> float:
        """Monotonic time at which `update` has work even if nothing happens; infinity if there is none."""
        return math.inf

    def describe(self) -> Mapping[str, object]:
        """Return details for `/readyz`, such as what is wrong; {} if there is nothing to say."""
        return {}

    def count_waiting(self) -> Mapping[str, int]:
        """Return the length of each queue, by name, for SIGUSR1."""
        return {}

    def close(self, timeout_s: float) -> None:
        """Finish or abandon the work, within *timeout_s* seconds, and stop the threads."""
