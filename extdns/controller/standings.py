"""How objects stand, told once everything about them is decided and written (spec sources 6.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from msgspec.structs import replace

from extdns.engine.decisions import CHANGING, IN_ORDER
from extdns.engine.inputs import Cause, Led, Observed
from extdns.errors import not_valid
from extdns.model.claim import Derivation, Filtered, Invalid, Wanted, Withheld
from extdns.model.reason import Reason
from extdns.model.standing import Shortfall, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input, Observation
    from extdns.model.claim import Claim
    from extdns.model.cluster import ObjectKey
    from extdns.model.decision import Decision
    from extdns.ports import Clock, StatusWriter

_GONE: Final = frozenset({Cause.DELETED, Cause.MISSING})
_WRONG: Final = frozenset(
    {
        Reason.INVALID_NAME,
        Reason.INVALID_TARGET,
        Reason.INVALID_TTL,
        Reason.INVALID_ENDPOINT,
        Reason.OBJECT_FAILED,
    }
)
_LEAST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_SHARE: Final = 20.0
"""Looking takes the engine's thread a twentieth of its time at most."""


class _Seen(NamedTuple):
    """An object as a source saw it last."""

    generation: int
    claims: tuple[Claim, ...]


class Standings:
    """Looked at after every step, and at `wake_s`, by the thread that runs the engine."""

    def __init__(self, engine: Engine, writer: StatusWriter, clock: Clock) -> None:
        """Let *writer* write how the objects of its kind stand, by what *engine* decided."""
        self._engine = engine
        self._writer = writer
        self._clock = clock
        self._seen: dict[ObjectKey, _Seen] = {}
        self._due: dict[ObjectKey, None] = {}
        self._pause_s = _LEAST_PAUSE_S
        self._next_look_s = 0.0
        self._leads = engine.leadership.leads

    def heard(self, item: Input) -> None:
        """The engine is told *item*."""
        if isinstance(item, Observed):
            for seen in item.observations:
                if seen.key.kind == self._writer.kind:
                    self._observe(seen)
        if isinstance(item, Led):
            self._led(leads=item.leads)

    def decided(self, decisions: Iterable[Decision]) -> None:
        """These decisions are new."""
        self._expect(asked.ref.key for decision in decisions for asked in decision.asked_by)

    def look(self) -> None:
        """Tell how those stand about which all is decided and written, if it is time."""
        if self._clock.monotonic_s() >= self.wake_s:
            self._look()

    def close(self, patience_s: float) -> None:
        """Tell for the last time; what is told may be written for *patience_s* seconds."""
        if self._leads:
            self._look()
        self._writer.close(patience_s)

    @property
    def wake_s(self) -> float:
        """Monotonic time of the next look, infinity if nothing is to be told, or by somebody else."""
        return self._next_look_s if self._due and self._leads else math.inf

    def _led(self, *, leads: bool) -> None:
        """Who leads anew tells everything; who leads no more does not even tell what was to be told."""
        self._leads = leads
        for key in self._seen:
            self._writer.forget(key)
        self._expect(self._seen)

    def _observe(self, seen: Observation) -> None:
        self._writer.forget(seen.key)
        self._seen.pop(seen.key, None)
        self._due.pop(seen.key, None)
        if seen.cause not in _GONE and not (seen.failure or seen.parked_on):
            self._seen[seen.key] = _Seen(seen.generation, seen.claims)
            self._expect((seen.key,))

    def _expect(self, keys: Iterable[ObjectKey]) -> None:
        before = len(self._due)
        self._due.update((key, None) for key in keys if key in self._seen)
        if len(self._due) > before:
            self._pause_s = _LEAST_PAUSE_S
            self._next_look_s = min(self._next_look_s, self._clock.monotonic_s() + self._pause_s)

    def _look(self) -> None:
        began_s = self._clock.monotonic_s()
        for key in tuple(self._due):
            standing = self._standing(key, self._seen[key])
            if standing is not None:
                del self._due[key]
                if not _is_left_out(standing, self._seen[key].claims):
                    self._writer.put(standing)
        now_s = self._clock.monotonic_s()
        self._next_look_s = now_s + max(self._pause_s, (now_s - began_s) * _SHARE)
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)

    def _standing(self, key: ObjectKey, seen: _Seen) -> Standing | None:
        """How the object stands, None as long as that is open."""
        short: list[Shortfall] = []
        count = 0
        for claim in seen.claims:
            if isinstance(claim, Filtered) or claim.provenance.derived is Derivation.NONE:
                found = self._shortfall(claim)
                if found is None:
                    return None
                count += 1
                if not (found.valid and found.published):
                    short.append(found)
        return Standing(key=key, generation=seen.generation, endpoints=count, short=tuple(short))

    def _shortfall(self, claim: Claim) -> Shortfall | None:
        """How one endpoint stands, None as long as that is open."""
        match claim:
            case Filtered(name=left_out, by=by):
                return Shortfall(name=left_out or "", reason=Reason.TARGETS_FILTERED, detail=f"by {by}")
            case Invalid(provenance=at, reason=reason, value=value, allowed=allowed):
                said = value if reason is Reason.INVALID_NAME else ""
                return Shortfall(
                    field=at.field, name=said, reason=reason, detail=not_valid(value, allowed), valid=False
                )
            case Withheld(provenance=at, name=name, reason=reason, detail=detail):
                valid = reason not in _WRONG
                return Shortfall(field=at.field, name=name, reason=reason, detail=detail, valid=valid)
            case Wanted(provenance=at, notices=notices):
                found = self._published(claim)
                if found is not None and found.published and notices:
                    notice, *_ = notices
                    detail = f"{notice.field}: {not_valid(notice.value, notice.allowed)}"
                    return replace(found, reason=notice.reason, detail=detail, valid=False)
                return found
            case _:
                assert_never(claim)

    def _published(self, claim: Wanted) -> Shortfall | None:
        """Whether the record is in each of its zones, None as long as that is open."""
        if not self._engine.rests(claim.name):
            return None
        about = [
            decision
            for decision in self._engine.decisions.of(claim.name)
            if decision.set_identifier == claim.set_identifier and claim.provenance in decision.asked_by
        ]
        if not about or any(decision.verdict in CHANGING for decision in about):
            return None
        worst = next((decision for decision in about if decision.reason not in IN_ORDER), about[0])
        return Shortfall(
            field=claim.provenance.field,
            name=claim.name,
            reason=worst.reason,
            detail=worst.detail,
            published=worst.reason in IN_ORDER,
        )


def _is_left_out(standing: Standing, claims: Iterable[Claim]) -> bool:
    """Whether the whole object is outside our filters: then it may be another extdns that tells of it."""
    if any(isinstance(claim, Filtered) and claim.name is None for claim in claims):
        return True
    outside = [short for short in standing.short if short.reason is Reason.DOMAIN_FILTERED]
    return bool(outside) and len(outside) == standing.endpoints
