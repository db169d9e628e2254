"""What comes of a claim or a record in one zone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from extdns.facts.document import Facts, ZoneName, zone_name
from extdns.facts.words import below

if TYPE_CHECKING:
    from extdns.facts.live import Live
    from extdns.facts.snapshot import Snapshot
    from extdns.model.decision import Decision
    from extdns.model.held import Waiting


class WaitingFacts(Facts, frozen=True):
    """A delete that has evidence, a reason code, and waits.

    graceEnds is when its grace ends, or --stale-hold; null where something else is waited for.
    """

    evidence: str
    grace_ends: datetime | None


class Outcome(Facts, frozen=True):
    """What comes of a claim or a record in one zone; zone is null where there is none, waiting where nothing waits."""

    zone: ZoneName | None
    action: str
    reason: str
    evidence: tuple[str, ...]
    waiting: WaitingFacts | None


def outcome(seen: Snapshot, live: Live | None, decision: Decision) -> Outcome:
    """What comes of *decision*, and why; *live* is the running process that holds *seen*, if there is one."""
    return Outcome(
        zone=zone_name(decision.zone) if decision.zone else None,
        action=decision.verdict.value,
        reason=decision.reason.value,
        evidence=tuple(below(decision)),
        waiting=_waiting(seen.undone(decision), live),
    )


def _waiting(undone: Waiting | None, live: Live | None) -> WaitingFacts | None:
    if undone is None:
        return None
    ends = live.time(undone.grace_ends_s) if live and undone.grace_ends_s is not None else None
    return WaitingFacts(evidence=undone.evidence.value, grace_ends=ends)
