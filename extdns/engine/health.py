"""What is failing now, in words for people; nothing is when every source, zone and name in scope is in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extdns.errors import shortened
from extdns.model.name import MAX_LABEL_BYTES
from extdns.model.quantity import count

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.engine.zones import ZoneState


def failures(engine: Engine) -> tuple[str, ...]:
    """One sentence for each thing that fails, sources first; () if nothing does."""
    return tuple(_failures(engine))


def unread(engine: Engine) -> tuple[str, ...]:
    """Those of `failures` for which not everything is known that a plan rests on."""
    return tuple(_unread(engine))


def _failures(engine: Engine) -> Iterator[str]:
    yield from _unread(engine)
    for state in engine.zones:
        yield from _unwritten(state)
    if failing := engine.decisions.failing:
        yield f"{count(failing, 'record')} could not be published"
    yield from _misnamed(engine)


def _unread(engine: Engine) -> Iterator[str]:
    for kind, phase in engine.readiness.missing():
        yield f"{kind} objects are {phase}"
    for key, failure in engine.claims.failures():
        yield f"{key.kind.name} {key.namespace}/{key.name}: {failure}"
    yield from engine.unreadable
    if engine.zones.backoff.failures:
        yield f"zones cannot be listed: {engine.zones.backoff.message}"
    elif not engine.zones.listed:
        yield "zones have not been listed yet"
    for account in engine.zones.failed:
        yield f"zones of {account.account or 'the account'}: {account.message}"
    for state in engine.zones:
        if state.audit.backoff.failures:
            yield f"zone {state.zone} cannot be read: {state.audit.backoff.message}"
        elif not state.mirror.whole:
            yield f"zone {state.zone} has not been read yet"


def _misnamed(engine: Engine) -> Iterator[str]:
    """What is no name, is refused by us in the service's place, if it would have got to one of our zones.

    Labels that are too long get nowhere: the reference passes over them (spec plan 0.1).
    """
    zones = tuple(f".{state.zone.name}" for state in engine.zones)
    for wrong in engine.claims.misnamed():
        name = wrong.value.strip().removesuffix(".").lower()
        if name.endswith(zones) and all(len(label.encode()) <= MAX_LABEL_BYTES for label in name.split(".")):
            yield f"{wrong.provenance.ref}: {shortened(wrong.value)!r} is no name; allowed: {wrong.allowed}"


def _unwritten(state: ZoneState) -> Iterator[str]:
    if state.writes.forbidden:
        yield f"zone {state.zone}: {state.writes.forbidden}"
    elif state.writes.backoff.failures and state.writes.pending:
        yield f"zone {state.zone}: {count(len(state.writes.pending), 'name waits', 'names wait')} for the service"
    if contested := state.writes.clashes.contested:
        names = count(contested, "name is", "names are")
        yield f"zone {state.zone}: {names} changed by somebody else again and again"
    if state.writes.doubts.batch:
        yield f"zone {state.zone}: a batch was not answered"
