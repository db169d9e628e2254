"""What the engine is told in place of an input that it failed to take in."""

from __future__ import annotations

from dataclasses import replace

from extdns.engine.inputs import (
    Call,
    Input,
    KindReported,
    NamesRead,
    Observed,
    PageRead,
    ReadFailed,
    Submitted,
    ZonesListed,
)
from extdns.model.cluster import Phase
from extdns.model.outcome import Unknown


def instead(item: Input, message: str) -> tuple[Input, ...]:
    """Inputs that claim less than *item* and leave nothing waiting for it; () if there are none.

    A call has failed, a batch was not answered, a kind is not listed, and an object cannot be
    computed, so that what is published for it stays; of several objects each is told by itself first.
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
        case KindReported(state=state) if state.phase is not Phase.FAILING:
            return (KindReported(state=replace(state, phase=Phase.FAILING, detail=message)),)
        case Observed(observations=(seen,)) if not seen.failure:
            return (Observed(observations=(replace(seen, claims=(), failure=message),)),)
        case Observed(observations=several) if len(several) > 1:
            return tuple(Observed(observations=(seen,)) for seen in several)
        case _:
            return ()
