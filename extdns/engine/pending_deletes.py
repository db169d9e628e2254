"""The deletes that have evidence, with their timers, and the deletes that an earlier process granted.

::

    evidence ─▶ GRACE ─▶ GRANTED ─▶ (saved) ─▶ made
                  │         │
                  └────▶ HELD ─▶ (approved) ─▶ GRACE

A granted delete is held if its scope goes over budget before the delete is made. A delete with insufficient evidence is
held at once, without a grace period. `DeleteGuard.advance` moves a delete from one stage to the next.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from typing import TYPE_CHECKING, Final

from extdns.engine.delete_budget import CountedName, identify_name, list_scopes
from extdns.model.evidence import DeleteStatus, Evidence, PendingDelete, Scope
from extdns.model.saved_state import SavedGrant
from extdns.planner.deletes import covers, is_same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.engine.guard_state import GuardState
    from extdns.model.dns_name import DnsName
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.model.zone import Zone

_CONFIRMED: Final = frozenset({Evidence.ABSENT, Evidence.ORPHAN_GONE})
"""Evidence that has lasted for a grace period when it is confirmed. The delete waits for no further one."""
_SPARE_TIMERS: Final = 64
_STATELESS: Final = "no saved state is known: deletes by absence wait until extdns has run for ten minutes"


class DeleteStage(Enum):
    """How far a delete has come."""

    GRACE = auto()
    HELD = auto()
    GRANTED = auto()


@dataclass(slots=True, eq=False)
class TrackedDelete:
    """A delete with evidence, and its stage. It exists as long as the record has evidence.

    Attributes:
        digest: identifies the record with its ownership records.
        since_at: when the evidence was first observed (monotonic seconds).
        counted: the scopes whose budgets count it as waiting; () if none does.
        granted_revision: the revision of the saved state that contains the last grant; 0 if it was never granted.
    """

    zone: Zone
    delete: PendingDelete
    digest: str
    since_at: float
    stage: DeleteStage = DeleteStage.GRACE
    counted: tuple[Scope, ...] = ()
    granted_revision: int = 0

    @property
    def key(self) -> RecordKey:
        """The key of the record."""
        return self.delete.owned.key

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that count the delete unless it is approved, the narrowest first."""
        return list_scopes(self.zone.id, self.delete.owned.resource, by_absence=self.by_absence)

    @property
    def counted_name(self) -> CountedName:
        """The name as which budgets count the delete."""
        return identify_name(self.zone.id, self.key)

    @property
    def by_absence(self) -> bool:
        """Whether the delete counts in the smaller budget of deletes by absence."""
        return self.delete.evidence.is_by_absence


