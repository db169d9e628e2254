"""Deletes that wait (design 6)."""

from __future__ import annotations

from extdns.model.evidence import Evidence
from extdns.model.ownership import Owned
from extdns.model.value import Value


class Held(Value, frozen=True, kw_only=True):
    """A record of ours that stands until a person decides, and on what evidence it would go."""

    owned: Owned
    evidence: Evidence


class Waiting(Value, frozen=True, kw_only=True):
    """A delete that has evidence and was not made yet.

    Attributes:
        grace_ends_s: when its grace ends, or `--stale-hold` (monotonic seconds); None if it waits for something else.
    """

    evidence: Evidence
    grace_ends_s: float | None
