"""The audit log: a line before and after each write of a record: what, why and for whom (docs/design/audit-log.md)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from extdns.audit.line_queue import LineQueue
from extdns.audit.unknown_outcomes import UnknownOutcomes
from extdns.controller.participant import Participant
from extdns.documents import audit
from extdns.documents.audit import AuditApproval, AuditLine, AuditObject, ObjectVersion, build_audit_object
from extdns.documents.document import encode_json
from extdns.engine.effects import SubmitBatch
from extdns.engine.inputs import BatchCompleted, Cause, Observed
from extdns.errors import describe_error
from extdns.model.change import Applied, Delete, Unknown
from extdns.model.origin import UNKNOWN_ORIGIN

if TYPE_CHECKING:
    from extdns.audit.line_targets import LineTarget
    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input, Observation
    from extdns.model.change import Batch, Change, Outcome
    from extdns.model.claim import Provenance
    from extdns.model.kind import ObjectKey
    from extdns.model.zone import Zone
    from extdns.ports import Clock, ZoneWriter

_MAX_FORMER_OBJECTS: Final = 10_000
_REMOVED: Final = frozenset({Cause.DELETED, Cause.MISSING})


class AuditLog(Participant):
    """A `ZoneWriter` that writes the audit log, and passes batches on to the writer of the provider.

    Attributes:
        plan: the checksum of the plan that the process applies, "" if it applies none; set before the first write.
    """

    def __init__(
        self,
        writer: ZoneWriter,
        target: LineTarget,
        engine: Engine,
        *,
        clock: Clock,
        process: str,
        report: Callable[[str, int], None],
        report_defect: Callable[[Exception], None],
    ) -> None:
        """Log what *writer* writes to *target*. Nothing is opened before `start`.

        The decisions, zones and approvals of *engine* are read, on its thread. *process* identifies this process among
        all that have ever run. From any thread, *report* receives why lines cannot be written ("" if they can) and how
        many were dropped, and *report_defect* unexpected errors.
        """
        self._writer = writer
        self._engine = engine
        self._clock = clock
        self._process = process
        self.plan = ""
        self._report_defect = report_defect
        self._unknown = UnknownOutcomes(clock)
        self._versions = ObjectVersions()
        self._prepared: dict[int, tuple[AuditLine, ...]] = {}
        self._lock = threading.Lock()
        self.queue = LineQueue(target, load=self._unknown.load, report=report)

    def start(self, put: Callable[[Input], None]) -> None:  # noqa: ARG002 - it has no inputs
        """Open the target, and read which changes of earlier processes have no outcome."""
        self.queue.start()

    def describe(self) -> dict[str, object]:
        """Describe why lines cannot be written."""
        problem = self.queue.problem
        return {"audit": {"message": problem}} if problem else {}

    def count_waiting(self) -> dict[str, int]:
        """Count the lines that wait to be written."""
        return {"audit lines": self.queue.waiting_count}

    def close(self, timeout_s: float) -> None:
        """Write the queued lines, for at most *timeout_s* seconds, and close the target."""
        self.queue.close(timeout_s)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Submit *batch*, with a line for each change before the call and after it. Called on worker threads."""
        with self._lock:
            prepared = self._prepared.pop(batch.number, ())
        at = audit.format_time(self._clock.now())
        lines = [replace(line, at=at) for line in prepared]
        self._guard(partial(self._put, lines, waits=True))
        began_s = self._clock.monotonic_s()
        try:
            outcome = self._writer.submit(zone, batch)
        except Exception as exc:
            self._guard(partial(self._conclude, lines, Unknown(message=describe_error(exc)), began_s))
            raise
        self._guard(partial(self._conclude, lines, outcome, began_s))
        return outcome

    def _prepare(self, batch: Batch) -> None:
        """Build the lines about *batch* that are written before its call, from what is known now."""
        find_cause = partial(self._find_cause, batch.zone)
        owner = self._engine.settings.deletes.owner
        lines = tuple(audit.build_intents(batch, find_cause, process=self._process, plan=self.plan, owner=owner))
        with self._lock:
            self._prepared[batch.number] = lines

    def before_step(self, item: Input) -> None:
        """Store the versions of the objects in *item*, or which names it says were read."""
        if isinstance(item, Observed):
            for observation in item.observations:
                self._versions.observe(observation)
        elif isinstance(item, BatchCompleted):  # not submitted if the write gate was closed
            with self._lock:
                self._prepared.pop(item.number, None)
        self._unknown.observe_read(item)

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Prepare for the batches that are submitted next.

        Then write a line for each change of unknown outcome whose record was read since: what the zone holds.
        """
        for effect in effects:
            if isinstance(effect, SubmitBatch):
                self._guard(partial(self._prepare, effect.batch))
        self._put(self._unknown.resolve_read(self._engine.zones), waits=False)

    def _conclude(self, lines: Iterable[AuditLine], outcome: Outcome, began_s: float) -> None:
        latency_s = self._clock.monotonic_s() - began_s
        at = audit.format_time(self._clock.now())
        concluded = [audit.conclude(line, outcome, at=at, latency_s=latency_s) for line in lines]
        resolved: list[AuditLine] = []
        if isinstance(outcome, Unknown):
            self._unknown.add(concluded)
        elif isinstance(outcome, Applied):
            resolved = self._unknown.resolve_by(concluded)
        self._put([*concluded, *resolved], waits=False)

    def _guard(self, work: Callable[[], None]) -> None:
        """Call *work* and report its unexpected error, if any: a defect of the audit log must not stop writes."""
        try:
            work()
        except Exception as exc:  # noqa: BLE001 - law 3
            self._report_defect(exc)

    def _put(self, lines: Iterable[AuditLine], *, waits: bool) -> None:
        if encoded := [encode_json(line) + b"\n" for line in lines]:
            self.queue.put(encoded, waits=waits)

    def _find_cause(self, zone: Zone, change: Change) -> dict[str, Any]:
        key = change.key
        identity = (zone.id, key.name, key.set_identifier, key.type)
        decision = next((one for one in self._engine.decisions.decisions(key.name) if one.key == identity), None)
        return {
            "reason": decision.reason.value if decision else "",
            "detail": decision.detail if decision else "",
            "objects": tuple(self._list_objects(change, decision.requested_by if decision else ())),
            "approval": self._find_approval(zone, change) if isinstance(change, Delete) else None,
        }

    def _list_objects(self, change: Change, requested_by: tuple[Provenance, ...]) -> Iterator[AuditObject]:
        """Yield the objects that request the record; if there are none, the one for which a deleted record was made."""
        for request in requested_by:
            yield build_audit_object(self._versions.find(request.ref.key), request)
        if isinstance(change, Delete) and not requested_by:
            former = self._versions.find_resource(change.current.resource)
            if former:
                yield build_audit_object(former)

    def _find_approval(self, zone: Zone, change: Delete) -> AuditApproval | None:
        found = self._engine.delete_guard.find_approval(zone, change.current)
        return AuditApproval(code=found.code, claimed_user=found.claimed_user) if found else None


class ObjectVersions:
    """The last observed uid and resource version of each object, and of the objects that were deleted last."""

    def __init__(self) -> None:
        self._present: dict[ObjectKey, ObjectVersion] = {}
        self._former: OrderedDict[ObjectKey, ObjectVersion] = OrderedDict()
        self._by_resource: dict[str, ObjectKey] = {}

    def observe(self, observation: Observation) -> None:
        """Store the version of the object that *observation* is about."""
        key = observation.key
        if observation.cause not in _REMOVED:
            self._former.pop(key, None)
            if observation.resource_version or observation.origin != UNKNOWN_ORIGIN:  # manifests have no version
                self._present[key] = ObjectVersion(
                    key=key,
                    uid=observation.uid,
                    resource_version=observation.resource_version,
                    origin=observation.origin,
                )
                self._by_resource[key.resource] = key
        elif found := self._present.pop(key, None):
            self._former[key] = found
            if len(self._former) > _MAX_FORMER_OBJECTS:
                oldest, _ = self._former.popitem(last=False)
                if self._by_resource.get(oldest.resource) == oldest:  # objects of two API groups can have one
                    del self._by_resource[oldest.resource]

    def find(self, key: ObjectKey) -> ObjectVersion:
        """Return the last observed version of the object at *key*, also if the object was deleted since.

        If the object was never observed, the result has no uid and no resource version.
        """
        return self._present.get(key) or self._former.get(key) or ObjectVersion(key=key)

    def find_resource(self, resource: str) -> ObjectVersion | None:
        """Return the last observed version of the object that ownership records name *resource*; None if unknown."""
        key = self._by_resource.get(resource)
        return self.find(key) if key else None
