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
        settings: the configuration.
        planner: the settings and pure functions with which names are planned.
        claims: the claims of all objects.
        phases: the phases of the kinds.
        problems: objects and manifests that cannot be read.
        adjustments: requests that show desired records to the service, which returns them as it would store them.
        checks: GET requests for objects that a list of their kind does not contain.
        zones: the caches and write queues of all zones.
        leadership: whether this process is the leader.
        delete_guard: decides which deletes may be made now.
        waits: what the decisions about each name wait for.
        decisions: the last decisions.
        plan_retries: names that could not be planned because of an exception.
        rules: who may publish what.
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
