"""What the engine is told in place of an input that it failed to take in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from extdns.engine.inputs import (
    Call,
    Existence,
    Input,
    KindReported,
    NamesRead,
    Observed,
    PageRead,
    ProblemReported,
    ReadFailed,
    Submitted,
    ZonesListed,
)
from extdns.model.cluster import KindState, Phase
from extdns.model.outcome import Unknown

if TYPE_CHECKING:
    from extdns.model.cluster import Kind


class Standins:
    """Inputs that claim less than others, and leave nothing waiting for those.

    A kind of which the engine knows less than it was told counts as failing for good: nothing may be
    concluded from what is not seen of it.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        """The sources read *kinds*."""
        self._kinds = tuple(dict.fromkeys(kinds))
        self._missed: dict[Kind, str] = {}

    def truthful(self, item: Input) -> Input:
        """*item*, but that a kind is not synced of which something was missed."""
        match item:
            case KindReported(state=state) if state.phase is Phase.SYNCED and state.kind in self._missed:
                return KindReported(state=replace(state, phase=Phase.FAILING, detail=self._missed[state.kind]))
            case _:
                return item

    def instead(self, item: Input, message: str) -> tuple[Input, ...]:
        """What to tell in place of *item*, of which *message* says what became of it; () if there is nothing.

        A call has failed, a batch was not answered, a kind is not listed, and an object cannot be
        computed, so that what is published for it stays; of several objects each is told by itself
        first. Where not even that can be told, the kind is failing. An answer that says nothing is told
        again: something waits for it.
        """
        match item:
            case ZonesListed():
                return (ReadFailed(call=Call.ZONES, zone=None, message=message),)
            case PageRead(zone=zone):
                return (ReadFailed(call=Call.PAGE, zone=zone, message=message),)
            case NamesRead(zone=zone):
                return (ReadFailed(call=Call.NAMES, zone=zone, message=message),)
            case Submitted(outcome=outcome) if not isinstance(outcome, Unknown):
                return (replace(item, outcome=Unknown(message=message)),)
            case Existence(exists=exists) if exists is not None:
                return (replace(item, exists=None),)
            case ReadFailed() | Submitted() | Existence():
                return (item,)
            case KindReported(state=state) if state.phase is not Phase.FAILING:
                return (KindReported(state=replace(state, phase=Phase.FAILING, detail=message)),)
            case _:
                return self._about_objects(item, message)

    def _about_objects(self, item: Input, message: str) -> tuple[Input, ...]:
        match item:
            case Observed(observations=(seen,)) if not seen.failure:
                return (Observed(observations=(replace(seen, claims=(), failure=message),)),)
            case Observed(observations=(seen,)):
                return self._failing((seen.key.kind,), message)
            case Observed(observations=several):
                return tuple(Observed(observations=(seen,)) for seen in several)
            case ProblemReported(problem=problem) if problem.message:
                return self._failing(self._kinds if problem.key is None else (problem.key.kind,), message)
            case _:
                return ()

    def _failing(self, kinds: Iterable[Kind], message: str) -> tuple[Input, ...]:
        self._missed.update(dict.fromkeys(kinds, message))
        states = (KindState(kind=kind, phase=Phase.FAILING, detail=message) for kind in kinds)
        return tuple(KindReported(state=state) for state in states)
