"""The parts of the engine, as one argument for the functions of `reconcile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.engine.adjustments import Adjustments
    from extdns.engine.claims import ClaimIndex
    from extdns.engine.decisions import Decisions, Waits
    from extdns.engine.delete_guard import DeleteGuard
    from extdns.engine.observations import ExistenceChecks, KindPhases, ObjectProblems
    from extdns.engine.retries import RetryTable
    from extdns.engine.rule_state import RuleState
    from extdns.engine.settings import EngineSettings
    from extdns.engine.state_sync import Leadership
    from extdns.engine.zones import Zones
    from extdns.planner.settings import Planner


class EngineParts(Value, frozen=True, kw_only=True, gc=True):
    """The parts of an engine.

    Attributes:
        plan_retries: names that could not be planned because of an exception.
    """

    settings: EngineSettings
    planner: Planner
    claims: ClaimIndex
    phases: KindPhases
    problems: ObjectProblems
    adjustments: Adjustments
    checks: ExistenceChecks
    zones: Zones
    leadership: Leadership
    delete_guard: DeleteGuard
    waits: Waits
    decisions: Decisions
    plan_retries: RetryTable
    rules: RuleState
