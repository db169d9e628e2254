"""What takes part in the main loop of the controller if flags ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.audit_log import build_audit_log
from extdns.app.cluster_writers import build_status_updaters
from extdns.app.policies import build_policy_watcher
from extdns.app.policy_server import build_rule_queries
from extdns.documents.rules import RuleSnapshot
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.audit.audit_log import AuditLog
    from extdns.config import Config
    from extdns.controller.participant import Participant
    from extdns.controller.reporter import ActivityReporter
    from extdns.controller.write_gate import WriteGate
    from extdns.engine.engine import Engine
    from extdns.opa.rule_queries import RuleQueries
    from extdns.policies.policy_watcher import PolicyWatcher
    from extdns.ports import Clock, ZoneWriter


class Observers(Value, frozen=True, kw_only=True, gc=True):
    """The observers of the engine, each None without its flag.

    Attributes:
        participants: these observers, and what writes the statuses of objects and DNSPolicies, which is closed first.
        audit: the writer of the zones, too (`--audit-log`).
        policies: reads the local rules (`--policy-rules`).
        queries: queries the policy server (`--opa-url`).
    """

    participants: tuple[Participant, ...]
    audit: AuditLog | None
    policies: PolicyWatcher | None
    queries: RuleQueries | None

    @property
    def unwritten_line_count(self) -> int:
        """How many lines of the audit log were not written. Known once it is closed."""
        return self.audit.queue.unwritten_count if self.audit else 0

    def read_rules(self) -> RuleSnapshot:
        """Return the state of the rules. Safe from any thread."""
        return RuleSnapshot(
            local=self.policies.read_snapshot() if self.policies else None,
            server=self.queries.read_snapshot() if self.queries else None,
        )


def build_observers(
    config: Config,
    writer: ZoneWriter | None,
    engine: Engine,
    clock: Clock,
    gate: WriteGate,
    reporter: ActivityReporter,
    *,
    needs_approval: bool,
) -> Observers:
    """Build the observers of *engine*, whose batches *writer* writes."""
    audit = build_audit_log(config, writer, engine, clock, reporter)
    queries = build_rule_queries(config, reporter, clock, gate)
    policies = build_policy_watcher(config, reporter.report_defect)
    may_write = writer is not None and not needs_approval
    updaters = build_status_updaters(config, engine, policies, clock, gate) if may_write else ()
    return Observers(
        participants=(*updaters, *(one for one in (audit, policies, queries) if one)),
        audit=audit,
        policies=policies,
        queries=queries,
    )
