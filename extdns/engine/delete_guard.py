"""The delete guard, which every delete has to pass (docs/design/delete-safety.md).

::

    evidence ─▶ GRACE ─▶ GRANTED ─▶ (saved) ─▶ made
                  │         │
                  └────▶ HELD ─▶ (approved) ─▶ GRACE

A name is planned with what `describe` returns, and `replace` stores the evidence that was found. `advance` alone grants
or holds deletes (delete_grants.py), after all names of a step are planned. There is one guard for all zones, because
deletes by absence count over all of them.

What a delete waits for now is decided while its name is planned (planner/deletes.py), and `DeleteGrants.grant_or_hold`
decides which deletes are held (docs/design/delete-safety.md, "In the code: why is a delete held?").
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from extdns.engine.delete_grants import DeleteGrants
from extdns.engine.guard_state import ClusterGuard, GuardState
from extdns.engine.holds import Holds
from extdns.engine.pending_deletes import (
    DeleteStage,
    PendingDeletes,
    RestoredGrants,
    TrackedDelete,
)
from extdns.engine.restored_holds import describe_cause
from extdns.model.change import Blocked
from extdns.model.evidence import ALL_ZONES, HeldSet, Scope
from extdns.model.reason import Reason
from extdns.model.saved_state import SavedGrant
from extdns.model.wait import APPROVAL
from extdns.planner.view import UNGUARDED, DeleteFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

    from extdns.engine.delete_budget import DeleteBudget, DeleteSettings
    from extdns.model.dns_name import DnsName
    from extdns.model.evidence import PendingDelete
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.model.saved_state import Approval, Saved, SavedScope
    from extdns.model.zone import Zone


class DeleteGuard:
    """Delays deletes for the grace period, and holds those over budget until a person approves them.

    Attributes:
        state: settings, budgets, codes, approvals, and what is saved.
        pending: the deletes that have evidence.
        holds: the held deletes.
        restored_grants: deletes that were granted, and count as made until their records are read.
        cluster: whether the objects come from the cluster that the saved state belongs to.
    """

    def __init__(self, settings: DeleteSettings, settings_digest: str = "") -> None:
        self.state = GuardState(settings, settings_digest)
        self.pending = PendingDeletes(self.state)
        self.holds = Holds(self.state)
        self.restored_grants = RestoredGrants(self.state)
        self.cluster = ClusterGuard(self.state)
        self._grants = DeleteGrants(self.state, self.pending, self.holds, self.cluster)
        self._is_demoted = False
        self._reported_codes: dict[Scope, tuple[str, int]] = {}
        self._applied_deletes: frozenset[tuple[str, RecordKey]] = frozenset()

    def start(self, now_s: float) -> None:
        """Store *now_s* as the time at which the process started."""
        self.state.started_at = now_s

    def approve_plan(self, records: Iterable[tuple[str, RecordKey]]) -> None:
        """Approve the deletes of a plan that a person applies. Call this before any name is planned.

        Args:
            records: the zone id and the key of each record to delete.
        """
        self._applied_deletes = frozenset(records)

    # planning a name

    def describe(self, zone: Zone, owned: OwnedRecord) -> DeleteFacts:
        """Return what is decided about the delete of *owned*, a record of ours in *zone*. Nothing is stored."""
        state = self.state
        if state.settings.immediate:
            return UNGUARDED
        tracked = self.pending.find(zone.id, owned)
        digest = tracked.digest if tracked else state.compute_digest(zone, owned)
        cause, is_approved = self.holds.find_cause(zone, owned, digest), state.approvals.is_approved(digest)
        return DeleteFacts(
            is_approved=is_approved,
            insufficient=state.find_insufficient(zone.id),
            hold=_block_held(describe_cause(cause, zone)) if cause else None,
            granted=tracked.delete if tracked and tracked.stage is DeleteStage.GRANTED else None,
            is_saved=tracked is not None and tracked.granted_revision <= state.saved_revision,
            waiting=state.awaited,
            waiting_by_absence=state.awaited or self.pending.describe_wait(tracked, is_approved=is_approved),
        )

    def replace(
        self,
        zone: Zone,
        name: DnsName,
        deletes: Collection[PendingDelete],
        now_s: float,
        *,
        current: Sequence[OwnedRecord] = (),
        requested: Container[RecordKey] = frozenset(),
        is_known: bool = True,
    ) -> None:
        """Store which records at *name* have evidence now.

        The grace period of a record without evidence ends, and starts again with new evidence. A hold stays until the
        record is requested, gone or foreign.

        Args:
            zone: the zone in which the name was planned.
            name: the name that was planned.
            deletes: the records that have evidence, whatever their deletes wait for.
            now_s: monotonic seconds.
            current: the records at the name.
            requested: the keys of the records that an object requests, resolved or not.
            is_known: whether *current* is certain, because no write of the name waits for an answer.
        """
        if self.state.settings.immediate:
            return
        self.state.zones[zone.id] = zone
        zone_and_name = zone.id, name
        holds, tracked = self.holds.by_name.get(zone_and_name), self.pending.by_name.get(zone_and_name)
        if not (deletes or holds or tracked or self.has_restored(zone.id)):
            return
        for owned in (delete.owned for delete in deletes if (zone.id, delete.owned.key) in self._applied_deletes):
            self.state.revision += self.state.approvals.add(self.state.compute_digest(zone, owned), now_s)
        pending = {delete.owned.key: delete for delete in deletes}
        keys = {owned.key for owned in current}
        for one in tuple(tracked.values()) if tracked else ():
            delete = pending.get(one.key)
            if not is_known and one.key in keys and delete != one.delete:
                self._count_as_made(one, now_s)
            if delete is None:
                self._end(one, now_s, is_gone=one.key not in keys)
        if holds:
            self.holds.update(zone, tuple(holds.values()), current, requested, pending)
        if self.has_restored(zone.id):
            self._resume(zone, current, requested, pending, now_s, is_known=is_known)
        for delete in deletes:
            self.pending.put(zone, delete, now_s, is_held=self._grants.is_held(zone, delete))

    def drop_evidence(self, zone: Zone, name: DnsName, now_s: float, *, is_known: bool) -> None:
        """Drop the evidence for deletes at *name* in *zone*, because the name cannot be planned. Holds stay.

        Args:
            zone: a zone of the name.
            name: the name.
            now_s: monotonic seconds.
            is_known: whether the records at the name are certain. If not, the granted deletes count as made.
        """
        for tracked in tuple(self.pending.by_name.get((zone.id, name), {}).values()):
            if not is_known:
                self._count_as_made(tracked, now_s)
            self.pending.remove(tracked)

    def _end(self, tracked: TrackedDelete, now_s: float, *, is_gone: bool) -> None:
        """Remove a delete that no longer has evidence. Remove its approval, too, unless the delete is held.

        Args:
            tracked: the delete.
            now_s: monotonic seconds.
            is_gone: whether the record is gone. If so, a granted delete counts as made.
        """
        self.pending.end(tracked, now_s, is_gone=is_gone)
        if is_gone or self.holds.find(tracked.zone.id, tracked.key) is None:
            self.state.revision += self.state.approvals.remove(tracked.digest)

    def _count_as_made(self, tracked: TrackedDelete, now_s: float) -> None:
        """Count a delete that was granted, and whose write may have no answer, as made until its record is read."""
        if tracked.granted_revision and self.pending.is_counted(tracked):
            grant = SavedGrant(
                digest=tracked.digest,
                resource=tracked.delete.owned.resource,
                at_s=now_s,
                by_absence=tracked.by_absence,
            )
            self.restored_grants.add(tracked.zone.id, grant)
            self.state.revision += 1

    def _resume(
        self,
        zone: Zone,
        current: Iterable[OwnedRecord],
        requested: Container[RecordKey],
        pending: Mapping[RecordKey, PendingDelete],
        now_s: float,
        *,
        is_known: bool,
    ) -> None:
        """Turn restored holds of the *current* records of a planned name into ordinary holds.

        If a record with a restored grant certainly exists (*is_known*), it was not deleted: refund the grant.
        """
        for owned in current:
            if owned.is_ours:
                digest, key = self.state.compute_digest(zone, owned), owned.key
                if is_known:
                    self.restored_grants.refund(zone.id, digest)
                self.holds.resume(zone, owned, digest, pending.get(key), now_s, is_requested=key in requested)

    # granting, holding and approval

    @property
    def next_deadline_at(self) -> float:
        """When the next delete is due or the next approval expires (monotonic seconds), infinity if neither will."""
        return min(self.pending.next_due_at, self.state.approvals.next_expiry_at)

    def advance(self, now_s: float) -> set[DnsName]:
        """Grant or hold the due deletes; neither while another cluster is to be accepted. Return the names to plan."""
        names: set[DnsName] = set()
        if self.cluster.is_other:
            return names
        if self.state.approvals.next_expiry_at <= now_s:
            names = self._grants.expire_approvals(now_s)
        if self.holds.next_expiry_at <= now_s:
            self.holds.expire(now_s)
        while self.state.budgets.unchecked or self.holds.changed or self.pending.next_due_at <= now_s:
            names |= self._grants.grant_or_hold(now_s)
        return names

    def approve(self, approvals: Iterable[Approval], now_s: float) -> set[DnsName]:
        """Approve the held deletes that the codes of *approvals* identify. Return the names to plan again."""
        return self._grants.approve(approvals, now_s)

    # saved state

    def restore(self, saved: Saved, now_s: float) -> set[DnsName]:
        """Load *saved*, the state of an earlier process, into the guard. Return the names to plan again."""
        if self._is_demoted:
            self.holds.drop_all()  # what the other leader saved is newer
        self._is_demoted = False
        self.state.is_restored = not saved.is_new
        self.cluster.restore(saved.cluster)
        self.state.approvals.restore(saved)
        self._restore_scope(ALL_ZONES, saved.all_zones)
        for zone_id, zone in saved.zones:
            self.state.restore_settings(zone_id, zone)
            for namespace, scope in zone.scopes:
                self._restore_scope(Scope(zone_id, namespace), scope)
            for grant in zone.granted:
                self.restored_grants.add(zone_id, grant)
        for zone_id in sorted(self.state.accepted):
            self.holds.end_insufficient(zone_id)
        return self._update_all(now_s) | self.approve(tuple(self.state.approvals.waiting.values()), now_s)

    def _restore_scope(self, scope: Scope, saved: SavedScope) -> None:
        self.state.budgets.restore(scope, saved)
        self.state.codes.restore(scope, saved)
        self.holds.restore(scope, saved)

    def set_state_unavailable(self, now_s: float) -> set[DnsName]:
        """Let deletes no longer wait for the state store, because it keeps failing. Return the names to plan again."""
        self.state.can_save = self._is_demoted = False
        return self._update_all(now_s) | self._set_saved(math.inf)

    def confirm_saved(self, revision: float, now_s: float) -> set[DnsName]:
        """Store that *revision* was saved.

        Return the names to plan again, such as those whose deletes can be made now.
        """
        could_save, self.state.can_save = self.state.can_save, True
        names = self._set_saved(revision)
        return names if could_save else names | self._update_all(now_s)

    def demote(self) -> set[DnsName]:
        """Withdraw all grants and make all holds restored ones: another process leads. Return the names to plan again.

        The deletes of this process stay in the window. When it leads again and loads the saved state, which contains
        them, too, they count twice. That can hold a delete, but never grant one.
        """
        names = {one.key.name for one in self.pending if one.stage is not DeleteStage.GRACE}
        self.holds.unload_all()
        self._is_demoted = True
        self.state.accepted.clear()
        self.state.accepted_digests.clear()
        for tracked in self.pending:
            self.pending.reset_stage(tracked, -math.inf, is_held=False)
        self._grants.update_codes()
        return names

    def retain_zones(self, zones: Mapping[str, Callable[[DnsName], bool]], now_s: float) -> None:
        """Drop the evidence and holds of names that left their zone, and count their granted deletes as made.

        Args:
            zones: for each listed zone, by id, whether a name belongs to it. A zone that is not listed has no names,
                but its holds stay, as restored ones.
            now_s: monotonic seconds.
        """
        for tracked in self.pending:
            if tracked.zone.id not in zones or not zones[tracked.zone.id](tracked.key.name):
                self._count_as_made(tracked, now_s)
                self.pending.remove(tracked)
        self.holds.retain_zones(zones)

    def has_restored(self, zone_id: str) -> bool:
        """Return whether the zone may have restored holds or grants that were not matched with a record yet."""
        holds = self.holds.restored.by_zone
        return zone_id in holds or ALL_ZONES.zone_id in holds or zone_id in self.restored_grants.by_zone

    @property
    def has_any_restored(self) -> bool:
        """Whether there are restored holds or grants in any zone."""
        return bool(self.holds.restored.by_zone or self.restored_grants.by_zone)

    def drop_restored(self, zone_id: str) -> None:
        """Drop restored holds and grants whose records are gone. Call this when all names of the zone were planned.

        Args:
            zone_id: the id of the zone, or "" for the scope of all zones, after the names of every zone were planned.
        """
        self.restored_grants.drop(zone_id)
        self.holds.drop_restored(zone_id)

    def _set_saved(self, revision: float) -> set[DnsName]:
        """Set the saved revision, publish codes, and return the names whose deletes waited for it."""
        before, self.state.saved_revision = self.state.saved_revision, revision
        self.state.codes.publish(revision)
        return {one.key.name for one in self.pending.granted.values() if before < one.granted_revision <= revision}

    def _update_all(self, now_s: float) -> set[DnsName]:
        """Recompute the stage of every delete after state was loaded. Return the names of all deletes with evidence."""
        names: set[DnsName] = set()
        for hold in self.holds:
            if hold.is_approved is not self.state.approvals.is_approved(hold.digest):
                self.holds.update_approval(hold)  # the loaded state has approvals, and the hold began before that
        for tracked in self.pending:
            delete = tracked.delete
            self.holds.resume(tracked.zone, delete.owned, tracked.digest, delete, now_s)
            self.pending.reset_stage(tracked, now_s, is_held=self._grants.is_held(tracked.zone, delete))
            names.add(tracked.key.name)
        self._grants.update_codes()
        return names

    # documents and reports

    @property
    def needs_approval(self) -> bool:
        """Whether a person has to act: approve a held delete, or accept another cluster."""
        return bool(self.state.codes.current) or self.cluster.is_other

    def take_changed_held_sets(self) -> Iterator[HeldSet]:
        """Return the held deletes of each scope whose published code changed since the last call, sorted by scope."""
        published = self.state.codes.published
        if published == self._reported_codes:
            return
        changed = {scope for scope, _ in self._reported_codes.items() ^ published.items()}
        self._reported_codes = dict(published)
        for scope in sorted(changed):
            yield self.held_set(scope)

    def held_sets(self) -> tuple[HeldSet, ...]:
        """Return the held deletes of each scope that has any, sorted by scope."""
        return tuple(map(self.held_set, sorted(self.state.codes.current)))

    def held_set(self, scope: Scope) -> HeldSet:
        """Return the held deletes of *scope*."""
        return HeldSet(
            scope=scope,
            zone=self.state.zones.get(scope.zone_id),
            code=self.state.codes.find_published(scope, self.state.saved_revision),
            held=self.holds.list_held(scope) if scope in self.state.codes.current else (),
        )

    def budget(self, zone_id: str) -> DeleteBudget:
        """Return the delete budget of a zone."""
        return self.state.budgets.budget(Scope(zone_id))


def _block_held(detail: str) -> Blocked:
    return Blocked(reason=Reason.HELD, detail=detail, waits_for=(APPROVAL,))
