"""Whether the first pass changes many records of ours without saved state (docs/design/delete-safety.md).

That happens if a second cluster has the owner id of another one, for example because it was copied with its values.
Updates are not held, because a replaced load balancer must not wait; so this only says it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from extdns.model.change import Action, BulkUpdate
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.delete_guard import DeleteGuard
    from extdns.engine.settings import EngineSettings
    from extdns.model.change import Decision
    from extdns.model.dns_name import DnsName
    from extdns.model.zone import Zone

SHOWN_S: Final = 24 * 3600.0
"""How long it is shown: somebody looks within a day."""

_MAX_OBJECTS: Final = 5
_CHANGES: Final = {(Action.UPDATE, Reason.CHANGED), (Action.DELETE, Reason.REPLACED)}


class BulkUpdates:
    """Collects the changes of records of ours until the first pass ends, and compares them with the delete limits.

    Attributes:
        found: the zones in which the limits were exceeded, for a day; () if saved state was known.
        shown_until_at: until when *found* is shown (monotonic seconds), infinity if it is empty.
    """

    def __init__(self, settings: EngineSettings, guard: DeleteGuard) -> None:
        """Start with nothing collected. Without a writer, and with changes that a person approves, nothing will be."""
        self.found: tuple[BulkUpdate, ...] = ()
        self.shown_until_at = math.inf
        self._limits = settings.deletes.limits
        self._guard = guard
        self._is_collecting = settings.has_writer and not settings.needs_approval
        self._changed: dict[Zone, dict[DnsName, Decision]] = {}

    def collect(self, decisions: Iterable[Decision]) -> None:
        """Add the changes of records of ours among *decisions*, which are reported."""
        if self._is_collecting:
            for one in decisions:
                if one.zone and (one.action, one.reason) in _CHANGES:
                    self._changed.setdefault(one.zone, {})[one.name] = one

    def end_pass(self, now_s: float) -> None:
        """Conclude at the end of the first pass."""
        if not self._is_collecting:
            return
        self._is_collecting = False
        changed, self._changed = self._changed, {}
        if not self._guard.is_loaded:
            self.found = tuple(
                self._build(zone, names)
                for zone, names in sorted(changed.items())
                if self._limits.are_exceeded(len(names), of=self._count_owned(zone), by_absence=False)
            )
            self.shown_until_at = now_s + SHOWN_S if self.found else math.inf

    def expire(self, now_s: float) -> None:
        """Show it no longer after a day."""
        if now_s >= self.shown_until_at:
            self.found, self.shown_until_at = (), math.inf

    def _build(self, zone: Zone, changed: dict[DnsName, Decision]) -> BulkUpdate:
        objects = {request.ref: request for name in sorted(changed) for request in changed[name].requested_by}
        return BulkUpdate(
            zone=zone,
            names=tuple(sorted(changed)),
            owned=self._count_owned(zone),
            objects=tuple(objects.values())[:_MAX_OBJECTS],
        )

    def _count_owned(self, zone: Zone) -> int:
        return self._guard.budget(zone.id).owned
