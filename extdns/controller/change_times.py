"""Measure how long changes take, and complete reads of zones.

See docs/design/metrics.md, "Time from an object to its record".

::

    object received ──plan──▶ change planned ──write──▶ write accepted
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.controller.participant import Participant
from extdns.engine.batches import find_names
from extdns.engine.decisions import CHANGING
from extdns.engine.effects import ReadPage, ReportDecisions, ReportOutcome
from extdns.engine.inputs import LeadershipChanged, Observed, PageRead, ReadFailed
from extdns.model.change import Action, Applied
from extdns.model.claim import ResolvedClaim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extdns.engine.effects import Effect
    from extdns.engine.engine import Engine
    from extdns.engine.inputs import Input
    from extdns.metrics.durations import ChangeDurations
    from extdns.model.change import Batch, Decision
    from extdns.model.dns_name import DnsName
    from extdns.model.zone import Zone
    from extdns.ports import Clock

_MAX_NAMES: Final = 10_000
"""How many names are measured at a time. If there are more, those so far are not counted."""


class _PlannedChange(NamedTuple):
    """A change of one name in one zone that is not written yet, with monotonic times.

    *received_at* is None if no new version of an object caused it.
    """

    received_at: float | None
    planned_at: float


class ChangeTimes(Participant):
    """Measure changes by the inputs and effects of the engine."""

    def __init__(
        self, engine: Engine, durations: ChangeDurations, clock: Clock, is_started: Callable[[], bool]
    ) -> None:
        """Count the objects that are received while *is_started* returns true."""
        self._engine = engine
        self._durations = durations
        self._clock = clock
        self._is_started = is_started
        self._received: dict[DnsName, float] = {}
        self._planned: dict[tuple[str, DnsName], _PlannedChange] = {}
        self._read_since: dict[str, float] = {}

    def before_step(self, item: Input) -> None:
        """Record when objects were received, and the end of complete reads of zones."""
        match item:
            case Observed(observations=observations, received_at_s=received_at) if received_at and self._is_started():
                claims = (claim for observation in observations for claim in observation.claims)
                for name in [claim.name for claim in claims if isinstance(claim, ResolvedClaim)]:
                    self._received.setdefault(name, received_at)
                _limit(self._received)
            case PageRead(zone=zone, page=page) if page.after is None:
                if (since_s := self._read_since.pop(zone.id, None)) is not None:
                    self._durations.observe_refresh(zone, self._clock.monotonic_s() - since_s)
            case ReadFailed(zone=zone) if zone is not None:
                self._read_since.pop(zone.id, None)
            case LeadershipChanged():
                self._received.clear()
                self._planned.clear()
            case _:
                pass

    def after_step(self, effects: Sequence[Effect]) -> None:
        """Record plans, accepted writes, and the start of complete reads of zones."""
        for effect in effects:
            match effect:
                case ReportDecisions(decisions=decisions):
                    for decision in decisions:
                        if decision.zone is not None:
                            self._observe_decision(decision.zone, decision)
                    _limit(self._planned)
                case ReportOutcome(batch=batch, outcome=Applied()):
                    self._observe_accepted(batch)
                case ReadPage(zone=zone, after=None):
                    self._read_since[zone.id] = self._clock.monotonic_s()
                case _:
                    pass
        if self._received and self._engine.is_planned:
            self._received.clear()  # their names needed no change

    def _observe_decision(self, zone: Zone, decision: Decision) -> None:
        """Record that a change is planned, also while it waits for the service. Forget it after any other decision."""
        key = (zone.id, decision.name)
        if decision.action in CHANGING or decision.reason.row.transient:
            if key not in self._planned:
                now_s = self._clock.monotonic_s()
                is_delete = decision.action is Action.DELETE
                received_at = None if is_delete else self._received.pop(decision.name, None)
                self._planned[key] = _PlannedChange(received_at, now_s)
                if received_at is not None:
                    self._durations.observe_plan(zone, now_s - received_at)
        else:
            self._received.pop(decision.name, None)
            self._planned.pop(key, None)

    def _observe_accepted(self, batch: Batch) -> None:
        now_s = self._clock.monotonic_s()
        for name in find_names(batch):
            if found := self._planned.pop((batch.zone.id, name), None):
                since_object_s = None if found.received_at is None else now_s - found.received_at
                self._durations.observe_write(batch.zone, now_s - found.planned_at, since_object_s=since_object_s)


def _limit(measured: dict[DnsName, float] | dict[tuple[str, DnsName], _PlannedChange]) -> None:
    """Remove all entries of *measured* if it has more than `_MAX_NAMES`."""
    if len(measured) > _MAX_NAMES:
        measured.clear()
