"""What was observed besides claims: phases of kinds, objects that cannot be read, and whether missing objects exist.

The evidence for deletes is found in these and in the claims (extdns/planner/evidence.py). `Readiness` decides by the
phases whether planning may begin (docs/design/retries.md, "The first pass").
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from extdns.model.cluster import KindState, ObjectProblem, Phase
from extdns.model.kind import Kind, ObjectKey
from extdns.model.value import compute_backoff_s

if TYPE_CHECKING:
    from extdns.engine.settings import EngineSettings

_FIRST_PAUSE_S: Final = 30.0
_RECHECK_S: Final = 300.0


class KindPhases:
    """The phase of each kind that a source reads, and of each kind of which it looks up objects (dependencies).

    Attributes:
        down: the kinds that sources read and that are not synced, sorted by name.
        dependencies_down: the kinds of dependencies that were synced before and are not now, sorted by name.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        """Start with all *kinds*, which sources read, in the phase of being listed."""
        self._phases: dict[Kind, Phase] = dict.fromkeys(kinds, Phase.LISTING)
        self._dependencies: dict[Kind, Phase] = {}  # only kinds that were synced once
        self.down, self.dependencies_down = _find_down(self._phases), list[Kind]()

    def report(self, state: KindState) -> bool:
        """Record the phase of a kind; return whether that can change decisions."""
        phases = self._phases if state.kind in self._phases else self._dependencies
        if state.kind not in phases and state.phase is not Phase.SYNCED:  # a dependency that was never synced
            return False  # the objects that depend on it wait for it
        before, phases[state.kind] = phases.get(state.kind, Phase.SYNCED), state.phase
        self.down, self.dependencies_down = _find_down(self._phases), _find_down(self._dependencies)
        return before is not state.phase

    def is_synced(self, kind: Kind) -> bool:
        """Return whether *kind* is synced. A kind that nothing reads is not."""
        return (self._phases.get(kind) or self._dependencies.get(kind)) is Phase.SYNCED

    def phase(self, kind: Kind) -> Phase:
        """Return the phase of a kind that a source reads."""
        return self._phases[kind]


def _find_down(phases: dict[Kind, Phase]) -> list[Kind]:
    return sorted((kind for kind, phase in phases.items() if phase is not Phase.SYNCED), key=lambda kind: kind.name)


_DOWN = frozenset({Phase.FAILING, Phase.FORBIDDEN, Phase.UNAUTHORIZED, Phase.NOT_SERVED})


class Readiness:
    """Whether planning may begin: every kind was listed completely, or has failed for some time.

    Attributes:
        is_open: whether planning may begin; stays true from then on.
    """

    def __init__(self, kinds: Iterable[Kind], timeout_s: float, *, is_single_pass: bool = False) -> None:
        """Wait for all *kinds* to be synced. Stop waiting for one that has failed for *timeout_s* seconds.

        A single pass does not wait at all for one that cannot be read with these credentials.
        """
        self._hopeless = {Phase.UNAUTHORIZED} if is_single_pass else set()
        self._phases: dict[Kind, tuple[Phase, float]] = dict.fromkeys(kinds, (Phase.LISTING, 0.0))
        self._timeout_s = timeout_s
        self.is_open = not self._phases

    def report(self, state: KindState, now_s: float) -> None:
        """Record the phase of a kind. A failing kind counts as failing until synced, even while it is listed again."""
        phase, since_at = self._phases.get(state.kind, (None, now_s))
        is_down = phase in _DOWN and state.phase is not Phase.SYNCED
        if not (is_down and state.phase is Phase.LISTING):
            self._phases[state.kind] = (state.phase, since_at if is_down or phase is state.phase else now_s)
        self.tick(now_s)

    def require(self, kind: Kind) -> None:
        """Wait also for *kind*, which claims depend on and which has not been listed yet."""
        self._phases.setdefault(kind, (Phase.LISTING, 0.0))

    def is_complete(self, now_s: float) -> bool:
        """Return whether every kind is synced, or has failed for as long as planning waits for it."""
        for phase, since_at in self._phases.values():
            is_awaited = phase not in _DOWN or now_s < since_at + self._timeout_s
            if phase is not Phase.SYNCED and phase not in self._hopeless and is_awaited:
                return False
        return True

    def tick(self, now_s: float) -> bool:
        """Set `is_open` if planning may begin at *now_s*. Return whether that changed now."""
        if self.is_open:
            return False
        self.is_open = self.is_complete(now_s)
        return self.is_open

    def find_missing(self) -> tuple[tuple[str, Phase], ...]:
        """Return the names and phases of the kinds that are not synced."""
        return tuple([(kind.name, phase) for kind, (phase, _) in self._phases.items() if phase is not Phase.SYNCED])

    def find_deadlines(self) -> list[float]:
        """Return the times at which planning no longer waits for the kinds that fail now (monotonic seconds)."""
        return [since_at + self._timeout_s for phase, since_at in self._phases.values() if phase in _DOWN]


