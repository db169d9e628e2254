"""Follows the cluster on a thread of its own: changes of objects in, observations for the engine out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.controller.pulse import Pulse
from extdns.engine.inputs import Input, KindReported, Observed, ProblemReported
from extdns.errors import described
from extdns.model.cluster import KindChange, KindState, ObjectChange, ObjectProblem, Phase
from extdns.model.pauses import doubled_s

if TYPE_CHECKING:
    from extdns.controller.teller import Teller
    from extdns.engine.inputs import Observation
    from extdns.engine.observer import Observer
    from extdns.model.cluster import ClusterChange, Kind
    from extdns.ports import Clock, Cluster

_TAKE_S: Final = 60.0  # only a sign of life: a change, and the end, wake the cluster at once
_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 30.0
_LEAVING_S: Final = 2.0


class Follower:
    """Only its thread looks things up in the cluster.

    Attributes:
        pulse: whether the thread gets on; one that waits for the end of standard input does not.
        states: how far each kind is; replaced as a whole, so that any thread may look.
    """

    def __init__(
        self,
        cluster: Cluster,
        observer: Observer,
        kinds: Iterable[Kind],
        *,
        teller: Teller,
        clock: Clock,
        put: Callable[[Input], None],
    ) -> None:
        """Follow *kinds*; *put* takes what the engine is to be told, from any thread."""
        self._cluster = cluster
        self._observer = observer
        self._needed = list(kinds)
        self._teller = teller
        self._clock = clock
        self._put = put
        self._missed: dict[Kind, str] = {}
        self.states: Mapping[Kind, KindState] = {}
        self._ended = threading.Event()
        # a daemon, because nothing can interrupt the reading of standard input
        self._thread = threading.Thread(target=self._follow, name="follower", daemon=True)
        self.pulse = Pulse(clock.monotonic_s())

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End, once what is under way has ended, which is not waited for long."""
        self._ended.set()
        self._cluster.close()
        if self._thread.is_alive():
            self._thread.join(_LEAVING_S)

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                while self._needed:
                    self._begin(self._needed[0])
                    del self._needed[0]
                self._pass_on(self._cluster.take(_TAKE_S))
                self.pulse.beat(self._clock.monotonic_s())
            except Exception as exc:  # noqa: BLE001 - law 3: whatever a cluster raises, the next change may come through
                self._teller.defect(exc)
                self.pulse.miss()
                self._ended.wait(doubled_s(_PAUSE_S, self.pulse.failures, _LONGEST_PAUSE_S))

    def _begin(self, kind: Kind) -> None:
        state = self._cluster.need(kind)
        if state.phase is Phase.LISTING:  # every other phase is a change, and told as one
            self._know(state)

    def _pass_on(self, changes: tuple[ClusterChange, ...]) -> None:
        """Problems go first: what cannot be read must not be taken for absent."""
        for change in changes:
            if isinstance(change, ObjectProblem):
                self._put(ProblemReported(problem=change))
                self._tell(partial(self._teller.object_problem, change))
        observations = self._observed(changes)
        if observations:
            self._put(Observed(observations=observations))
            for seen in observations:
                self._tell(partial(self._teller.observed, (seen,)))
        for change in changes:
            if isinstance(change, KindChange):
                self._report(change.state)

    def _observed(self, changes: tuple[ClusterChange, ...]) -> tuple[Observation, ...]:
        """What comes of *changes*; a defect costs the one that brings it about, not the others."""
        try:
            return self._observer.observe(changes)
        except Exception:  # noqa: BLE001 - law 3
            return tuple(seen for change in changes for seen in self._observed_alone(change))

    def _observed_alone(self, change: ClusterChange) -> tuple[Observation, ...]:
        try:
            return self._observer.observe((change,))
        except Exception as exc:  # noqa: BLE001 - law 3
            self._teller.defect(exc)
            self._miss(change, described(exc))
            return ()

    def _miss(self, change: ClusterChange, message: str) -> None:
        """An object of a kind is not known: nothing may be concluded from what is not seen of that kind."""
        if isinstance(change, ObjectProblem):
            return
        kind = change.key.kind if isinstance(change, ObjectChange) else change.state.kind
        self._missed[kind] = message
        self._report(KindState(kind=kind, phase=Phase.FAILING, since_s=self._clock.monotonic_s()))

    def _report(self, state: KindState) -> None:
        if state.kind in self._missed and state.phase is Phase.SYNCED:
            state = replace(state, phase=Phase.FAILING)
        if state.kind in self._missed:
            state = replace(state, detail=self._missed[state.kind])
        self._put(KindReported(state=state))
        self._know(state)

    def _know(self, state: KindState) -> None:
        self.states = {**self.states, state.kind: state}
        self._tell(partial(self._teller.kind_changed, state))

    def _tell(self, tell: Callable[[], None]) -> None:
        """Tell people; a defect there costs a line, and must not keep from the engine what comes after."""
        try:
            tell()
        except Exception as exc:  # noqa: BLE001 - law 3
            self._teller.defect(exc)
