"""What a person set that decides when a delete may be made (design 6)."""

from __future__ import annotations

from dataclasses import dataclass, field

from extdns.engine.budget import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSettings:
    """What a person set about deletes.

    Attributes:
        owner: our owner id, part of every release code.
        grace_s: how long evidence must hold.
        stale_hold_s: how long a record stays whose object cannot say its target, None for ever.
        limits: the budget.
        releases: codes given at start.
        at_once: neither grace nor budget, as the reference.
    """

    owner: str = ""
    grace_s: float = 60.0
    stale_hold_s: float | None = None
    limits: Limits = field(default_factory=Limits)
    releases: tuple[str, ...] = ()
    at_once: bool = False
