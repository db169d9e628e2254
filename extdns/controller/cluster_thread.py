"""The thread that reads the cluster. It takes changes of objects and passes observations to the engine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns import log
from extdns.engine.inputs import ClusterIdentified, Input, KindStateChanged, Observed, ProblemChanged
from extdns.errors import describe_error
from extdns.log import Event
from extdns.model.cluster import IdentityRead, KindState, ObjectChange, ObjectProblem, Phase
from extdns.model.value import compute_backoff_s

if TYPE_CHECKING:
    from queue import SimpleQueue

    from extdns.controller.reporter import ActivityReporter
    from extdns.engine.inputs import Observation
    from extdns.engine.observer import Observer
    from extdns.model.cluster import ClusterChange
    from extdns.model.kind import Kind
    from extdns.ports import Clock, Cluster

_log = log.get(__name__)
# `take` returns as soon as something changes; this timeout only keeps the heartbeat recent
_TAKE_TIMEOUT_S: Final = 15.0
# for how long claims are computed before the engine gets them and more changes are taken
_OBSERVE_FOR_S: Final = 0.1
# while the engine has more inputs to take, changed objects wait where only their last version counts
_MAX_WAITING: Final = 1
_ENGINE_PAUSE_S: Final = 0.01
_FIRST_BACKOFF_S: Final = 0.25
_MAX_BACKOFF_S: Final = 30.0
_CLOSE_TIMEOUT_S: Final = 2.0
STUCK_AFTER_S: Final = 60.0
STUCK_IN_FIRST_PASS_AFTER_S: Final = 600.0
"""A step of the first pass can take long: it may plan 100,000 names on half a core."""
_BROKEN_AFTER: Final = 5


@dataclass(slots=True)
class Heartbeat:
    """The health of one thread, written by that thread and read by any.

    Attributes:
        last_success_at: monotonic time at which the thread last completed a piece of work.
        failures: unexpected errors in a row.
    """

    last_success_at: float
    failures: int = 0

    def record_success(self, now_s: float) -> None:
        """Record completed work. A broken thread stays broken, since its failures may have lost data."""
        if self.failures < _BROKEN_AFTER:
            self.last_success_at, self.failures = now_s, 0

    def record_failure(self) -> None:
        """Record an unexpected error."""
        self.failures += 1

    @property
    def is_broken(self) -> bool:
        """Whether the thread failed so often in a row that retrying will not help."""
        return self.failures >= _BROKEN_AFTER

    def is_healthy(self, now_s: float, within_s: float = STUCK_AFTER_S) -> bool:
        """Return whether the thread is not broken, and has completed work within the last *within_s* seconds."""
        return not self.is_broken and now_s - self.last_success_at < within_s


class ClusterThread:
    """Read changes from the cluster, compute the claims of changed objects, and pass them to the engine.

    Attributes:
        heartbeat: the health of the thread, which counts as stuck if it waits long for the end of standard input.
        states: the state of each kind; replaced as a whole, so that any thread may read it.
    """

    def __init__(
        self,
        cluster: Cluster,
        observer: Observer,
        kinds: Iterable[Kind],
        *,
        reporter: ActivityReporter,
        clock: Clock,
        inbox: SimpleQueue[Input],
    ) -> None:
        """Read *kinds* of *cluster* after `start`. *inbox* has the inputs for the engine."""
        self._cluster = cluster
        self._observer = observer
        self._unstarted = list(kinds)
        self._reporter = reporter
        self._guard = reporter.guard  # a failed log line must not keep further changes from the engine
        self._clock = clock
        self._inbox = inbox
        self._incomplete: dict[Kind, str] = {}
        self._has_more = False  # as the engine knows it
        self.states: Mapping[Kind, KindState] = {}
        self._object_counts: Mapping[Kind, int] = {}
        self._closed = threading.Event()
        # a daemon thread, because nothing can interrupt a read of standard input
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self.heartbeat = Heartbeat(clock.monotonic_s())

    def kind_states(self) -> tuple[KindState, ...]:
        """Return the state of each kind with the number of its objects. Safe from any thread."""
        counts = self._object_counts
        return tuple(replace(state, objects=counts.get(kind, 0)) for kind, state in self.states.items())

    def describe_kinds(self) -> dict[str, dict[str, str]]:
        """Describe by resource the phase of each kind, and since when, for the readiness endpoint."""
        return {state.kind.resource: self._describe(state) for state in self.states.values()}

    def _describe(self, state: KindState) -> dict[str, str]:
        since = self._clock.now() - timedelta(seconds=self._clock.monotonic_s() - state.since_s)
        description = {"phase": state.phase.value, "since": f"{since:%Y-%m-%dT%H:%M:%SZ}"}
        return description | ({"message": state.detail} if state.detail else {})

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread. Wait at most two seconds for the current work."""
        self._closed.set()
        self._cluster.close()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                while self._unstarted:
                    self._start_listing(self._unstarted[0])
                    del self._unstarted[0]
                if self._inbox.qsize() > _MAX_WAITING:
                    self._closed.wait(_ENGINE_PAUSE_S)
                else:
                    self._forward(self._cluster.take(_TAKE_TIMEOUT_S if self._observer.is_done else 0.0))
                self.heartbeat.record_success(self._clock.monotonic_s())
            except Exception as exc:  # noqa: BLE001 - law 3: the next change may be processed without an error
                self._reporter.report_defect(exc)
                self.heartbeat.record_failure()
                self._closed.wait(compute_backoff_s(_FIRST_BACKOFF_S, self.heartbeat.failures, _MAX_BACKOFF_S))

    def _start_listing(self, kind: Kind) -> None:
        state = self._cluster.require(kind)
        if state.phase is Phase.LISTING:  # any other phase arrives as a change, too
            self._store_state(state)

    def _forward(self, changes: tuple[ClusterChange, ...]) -> None:
        """Pass *changes* to the engine.

        The order matters. The identity of the cluster is passed first, then problems, so that an object that cannot be
        decoded does not count as deleted. States of kinds are passed last, and only when the observer gives them back,
        because "synced" means that all objects were passed on.
        """
        received_at_s = self._clock.monotonic_s()
        for change in changes:
            if isinstance(change, IdentityRead):
                self._inbox.put(ClusterIdentified(identity=change.identity))
        self._count_objects(changes)
        for change in changes:
            if isinstance(change, ObjectProblem):
                self._inbox.put(ProblemChanged(problem=change))
                if not change.is_ignored:  # it is one of the warnings about the scope
                    self._guard(partial(self._reporter.report_object_problem, change))
        observations = self._observe(changes)
        has_more = not self._observer.is_done
        if observations or self._has_more is not has_more:
            self._has_more = has_more
            self._inbox.put(Observed(observations=observations, received_at_s=received_at_s, has_more=has_more))
            self._guard(partial(self._reporter.report_observations, observations))
        for state in self._observer.take_states():
            self._report_state(state)

    def _count_objects(self, changes: Iterable[ClusterChange]) -> None:
        """Update the object counts. The observer cannot, since it skips dependencies such as EndpointSlices."""
        changed = [change for change in changes if isinstance(change, ObjectChange)]
        if not changed:
            return
        kinds = Counter(change.key.kind for change in changed)
        _log.debug(Event.OBJECTS_CHANGED, kinds=[f"{kind.resource} {count}" for kind, count in kinds.items()])
        counts = Counter(self._object_counts)
        for change in changed:
            counts[change.key.kind] += (change.new is not None) - (change.old is not None)
        self._object_counts = counts

    def _observe(self, changes: tuple[ClusterChange, ...]) -> tuple[Observation, ...]:
        """Return the observations for *changes*. If the observer raises, observe each change by itself."""
        try:
            return self._observer.observe(changes, for_s=_OBSERVE_FOR_S, read_s=self._clock.monotonic_s)
        except Exception:  # noqa: BLE001 - law 3
            return tuple(observation for change in changes for observation in self._observe_one(change))

    def _observe_one(self, change: ClusterChange) -> tuple[Observation, ...]:
        try:
            return self._observer.observe((change,))
        except Exception as exc:  # noqa: BLE001 - law 3
            self._reporter.report_defect(exc)
            self._report_incomplete(change, describe_error(exc))
            return ()

    def _report_incomplete(self, change: ClusterChange, message: str) -> None:
        """Report the kind of *change* as failing until the process ends: none of its objects may count as deleted."""
        if isinstance(change, ObjectProblem | IdentityRead):
            return
        kind = change.key.kind if isinstance(change, ObjectChange) else change.state.kind
        self._incomplete[kind] = message
        self._report_state(KindState(kind=kind, phase=Phase.FAILING, since_s=self._clock.monotonic_s()))

    def _report_state(self, state: KindState) -> None:
        if state.kind in self._incomplete and state.phase is Phase.SYNCED:
            state = replace(state, phase=Phase.FAILING)
        if state.kind in self._incomplete:
            state = replace(state, detail=self._incomplete[state.kind])
        self._inbox.put(KindStateChanged(state=state))
        self._store_state(state)

    def _store_state(self, state: KindState) -> None:
        self.states = {**self.states, state.kind: state}
        self._guard(partial(self._reporter.report_kind_state, state))
