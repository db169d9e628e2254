"""Tells people: logs what was seen, decided and done, and counts it for metrics (habit 14: once, here)."""

from __future__ import annotations

import traceback
from collections import Counter
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, assert_never

from extdns import log
from extdns.controller.census import Census, outstanding
from extdns.engine.inputs import Led, PageRead, ReadFailed, StateAnswered, StateFailed, StateLoaded, ZonesListed
from extdns.log import Event
from extdns.model.claim import mistakes
from extdns.model.cluster import Phase
from extdns.model.decision import Verdict
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extdns.engine.effects import TellHeld
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input, Observation
    from extdns.metrics.metrics import Metrics
    from extdns.model.change import Batch
    from extdns.model.cluster import KindState, ObjectKey, ObjectProblem
    from extdns.model.decision import Decision
    from extdns.model.zone import AccountFailure, Zone
    from extdns.ports import Announcer, Reporter

_log = log.get(__name__)

# What the reference calls the three on Route 53; its users alert on these words.
_ACTIONS = {Verdict.CREATE: "CREATE", Verdict.UPDATE: "UPSERT", Verdict.DELETE: "DELETE"}
_QUIET = frozenset({Reason.PROGRAMMED, Reason.DOMAIN_FILTERED, Reason.TYPE_UNMANAGED, Reason.ZONE_UNREAD})
_EXPECTED = frozenset(
    {Reason.NO_ADDRESS, Reason.NOT_ACCEPTED, Reason.NO_ENDPOINTS, Reason.CONFLICT_LOST, Reason.POLICY_KEEPS}
)
_FRAMES: Final = 4
_NAMED: Final = 5
_PATIENCE_S: Final = 2.0
_AGAIN: Final = timedelta(minutes=30)
"""What lasts is announced again after so long: Events live for an hour by default."""


