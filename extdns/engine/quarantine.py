"""Names that the service refuses are set aside, and tried again now and then (design 4, "Quarantine")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from extdns.engine.backoff import Backoff
from extdns.model.change import Blocked, ChangeSet

_TOGETHER_S: Final = 10.0


@dataclass(slots=True)
class Quarantine:
    """A name whose change the service refused; tried again after a pause, or when the change is another one."""

    refused: tuple[ChangeSet, ...]
    why: Blocked
    backoff: Backoff = field(default_factory=lambda: Backoff(first_s=60.0, most_s=3600.0))

    def renew(self, refused: tuple[ChangeSet, ...], why: Blocked, now_s: float, due_s: Iterable[float]) -> float:
        """Set aside what was *refused* now, until what is *due_s* about then is tried again, too; returns when."""
        self.refused, self.why = refused, why
        self.backoff.fail(now_s)
        own_s = self.backoff.until_s
        self.backoff.until_s = min((at_s for at_s in due_s if abs(at_s - own_s) <= _TOGETHER_S), default=own_s)
        return self.backoff.until_s