class ObjectProblems:
    """Objects and manifests that cannot be read."""

    def __init__(self) -> None:
        """Start without problems."""
        self._problems: dict[tuple[str, ObjectKey | None], str] = {}
        self._ignored: dict[tuple[str, ObjectKey | None], str] = {}

    def report(self, problem: ObjectProblem) -> None:
        """Record that an object or manifest cannot be read, or can be again."""
        problems = self._ignored if problem.is_ignored else self._problems
        if problem.message:
            problems[problem.location, problem.key] = problem.message
        else:
            problems.pop((problem.location, problem.key), None)

    def find_problem(self, key: ObjectKey) -> str:
        """Return why the object at *key* cannot be read, "" if it can."""
        return next((message for (_, broken), message in self._problems.items() if broken == key), "")

    @property
    def unidentified(self) -> str:
        """A part of the manifests that cannot be read and may contain any object; "" if there is none."""
        return next((location for location, broken in self._problems if broken is None), "")

    def messages(self) -> Iterator[str]:
        """Return a message for each object and manifest that cannot be read, sorted."""
        return (f"{location}: {message}" for (location, _), message in sorted(self._problems.items(), key=str))

    def list_ignored(self) -> tuple[str, ...]:
        """Return a message for each document that is not an object, sorted."""
        return tuple(f"{location}: {message}" for (location, _), message in sorted(self._ignored.items(), key=str))


class ExistenceChecks:
    """GET requests for objects that a list lacks: scheduled, under way, and answered.

    A request is sent a grace period after the object was first missing; in a single pass it is sent at once. Answers
    take effect together, when no further answer is awaited, so that the delete budget counts all objects that are gone.

    Attributes:
        scheduled: objects to request, and from when on (monotonic seconds). If a request for one of them is under way
            already, the answer to that does not count, and the object is requested again after it.
        under_way: objects whose request has no answer yet.
        next_at: when the next request is due (monotonic seconds), or earlier.
    """

    def __init__(self, settings: EngineSettings) -> None:
        """Start without requests and answers."""
        self._grace_s = 0.0 if settings.once else settings.deletes.grace_s
        self._exists: dict[ObjectKey, bool] = {}
        self._answers: dict[ObjectKey, bool] = {}
        self._outdated: set[ObjectKey] = set()
        self._unanswered: dict[ObjectKey, int] = {}  # consecutive failed requests
        self.scheduled: dict[ObjectKey, float] = {}
        self.under_way: set[ObjectKey] = set()
        self.next_at = math.inf

    def exists(self, key: ObjectKey) -> bool | None:
        """Return whether the object exists, by the last answer that took effect; None before the first."""
        return self._exists.get(key)

    def require(self, key: ObjectKey, now_s: float) -> None:
        """Schedule a request for *key*, unless one is scheduled or under way, or its answer is about to take effect."""
        under_way = key in self.under_way and key not in self._outdated
        if not (under_way or key in self._answers or key in self.scheduled):
            self._schedule(key, now_s + (_RECHECK_S if self._exists.get(key) else self._grace_s))

    def answer(self, key: ObjectKey, *, exists: bool | None, now_s: float) -> tuple[ObjectKey, ...]:
        """Store an answer; return the objects whose answers take effect now.

        With *exists* None it is not known, and the object is requested again. The answer is ignored if the object was
        observed after the request was sent.
        """
        self.under_way.discard(key)
        if key in self._outdated:
            self._outdated.discard(key)
            self.next_at = min(self.next_at, self.scheduled.get(key, math.inf))
        elif exists is None:
            times = self._unanswered.get(key, 0)
            self._unanswered[key] = times + 1
            self._schedule(key, now_s + compute_backoff_s(_FIRST_PAUSE_S, times, _RECHECK_S))
        else:
            self._unanswered.pop(key, None)
            self.scheduled.pop(key, None)
            self._answers[key] = exists
        if self.awaits_answers:
            return ()
        counting, self._answers = self._answers, {}
        self._exists |= counting
        return tuple(counting)

    def forget(self, key: ObjectKey) -> None:
        """Forget the answers about *key*: it was observed, or no decision depends on it any more."""
        self._exists.pop(key, None)
        self._answers.pop(key, None)
        self._unanswered.pop(key, None)
        self.scheduled.pop(key, None)
        if key in self.under_way:
            self._outdated.add(key)

    @property
    def awaits_answers(self) -> bool:
        """Whether a request has no answer yet. Objects whose last request failed do not count."""
        return not self.under_way <= self._unanswered.keys()

    def take_due(self, now_s: float) -> list[ObjectKey]:
        """Return the objects to request now, sorted, and count them as under way."""
        if now_s < self.next_at:
            return []
        due = sorted(key for key, at_s in self.scheduled.items() if at_s <= now_s and key not in self.under_way)
        for key in due:
            del self.scheduled[key]
        self.under_way.update(due)
        self.next_at = min((at_s for at_s in self.scheduled.values() if at_s > now_s), default=math.inf)
        return due

    def _schedule(self, key: ObjectKey, at_s: float) -> None:
        self.scheduled[key] = at_s
        self.next_at = min(self.next_at, at_s)
