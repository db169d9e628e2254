"""Report what happens: write the log, count metrics, and record Events. Each event is reported once, here."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Hashable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from extdns import log
from extdns.controller.log_lines import OutcomeLog, describe_decision, describe_zone, format_location
from extdns.controller.statistics import StatisticsCache, count_planned_changes
from extdns.engine.health import find_blockers
from extdns.engine.inputs import (
    ExistenceChecked,
    LeadershipChanged,
    PageRead,
    ReadFailed,
    StateAnswered,
    StateFailed,
    StateLoaded,
    ZonesListed,
)
from extdns.engine.state_sync import NO_SAVED_STATE
from extdns.log import Event, LogLimiter
from extdns.model.change import Action, Applied, Outcome
from extdns.model.claim import find_problems
from extdns.model.cluster import Phase
from extdns.model.kind import ObjectRef
from extdns.model.reason import LogLevel, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.controller.log_lines import LogFields
    from extdns.controller.write_gate import WriteGate
    from extdns.documents.scope_warnings import ScopeWarning
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input, Observation
    from extdns.metrics.metrics import Metrics
    from extdns.model.change import Batch, BulkUpdate, Decision
    from extdns.model.cluster import KindState, ObjectProblem
    from extdns.model.evidence import HeldSet
    from extdns.model.kind import Kind, ObjectKey
    from extdns.model.zone import AccountFailure, Zone
    from extdns.ports import EventRecorder

_log = log.get(__name__)

# External-dns logs these words for Route 53, and its users alert on them.
_ACTION_NAMES = {Action.CREATE: "CREATE", Action.UPDATE: "UPSERT", Action.DELETE: "DELETE"}
_MAX_NAMES: Final = 5
_CLOSE_TIMEOUT_S: Final = 2.0
_UNCONFIRMED_INTERVAL: Final = timedelta(minutes=5)
"""In this time, at most one object of each kind is logged as unconfirmed: thousands may wait for the same answer."""

_STATE_FAILING_AFTER: Final = timedelta(seconds=10)
"""An API server that restarts is back by then."""

_EVENT_INTERVAL: Final = timedelta(minutes=30)
"""How often Events about a lasting state are repeated; the API server deletes an Event after an hour by default."""


class ActivityReporter:
    """Write the log and the metrics, and record Events while this process may write.

    Attributes:
        defect_count: how many unexpected errors of extdns itself were reported.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the places in which events are reported
        self,
        metrics: Metrics,
        owner: str,
        follow: Callable[[Sequence[Decision]], None] | None = None,
        recorder: EventRecorder | None = None,
        approve: Callable[[str], str] = "extdns approve {}".format,
        accept: Callable[[str], str] = "extdns accept-cluster {}".format,
        limiter: LogLimiter | None = None,
        gate: WriteGate | None = None,
        zone_fields: Callable[[Zone], LogFields] | None = None,
        find_scope_warnings: Callable[[Engine], tuple[ScopeWarning, ...]] = lambda _engine: (),
    ) -> None:
        """Start with nothing reported; *owner* is our owner id.

        *follow* receives all new decisions, too. *approve* returns the command that approves the held deletes of a
        code, *accept* that for the id of another cluster, and *zone_fields* the log fields that name a zone. *limiter*
        limits the lines about single names and objects; None writes all. A process whose *gate* is closed leaves Events
        to the leader; None is always open.
        """
        self.metrics = metrics
        self._statistics = StatisticsCache(owner)
        self._follow = follow
        self._recorder = recorder
        self._approve = approve
        self._accept = accept
        self._limiter = limiter
        self._gate = gate
        self._describe_zone = zone_fields or describe_zone
        self._outcomes = OutcomeLog(self._describe_zone)
        self._find_scope_warnings = find_scope_warnings
        self._scope_warnings: tuple[ScopeWarning, ...] = ()
        self._change_count = 0
        self._events_repeated_at: datetime | None = None
        self._problems: set[tuple[str, ObjectKey | None]] = set()
        self._failed_accounts: frozenset[AccountFailure] = frozenset()
        self._state_failing_since: datetime | None = None
        self._state_problem: tuple[bool, str] | None = None
        self._is_state_missing = False
        self._other_cluster = self._audit_problem = ""
        self._bulk_updates: tuple[BulkUpdate, ...] = ()
        self._unconfirmed: dict[Kind, datetime] = {}
        self.defect_count = 0

    def report_decisions(self, decisions: Sequence[Decision]) -> None:
        """Log new decisions, record Events about them, and pass them to the command, if it follows them."""
        if self._limiter:
            self._limiter.start_batch()
        changes = [decision for decision in decisions if decision.action in _ACTION_NAMES]
        self._change_count += len(changes)
        for decision in changes:  # first, because the number of lines is limited
            self._report_change(decision)
        for decision in decisions:
            if decision.action in _ACTION_NAMES:
                continue
            if decision.reason.row.log is not LogLevel.NOTHING and decision.is_relevant:
                self._report_problem(decision)
            elif _log.shows_details:
                _log.debug(Event.DECISION, **describe_decision(decision), **self._find_zone_fields(decision))
        self._report_omitted()
        if self._follow:
            self._follow(decisions)
        if recorder := self._open_recorder():
            recorder.record_decisions(decisions)

    def report_outcome(self, batch: Batch, outcome: Outcome) -> None:
        """Log and count the outcome of a batch; if it was applied, record Events about its deletes."""
        self.metrics.count_batch(outcome)
        if self._recorder and isinstance(outcome, Applied):
            self._recorder.record_batch(batch)  # even if another process is the leader by now: this process wrote it
        self._outcomes.write(batch, outcome)

    def report_saved_state(self, problem: str) -> None:
        """Set the metric of the saved state, and log if there is none. *problem* is why it is unknown, else ""."""
        self.metrics.set_saved_state(is_known=not problem)
        was_missing, self._is_state_missing = self._is_state_missing, problem == NO_SAVED_STATE
        if self._is_state_missing and not was_missing:
            _log.warning(Event.STATE_MISSING, message=problem)

    def report_audit_log(self, problem: str, dropped: int) -> None:
        """Report why the audit log cannot be written ("" if it can), and how many lines were dropped."""
        was_failing, self._audit_problem = bool(self._audit_problem), problem
        self.metrics.set_audit_log(is_failing=bool(problem), dropped=dropped)
        if problem and not was_failing:
            _log.error(Event.AUDIT_LOG_FAILED, message=problem)
        elif was_failing and not problem:
            _log.info(Event.AUDIT_LOG_WRITTEN, dropped=dropped or None)

    def report_other_cluster(self, cluster: str) -> None:
        """Report that objects come from another *cluster* than before; "" if they do not, or a person accepted it."""
        previous, self._other_cluster = self._other_cluster, cluster
        if cluster and cluster != previous:
            _log.warning(Event.OTHER_CLUSTER, cluster=cluster, approve=self._accept(cluster))
        elif previous and not cluster:
            _log.info(Event.CLUSTER_ACCEPTED, cluster=previous)

    def report_bulk_updates(self, found: tuple[BulkUpdate, ...]) -> None:
        """Report once that the first pass changed many records of ours without saved state, and set the metric."""
        if found == self._bulk_updates:
            return
        self._bulk_updates = found
        self.metrics.set_bulk_updates(found)
        recorder = self._open_recorder()
        for one in found:
            names = [*one.names[:_MAX_NAMES], *["..."][: len(one.names) > _MAX_NAMES]]
            counts = {"count": len(one.names), "owned": one.owned, "names": names}
            _log.warning(Event.BULK_UPDATE, **counts, **self._describe_zone(one.zone))
            if recorder:
                recorder.record_bulk_update(one)

    def report_held_deletes(self, found: HeldSet) -> None:
        """Log and count the deletes that one scope holds now, and record Events about them."""
        self.metrics.set_held_deletes(found)
        # a standby, too, stops repeating its Events
        recorder = self._recorder if not found.held else self._open_recorder()
        if recorder:
            recorder.record_held_deletes(found)
        scope = self._describe_zone(found.zone) if found.zone else {}
        scope = {**scope, "namespace": found.scope.namespace or None}
        if not found.held:
            _log.info(Event.NO_DELETES_HELD, **scope)
            return
        names = sorted({one.owned.record.name for one in found.held})
        evidence = Counter(one.evidence for one in found.held)
        _log.warning(
            Event.DELETES_HELD,
            count=len(found.held),
            names=names[:_MAX_NAMES] + ["..."] * (len(names) > _MAX_NAMES),
            evidence=[f"{kind} {count}" for kind, count in sorted(evidence.items())],
            approve=self._approve(found.code),
            **scope,
        )

    def report_observations(self, observations: Sequence[Observation]) -> None:
        """Log and count the problems that sources found on objects, and record Events about them.

        An unexpected error about one object is reported, and does not affect the others.
        """
        if self._limiter:
            self._limiter.start_batch()
        recorder = self._open_recorder()
        for observation in observations:
            try:
                self._report_observation(observation, recorder)
            except Exception as exc:  # noqa: BLE001 - law 3
                self.report_defect(exc)

    def _report_observation(self, observation: Observation, recorder: EventRecorder | None) -> None:
        if recorder:
            recorder.record_invalid_claims(observation.claims)
        if observation.failure and not observation.awaited_kind:
            self.metrics.count_object_failure()
            if recorder:
                recorder.record_failure(observation.key, observation.failure)
            if write := self._find_writer(logging.WARNING, observation.key, Event.OBJECT_FAILED):
                write(Event.OBJECT_FAILED, object=observation.key.resource, message=observation.failure)
        for problem in find_problems(observation.claims):
            event = Event.VALUE_REMARKED if problem.reason.row.is_remark else Event.INVALID_VALUE
            if write := self._find_writer(logging.WARNING, observation.key, event):
                write(event, object=observation.key.resource, **asdict(problem))

    def report_object_problem(self, problem: ObjectProblem) -> None:
        """Log that a manifest or an object cannot be read, or can be read again."""
        if problem.message:
            self._problems.add((problem.location, problem.key))
            level, event = logging.ERROR, Event.OBJECT_UNREADABLE
        else:
            self._problems.discard((problem.location, problem.key))
            level, event = logging.INFO, Event.OBJECT_READABLE
        if write := self._find_writer(level, problem.location, event):
            write(event, what=problem.what, place=problem.location, message=problem.message or None)

    def report_kind_state(self, state: KindState) -> None:
        """Log that the list and watch of a kind changed to *state*, and set its metric."""
        self.metrics.set_phase(state)
        write = _log.info if state.phase in {Phase.LISTING, Phase.SYNCED} else _log.error
        write(Event.CACHE_STATE, kind=state.kind.name, phase=state.phase, message=state.detail or None)

    def report_input(self, item: Input, now: Callable[[], datetime]) -> None:
        """Log or count *item* if it is about zones, leadership, saved state or an object of unknown existence."""
        match item:
            case ZonesListed(zones=found):
                self.metrics.set_zones(found.zones)
                self._report_failed_accounts(found.failed)
            case PageRead(zone=zone, page=page) if page.after is None:
                self.metrics.set_zone_read_time(zone, now())
            case ReadFailed(call=call, zone=zone, message=message):
                self.metrics.count_read_failure()
                event = Event.ZONE_READ_FAILED if zone else Event.ZONE_LIST_FAILED
                _log.error(event, call=call, zone=zone and str(zone), message=message)
            case LeadershipChanged(is_leader=is_leader):
                self._report_leadership(now(), is_leader=is_leader)
            case ExistenceChecked(key=key, exists=None, detail=detail) if detail:
                self._report_unconfirmed(key, detail, now())
            case StateFailed():
                self._report_state_failure(item, now())
            case StateLoaded() | StateAnswered():
                self._state_failing_since, self._state_problem = None, None
            case _:
                pass

    def report_defect(self, exc: Exception) -> None:
        """Report an unexpected error of extdns itself. Safe from any thread."""
        self.defect_count += 1
        self.metrics.count_defect()
        _log.error(Event.DEFECT, error=type(exc).__name__, message=str(exc), place=format_location(exc))

    def guard(self, work: Callable[[], None]) -> None:
        """Call *work*. Report an unexpected error instead of raising it (law 3). Safe from any thread."""
        try:
            work()
        except Exception as exc:  # noqa: BLE001 - law 3
            self.report_defect(exc)

    def report_stop(self, signal: str) -> None:
        """Report that the loop ends on request; *signal* is the name of the signal, "" if there was none."""
        if signal:
            _log.info(Event.SIGNAL_RECEIVED, signal=signal)
        _log.info(Event.LOOP_TERMINATED)

    def report_abandoned_write(self) -> None:
        """Report that a running write did not end in time."""
        _log.warning(Event.WRITE_ABANDONED)

    def report_run(self, engine: Engine, failing: Sequence[str], now: datetime) -> None:
        """Report the end of a run (docs/design/differences.md, "Runs")."""
        changes = self._change_count + count_planned_changes(engine)
        is_leader, is_blocked = engine.leadership.is_leader, any(find_blockers(engine))
        self.metrics.count_run(now, is_leader=is_leader, is_blocked=is_blocked, changes=changes)
        counts = self._statistics.count(engine, len(self._problems))
        self.metrics.set_statistics(counts)  # before the line below, after which a person may look at the metrics
        self._report_scope(engine)
        if not changes and not failing:
            if self._scope_warnings and not engine.settings.plan.compat:
                _log.info(Event.NOTHING_PLANNED)
            elif counts.unexpected:
                _log.info(Event.NO_CHANGES, count=counts.unexpected)
            else:
                _log.info(Event.UP_TO_DATE)
        self._repeat_events(engine, now)
        self._report_omitted()
        self._change_count = 0
        _log.debug(Event.RUN_DONE, failing=failing or None)

    def _report_scope(self, engine: Engine) -> None:
        """Log the new warnings that what was read does not fit the settings, such as a filter that matches no zone."""
        before, self._scope_warnings = self._scope_warnings, self._find_scope_warnings(engine)
        for warning in self._scope_warnings:
            if warning not in before:
                _log.warning(Event.SCOPE, warning=warning.text, next=warning.next)

    def close(self) -> None:
        """Send the Events that are queued, for at most two seconds."""
        if self._recorder:
            self._recorder.close(_CLOSE_TIMEOUT_S)

    def _open_recorder(self) -> EventRecorder | None:
        """Return the Event recorder; None if there is none, or this process may not write now."""
        return self._recorder if self._recorder and (self._gate is None or self._gate.is_open()) else None

    def _report_state_failure(self, failed: StateFailed, now: datetime) -> None:
        """Log a failed call of the state store: as a warning if it lasts, or a person has to act."""
        since = self._state_failing_since = self._state_failing_since or now
        lasts = failed.forbidden or failed.unauthorized or now - since >= _STATE_FAILING_AFTER
        before, self._state_problem = self._state_problem, (lasts, failed.message)
        if self._state_problem != before:
            (_log.warning if lasts else _log.info)(Event.STATE_NOT_SAVED, message=failed.message)

    def _report_unconfirmed(self, key: ObjectKey, detail: str, now: datetime) -> None:
        """Log that the existence of *key* cannot be determined; for each kind at most one object in five minutes."""
        reported_at = self._unconfirmed.get(key.kind)
        if reported_at is None or now - reported_at >= _UNCONFIRMED_INTERVAL:
            self._unconfirmed[key.kind] = now
            _log.warning(Event.EXISTENCE_UNKNOWN, object=str(ObjectRef(key=key)), message=detail)

    def _report_leadership(self, now: datetime, *, is_leader: bool) -> None:
        self.metrics.set_leadership(is_leader=is_leader)
        # at the end of the next run: Events of the previous leader may have expired, and this process recorded none
        self._events_repeated_at = now - _EVENT_INTERVAL
        if is_leader:
            _log.info(Event.BECAME_LEADER)
        else:
            _log.warning(Event.NO_LONGER_LEADER)

    def _report_failed_accounts(self, failed: Sequence[AccountFailure]) -> None:
        """Report which accounts' zones could not be listed; each failure once."""
        for failure in failed:
            if failure not in self._failed_accounts:
                _log.error(Event.ZONE_LIST_FAILED, account=failure.account or None, message=failure.message)
        self._failed_accounts = frozenset(failed)

    def _find_writer(self, level: int, topic: Hashable, event: Event) -> Callable[..., None] | None:
        """Return the function that logs a line about *topic*: at *level*, or at debug if the limit is exceeded.

        None if the log hides the line. Lines that it hides at *level* do not count towards the limit.
        """
        write = _log.find_writer(level)
        if write is None or self._limiter is None:
            return write
        is_change = event is Event.DESIRED_CHANGE
        if self._limiter.allow(topic, event.name.lower().replace("_", "-"), is_change=is_change):
            return write
        return _log.find_writer(logging.DEBUG)

    def _find_zone_fields(self, decision: Decision) -> LogFields:
        return self._describe_zone(decision.zone) if decision.zone else {}

    def _report_change(self, decision: Decision) -> None:
        if write := self._find_writer(logging.INFO, decision.name, Event.DESIRED_CHANGE):
            action, reason = _ACTION_NAMES[decision.action], decision.reason
            special = None if reason in {Reason.REQUESTED, Reason.CHANGED} else reason  # else the action says it
            fields = self._find_zone_fields(decision) | {"reason": special}
            write(Event.DESIRED_CHANGE, action=action, name=decision.name, type=decision.type, **fields)

    def _report_problem(self, decision: Decision) -> None:
        event = Event.RECORD_UNCHANGED if decision.action is Action.KEEP else Event.NAME_NOT_PUBLISHED
        level = logging.INFO if decision.reason.row.log is LogLevel.INFO else logging.WARNING
        if write := self._find_writer(level, decision.name, event):
            write(
                event,
                name=decision.name,
                type=decision.type or None,
                reason=decision.reason,
                detail=decision.detail or None,
                objects=tuple(str(requester.ref) for requester in decision.requested_by) or None,
                **self._find_zone_fields(decision),
            )

    def _report_omitted(self) -> None:
        omitted = self._limiter.take_omitted() if self._limiter else {}
        if omitted:
            events = [f"{event} {count}" for event, count in omitted.items()]
            _log.info(Event.LINES_OMITTED, count=sum(omitted.values()), events=events)

    def _repeat_events(self, engine: Engine, now: datetime) -> None:
        """Record the Events about current problems again, every half hour, since Events expire."""
        self._events_repeated_at = self._events_repeated_at or now
        if now - self._events_repeated_at < _EVENT_INTERVAL or not (recorder := self._open_recorder()):
            return
        self._events_repeated_at = now
        recorder.record_decisions(tuple(engine.decisions))
        for _, claims in engine.claims.objects():
            recorder.record_invalid_claims(claims)
        for key, failure in engine.claims.unexpected_failures():
            recorder.record_failure(key, failure)
