"""Write the status of objects once every record of an object is decided and written (docs/spec/sources.md 6.3)."""

from __future__ import annotations

import math
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from msgspec.structs import replace

from extdns import log
from extdns.controller.participant import Participant
from extdns.engine.decisions import CHANGING, IN_SYNC
from extdns.engine.effects import ReportDecisions
from extdns.engine.inputs import PRESENT, LeadershipChanged, Observed
from extdns.engine.namespace_turns import NamespaceTurns
from extdns.errors import describe_invalid_value
from extdns.log import Event
from extdns.model.claim import Derivation, ExcludedClaim, InvalidClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.object_status import EndpointProblem, ObjectStatus, ReleasedObject
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from extdns.controller.write_gate import WriteGate
    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input, Observation
    from extdns.model.change import Decision
    from extdns.model.claim import Claim, Provenance
    from extdns.model.dns_name import DnsName
    from extdns.model.kind import ObjectKey
    from extdns.ports import Clock, StatusWriter

    Requests = dict[tuple[str, Provenance], list[Decision]]
    FindRequests = Callable[[DnsName], Requests]

_log = log.get(__name__)

_MIN_PAUSE_S: Final = 0.1
_MAX_PAUSE_S: Final = 5.0
_MAX_WORK_S: Final = 0.1
"""After which the other statuses that are due have to wait for the next time."""
_PAUSE_PER_WORK: Final = 20.0
"""Seconds of pause for each second of work: statuses take at most a twentieth of the time of the engine's thread."""


class _ObservedObject(NamedTuple):
    """The newest version of an object."""

    generation: int
    claims: tuple[Claim, ...]
    deleted_at: str | None


