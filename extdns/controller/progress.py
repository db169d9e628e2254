"""Track the first pass, the runs that logs and metrics count, and the progress of long work.

A run ends with the first pass and then every `--interval` (docs/design/differences.md). Changes do not wait for it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import msgspec

from extdns import log
from extdns.controller.participant import Participant
from extdns.documents.held import describe_other_cluster
from extdns.engine.batches import find_names
from extdns.engine.effects import ReportOutcome
from extdns.engine.health import MOST_SHOWN, find_failures
from extdns.log import Event
from extdns.model.change import Applied
from extdns.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.controller.reporter import ActivityReporter
    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.ports import Clock

_UPDATE_INTERVAL_S: Final = 1.0
_LOG_INTERVAL_S: Final = 10.0
_LONGEST_FIRST_PASS_S: Final = 600.0  # after everything was planned once

_log = log.get(__name__)


class WorkInProgress(Value, frozen=True, kw_only=True, rename="camel"):
    """How much of the work is done, and how much is left, as the readiness endpoint shows it.

    Attributes:
        pages: pages read so far of the other zones.
        names_waiting: names with changes that are queued or being written.
        names_written: names written since the work began.
        batches: batches in which they were written.
        seconds_left: estimated until all names are written; None while zones are unread or nothing was written yet.
    """

    zones: int
    zones_read: int
    pages: int
    names_waiting: int
    names_written: int
    batches: int
    seconds_left: float | None

    @property
    def completed(self) -> tuple[int, ...]:
        """Counters of completed work: at least one of them grows while the work makes progress."""
        return (self.zones_read, self.pages, self.batches)


class ProgressTracker(Participant):
    """Measure the progress of long work, log it, and describe it for the readiness endpoint."""

    def __init__(self, engine: Engine, clock: Clock, *, writes: bool) -> None:
        """Measure the work of *engine*.

        *writes* is whether it has a writer; without one no name waits to be written.
        """
        self._engine = engine
        self._clock = clock
        self._writes = writes
        self._next_update_at = 0.0
        self._writing_since = 0.0
        self._logged_at = 0.0
        self._logged: tuple[int, ...] = ()
        self._written = self._batches = 0
        self._work: WorkInProgress | None = None  # at most a second old; None if there is none

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Count the names of each batch that was applied."""
        for effect in effects:
            if isinstance(effect, ReportOutcome) and isinstance(effect.outcome, Applied):
                self._written += len(find_names(effect.batch))
                self._batches += 1

    def update(self) -> None:
        """Measure the progress, at most once a second. Log it every ten seconds while it grows."""
        now_s = self._clock.monotonic_s()
        if now_s < self._next_update_at:
            return
        self._next_update_at = now_s + _UPDATE_INTERVAL_S
        work = self._measure(now_s)
        if work.zones_read == work.zones and not work.names_waiting:
            self._work, self._written, self._batches = None, 0, 0
            return
        if self._work is None:
            self._logged_at, self._logged = now_s, work.completed
        self._work = work
        if now_s - self._logged_at >= _LOG_INTERVAL_S and work.completed != self._logged:
            self._log_progress(work, now_s)

    def describe(self) -> dict[str, object]:
        """Describe the work in progress for the readiness endpoint; {} if there is none."""
        work = self._work
        return {"progress": msgspec.to_builtins(work)} if work else {}

    def _measure(self, now_s: float) -> WorkInProgress:
        states = tuple(self._engine.zones)
        unread = [zone_state for zone_state in states if not zone_state.cache.is_complete]
        writes = self._writes and self._engine.leadership.is_leader
        names = sum(zone_state.queue.unfinished for zone_state in states) if writes else 0
        if unread or not self._batches:
            self._writing_since = now_s
        rate = self._written / (now_s - self._writing_since) if now_s > self._writing_since else 0.0
        return WorkInProgress(
            zones=len(states),
            zones_read=len(states) - len(unread),
            pages=sum(zone_state.refresh.pages for zone_state in unread),
            names_waiting=names,
            names_written=self._written,
            batches=self._batches,
            seconds_left=round(names / rate, 1) if rate else None,
        )

    def _log_progress(self, work: WorkInProgress, now_s: float) -> None:
        self._logged_at, self._logged = now_s, work.completed
        _log.info(
            Event.PROGRESS,
            read=work.zones_read,
            zones=work.zones,
            waiting=work.names_waiting,
            pages=work.pages or None,
            written=work.names_written or None,
            batches=work.batches or None,
            left_s=work.seconds_left,
        )


class SyncRuns(Participant):
    """Detect the end of the first pass and of each run, and collect what fails.

    Attributes:
        first_pass_done: set when everything was planned once, nothing is to be planned again and, if there is a writer,
            nothing written; unless this is a single pass, at the latest ten minutes after everything was planned once.
        failing: a message for each failure, at most a second old.
    """

    deadline_name = "run"

    def __init__(
        self, engine: Engine, reporter: ActivityReporter, clock: Clock, *, interval_s: float, writes: bool
    ) -> None:
        """End a run every *interval_s* seconds. During a longer first pass, the runs count as failing."""
        self._engine = engine
        self._reporter = reporter
        self._clock = clock
        self._interval_s = interval_s
        self._writes = writes
        self._next_run_at = self._deadline_at = clock.monotonic_s() + interval_s
        self._next_check_at = 0.0
        self.first_pass_done = threading.Event()
        self.failing: tuple[str, ...] = ()

    @property
    def next_deadline_at(self) -> float:
        """Monotonic time at which `update` ends a run, or checks for failures."""
        return self._deadline_at

    def describe(self) -> dict[str, object]:
        """Describe what fails, the state if it cannot be saved, and what may be wrong about cluster or owner id."""
        details: dict[str, object] = {"failing": list(self.failing)}
        if problem := self._engine.state_problem:
            details["state"] = {"message": problem}
        if cluster := self._engine.delete_guard.cluster.other_id:
            details["cluster"] = {"message": describe_other_cluster(cluster)}
        if found := self._engine.bulk_updates.found:
            details["bulkUpdates"] = {"message": " ".join(map(str, found))}
        return details

    def update(self) -> None:
        """End a run if one is due, or the first pass is done. After steps, check for failures once a second."""
        now_s, engine = self._clock.monotonic_s(), self._engine
        is_first = not self.first_pass_done.is_set() and (
            (now_s >= engine.planned_all_at + _LONGEST_FIRST_PASS_S and not engine.settings.once)
            or (engine.is_idle if self._writes else engine.is_planned)
        )
        check_at = min(self._next_run_at, self._next_check_at)
        if now_s < check_at and not is_first:
            self._deadline_at = check_at
            return
        if is_first:
            self.first_pass_done.set()
        ends_run = is_first or now_s >= self._next_run_at
        if ends_run:
            self._next_run_at = now_s + self._interval_s
        self._next_check_at = now_s + _UPDATE_INTERVAL_S
        self.failing = find_failures(engine, MOST_SHOWN)
        self._reporter.report_saved_state(engine.state_problem)
        self._reporter.report_other_cluster(engine.delete_guard.cluster.other_id)
        self._reporter.report_bulk_updates(engine.bulk_updates.found)
        if ends_run:
            self._reporter.report_run(engine, self.failing, self._clock.now())
        self._deadline_at = self._next_run_at
