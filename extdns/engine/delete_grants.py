"""Which due deletes are granted and which are held, and what the approval of a held delete changes.

This is the one place that grants or holds deletes (docs/design/delete-safety.md). It does so after all names of a step
are planned, because only then the number of deletes is known. `grant_or_hold` decides what is held, and by which scope.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.engine.delete_budget import sort_narrow_first
from extdns.model.evidence import Scope

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from extdns.engine.guard_state import ClusterGuard, GuardState
    from extdns.engine.holds import Holds
    from extdns.engine.pending_deletes import PendingDeletes, TrackedDelete
    from extdns.model.dns_name import DnsName
    from extdns.model.evidence import PendingDelete
    from extdns.model.saved_state import Approval
    from extdns.model.zone import Zone


class DeleteGrants:
    """Grants the due deletes within the budgets, holds the others, and applies approvals."""

    def __init__(self, state: GuardState, pending: PendingDeletes, holds: Holds, cluster: ClusterGuard) -> None:
        """Use the parts of the delete guard: its *state*, pending deletes, holds and check for another cluster."""
        self._state = state
        self._pending = pending
        self._holds = holds
        self._cluster = cluster

    def expire_approvals(self, now_s: float) -> set[DnsName]:
        """Drop the approvals that have expired. Return the names to plan again."""
        expired = self._state.approvals.expire(now_s)
        return {name for digest in expired for name in self._apply_approval(digest, now_s)}

    def grant_or_hold(self, now_s: float) -> set[DnsName]:
        """Grant or hold the due deletes. Also hold granted ones whose scope went over budget after the grant.

        Returns:
            The names to plan again.
        """
        budgets = self._state.budgets
        due = self._pending.pop_due(now_s)
        scopes = sort_narrow_first({*budgets.take_unchecked(), *(scope for one in due for scope in one.counted)})
        exceeded = [
            (scope, by_absence)
            for scope in scopes
            for by_absence in (False, True)
            if budgets.is_exceeded(scope, now_s, by_absence=by_absence)
        ]
        for namespace in budgets.take_newly_exceeded():
            self._holds.move_to_namespace(namespace)
        names: set[DnsName] = set()
        for scope, by_absence in exceeded:
            for granted in tuple(self._pending.granted.values()):
                if scope in granted.counted and granted.by_absence is by_absence:
                    self._hold(granted, scope, now_s, by_budget=True)
                    names.add(granted.key.name)
        names |= {one.key.name for one in due if self._grant_or_hold_one(one, exceeded, now_s)}
        self._state.revision += bool(names)
        self.update_codes()
        return names | self.approve(tuple(self._state.approvals.waiting.values()), now_s)

    def _grant_or_hold_one(self, tracked: TrackedDelete, exceeded: Container[tuple[Scope, bool]], now_s: float) -> bool:
        """Grant or hold one due delete. Return False if it has to wait longer.

        Args:
            tracked: the delete.
            exceeded: each scope that is over budget, with False if its budget of deletes that are not by absence is
                exceeded, and with True if its smaller budget of deletes by absence is.
            now_s: monotonic seconds.
        """
        if not self._pending.is_allowed(tracked):
            self._hold(tracked, Scope(tracked.zone.id), now_s, by_budget=False)
            return True
        due_at, ready_at = self._pending.compute_due_at(tracked), self._pending.compute_ready_at(tracked)
        if due_at > now_s:
            self._pending.set_timer(due_at, tracked)
            return False
        scope = next((scope for scope in tracked.counted if (scope, tracked.by_absence) in exceeded), None)
        if scope is not None:
            self._hold(tracked, scope, now_s, by_budget=True)
            return True
        if ready_at > now_s:
            self._pending.set_timer(ready_at, tracked)
            return False
        self._pending.grant(tracked)
        return True

    def _hold(self, tracked: TrackedDelete, scope: Scope, now_s: float, *, by_budget: bool) -> None:
        """Hold a due delete. If the record is held already, as that of a transfer can be, it keeps this hold."""
        self._pending.reset_stage(tracked, now_s, is_held=True)
        if self._holds.find(tracked.zone.id, tracked.key) is None:
            self._holds.hold(tracked, scope, now_s, by_budget=by_budget)

    def approve(self, approvals: Iterable[Approval], now_s: float) -> set[DnsName]:
        """Approve the held deletes that the codes of *approvals* identify. Return the names to plan again."""
        by_code = {approval.code: approval for approval in approvals}
        self._cluster.approve(by_code)
        approved: list[str] = []
        for code, approval in sorted(by_code.items()):
            digests = sorted(one for one in self._state.codes.find_digests(code) if one in self._holds)
            added = [digest for digest in digests if self._state.approvals.add(digest, now_s, approval)]
            if added:
                self._state.approvals.waiting.pop(code, None)
                approved += added
        names = {name for digest in approved for name in self._apply_approval(digest, now_s)}
        if approved:
            self._state.revision += 1
            self.update_codes()
        return names

    def _apply_approval(self, digest: str, now_s: float) -> set[DnsName]:
        """Update the delete or hold with *digest* after its approval began or expired; return its name, to plan."""
        hold, tracked = self._holds.find_digest(digest), self._pending.find_digest(digest)
        if hold:
            self._holds.update_approval(hold)
        if tracked:
            self._pending.reset_stage(tracked, now_s, is_held=self.is_held(tracked.zone, tracked.delete))
            return {tracked.key.name}
        return {hold.owned.record.name} if hold else set()

    def is_held(self, zone: Zone, delete: PendingDelete) -> bool:
        """Return whether *delete* is held. A hold does not stop the transfer of its record to another namespace."""
        hold = None if delete.is_transfer else self._holds.find(zone.id, delete.owned.key)
        return hold is not None and not hold.is_approved

    def update_codes(self) -> None:
        """Give each scope whose held deletes changed its new code, and publish the codes that are saved."""
        changed = self._holds.take_changed()
        self._state.revision += bool(changed)
        for scope in changed:
            self._state.codes.update(scope, self._holds.list_digests(scope), self._state.revision)
        self._state.codes.publish(self._state.saved_revision)