class StatusUpdater(Participant):
    """Track which objects have a new status, and write it when it is final.

    A status is final when every record of the object is decided and written.
    """

    deadline_name = "object statuses"
    close_limit_s = math.inf  # the statuses are results of a single pass

    def __init__(
        self,
        engine: Engine,
        writer: StatusWriter,
        clock: Clock,
        gate: WriteGate,
        *,
        finalizer_timeout_s: float = 0.0,
    ) -> None:
        """Write the status of objects of the writer's kind, according to the decisions of *engine*.

        Published objects get our finalizer. It is removed from a deleted one when its records are gone, or after
        *finalizer_timeout_s*; with 0, from all.
        """
        self._finalizer_timeout_s = finalizer_timeout_s
        self._engine = engine
        self._writer = writer
        self._clock = clock
        self._gate = gate
        self._objects: dict[ObjectKey, _ObservedObject] = {}
        self._due: NamespaceTurns[ObjectKey] = NamespaceTurns()
        self._pause_s = _MIN_PAUSE_S
        self._next_write_at = 0.0

    def before_step(self, item: Input) -> None:
        """Process the input *item*: store objects that changed, and reset if leadership changed."""
        if isinstance(item, Observed):
            for observation in item.observations:
                if observation.key.kind == self._writer.kind:
                    self._observe(observation)
        if isinstance(item, LeadershipChanged):
            self._reset()

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Schedule the status of each object that requests a record that new decisions are about."""
        for effect in effects:
            if isinstance(effect, ReportDecisions):
                self._schedule(one.ref.key for decision in effect.decisions for one in decision.requested_by)

    def update(self) -> None:
        """Write the statuses that are final: every record of the object is decided and written.

        None is written before `next_deadline_at`.
        """
        if self._clock.monotonic_s() >= self.next_deadline_at:
            self._write_final(for_s=_MAX_WORK_S)

    def close(self, timeout_s: float) -> None:
        """Write the statuses of objects whose records are all written; let the writer finish within *timeout_s*."""
        if self._gate.is_open():
            self._write_final(for_s=math.inf)
        self._writer.close(timeout_s)

    @property
    def next_deadline_at(self) -> float:
        """Monotonic time at which `update` has work; infinity if no status is due or the write gate is closed."""
        return self._next_write_at if self._due and self._gate.is_open() else math.inf

    def _reset(self) -> None:
        """Discard queued statuses and schedule all: a new leader writes each status again, a standby none."""
        for key in self._objects:
            self._writer.forget(key)
        self._schedule(self._objects)

    def _observe(self, observation: Observation) -> None:
        self._writer.forget(observation.key)
        self._objects.pop(observation.key, None)
        self._due.discard(observation.key)
        if observation.deleted_at or (
            observation.cause in PRESENT and not (observation.failure or observation.awaited_kind)
        ):
            self._objects[observation.key] = _ObservedObject(
                observation.generation, observation.claims, observation.deleted_at
            )
            self._schedule((observation.key,))

    def _schedule(self, keys: Iterable[ObjectKey]) -> None:
        count = len(self._due)
        for key in keys:
            if key in self._objects:
                self._due.add(key.namespace, key)
        if len(self._due) > count:
            self._pause_s = _MIN_PAUSE_S
            self._next_write_at = min(self._next_write_at, self._clock.monotonic_s() + self._pause_s)

    def _write_final(self, for_s: float) -> None:
        """Write the statuses that are final, at least one that is due and more for *for_s*; namespaces take turns."""
        began_at = now_s = self._clock.monotonic_s()
        waiting: list[ObjectKey] = []
        # of one pass: the first only if an object is deleted
        find_resources, find_requests = cache(self._find_resources), cache(self._index_requests)
        defect: Exception | None = None
        while key := self._due.take():
            observed = self._objects[key]
            try:
                if observed.deleted_at:
                    is_final = self._release(key, observed, find_resources)
                else:
                    is_final = self._write(key, observed, find_requests)
            except Exception as exc:  # noqa: BLE001 - law 3: others are due, and this one is tried again
                is_final, defect = False, exc
            if not is_final:
                waiting.append(key)
            last_s, now_s = now_s, self._clock.monotonic_s()
            self._due.spend(now_s - last_s)
            if now_s - began_at >= for_s:
                break
        else:
            self._pause_s = min(self._pause_s * 2, _MAX_PAUSE_S)
        for key in waiting:
            self._due.add(key.namespace, key)
        self._next_write_at = now_s + max(self._pause_s, (now_s - began_at) * _PAUSE_PER_WORK)
        if defect:
            raise defect

    def _write(self, key: ObjectKey, observed: _ObservedObject, find_requests: FindRequests) -> bool:
        """Write the status of an object; return False if it is not final."""
        status = self._build_status(key, observed, find_requests)
        if status is not None and not _is_excluded(status, observed.claims):
            self._writer.write(status)
        return status is not None

    def _build_status(
        self, key: ObjectKey, observed: _ObservedObject, find_requests: FindRequests
    ) -> ObjectStatus | None:
        """Return the status of an object; None if one of its records is not decided and written yet."""
        problems: list[EndpointProblem] = []
        count = 0
        for claim in observed.claims:
            if isinstance(claim, ExcludedClaim) or claim.provenance.derivation is Derivation.NONE:
                result = self._find_claim_problem(claim, find_requests)
                if result is None:
                    return None
                count += 1
                if not (result.valid and result.published):
                    problems.append(result)
        is_published = sum(not problem.published for problem in problems) < count
        return ObjectStatus(
            key=key,
            generation=observed.generation,
            endpoints=count,
            problems=tuple(problems),
            finalizer=(is_published or None) if self._finalizer_timeout_s else False,
        )

    def _release(
        self, key: ObjectKey, observed: _ObservedObject, find_resources: Callable[[], AbstractSet[str] | None]
    ) -> bool:
        """Let the deleted object go if none of its records is published for it any more, or its time is over.

        Return False if it must stay.
        """
        age = self._clock.now() - datetime.fromisoformat(observed.deleted_at or "")
        is_late = age.total_seconds() >= self._finalizer_timeout_s
        if not is_late:
            resources = find_resources()
            if resources is None or key.resource in resources:
                return False
        elif self._finalizer_timeout_s:
            _log.warning(Event.FINALIZER_TIMED_OUT, object=str(key), deleted_at=observed.deleted_at)
        self._writer.write(ReleasedObject(key=key, generation=observed.generation))
        return True

    def _find_resources(self) -> AbstractSet[str] | None:
        """Return the resources of our records that no object requests; None if that is not known now."""
        if not (self._engine.is_planned and all(zone.cache.is_complete for zone in self._engine.zones)):
            return None
        return {
            decision.current.resource
            for decision in self._engine.decisions
            if decision.current and decision.current.is_ours and not decision.requested_by
        }

    def _find_claim_problem(self, claim: Claim, find_requests: FindRequests) -> EndpointProblem | None:
        """Return whether the endpoint of *claim* is valid and published, and why not; None if undecided."""
        match claim:
            case ExcludedClaim(name=name, excluded_by=flag):
                return EndpointProblem(name=name or "", reason=Reason.TARGETS_FILTERED, detail=f"by {flag}")
            case InvalidClaim(provenance=provenance, reason=reason, value=value, allowed=allowed):
                return EndpointProblem(
                    field=provenance.field,
                    name=value if reason is Reason.INVALID_NAME else "",
                    reason=reason,
                    detail=describe_invalid_value(value, allowed),
                    valid=False,
                )
            case UnresolvedClaim(provenance=provenance, name=name, reason=reason, detail=detail):
                is_valid = not reason.row.is_invalid
                return EndpointProblem(field=provenance.field, name=name, reason=reason, detail=detail, valid=is_valid)
            case ResolvedClaim():
                result = self._find_publication(claim, find_requests)
                first = next((one for one in claim.warnings if not one.reason.row.is_remark), None)
                if result is not None and result.published and first:
                    detail = f"{first.field}: {describe_invalid_value(first.value, first.allowed)}"
                    return replace(result, reason=first.reason, detail=detail, valid=False)
                return result
            case _:
                assert_never(claim)

    def _index_requests(self, name: DnsName) -> Requests:
        """Return the decisions about *name* by the set identifier and each claim that requested them."""
        found: Requests = {}
        for decision in self._engine.decisions.decisions(name):
            for provenance in decision.requested_by:
                found.setdefault((decision.set_identifier, provenance), []).append(decision)
        return found

    def _find_publication(self, claim: ResolvedClaim, find_requests: FindRequests) -> EndpointProblem | None:
        """Return whether the record is in each of its zones, and why not; None if it is not decided and written yet."""
        if not self._engine.is_final(claim.name):
            return None
        decisions = find_requests(claim.name).get((claim.set_identifier, claim.provenance), ())
        if not decisions or any(decision.action in CHANGING for decision in decisions):
            return None
        worst = next((decision for decision in decisions if decision.reason not in IN_SYNC), decisions[0])
        return EndpointProblem(
            field=claim.provenance.field,
            name=claim.name,
            reason=worst.reason,
            detail=worst.detail,
            published=worst.reason in IN_SYNC,
        )


def _is_excluded(status: ObjectStatus, claims: Iterable[Claim]) -> bool:
    """Return whether our filters exclude the whole object. Then another installation may write its status."""
    if any(isinstance(claim, ExcludedClaim) and claim.name is None for claim in claims):
        return True
    outside = [problem for problem in status.problems if problem.reason is Reason.DOMAIN_FILTERED]
    return bool(outside) and len(outside) == status.endpoints
