"""The main loop: one thread runs the engine, one reads the cluster, and worker threads make the engine's calls.

::

    Cluster.take ─▶ ClusterThread ─observations─┐
                                                ▼
    WorkerPool ───────results────────────────▶ inbox ─▶ Engine.step ─effects─▶ WorkerPool, ActivityReporter
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import field

from extdns import log
from extdns.controller.change_times import ChangeTimes
from extdns.controller.cluster_thread import (
    STUCK_AFTER_S,
    STUCK_IN_FIRST_PASS_AFTER_S,
    ClusterThread,
    Heartbeat,
)
from extdns.controller.inputs import FallbackInputs, StateCalls
from extdns.controller.progress import ProgressTracker, SyncRuns
from extdns.controller.snapshot_publisher import SnapshotPublisher
from extdns.controller.state_dump import format_state
from extdns.controller.worker_pool import WorkerPool
from extdns.controller.write_gate import WriteGate
from extdns.documents.rules import RuleSnapshot
from extdns.engine.effects import (
    QueryRules,
    ReportDecisions,
    ReportDefect,
    ReportHeldDeletes,
    ReportOutcome,
    Wake,
)
from extdns.engine.inputs import BatchCompleted, Input, KindStateChanged, PlanApproved, TimePassed
from extdns.errors import describe_error
from extdns.log import Event
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.controller.participant import Participant
    from extdns.controller.reporter import ActivityReporter
    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.engine.observer import Observer
    from extdns.model.cluster import KindState
    from extdns.model.kind import Kind
    from extdns.ports import Clock, Cluster, StateStore, ZoneReader, ZoneWriter

_log = log.get(__name__)
_MAX_WAIT_S: Final = 15.0  # inputs wake the loop; this timeout only keeps the heartbeat recent
_DEFECT_PAUSE_S: Final = 1.0
_STOP_TIMEOUT_S: Final = 2.0


class ControllerParts(Value, frozen=True, kw_only=True, gc=True):
    """The parts that the controller connects. `extdns.app` chooses them.

    Attributes:
        writer: None in a dry run.
        interval_s: time between two runs (`--interval`).
        state: None if no state is saved.
        participants: what takes part in the main loop besides what every process has; started and closed in this order.
        read_rules: returns the state of the rules; safe from any thread.
        close_timeout_s: how long `close` waits for writes; less than the 30 s that Kubernetes gives a pod.
    """

    engine: Engine
    observer: Observer
    cluster: Cluster
    reader: ZoneReader
    writer: ZoneWriter | None
    reporter: ActivityReporter
    clock: Clock
    kinds: tuple[Kind, ...]
    interval_s: float
    gate: WriteGate = field(default_factory=WriteGate)
    state: StateStore | None = None
    participants: tuple[Participant, ...] = ()
    read_rules: Callable[[], RuleSnapshot] = RuleSnapshot
    close_timeout_s: float = 20.0


class Controller:
    """Feed inputs to the engine and carry out its effects, for one pass (`once`) or until `stop` is called.

    Attributes:
        first_pass_done: set when everything was planned once and, if there is a writer, written.
        snapshots: copies of the engine's state for other threads.
    """

    def __init__(self, parts: ControllerParts) -> None:
        """Connect *parts* without starting a thread."""
        self._parts = parts
        self._guard = parts.reporter.guard
        self._inbox: queue.SimpleQueue[Input] = queue.SimpleQueue()
        self._fallback_queue: deque[Input] = deque()
        self._gate = parts.gate
        self._workers = WorkerPool(
            parts.cluster,
            parts.reader,
            parts.writer,
            StateCalls(parts.state, parts.clock) if parts.state else None,
            gate=parts.gate,
            put=self._inbox.put,
            report_defect=parts.reporter.report_defect,
        )
        self._cluster_thread = ClusterThread(
            parts.cluster,
            parts.observer,
            parts.kinds,
            reporter=parts.reporter,
            clock=parts.clock,
            inbox=self._inbox,
        )
        self._runs = SyncRuns(
            parts.engine, parts.reporter, parts.clock, interval_s=parts.interval_s, writes=parts.writer is not None
        )
        self.first_pass_done = self._runs.first_pass_done
        self.snapshots = SnapshotPublisher(
            parts.engine,
            parts.clock,
            kinds=self.kind_states,
            rules=parts.read_rules,
            is_first_pass_done=self.first_pass_done.is_set,
            is_healthy=self.is_healthy,
            wake=self._wake,
        )
        self._participants: tuple[Participant, ...] = (
            self._runs,
            ProgressTracker(parts.engine, parts.clock, writes=parts.writer is not None),
            ChangeTimes(parts.engine, parts.reporter.metrics.changes, parts.clock, self.first_pass_done.is_set),
            *parts.participants,
            self.snapshots,
        )
        self._heartbeat = Heartbeat(parts.clock.monotonic_s())
        self._fallbacks = FallbackInputs(parts.kinds)
        self._wake_at = 0.0
        self._stopped_by: str | None = None
        self._is_closing = False

    def stop(self, signal: str = "") -> None:
        """End the loop soon. Safe from any thread, and from the handler of the signal called *signal*."""
        self._stopped_by = signal
        self._wake()

    def is_healthy(self) -> bool:
        """Return whether the threads of the engine and of the cluster make progress."""
        now_s = self._parts.clock.monotonic_s()
        within_s = STUCK_AFTER_S if self.first_pass_done.is_set() else STUCK_IN_FIRST_PASS_AFTER_S
        return all(one.is_healthy(now_s, within_s) for one in (self._heartbeat, self._cluster_thread.heartbeat))

    def read_readiness(self) -> tuple[bool, dict[str, object]]:
        """Return whether the first pass is done, and details such as failures, kinds, and work in progress."""
        details: dict[str, object] = {"kinds": self._cluster_thread.describe_kinds(), **self._gate.describe()}
        for participant in self._participants:
            details |= participant.describe()
        return self.first_pass_done.is_set(), details

    def kind_states(self) -> tuple[KindState, ...]:
        """Return the state of each kind with the number of its objects. Safe from any thread."""
        return self._cluster_thread.kind_states()

    def describe_state(self) -> str:
        """Describe threads, queues and deadlines. Safe from a handler of a signal."""
        now_s = self._parts.clock.monotonic_s()
        queues = {"inputs": self._inbox.qsize(), "inputs after a defect": len(self._fallback_queue)}
        deadlines = {"step of the engine": self._wake_at, "end of leadership": self._gate.find_deadline(now_s)}
        for participant in self._participants:
            queues |= participant.count_waiting()
            deadlines[participant.deadline_name] = participant.next_deadline_at
        tasks = self._workers.count_tasks()
        return format_state(self._parts.engine, queues=queues, tasks=tasks, deadlines=deadlines, now_s=now_s)

    @property
    def is_complete(self) -> bool:
        """Whether the first pass is done, and no unexpected error can have left anything out of it."""
        return self.first_pass_done.is_set() and not self._parts.reporter.defect_count

    def run(
        self,
        *,
        once: bool,
        on_first_pass: Callable[[], None] | None = None,
        approve: Callable[[], None] | None = None,
    ) -> None:
        """Run the loop on the calling thread, then close. *once* ends it with the first pass, or if a thread is broken.

        *approve* is called once everything is planned. If the write gate needs approval, nothing was written before,
        and nothing is written if this raises.
        """
        for participant in self._participants:
            participant.start(self._inbox.put)
        self._cluster_thread.start()
        try:
            self._loop(on_first_pass or (lambda: None), approve, once=once)
            if self._stopped_by is not None:
                self._parts.reporter.report_stop(self._stopped_by)
        finally:
            self.close()

    def close(self) -> None:
        """Stop all threads, wait for writes, and report their outcomes. Calling it again has no effect."""
        if self._is_closing:
            return
        self._is_closing = True
        self._cluster_thread.close()
        is_written = self._workers.close(self._parts.clock, self._parts.close_timeout_s)
        if not is_written:
            self._parts.reporter.report_abandoned_write()
        while not self._inbox.empty():
            if isinstance(item := self._inbox.get_nowait(), BatchCompleted):
                self._feed(item)
        if not self._heartbeat.is_broken:
            # plans the names that were written last once more, so that their object statuses are known
            self._feed(TimePassed())
        timeout_s = self._parts.close_timeout_s if self._stopped_by is None else _STOP_TIMEOUT_S
        for participant in self._participants:
            self._guard(partial(participant.close, min(timeout_s, participant.close_limit_s)))
        self._parts.reporter.close()
        self._guard(partial(self._gate.close, release=is_written))

    def _loop(self, on_first_pass: Callable[[], None], approve: Callable[[], None] | None, *, once: bool) -> None:
        item: Input = TimePassed()
        while self._stopped_by is None:
            if change := self._gate.take_leadership_change():
                self._feed(change)
            self._feed(item)
            if approve and self._parts.engine.is_planned:
                approve()
                self._gate.approve()
                approve, item = None, PlanApproved()
                continue
            self._update_participants(on_first_pass)
            is_broken = self._heartbeat.is_broken or self._cluster_thread.heartbeat.is_broken
            if once and (is_broken or self.first_pass_done.is_set()):
                return
            item = self._take_input()

    def _update_participants(self, on_first_pass: Callable[[], None]) -> None:
        """Let each participant do what is due. Call *on_first_pass* when the first full pass is complete."""
        was_done = self.first_pass_done.is_set()
        for participant in self._participants:
            self._guard(participant.update)
        if self.first_pass_done.is_set():
            if not was_done:
                self._guard(on_first_pass)
            self._gate.start_election(self._wake)  # a leader must have read everything before

    def _feed(self, item: Input) -> None:
        """Step the engine with *item* and carry out the effects. If it raises, queue fallback inputs."""
        clock, reporter = self._parts.clock, self._parts.reporter
        now_s = clock.monotonic_s()
        self._wake_at = now_s + _MAX_WAIT_S
        self._guard(partial(reporter.report_input, item, clock.now))
        for participant in self._participants:
            self._guard(partial(participant.before_step, item))
        if isinstance(item, KindStateChanged):
            item = self._fallbacks.correct(item)
        try:
            effects = self._parts.engine.step(item, now_s)
        except Exception as exc:  # noqa: BLE001 - law 3: one defect must not end the process
            reporter.report_defect(exc)
            self._heartbeat.record_failure()
            self._wake_at = now_s + _DEFECT_PAUSE_S  # the effect with the engine's deadline is lost
            self._fallback_queue.extendleft(reversed(self._fallbacks.build_fallbacks(item, describe_error(exc))))
            if self._heartbeat.is_broken:
                self._fallback_queue.clear()
            return
        if self._is_closing:  # nothing else is carried out any more
            effects = tuple(one for one in effects if isinstance(one, ReportOutcome | ReportDefect))
        for participant in self._participants:
            self._guard(partial(participant.after_step, effects))
        for effect in effects:
            self._guard(partial(self._execute, effect))
        if _log.shows_details:
            next_s = round(self._wake_at - clock.monotonic_s(), 3)
            _log.debug(Event.STEP, input=type(item).__name__, effects=len(effects), next_step_in_s=next_s)
        self._heartbeat.record_success(clock.monotonic_s())

    def _execute(self, effect: Effect) -> None:
        reporter = self._parts.reporter
        match effect:
            case Wake(at_s=at_s):
                self._wake_at = min(self._wake_at, at_s)
            case ReportOutcome(batch=batch, outcome=outcome):
                reporter.report_outcome(batch, outcome)
            case ReportDecisions(decisions=decisions):
                reporter.report_decisions(decisions)
            case ReportHeldDeletes(held=held):
                reporter.report_held_deletes(held)
            case ReportDefect(error=error):
                reporter.report_defect(error)
            case QueryRules():
                pass  # a participant queries the policy server
            case _:
                self._workers.start(effect)

    def _wake(self) -> None:
        """Make the loop step soon. Safe from any thread."""
        self._inbox.put(TimePassed())

    def _take_input(self) -> Input:
        """Return the next input. If none comes before the next deadline, return `TimePassed`."""
        if self._fallback_queue:
            return self._fallback_queue.popleft()
        now_s = self._parts.clock.monotonic_s()
        wake_at = min(self._wake_at, self._gate.find_deadline(now_s))
        wake_at = min(wake_at, *(participant.next_deadline_at for participant in self._participants))
        try:
            return self._inbox.get(timeout=wake_at - now_s) if wake_at > now_s else self._inbox.get_nowait()
        except queue.Empty:
            return TimePassed()
