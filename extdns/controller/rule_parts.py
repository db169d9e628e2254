"""The parts that rules need: the watcher of local rules, the queries of the policy server, and the decision log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.documents.rule_snapshot import RuleSnapshot
from extdns.engine.inputs import RulesChanged
from extdns.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from extdns.audit.decision_log import DecisionLog
    from extdns.controller.policy_status_updater import PolicyStatusUpdater
    from extdns.controller.write_gate import WriteGate
    from extdns.engine.effects import QueryRules
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input
    from extdns.opa.rule_queries import RuleQueries
    from extdns.policies.policy_watcher import PolicyWatcher
    from extdns.ports import Clock, StatusWriter

_CLOSE_TIMEOUT_S: Final = 2.0


class RuleParts(Value, frozen=True, kw_only=True):
    """The parts that rules need, each None without its flag.

    Attributes:
        policies: reads the local rules (`--policy-rules`).
        status_writer: writes the status of DNSPolicies in the cluster; also None in a dry run.
        queries: queries the policy server (`--opa-url`).
        decision_log: gets the answers of both (`--decision-log`).
    """

    policies: PolicyWatcher | None = None
    status_writer: StatusWriter | None = None
    queries: RuleQueries | None = None
    decision_log: DecisionLog | None = None

    def start(self, put: Callable[[Input], None]) -> None:
        """Start all threads. *put* takes inputs for the engine."""
        if self.decision_log:
            self.decision_log.start()
        if self.policies:
            self.policies.start(lambda item: put(self._watch(item)))
        if self.queries:
            self.queries.start(put)
            if not self.policies:
                put(RulesChanged(rules=None))  # without the first input, nothing is planned

    def build_status_updater(self, engine: Engine, clock: Clock, gate: WriteGate) -> PolicyStatusUpdater | None:
        """Build the updater of the status of DNSPolicies; None without a status writer."""
        if self.policies is None or self.status_writer is None:
            return None
        from extdns.controller.policy_status_updater import PolicyStatusUpdater  # noqa: PLC0415 - for rules in the cluster

        return PolicyStatusUpdater(self.policies, engine, self.status_writer, clock, gate)

    def close(self) -> None:
        """Stop all threads, each within two seconds."""
        if self.policies:
            self.policies.close()
        if self.queries:
            self.queries.close(_CLOSE_TIMEOUT_S)
        if self.decision_log:
            self.decision_log.close(_CLOSE_TIMEOUT_S)

    def query(self, effect: QueryRules) -> None:
        """Queue the inputs of *effect* for the policy server, if one is configured."""
        if self.queries:
            self.queries.query(effect.inputs)

    def _watch(self, item: Input) -> Input:
        """Return *item*; if it contains rules, make them write their evaluations to the decision log."""
        if self.decision_log and isinstance(item, RulesChanged) and item.rules:
            return RulesChanged(rules=self.decision_log.watch(item.rules))
        return item

    def read_snapshot(self) -> RuleSnapshot:
        """Return the state of the rules. Safe from any thread."""
        return RuleSnapshot(
            local=self.policies.read_snapshot() if self.policies else None,
            server=self.queries.read_snapshot() if self.queries else None,
        )

    def describe_problems(self) -> dict[str, object]:
        """Return what is wrong with rules, policy server and decision log, for the details of `/readyz`."""
        details: dict[str, object] = {}
        if self.policies and self.policies.problems:
            details["rules"] = {"problems": list(self.policies.problems)}
        if self.queries and self.queries.problem:
            details["policyServer"] = {"message": self.queries.problem}
        if self.decision_log and self.decision_log.queue.problem:
            details["decisionLog"] = {"message": self.decision_log.queue.problem}
        return details

    def count_waiting(self) -> dict[str, int]:
        """Return how many policy queries and lines of the decision log wait. Safe from a handler of a signal."""
        counts: dict[str, int] = {}
        if self.queries:
            counts["policy queries"] = self.queries.waiting_count
        if self.decision_log:
            counts["decision lines"] = self.decision_log.queue.waiting_count
        return counts
