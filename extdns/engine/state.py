"""The parts of the engine, as one argument for the functions of `reconcile`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from extdns.engine.adjustments import Adjustments
    from extdns.engine.claims import ClaimIndex
    from extdns.engine.decisions import Decisions, Waits
    from extdns.engine.delete_guard import DeleteGuard
    from extdns.engine.evidence import EvidenceReader
    from extdns.engine.observations import ExistenceChecks
    from extdns.engine.retries import RetryTable
    from extdns.engine.rule_state import RuleState
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones
    from extdns.model.dns_name import DnsName


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineState:
    """The parts of an engine.

    Attributes:
        settings: the configuration.
        claims: the claims of all objects.
        evidence: finds the evidence for deletes in what was observed.
        adjustments: requests for what the service makes of desired records.
        checks: GET requests for objects that a list of their kind does not contain.
        zones: the caches and write queues of all zones.
        delete_guard: decides which deletes may be made now.
        waits: what the decisions about each name wait for.
        decisions: the last decisions.
        plan_retries: names that could not be planned because of an exception.
        rules: who may publish what.
    """

    settings: EngineSettings
    claims: ClaimIndex
    evidence: EvidenceReader
    adjustments: Adjustments
    checks: ExistenceChecks
    zones: Zones
    delete_guard: DeleteGuard
    waits: Waits
    decisions: Decisions
    plan_retries: RetryTable
    rules: RuleState

    def should_gather(self, names: Collection[DnsName]) -> bool:
        """Return whether to plan *names* only after `gather_s`, together with other names.

        Names are gathered if a claim to them ended, because deletes are counted together and another object may request
        the name in the next event. They are also gathered while a batch is in flight in their zone, because their
        changes have to wait anyway.
        """
        if self.claims.have_ended(names):
            return True
        busy = [zone.zone.name for zone in self.zones if zone.queue.in_flight]
        return bool(busy) and any(name.within(zone) for name in names for zone in busy)
