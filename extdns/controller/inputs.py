"""Inputs that the controller makes: from calls of the state store, and instead of inputs on which the engine raised."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from extdns.engine.effects import LoadState, ReadApprovals, SaveState
from extdns.engine.inputs import (
    AdjustmentsLoaded,
    BatchCompleted,
    Call,
    ExistenceChecked,
    Input,
    KindStateChanged,
    NamesRead,
    Observed,
    PageRead,
    ProblemChanged,
    ReadFailed,
    StateAnswered,
    StateFailed,
    StateLoaded,
    ZonesListed,
)
from extdns.model.change import Unknown
from extdns.model.cluster import KindState, Phase

if TYPE_CHECKING:
    from extdns.model.kind import Kind
    from extdns.ports import Clock, StateStore


class StateCalls:
    """Call the state store, and convert times: saved ones are seconds since the epoch, those of the engine monotonic.

    See docs/design/state.md. If the system's clock was set back, events that seem to lie in the future count as of now.
    """

    def __init__(self, store: StateStore, clock: Clock) -> None:
        """Load and save with *store*, and convert times with *clock*."""
        self._store = store
        self._clock = clock

    def execute(self, effect: LoadState | SaveState | ReadApprovals) -> StateLoaded | StateAnswered:
        """Load or save the state, or read approvals, as *effect* states.

        Raises:
            ExtdnsError: the call failed.
        """
        match effect:
            case LoadState():
                saved = self._store.load()
                monotonic_s = self._clock.monotonic_s()
                return StateLoaded(saved=saved.shift(monotonic_s - self._clock.now().timestamp(), monotonic_s))
            case SaveState(saved=saved):
                now_s = self._clock.now().timestamp()
                self._store.save(saved.shift(now_s - self._clock.monotonic_s(), now_s))
                return StateAnswered()
            case ReadApprovals():
                return StateAnswered(approved=self._store.load_approvals())
            case _:
                assert_never(effect)


class FallbackInputs:
    """Replace an input that made the engine raise an exception by inputs with less information.

    Without a replacement, the engine would wait for the answer to a call for ever, or would count objects that it
    missed as deleted. A kind of which the engine missed an object is reported as failing until the process ends, so
    that no object of it counts as deleted.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        """Start without failures; *kinds* are those that sources read."""
        self._kinds = tuple(dict.fromkeys(kinds))
        self._failures: dict[Kind, str] = {}

    def correct(self, item: KindStateChanged) -> KindStateChanged:
        """Return *item*, or one that reports the kind as failing.

        That is needed if *item* reports a kind as synced although the engine missed an object of it.
        """
        state = item.state
        if state.phase is not Phase.SYNCED or state.kind not in self._failures:
            return item
        return KindStateChanged(state=replace(state, phase=Phase.FAILING, detail=self._failures[state.kind]))

    def build_fallbacks(self, item: Input, message: str) -> tuple[Input, ...]:
        """Return the inputs that replace *item*; () if nothing waits for it. *message* is the error, for people.

        - The result of a read becomes a failed read, and the outcome of a batch becomes unknown.
        - An answer of the state store, or of the service about adjusted records, becomes a failure.
        - Observations of several objects are fed one by one; one that fails by itself reports its object as failed,
          so that its records stay. If that fails, too, its kind is reported as failing.
        - A kind whose state, or the problem of one of its objects, could not be processed is reported as failing.
        - A result that says no more than that a call failed is fed again, since the engine waits for it.
        """
        match item:
            case ZonesListed():
                return (ReadFailed(call=Call.ZONES, zone=None, message=message),)
            case PageRead(zone=zone):
                return (ReadFailed(call=Call.PAGE, zone=zone, message=message),)
            case NamesRead(zone=zone):
                return (ReadFailed(call=Call.NAMES, zone=zone, message=message),)
            case BatchCompleted(outcome=outcome) if not isinstance(outcome, Unknown):
                return (replace(item, outcome=Unknown(message=message)),)
            case ExistenceChecked(exists=exists) if exists is not None:
                return (replace(item, exists=None),)
            case StateLoaded() | StateAnswered():
                return (StateFailed(message=message),)
            case AdjustmentsLoaded(failure=""):
                return (AdjustmentsLoaded(failure=message),)
            case ReadFailed() | BatchCompleted() | ExistenceChecked() | StateFailed() | AdjustmentsLoaded():
                return (item,)
            case KindStateChanged(state=state) if state.phase is not Phase.FAILING:
                return (KindStateChanged(state=replace(state, phase=Phase.FAILING, detail=message)),)
            case _:
                return self._build_object_fallbacks(item, message)

    def _build_object_fallbacks(self, item: Input, message: str) -> tuple[Input, ...]:
        match item:
            case Observed(observations=(observation,)) if not observation.failure:
                return (replace(item, observations=(replace(observation, claims=(), failure=message),)),)
            case Observed(observations=(observation,)):
                return self._report_failing((observation.key.kind,), message)
            case Observed(observations=observations):
                return tuple(replace(item, observations=(observation,)) for observation in observations)
            case ProblemChanged(problem=problem) if problem.message:
                return self._report_failing(self._kinds if problem.key is None else (problem.key.kind,), message)
            case _:
                return ()

    def _report_failing(self, kinds: Iterable[Kind], message: str) -> tuple[Input, ...]:
        self._failures.update(dict.fromkeys(kinds, message))
        states = (KindState(kind=kind, phase=Phase.FAILING, detail=message) for kind in kinds)
        return tuple(KindStateChanged(state=state) for state in states)