class PendingDeletes:
    """All deletes that have evidence: by name, by digest, and by the time at which they are due.

    Attributes:
        by_name: the deletes of the records at each name, by zone id and name.
        granted: the granted ones, by digest.
        next_due_at: the earliest time at which one may be due (monotonic seconds), infinity if there is none.
    """

    def __init__(self, state: GuardState) -> None:
        self._state = state
        self.by_name: dict[tuple[str, DnsName], dict[RecordKey, TrackedDelete]] = {}
        self._by_digest: dict[str, TrackedDelete] = {}
        self._timers: list[tuple[float, int, TrackedDelete]] = []
        self._ticket = count()
        self.granted: dict[str, TrackedDelete] = {}
        self.next_due_at = math.inf

    def __iter__(self) -> Iterator[TrackedDelete]:
        """Iterate over a copy of all deletes."""
        return iter(tuple(self._by_digest.values()))

    def find(self, zone_id: str, owned: OwnedRecord) -> TrackedDelete | None:
        """Return the tracked delete of the record *owned*; None if there is none, or the record changed since."""
        tracked = self.by_name.get((zone_id, owned.record.name), {}).get(owned.key)
        return tracked if tracked and is_same(tracked.delete.owned, owned) else None

    def find_digest(self, digest: str) -> TrackedDelete | None:
        """Return the delete of the record with *digest*; None if no such delete is tracked."""
        return self._by_digest.get(digest)

    def put(self, zone: Zone, delete: PendingDelete, now_s: float, *, is_held: bool) -> None:
        """Store *delete*, as held if *is_held*.

        If the record had evidence before, its grace period continues, unless either evidence is `unresolved-expired`.
        """
        owned = delete.owned
        before = self.by_name.get((zone.id, owned.record.name), {}).get(owned.key)
        since_at = now_s
        if before is not None:
            if before.delete == delete:
                return
            if self.is_granted(before, delete):
                before.delete = delete
                return
            if Evidence.UNRESOLVED_EXPIRED not in {before.delete.evidence, delete.evidence}:
                since_at = before.since_at
            self.remove(before)
        tracked = TrackedDelete(zone, delete, self._state.compute_digest(zone, owned), since_at)
        self.by_name.setdefault((zone.id, owned.record.name), {})[owned.key] = tracked
        self._by_digest[tracked.digest] = tracked
        self.reset_stage(tracked, now_s, is_held=is_held)

    def reset_stage(self, tracked: TrackedDelete, now_s: float, *, is_held: bool) -> None:
        """Withdraw the grant of a delete, and set its stage to held if *is_held*, else to grace."""
        self._withdraw(tracked)
        if is_held:
            tracked.stage = DeleteStage.HELD
            return
        tracked.stage = DeleteStage.GRACE
        if self.is_counted(tracked):
            tracked.counted = tracked.scopes
            self._state.budgets.add_waiting(tracked.counted, tracked.counted_name, 1, by_absence=tracked.by_absence)
        self.set_timer(self.compute_due_at(tracked) if self.is_allowed(tracked) else now_s, tracked)

    def end(self, tracked: TrackedDelete, now_s: float, *, is_gone: bool) -> None:
        """Remove a delete without evidence. If it was granted and the record *is_gone*, count the delete as made."""
        if is_gone and tracked.granted_revision:
            if self.is_counted(tracked):
                self._state.budgets.spend(tracked.scopes, tracked.counted_name, now_s, by_absence=tracked.by_absence)
            self._state.revision += 1
        self.remove(tracked)

    def remove(self, tracked: TrackedDelete) -> None:
        """Stop tracking the delete *tracked*, and withdraw its grant."""
        self._withdraw(tracked)
        zone_and_name = tracked.zone.id, tracked.key.name
        at_name = self.by_name[zone_and_name]
        del at_name[tracked.key], self._by_digest[tracked.digest]
        if not at_name:
            del self.by_name[zone_and_name]

    def grant(self, tracked: TrackedDelete) -> None:
        """Grant a delete: it may be made once the saved state contains the grant."""
        tracked.stage, tracked.granted_revision = DeleteStage.GRANTED, self._state.revision + 1
        self.granted[tracked.digest] = tracked

    def is_allowed(self, tracked: TrackedDelete) -> bool:
        """Return whether the delete has sufficient evidence, or a person approved it."""
        if self._state.approvals.is_approved(tracked.digest):
            return True
        return self._state.is_sufficient(tracked.zone.id, tracked.delete.evidence)

    def is_counted(self, tracked: TrackedDelete) -> bool:
        """Return whether budgets count the delete: its evidence suffices, and it is neither a transfer nor approved."""
        if tracked.delete.is_transfer or self._state.approvals.is_approved(tracked.digest):
            return False
        return self._state.is_sufficient(tracked.zone.id, tracked.delete.evidence)

    def _withdraw(self, tracked: TrackedDelete) -> None:
        """Withdraw the grant of a delete, and remove it from the budgets."""
        self._state.budgets.add_waiting(tracked.counted, tracked.counted_name, -1, by_absence=tracked.by_absence)
        tracked.counted = ()
        self.granted.pop(tracked.digest, None)

    def is_granted(self, tracked: TrackedDelete, delete: PendingDelete) -> bool:
        """Return whether *tracked* was granted, and its grant covers *delete*, which may differ in its evidence."""
        if tracked.stage is not DeleteStage.GRANTED:
            return False
        is_allowed = self._state.approvals.is_approved(tracked.digest)
        is_allowed = is_allowed or self._state.is_sufficient(tracked.zone.id, delete.evidence)
        return covers(tracked.delete, delete, is_allowed=is_allowed)

    # time

    def set_timer(self, at_s: float, tracked: TrackedDelete) -> None:
        """Make the delete due at *at_s* (monotonic seconds)."""
        heapq.heappush(self._timers, (at_s, next(self._ticket), tracked))
        if len(self._timers) > 2 * len(self._by_digest) + _SPARE_TIMERS:
            self._timers = [timer for timer in self._timers if self._is_in_grace(timer[2])]
            heapq.heapify(self._timers)
        self.next_due_at = self._timers[0][0] if self._timers else math.inf

    def pop_due(self, now_s: float) -> list[TrackedDelete]:
        """Remove the expired timers.

        Return those of their deletes that are still in grace, sorted by zone and record.
        """
        due: dict[str, TrackedDelete] = {}
        while self._timers and self._timers[0][0] <= now_s:
            tracked = heapq.heappop(self._timers)[2]
            if self._is_in_grace(tracked):
                due[tracked.digest] = tracked
        self.next_due_at = self._timers[0][0] if self._timers else math.inf
        return sorted(due.values(), key=lambda tracked: (tracked.zone.id, tracked.key))

    def _is_in_grace(self, tracked: TrackedDelete) -> bool:
        return self._by_digest.get(tracked.digest) is tracked and tracked.stage is DeleteStage.GRACE

    def compute_due_at(self, tracked: TrackedDelete) -> float:
        """Return when a delete is due (monotonic seconds).

        That is when the grace period ends; for an unresolved claim, when `--unresolved-timeout` ends; at once for
        evidence that lasted for a grace period before it was confirmed.
        """
        if tracked.delete.evidence is Evidence.UNRESOLVED_EXPIRED:
            return tracked.since_at + (self._state.settings.unresolved_timeout_s or 0.0)
        return tracked.since_at + (0.0 if tracked.delete.evidence in _CONFIRMED else self._state.settings.grace_s)

    def compute_ready_at(self, tracked: TrackedDelete) -> float:
        """Return when the delete may be granted: when it is due; a delete by absence not before `absence_ready_at`."""
        due_at = self.compute_due_at(tracked)
        if not tracked.by_absence or self._state.approvals.is_approved(tracked.digest):
            return due_at
        return max(due_at, self._state.absence_ready_at)

    def set_awaited(self, awaited: str) -> set[DnsName]:
        """Store a text about what all deletes wait for now, "" for nothing. Return the names to plan again."""
        self._state.awaited = awaited
        return {one.key.name for one in self}

    def describe_wait(self, tracked: TrackedDelete | None, *, is_approved: bool) -> str:
        """Describe what a delete by absence waits for besides its grace period; "" for nothing.

        Args:
            tracked: the delete with its stage; None if this is the first time that it is planned.
            is_approved: whether a person approved it.
        """
        if is_approved or not self._state.is_stateless:
            return ""
        is_grace_last = tracked and self.compute_due_at(tracked) >= self._state.absence_ready_at
        return "" if is_grace_last else _STATELESS

    # documents and saved state

    def list_statuses(self, zone_id: str) -> dict[RecordKey, DeleteStatus]:
        """Return, by record, the evidence for each delete in a zone and, if it is in grace, when it may be granted."""
        return {
            one.key: DeleteStatus(
                evidence=one.delete.evidence,
                grace_ends_s=self.compute_ready_at(one) if one.stage is DeleteStage.GRACE else None,
            )
            for one in self
            if one.zone.id == zone_id
        }

    def save_granted(self, now_s: float) -> dict[str, tuple[SavedGrant, ...]]:
        """Return the granted deletes that budgets count, by zone id, to save them for the next process."""
        granted: dict[str, list[SavedGrant]] = {}
        for digest, one in sorted(self.granted.items()):
            if one.counted:
                resource = one.delete.owned.resource
                grant = SavedGrant(digest=digest, resource=resource, at_s=now_s, by_absence=one.by_absence)
                granted.setdefault(one.zone.id, []).append(grant)
        return {zone_id: tuple(grants) for zone_id, grants in granted.items()}


