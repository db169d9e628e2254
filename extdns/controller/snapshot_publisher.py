"""Copy the engine's state for readers on other threads (docs/design/architecture.md, "Threads")."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.controller.participant import Participant
from extdns.documents.changes import ChangeDocument, list_changes
from extdns.documents.rules import RuleSnapshot
from extdns.documents.snapshot import UNRESPONSIVE_AFTER_S, CountCache, EngineSnapshot, ProcessSnapshot
from extdns.engine.batches import find_names
from extdns.engine.effects import ReportOutcome, SubmitBatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.model.change import Batch, Decision, Outcome
    from extdns.model.cluster import KindState
    from extdns.ports import Clock

_MAX_AGE_S: Final = 1.0
_DISCARD_AFTER_S: Final = 60.0
_WAIT_S: Final = 0.05
_FIRST_WAIT_S: Final = 3.0
_MAX_CHANGES: Final = 1000


class SnapshotPublisher(Participant):
    """Copy the engine's state on the engine's thread, at most once a second and only on request.

    A reader waits a moment for a new copy. If the engine is in a long step, the reader gets the previous copy.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        *,
        kinds: Callable[[], Iterable[KindState]],
        rules: Callable[[], RuleSnapshot] = RuleSnapshot,
        is_first_pass_done: Callable[[], bool],
        is_healthy: Callable[[], bool],
        wake: Callable[[], None],
    ) -> None:
        """Make a first copy of *engine*, for readers during its first step. Only its own thread copies it.

        *kinds* returns the state of each kind, with the number of its objects, and *is_healthy* whether the threads of
        the process make progress. *wake* makes the engine's thread call `update` soon.
        """
        self._engine = engine
        self._clock = clock
        self._kinds = kinds
        self._rules = rules
        self._is_first_pass_done = is_first_pass_done
        self._is_healthy = is_healthy
        self._wake = wake
        self._copied = threading.Condition()
        self._is_requested = False
        self._counts = CountCache()
        self._changes: OrderedDict[object, ChangeDocument] = OrderedDict()
        self._sent_count = 0
        self._decisions_sent: dict[int, tuple[Decision, ...]] = {}  # by number of the batch
        self._snapshot: ProcessSnapshot | None = self._copy()
        self._discard_at = self._snapshot.at_s + _DISCARD_AFTER_S

    def read(self) -> ProcessSnapshot | None:
        """Return a copy of the state, usually less than a second old; None if there is no copy.

        If the last copy is older than a second, wait briefly for a new one, or up to three seconds if the last is as
        old as `UNRESPONSIVE_AFTER_S`. If no new copy is made in that time, return the last one; if it is as old as
        `UNRESPONSIVE_AFTER_S`, it shows the engine as unresponsive.
        """
        with self._copied:
            if not self._is_fresh():
                self._is_requested = True
                self._wake()
                is_recent = self._snapshot is not None and self._compute_age_s(self._snapshot) < UNRESPONSIVE_AFTER_S
                self._copied.wait_for(self._is_fresh, _WAIT_S if is_recent else _FIRST_WAIT_S)
            snapshot = self._snapshot
            return snapshot and replace(snapshot, age_s=self._compute_age_s(snapshot), healthy=self._is_healthy())

    def update(self) -> None:
        """Make a copy if one is requested. Discard the last one if it was not read for a minute."""
        if self._is_requested:
            self._is_requested = False  # reset first, so that a copy that fails is not repeated at every step
            snapshot = self._copy()
            with self._copied:
                self._snapshot = snapshot
                self._copied.notify_all()
            self._discard_at = snapshot.at_s + _DISCARD_AFTER_S
        elif self._clock.monotonic_s() > self._discard_at:
            self._snapshot, self._counts, self._discard_at = None, CountCache(), math.inf

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Store the changes of batches with their outcome, and the decisions about their names as they were before."""
        for effect in effects:
            match effect:
                case SubmitBatch(batch=batch):
                    decisions = self._engine.decisions
                    self._decisions_sent[batch.number] = tuple(
                        one for name in find_names(batch) for one in decisions.decisions(name)
                    )
                case ReportOutcome(batch=batch, outcome=outcome):
                    self.record_outcome(batch, outcome, self._decisions_sent.pop(batch.number, ()))
                case _:
                    pass

    def record_outcome(self, batch: Batch, outcome: Outcome, decisions: Iterable[Decision]) -> None:
        """Store the changes of *batch* with their outcome. Repeated failures of one change are stored once.

        *decisions* are those of the names in *batch* when it was sent. A change that is made again without a decision
        keeps the object and the reason that it had before.
        """
        for change in list_changes(batch, outcome, decisions, self._clock.now()):
            self._sent_count += 1
            key: object = self._sent_count
            if change.outcome != "applied":
                identity = (change.zone.id, change.name, change.type, change.set_identifier, change.action)
                key = (*identity, change.outcome, change.detail)
            previous = self._changes.pop(key, None)
            self._changes[key] = _repeat(previous, change) if previous else change
            if len(self._changes) > _MAX_CHANGES:
                self._changes.popitem(last=False)

    def _is_fresh(self) -> bool:
        return self._snapshot is not None and self._compute_age_s(self._snapshot) < _MAX_AGE_S

    def _compute_age_s(self, snapshot: ProcessSnapshot) -> float:
        return self._clock.monotonic_s() - snapshot.at_s

    def _copy(self) -> ProcessSnapshot:
        return ProcessSnapshot(
            engine=EngineSnapshot(self._engine),
            at=self._clock.now(),
            at_s=self._clock.monotonic_s(),
            kinds=tuple(self._kinds()),
            changes=tuple(reversed(self._changes.values())),
            synced=self._is_first_pass_done(),
            rules=self._rules(),
            counted=self._counts,
        )


def _repeat(previous: ChangeDocument, change: ChangeDocument) -> ChangeDocument:
    """Return *change*, counted once more than *previous*, whose object and reason it keeps if it has none."""
    return replace(
        change,
        times=previous.times + 1,
        object=change.object or previous.object,
        reason=change.reason or previous.reason,
    )