class Teller:
    """Writes the log and the metrics; another reporter may listen to decisions.

    Attributes:
        defects: how often something in this program failed that should not have.
    """

    def __init__(
        self,
        metrics: Metrics,
        owner: str,
        reporter: Reporter | None = None,
        announcer: Announcer | None = None,
        release: Callable[[str], str] = "extdns release {}".format,
    ) -> None:
        """Count into *metrics*, with *owner* as our owner id; *reporter* and *announcer* are told, too.

        *release* makes the command of a release code.
        """
        self._metrics = metrics
        self._census = Census(owner)
        self._reporter = reporter
        self._announcer = announcer
        self._release = release
        self._changes = 0
        self._announced: datetime | None = None
        self._problems: set[tuple[str, ObjectKey | None]] = set()
        self._failed: frozenset[AccountFailure] = frozenset()
        self._unkept = ""
        self.defects = 0

    def decided(self, decisions: Sequence[Decision]) -> None:
        """Names were planned, and these decisions are new."""
        for decision in decisions:
            zone = _where(decision.zone) if decision.zone else {}
            if decision.verdict in _ACTIONS:
                self._changes += 1
                action = _ACTIONS[decision.verdict]
                _log.info(Event.DESIRED_CHANGE, action=action, name=decision.name, type=decision.type, **zone)
            elif decision.reason not in _QUIET and decision.concerns_us:
                _tell_problem(decision, zone)
        if self._reporter:
            self._reporter.tell(decisions)
        if self._announcer:
            self._announcer.decided(decisions)

    def ended(self, batch: Batch, outcome: Outcome) -> None:
        """A batch has an outcome."""
        self._metrics.batch_ended(outcome)
        if self._announcer and isinstance(outcome, Applied):
            self._announcer.applied(batch)
        zone = _where(batch.zone)
        match outcome:
            case Applied(reference=reference, unconditional=unconditional):
                seen = {"change": reference or None, "unconditional": unconditional or None, **zone}
                _log.info(Event.APPLIED, count=len(batch.writes), **seen)
            case Conflict(message=message, culprits=culprits):
                _log.warning(Event.CONFLICT, message=message, names=culprits or None, **zone)
            case Refused(message=message, culprits=culprits):
                _log.error(Event.REFUSED, message=message, names=culprits or None, **zone)
            case Forbidden(message=message):
                _log.error(Event.FORBIDDEN, message=message, **zone)
            case TryLater(message=message):
                _log.warning(Event.TRY_LATER, message=message, **zone)
            case Unknown(message=message):
                _log.warning(Event.UNKNOWN, message=message, **zone)
            case _:
                assert_never(outcome)

    def held(self, effect: TellHeld) -> None:
        """Other deletes than before wait for a person."""
        self._metrics.deletes_held(effect.zone, effect.code, effect.held)
        if self._announcer:
            self._announcer.held(effect.zone, effect.code, effect.held)
        zone = _where(effect.zone)
        if not effect.held:
            _log.info(Event.NOTHING_HELD, **zone)
            return
        names = sorted({one.owned.record.name for one in effect.held})
        evidence = Counter(one.evidence for one in effect.held)
        _log.warning(
            Event.DELETES_HELD,
            count=len(effect.held),
            names=names[:_NAMED] + ["..."] * (len(names) > _NAMED),
            evidence=[f"{why} {number}" for why, number in sorted(evidence.items())],
            release=self._release(effect.code),
            **zone,
        )

    def observed(self, observations: Sequence[Observation]) -> None:
        """Sources looked at objects."""
        for seen in observations:
            if self._announcer:
                self._announcer.mistaken(seen.claims)
            if seen.failure and not seen.parked_on:
                self._metrics.object_failed()
                if self._announcer:
                    self._announcer.failed(seen.key, seen.failure)
                _log.warning(Event.OBJECT_FAILED, object=seen.key.resource, message=seen.failure)
            for mistake in mistakes(seen.claims):
                _log.warning(
                    Event.OBJECT_MISTAKE,
                    object=seen.key.resource,
                    field=mistake.field,
                    value=mistake.value,
                    allowed=mistake.allowed,
                    reason=mistake.reason,
                )

    def object_problem(self, problem: ObjectProblem) -> None:
        """A manifest or an object cannot be read, or can again."""
        if problem.message:
            self._problems.add((problem.place, problem.key))
            _log.error(Event.OBJECT_UNREADABLE, place=problem.place, message=problem.message)
        else:
            self._problems.discard((problem.place, problem.key))
            _log.info(Event.OBJECT_READABLE, place=problem.place)

    def kind_changed(self, state: KindState) -> None:
        """A list and watch came to another phase."""
        self._metrics.phase_changed(state)
        write = _log.info if state.phase in {Phase.LISTING, Phase.SYNCED} else _log.error
        write(Event.SOURCE_PHASE, kind=state.kind.name, phase=state.phase, message=state.detail or None)

    def heard(self, item: Input, now: Callable[[], datetime]) -> None:
        """The engine is told *item*; of some kinds people want to know."""
        match item:
            case ZonesListed(zones=found):
                self._metrics.zones_listed(found.zones)
                self._accounts_failed(found.failed)
            case PageRead(zone=zone, page=page) if page.after is None:
                self._metrics.zone_read(zone, now())
            case ReadFailed(call=call, zone=zone, message=message):
                self._metrics.read_failed()
                event = Event.ZONE_UNREAD if zone else Event.ZONES_UNLISTED
                _log.error(event, call=call, zone=zone and str(zone), message=message)
            case Led(leads=leads):
                self._led(now(), leads=leads)
            case StateFailed(message=message):
                if message != self._unkept:
                    _log.warning(Event.STATE_UNKEPT, message=message)
                self._unkept = message
            case StateLoaded() | StateAnswered():
                self._unkept = ""
            case _:
                pass

    def _led(self, now: datetime, *, leads: bool) -> None:
        self._metrics.led(leads=leads)
        self._announced = now - _AGAIN  # the former leader's Events may be over, and ours are yet to come
        if leads:
            _log.info(Event.LEADS)
        else:
            _log.warning(Event.LEADS_NO_MORE)

    def _accounts_failed(self, failed: Sequence[AccountFailure]) -> None:
        """Say which accounts' zones could not be listed, once for each reason."""
        for failure in failed:
            if failure not in self._failed:
                _log.error(Event.ZONES_UNLISTED, account=failure.account or None, message=failure.message)
        self._failed = frozenset(failed)

    def defect(self, exc: Exception) -> None:
        """Something in this program failed that should not have; from any thread."""
        self.defects += 1
        self._metrics.defect_met()
        _log.error(Event.DEFECT, error=type(exc).__name__, message=str(exc), place=_place(exc))

    def stopped(self, signal: str) -> None:
        """The loop ends because somebody asked for it, by a *signal* if that is not ""."""
        if signal:
            _log.info(Event.SIGNALLED, signal=signal)
        _log.info(Event.LOOP_ENDED)

    def abandoned(self) -> None:
        """A write under way did not end in time."""
        _log.warning(Event.WRITE_ABANDONED)

    def close(self) -> None:
        """Nothing more is told; what others are to say has a moment."""
        if self._announcer:
            self._announcer.close(_PATIENCE_S)

    def run_ended(self, engine: Engine, failing: Sequence[str], now: datetime) -> None:
        """A run is over: every `--interval`, and once when the first pass is over (design 5)."""
        changes = self._changes + outstanding(engine)
        self._metrics.run_ended(now, failing=len(failing), changes=changes)
        self._metrics.counted(self._census.count(engine, len(self._problems)))
        if not changes and not failing:
            _log.info(Event.UP_TO_DATE)  # whoever reads it may look at the metrics next
        self._announce_again(engine, now)
        self._changes = 0
        _log.debug(Event.RUN_DONE, failing=failing or None)

    def _announce_again(self, engine: Engine, now: datetime) -> None:
        self._announced = self._announced or now
        if self._announcer and now - self._announced >= _AGAIN:
            self._announced = now
            self._announcer.decided(tuple(engine.decisions))
            for _, claims in engine.claims.objects():
                self._announcer.mistaken(claims)
            for key, failure in engine.claims.broken():
                self._announcer.failed(key, failure)


def _place(exc: Exception) -> str:
    """Where it was raised, innermost last, as `engine.py:88 step, judge.py:55 ask`; reports of defects need it."""
    frames = traceback.extract_tb(exc.__traceback__)[-_FRAMES:]
    return ", ".join(f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)


def _where(zone: Zone) -> dict[str, str | None]:
    """The fields that name *zone* (spec plan 4.9); the profile only where there are several."""
    return {"zoneName": zone.name, "zoneID": zone.id, "profile": zone.account or None}


def _tell_problem(decision: Decision, zone: dict[str, str | None]) -> None:
    event = Event.CLAIM_KEPT if decision.verdict is Verdict.KEEP else Event.CLAIM_REFUSED
    write = _log.info if decision.reason in _EXPECTED else _log.warning
    write(
        event,
        name=decision.name,
        type=decision.type or None,
        reason=decision.reason,
        detail=decision.detail or None,
        objects=tuple(str(asked.ref) for asked in decision.asked_by) or None,
        **zone,
    )