class RestoredGrants:
    """Deletes that count as made until their record is found to exist.

    An earlier process granted them, or their evidence changed while their write had no answer.

    Attributes:
        by_zone: by zone id, the grants by digest.
    """

    def __init__(self, state: GuardState) -> None:
        self._state = state
        self.by_zone: dict[str, dict[str, SavedGrant]] = {}

    def add(self, zone_id: str, grant: SavedGrant) -> None:
        """Count a restored grant as a delete that was made."""
        if grant.digest in self.by_zone.get(zone_id, {}):
            return  # it counts already
        scopes = list_scopes(zone_id, grant.resource, by_absence=grant.by_absence)
        self._state.budgets.spend(scopes, _identify(zone_id, grant), grant.at_s, by_absence=grant.by_absence)
        self.by_zone.setdefault(zone_id, {})[grant.digest] = grant

    def refund(self, zone_id: str, digest: str) -> None:
        """Stop counting the delete of the record with *digest*, because the record exists."""
        grants = self.by_zone.get(zone_id, {})
        if grant := grants.pop(digest, None):
            scopes = list_scopes(zone_id, grant.resource, by_absence=grant.by_absence)
            self._state.budgets.refund(scopes, _identify(zone_id, grant), by_absence=grant.by_absence)
            self._state.revision += 1
        if not grants:
            self.by_zone.pop(zone_id, None)

    def drop(self, zone_id: str) -> None:
        """Drop the restored grants of a zone after all its names were planned: these deletes were made."""
        self.by_zone.pop(zone_id, None)


def _identify(zone_id: str, grant: SavedGrant) -> CountedName:
    """Return the name as which a restored grant counts: one of its own, because the grant does not give the name."""
    return zone_id, grant.digest, ""
