"""Fields of log lines: where an error was raised, and which zone or decision a line is about."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from extdns.model.change import Decision
    from extdns.model.zone import Zone

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


def describe_hosted_zone(zone: Zone) -> LogFields:
    """Return the log fields that name *zone* as external-dns writes them for Route 53."""
    return {**describe_zone(zone), "zoneName": f"{zone.name}.", "zoneID": f"/hostedzone/{zone.id}"}
