"""Write the status of the DNSPolicies in the cluster: whether they are used, and how many records violate them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from extdns.controller.participant import Participant
from extdns.documents.rules import ALLOWED, count_rule_results
from extdns.engine.inputs import RulesChanged, TimePassed
from extdns.model.object_status import PolicyStatus

if TYPE_CHECKING:
    from extdns.controller.write_gate import WriteGate
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input
    from extdns.policies.policy_watcher import PolicyWatcher
    from extdns.ports import Clock, StatusWriter

_INTERVAL_S: Final = 5.0
_AFTER_CHANGE_S: Final = 0.5
"""The pause before an update after the rules changed, so that the names are planned before."""


class PolicyStatusUpdater(Participant):
    """Writes the statuses that changed, at most every five seconds, and soon after the rules changed."""

    deadline_name = "policy statuses"

    def __init__(
        self, watcher: PolicyWatcher, engine: Engine, writer: StatusWriter, clock: Clock, gate: WriteGate
    ) -> None:
        """Write the status of the policies in the cluster that *watcher* reads."""
        self._watcher = watcher
        self._engine = engine
        self._writer = writer
        self._clock = clock
        self._gate = gate
        self._next_update_at = 0.0
        self._is_due = False

    @property
    def next_deadline_at(self) -> float:
        """Monotonic time at which `update` has work; infinity if no update is due, or the write gate is closed."""
        return self._next_update_at if self._is_due and self._gate.is_open() else math.inf

    def before_step(self, item: Input) -> None:
        """Schedule an update after every input but the passing of time; after a change of rules, an early one."""
        self._is_due = self._is_due or not isinstance(item, TimePassed)
        if isinstance(item, RulesChanged):
            self._next_update_at = self._clock.monotonic_s() + _AFTER_CHANGE_S

    def update(self) -> None:
        """Write the statuses that changed, unless `next_deadline_at` is in the future."""
        if self._clock.monotonic_s() < self.next_deadline_at:
            return
        self._next_update_at = self._clock.monotonic_s() + _INTERVAL_S
        self._is_due = False
        self._write()

    def close(self, timeout_s: float) -> None:
        """Write the statuses once more, and let the writer finish within *timeout_s* seconds."""
        if self._gate.is_open():
            self._write()
        self._writer.close(timeout_s)

    def _write(self) -> None:
        states = self._watcher.list_cluster_states()
        results = count_rule_results(self._engine.decisions)
        for state in states:
            counts = {result: count for (rule, result), count in results.items() if rule == state.key.name}
            matched = sum(counts.values())
            self._writer.write(
                PolicyStatus(
                    key=state.key,
                    generation=state.generation,
                    problems=state.problems,
                    is_used=state.is_used,
                    matched=matched,
                    violations=matched - counts.get(ALLOWED, 0),
                )
            )
