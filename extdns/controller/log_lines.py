"""Log lines: fields about errors, decisions and zones, and the line about each batch."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, assert_never

from extdns import log
from extdns.log import Event
from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Unknown, WriteConflict

if TYPE_CHECKING:
    from collections.abc import Callable

    from extdns.model.change import Batch, Decision
    from extdns.model.zone import Zone

_log = log.get(__name__)

LogFields = dict[str, str | None]
_MAX_FRAMES: Final = 4


def format_location(exc: Exception) -> str:
    """Return where *exc* was raised, innermost frame last, as `engine.py:88 step, retries.py:55 record_failure`."""
    frames = traceback.extract_tb(exc.__traceback__)[-_MAX_FRAMES:]
    return ", ".join(f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)


def describe_decision(decision: Decision) -> LogFields:
    """Return the log fields of *decision* without its zone."""
    return {
        "action": decision.action,
        "name": decision.name,
        "type": decision.type,
        "reason": decision.reason,
        "detail": decision.detail or None,
    }


def describe_zone(zone: Zone) -> LogFields:
    """Return the log fields that name *zone* (docs/spec/plan.md 4.9), with its account as `profile`, if it has one."""
    return {"zoneName": zone.name, "zoneID": zone.id, "profile": zone.account or None}


class OutcomeLog:
    """Writes a line about each batch.

    A missing permission for a zone is logged as an error once: until its message changes, or a batch of the zone is
    applied, further lines about it are at the debug level. The attempts that find out whether only single names are
    forbidden would else give a line each.
    """

    def __init__(self, describe_zone: Callable[[Zone], LogFields]) -> None:
        """Name zones by the fields that *describe_zone* returns."""
        self._describe_zone = describe_zone
        self._forbidden: dict[str, str] = {}  # the last message, by zone id

    def write(self, batch: Batch, outcome: Outcome) -> None:
        """Write the line about the *outcome* of *batch*."""
        zone = self._describe_zone(batch.zone)
        match outcome:
            case Applied(change_id=change_id, unconditional=unconditional):
                self._forbidden.pop(batch.zone.id, None)
                details = {"change": change_id or None, "unconditional": unconditional or None, **zone}
                _log.info(Event.APPLIED, count=len(batch.writes), **details)
            case WriteConflict(message=message, offending_names=names):
                _log.warning(Event.WRITE_CONFLICT, message=message, names=names or None, **zone)
            case Refused(message=message, offending_names=names):
                _log.error(Event.REFUSED, message=message, names=names or None, **zone)
            case Forbidden(message=message):
                is_known = self._forbidden.get(batch.zone.id) == message
                self._forbidden[batch.zone.id] = message
                (_log.debug if is_known else _log.error)(Event.FORBIDDEN, message=message, **zone)
            case TryLater(message=message):
                _log.warning(Event.TRY_LATER, message=message, **zone)
            case Unknown(message=message):
                _log.warning(Event.UNKNOWN, message=message, **zone)
            case _:
                assert_never(outcome)
