"""The delete guard, which every delete has to pass (docs/design/delete-safety.md, "States of a delete").

All that the guard knows about the delete of one record is an `Entry`. A name is planned with what `describe` returns,
and `observe` stores the evidence that was found. `advance` alone grants or holds deletes, after all dirty names are
planned. There is one guard for all zones, because deletes by absence count over all of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.engine.accepted_settings import AcceptedSettings
from extdns.engine.cluster_check import ClusterCheck
from extdns.engine.delete_budget import WINDOW_S, Count, DeleteBudgets, identify_name, list_scopes, sort_narrow_first
from extdns.engine.delete_entries import PLAN_APPROVAL, DeleteState, Entries, Entry, Hold
from extdns.engine.hold_codes import HoldCodes, compute_digest, compute_record_id
from extdns.engine.merged_records import MergedRecords
from extdns.engine.saved_entries import count_made, list_granted, list_saved_scopes, load_entries, save_holds
from extdns.model.change import APPROVAL, Blocked
from extdns.model.evidence import ALL_ZONES, DeleteStatus, Evidence, HeldDelete, HeldSet, PendingDelete, Scope
from extdns.model.reason import Reason
from extdns.model.saved_state import Approval, Saved, SavedGrant, SavedScope, SavedZone
from extdns.planner.deletes import covers, is_same
from extdns.planner.view import UNGUARDED, DeleteFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

    from extdns.engine.delete_budget import DeleteBudget
    from extdns.engine.delete_settings import DeleteSettings
    from extdns.model.dns_name import DnsName
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.model.zone import Zone

APPROVAL_S: Final = 24 * 3600.0
_CONFIRMED: Final = frozenset({Evidence.ABSENT, Evidence.ORPHAN_GONE})
"""Evidence that has lasted for a grace period when it is confirmed. The delete waits for no further one."""
_TOGETHER_S: Final = 10.0
"""Deletes of one cause begin within seconds of each other. Held together, they have one code."""
_STATELESS: Final = "no saved state is known: deletes by absence wait until extdns has run for ten minutes"


class DeleteGuard:
    """Delays deletes for the grace period, and holds those over budget until a person approves them.

    Attributes:
        cluster: whether the objects come from the cluster that the saved state belongs to.
        zones: by id, the zones in which names were planned.
        zone_names: by id, the names of zones that were listed, or are in the saved state.
        accepted: the zones for which the present settings are accepted.
        merged: the records that external-dns merged, which are part of the saved state.
        holds_absence: whether every delete by absence is held, however few: no manifest requests a name.
        awaited: what all deletes wait for before any is granted, as text; "" if nothing.
        saved_revision: the last revision that was saved; infinity if nothing is saved.
        is_loaded: whether the state of an earlier process is known.
    """

    def __init__(self, settings: DeleteSettings, settings_digest: str = "") -> None:
        """Use *settings*; *settings_digest* identifies the settings that decide which names are requested."""
        self.cluster = ClusterCheck(settings)
        self.budgets = DeleteBudgets(settings.limits)
        self.zones: dict[str, Zone] = {}
        self.zone_names: dict[str, str] = {}
        self.accepted = AcceptedSettings(settings, settings_digest)
        self.merged = MergedRecords(settings)
        self.holds_absence = False
        self.awaited = ""
        self.saved_revision = math.inf
        self._settings = settings
        self._revision = 0
        self.is_loaded = False
        self._can_save = True  # whether the state of this process can be saved for the next one
        self._is_demoted = False
        self._codes = HoldCodes()
        self._reported_codes: dict[Scope, tuple[str, int]] = {}
        self._waiting_approvals = {code: Approval(code=code) for code in settings.approved_codes}
        self._waiting_until = math.inf
        self._applied_deletes: frozenset[tuple[str, RecordKey]] = frozenset()
        self._over_budget: set[Scope] = set()  # namespaces
        self.entries = Entries(self.budgets, self._count, self._find_due_at)

    def start(self, now_s: float) -> None:
        """Store *now_s* as the time at which the process started."""
        self.cluster.started_at = now_s
        self._waiting_until = now_s + APPROVAL_S

    def approve_plan(self, records: Iterable[tuple[str, RecordKey]]) -> None:
        """Approve the deletes of *records*, each a zone id and a key: a person applies a plan.

        Call this before any name is planned.
        """
        self._applied_deletes = frozenset(records)

    @property
    def revision(self) -> int:
        """A number that rises with every change that has to be saved."""
        return self._revision + self.cluster.revision + self.merged.revision

    # planning a name

    def describe(self, zone: Zone, owned: OwnedRecord) -> DeleteFacts:
        """Return what is decided about the delete of *owned*, a record of ours in *zone*. Nothing is stored."""
        if self._settings.immediate:
            return UNGUARDED
        entry = self._find(zone, owned)
        is_same_content = entry is not None and self._has_content(entry, zone, owned)
        tracked = entry if entry and entry.delete and is_same_content else None
        is_approved = bool(entry and is_same_content and entry.approval)
        return DeleteFacts(
            is_approved=is_approved,
            insufficient=self.accepted.find_insufficient(zone.id),
            hold=_block_held(entry.hold.describe(zone)) if entry and entry.hold else None,
            granted=tracked.delete if tracked and tracked.is_granted else None,
            is_saved=tracked is not None and tracked.granted_revision <= self.saved_revision,
            waiting=self.awaited,
            waiting_by_absence=self.awaited or self._describe_wait(tracked, is_approved=is_approved),
        )

    def observe(
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

        The grace period of a record without evidence ends, and starts again with new evidence. A hold stays until an
        object of its namespace requests the record, or the record is gone, foreign or passes to another namespace:
        whoever else requests it for a moment must not end the hold.

        Args:
            zone: the zone in which the name was planned.
            name: the name that was planned.
            deletes: the records that have evidence, whatever their deletes wait for.
            now_s: monotonic seconds.
            current: the records at the name.
            requested: the keys of the records that an object of their namespace requests, resolved or not, and of
                those that passed to another namespace as they are.
            is_known: whether *current* is certain, because no write of the name waits for an answer.
        """
        if self._settings.immediate:
            return
        self.zones[zone.id] = zone
        has_unread = self.has_unread(zone.id)
        if not (deletes or has_unread or (zone.id, name) in self.entries.by_name):
            return
        found = {delete.owned.key: delete for delete in deletes}
        keys = {owned.key for owned in current}
        ours = {owned.key: owned for owned in current if owned.is_ours}
        for key, former in tuple(self.entries.by_name.get((zone.id, name), {}).items()):
            if key not in ours:
                self._end(former, now_s, is_gone=key not in keys, is_known=is_known)
        for key, owned in ours.items():
            entry, delete = self._find(zone, owned), found.get(key)
            if delete and entry is None:
                entry = Entry(zone_id=zone.id, digest=self._compute_digest(zone, owned))
            if entry is None:
                continue
            if not is_known and delete != entry.delete:
                self._count_as_made(entry, now_s)
            with self.entries.changing(entry, now_s):
                self._update_hold(entry, delete, is_requested=key in requested)
                self._update_record(entry, zone, owned)
                if is_known:
                    self._refund(entry)
                self._update_evidence(entry, delete, now_s)

    def drop_evidence(self, zone: Zone, name: DnsName, now_s: float, *, is_known: bool) -> None:
        """Drop the evidence for deletes at *name* in *zone*, because the name cannot be planned. Holds stay.

        Granted deletes count as made unless *is_known*: the records at the name are certain.
        """
        for entry in tuple(self.entries.by_name.get((zone.id, name), {}).values()):
            if not is_known:
                self._count_as_made(entry, now_s)
            with self.entries.changing(entry, now_s):
                _set_evidence(entry, None, 0.0)

    def _find(self, zone: Zone, owned: OwnedRecord) -> Entry | None:
        """Return the entry of a record: by its key, else, if it was loaded, by its id or digest."""
        entry = self.entries.by_name.get((zone.id, owned.record.name), {}).get(owned.key)
        if entry or not self.has_unread(zone.id):
            return entry
        entry = self.entries.by_record.get(compute_record_id(self._settings.owner, zone.id, owned.key))
        return entry or self.entries.by_digest.get(self._compute_digest(zone, owned))

    def _has_content(self, entry: Entry, zone: Zone, owned: OwnedRecord) -> bool:
        if entry.owned:
            return is_same(entry.owned, owned)
        return entry.digest == self._compute_digest(zone, owned)

    def _compute_digest(self, zone: Zone, owned: OwnedRecord) -> str:
        return compute_digest(self._settings.owner, zone.id, owned)

    def _update_record(self, entry: Entry, zone: Zone, owned: OwnedRecord) -> None:
        """Store the record as it is now in its entry. The approval of its former content does not count."""
        if entry.owned and is_same(entry.owned, owned):
            return
        digest = self._compute_digest(zone, owned)
        if entry.digest != digest:
            self._revision += bool(entry.hold)
            entry.approval = None
        other = self.entries.by_digest.get(digest)
        if other:  # loaded: only the digest of the delete that was approved or granted is known
            entry.approval, entry.approved_until, entry.made = other.approval, other.approved_until, other.made
            self.entries.remove(other)
        entry.zone_id, entry.zone, entry.owned = zone.id, zone, owned
        entry.digest, entry.record_id = digest, compute_record_id(self._settings.owner, zone.id, owned.key)

    def _update_hold(self, entry: Entry, delete: PendingDelete | None, *, is_requested: bool) -> None:
        """End the hold and the approval of a record that is requested, or store the evidence for its delete.

        A requested record can still have a pending delete: its claim was unresolved for too long. Then the hold stays.
        """
        if is_requested and (delete is None or delete.is_transfer):
            self._revoke(entry)
        elif delete and entry.hold:
            entry.hold = replace(entry.hold, evidence=delete.evidence)

    def _update_evidence(self, entry: Entry, delete: PendingDelete | None, now_s: float) -> None:
        """Store the evidence now.

        The grace period continues, unless either evidence is `unresolved-expired`. `--unresolved-timeout` continues
        until the record is requested: objects that exist in turn must not start it again.
        """
        before = entry.delete
        if delete == before:
            return
        if delete is None:
            _set_evidence(entry, None, 0.0)
            if entry.hold is None:
                self._revision += entry.approval is not None
                entry.approval = None
            return
        if (entry.zone_id, delete.owned.key) in self._applied_deletes and entry.approval is None:
            entry.approval, entry.approved_until = PLAN_APPROVAL, now_s + APPROVAL_S
            self._revision += 1
        is_allowed = entry.approval is not None or self.accepted.is_sufficient(entry.zone_id, delete.evidence)
        if before and entry.is_granted and covers(before, delete, is_allowed=is_allowed):
            entry.delete = delete
            return
        goes_on = before and Evidence.UNRESOLVED_EXPIRED not in {before.evidence, delete.evidence}
        if delete.evidence is Evidence.UNRESOLVED_EXPIRED:
            entry.unresolved_at = min(entry.unresolved_at, now_s)
        _set_evidence(entry, delete, entry.since_at if goes_on else now_s)

    def _end(self, entry: Entry, now_s: float, *, is_gone: bool, is_known: bool) -> None:
        """Remove the entry of a record that is gone or foreign. If it is gone, a granted delete counts as made."""
        if is_gone and entry.granted_revision and entry.delete and not entry.made:
            if counted := self._count_waiting(entry):
                self.budgets.spend(counted, now_s)
            self._revision += 1
        with self.entries.changing(entry, now_s):
            _set_evidence(entry, None, 0.0)
            self._revoke(entry)
            entry.made = None if is_known else entry.made

    def _revoke(self, entry: Entry) -> None:
        """End a hold, and the approval of the delete; earlier codes no longer approve it."""
        if entry.hold:
            for scope in {entry.hold.scope, Scope(entry.zone_id)}:  # it may have moved from its zone to its namespace
                self._codes.remove_digest(scope, entry.digest)
        self._revision += bool(entry.hold or entry.approval)
        entry.hold = entry.approval = None

    def _count_as_made(self, entry: Entry, now_s: float) -> None:
        """Count a delete that was granted, and whose write may have no answer, as made until its record is read."""
        if entry.delete and entry.granted_revision and entry.made is None and self._count_waiting(entry):
            resource, by_absence = entry.delete.owned.resource, entry.delete.evidence.is_by_absence
            made = SavedGrant(digest=entry.digest, resource=resource, at_s=now_s, by_absence=by_absence)
            self.budgets.spend(count_made(entry.zone_id, made), now_s)
            self._revision += 1
            with self.entries.changing(entry, now_s):
                entry.made = made

    def _refund(self, entry: Entry) -> None:
        """Stop counting a delete as made, because the record exists."""
        if entry.made and entry.made.digest == entry.digest:
            self.budgets.refund(count_made(entry.zone_id, entry.made))
            self._revision += 1
            entry.made = None

    def _count(self, entry: Entry, now_s: float) -> Count | None:
        """Return how budgets count the delete now: while it waits or is granted, and for ten minutes while it is held.

        If a namespace is over its own budget, its deletes do not count in the budget of the zone, so that the loss of
        one tenant does not hold the deletes of others. Deletes by absence always count in both.
        """
        if entry.owned is None or entry.approval:
            return None
        if hold := entry.hold:
            if not hold.by_budget or hold.since_at + WINDOW_S <= now_s:
                return None
            scopes = list_scopes(entry.zone_id, entry.owned.resource, by_absence=hold.by_absence)
            if hold.scope in scopes and not hold.by_absence:
                scopes = scopes[: scopes.index(hold.scope) + 1]
            return Count(scopes, identify_name(entry.zone_id, entry.owned.key), hold.by_absence)
        counted = self._count_waiting(entry)
        is_cut = counted and not counted.by_absence and counted.scopes[0] in self._over_budget
        return counted._replace(scopes=counted.scopes[:1]) if counted and is_cut else counted

    def _count_waiting(self, entry: Entry) -> Count | None:
        """Return how budgets count a delete with evidence; None if it has none.

        They count neither a transfer, nor an approved delete, nor one whose evidence does not suffice.
        """
        delete = entry.delete
        if delete is None or delete.is_transfer or entry.approval:
            return None
        if not self.accepted.is_sufficient(entry.zone_id, delete.evidence):
            return None
        by_absence = delete.evidence.is_by_absence
        scopes = list_scopes(entry.zone_id, delete.owned.resource, by_absence=by_absence)
        return Count(scopes, identify_name(entry.zone_id, delete.owned.key), by_absence)

    # granting, holding and approval

    @property
    def next_deadline_at(self) -> float:
        """When an entry has to be looked at again (monotonic seconds), infinity if never."""
        return self.entries.next_timer_at

    def advance(self, now_s: float) -> set[DnsName]:
        """Grant or hold the due deletes; neither while another cluster is to be accepted. Return the names to plan."""
        names: set[DnsName] = set()
        while not self.cluster.is_other:
            due = self._take_due(now_s, names)
            if not (due or self.entries.unchecked or self.entries.changed):
                break
            names |= self._grant_or_hold(due, now_s)
        return names

    def set_holds_absence(self, *, holds_absence: bool) -> None:
        """Set `holds_absence`, unless the limits are off."""
        before, self.holds_absence = self.holds_absence, holds_absence and not self._settings.limits.is_off
        if self.holds_absence and not before:
            self.entries.unchecked.add(ALL_ZONES)

    def set_awaited(self, awaited: str) -> set[DnsName]:
        """Store a text about what all deletes wait for now, "" for nothing. Return the names to plan again."""
        self.awaited = awaited
        return {entry.delete.owned.record.name for entry in self.entries if entry.delete}

    def _take_due(self, now_s: float, names: set[DnsName]) -> list[Entry]:
        """Return the entries whose deletes are due, sorted by zone and record.

        Approvals that have expired end; their names are added to *names*.
        """
        due: list[Entry] = []
        for entry in self.entries.take_expired(now_s):
            if self._find_due_at(entry) <= now_s and not (entry.approval and entry.approved_until <= now_s):
                due.append(entry)
                continue
            with self.entries.changing(entry, now_s):  # a hold may no longer count
                if entry.approval and entry.approved_until <= now_s:
                    entry.approval, entry.is_granted = None, False
                    names.update([entry.owned.record.name] if entry.owned else ())
        return sorted(due, key=lambda entry: (entry.zone_id, entry.delete.owned.key if entry.delete else ()))

    def _grant_or_hold(self, due: list[Entry], now_s: float) -> set[DnsName]:
        """Grant or hold the *due* deletes. Where they exceed a budget, hold those already granted, or soon due, too.

        Return the names to plan again.
        """
        scopes, self.entries.unchecked = self.entries.unchecked, set()
        scopes.update(scope for entry in due if (counted := self._count_waiting(entry)) for scope in counted.scopes)
        exceeded = {
            (scope, by_absence)
            for scope in sort_narrow_first(scopes)
            for by_absence in (False, True)
            if self._is_exceeded(scope, now_s, by_absence=by_absence)
        }
        names: set[DnsName] = set()
        soon = self._list_waiting_until(now_s + _TOGETHER_S) if due and exceeded else ()
        for entry in (*self.entries.granted.values(), *due, *soon):
            assert entry.delete is not None  # noqa: S101 - neither waits, is due or granted without evidence
            name, counted = entry.delete.owned.record.name, self._count_waiting(entry)
            over = [one for one in counted.scopes if (one, counted.by_absence) in exceeded] if counted else []
            if not self._is_allowed(entry):
                self._hold(entry, Scope(entry.zone_id), now_s, by_budget=False)
            elif over:
                self._hold(entry, over[0], now_s, by_budget=True)
            elif entry.is_granted:
                continue
            elif (ready_at := self._compute_ready_at(entry)) > now_s:
                self.entries.set_timer(entry, ready_at)
                continue
            else:
                with self.entries.changing(entry, now_s):
                    entry.is_granted, entry.granted_revision = True, self.revision + 1
            names.add(name)
        self._revision += bool(names)
        self._update_codes()
        return names | self._apply_waiting_approvals(now_s)

    def _list_waiting_until(self, at_s: float) -> list[Entry]:
        """Return the entries whose deletes wait now and are due by *at_s* (monotonic seconds)."""
        return [
            entry
            for entry in self.entries
            if entry.state is DeleteState.WAITING and entry.timer_at < math.inf and self._find_due_at(entry) <= at_s
        ]

    def _hold(self, entry: Entry, scope: Scope, now_s: float, *, by_budget: bool) -> None:
        """Hold a due delete. If the record is held already, as that of a transfer can be, it keeps this hold."""
        assert entry.delete is not None  # noqa: S101 - a due delete has evidence
        evidence = entry.delete.evidence
        hold = Hold(
            scope=scope, since_at=now_s, by_budget=by_budget, by_absence=evidence.is_by_absence, evidence=evidence
        )
        with self.entries.changing(entry, now_s):
            entry.hold, entry.is_granted = entry.hold or hold, False

    def _is_exceeded(self, scope: Scope, now_s: float, *, by_absence: bool) -> bool:
        """Return whether *scope* is over budget. Call this for the namespaces of a zone before the zone.

        When a namespace goes over its own budget, what the zone holds of it moves to the namespace.
        """
        if by_absence and self.holds_absence:
            return scope == ALL_ZONES
        is_exceeded = self.budgets.budget(scope).is_exceeded(now_s, by_absence=by_absence)
        if scope.namespace and not by_absence and is_exceeded is not (scope in self._over_budget):
            (self._over_budget.add if is_exceeded else self._over_budget.discard)(scope)
            for entry in tuple(self.entries.by_namespace.get(scope, {}).values()):
                with self.entries.changing(entry, now_s):
                    hold = entry.hold
                    if is_exceeded and hold and hold.scope == Scope(entry.zone_id) and hold.by_budget:
                        entry.hold = hold if hold.by_absence else replace(hold, scope=scope)
        return is_exceeded

    def approve(self, approvals: Iterable[Approval], now_s: float) -> set[DnsName]:
        """Approve the held deletes that the codes of *approvals* identify. Return the names to plan again."""
        by_code = {approval.code: approval for approval in approvals}
        self.cluster.approve(by_code)
        approved: list[Entry] = []
        for code, approval in sorted(by_code.items()):
            found = map(self.entries.by_digest.get, sorted(self._codes.find_digests(code)))
            held = [entry for entry in found if entry and entry.hold and not entry.approval]
            for entry in held:
                self._count_as_made(entry, now_s)  # it may have been sent before it was held
                with self.entries.changing(entry, now_s):
                    entry.approval, entry.approved_until = approval, now_s + APPROVAL_S
            if held:
                self._waiting_approvals.pop(code, None)
            approved += held
        if approved:
            self._revision += 1
            self._update_codes()
        return {entry.owned.record.name for entry in approved if entry.owned}

    def _apply_waiting_approvals(self, now_s: float) -> set[DnsName]:
        """Apply the approvals of codes that no scope had before, for a day. Return the names to plan again."""
        if now_s > self._waiting_until:
            self._waiting_approvals.clear()
        return self.approve(tuple(self._waiting_approvals.values()), now_s)

    def find_approval(self, zone: Zone, owned: OwnedRecord) -> Approval | None:
        """Return how a person approved the delete of *owned*, None if nobody did."""
        entry = self._find(zone, owned)
        return entry.approval if entry and self._has_content(entry, zone, owned) else None

    def _update_codes(self) -> None:
        """Give each scope whose held deletes changed its new code, and publish the codes that are saved."""
        changed, self.entries.changed = sorted(self.entries.changed), set()
        self._revision += bool(changed)
        for scope in changed:
            held = [digest for digest, entry in self.entries.by_scope.get(scope, {}).items() if not entry.approval]
            self._codes.update(scope, held, self.revision)
        self._codes.publish(self.saved_revision)

    # settings and time

    def accept_settings(self, zone_id: str) -> None:
        """Accept the present settings for the zone: `orphan-unclaimed` becomes sufficient evidence there."""
        self.accepted.accept(zone_id)
        self._revision += 1

    def has_insufficient_evidence(self, zone_id: str) -> bool:
        """Return whether a record of the zone is held for insufficient evidence and nobody approved its delete."""
        held = self.entries.by_scope.get(Scope(zone_id), {}).values()
        return any(entry.hold and not (entry.hold.by_budget or entry.approval) for entry in held)

    def _is_allowed(self, entry: Entry) -> bool:
        """Return whether a delete with evidence has sufficient evidence, or a person approved it."""
        assert entry.delete is not None  # noqa: S101 - checked by the caller
        return entry.approval is not None or self.accepted.is_sufficient(entry.zone_id, entry.delete.evidence)

    @property
    def _absence_ready_at(self) -> float:
        """The time from which deletes by absence may be granted (monotonic seconds); -infinity if state is known.

        Without saved state a new process does not know how many records earlier ones deleted, so it first waits for
        `stateless_wait_s`.
        """
        is_stateless = not (self.is_loaded and self._can_save)
        return self.cluster.started_at + self._settings.stateless_wait_s if is_stateless else -math.inf

    def _find_due_at(self, entry: Entry) -> float:
        """Return when the delete is granted or held (monotonic seconds), infinity if it waits for something else.

        Insufficient evidence holds it at once.
        """
        if not entry.is_in_grace:
            return math.inf
        if self._is_allowed(entry):
            return self._compute_due_at(entry)
        return math.inf if entry.hold else -math.inf

    def _compute_due_at(self, entry: Entry) -> float:
        """Return when a delete with evidence is due (monotonic seconds).

        That is when the grace period ends; for an unresolved claim, when `--unresolved-timeout` ends; at once for
        evidence that lasted for a grace period before it was confirmed.
        """
        assert entry.delete is not None  # noqa: S101 - checked by the caller
        if entry.delete.evidence is Evidence.UNRESOLVED_EXPIRED:
            return entry.unresolved_at + (self._settings.unresolved_timeout_s or 0.0)
        return entry.since_at + (0.0 if entry.delete.evidence in _CONFIRMED else self._settings.grace_s)

    def _compute_ready_at(self, entry: Entry) -> float:
        """Return when the delete may be granted: when it is due; a delete by absence not while state is unknown."""
        due_at = self._compute_due_at(entry)
        if entry.approval or entry.delete is None or not entry.delete.evidence.is_by_absence:
            return due_at
        return max(due_at, self._absence_ready_at)

    def _describe_wait(self, entry: Entry | None, *, is_approved: bool) -> str:
        """Describe what a delete by absence waits for besides its grace period; "" for nothing.

        *entry* is None if this is the first time that the delete is planned.
        """
        ready_at = self._absence_ready_at
        is_grace_last = ready_at == -math.inf or (entry and self._compute_due_at(entry) >= ready_at)
        return "" if is_approved or is_grace_last else _STATELESS

    # saved state

    def load(self, saved: Saved, now_s: float) -> set[DnsName]:
        """Load *saved*, the state of an earlier process, into the guard. Return the names to plan again.

        If there is none, what this process knows from an earlier term stays: another cluster may answer for a while.
        """
        if self._is_demoted and not saved.is_new:
            self._forget_former_term(now_s)
        self._is_demoted = False
        self.is_loaded = self.is_loaded or not saved.is_new
        self.cluster.load(saved.cluster)
        names: set[DnsName] = set()
        for zone_id, zone in saved.zones:
            self.zone_names.setdefault(zone_id, zone.name)
            names |= self.merged.load(zone_id, zone.merged)
            if self.accepted.load(zone_id, zone.fingerprint):
                self._end_insufficient(zone_id, now_s)
        for scope, one in list_saved_scopes(saved):
            self.budgets.load(scope, one)
            self._codes.load(scope, one)
        load_entries(self.entries, self.budgets, saved, now_s)
        self._waiting_approvals.update({approval.code: approval for approval in saved.approvals})
        self._waiting_until = now_s + APPROVAL_S
        return names | self._update_all(now_s) | self._apply_waiting_approvals(now_s)

    def _forget_former_term(self, now_s: float) -> None:
        """Forget what this process counted and held when it led before: what the other leader saved is newer."""
        self._codes = HoldCodes()
        self.budgets.forget_made()
        for entry in self.entries:
            with self.entries.changing(entry, now_s):
                entry.hold = entry.approval = entry.made = None

    def _end_insufficient(self, zone_id: str, now_s: float) -> None:
        """End the holds that began for insufficient evidence before the accepted settings were loaded."""
        for entry in tuple(self.entries.by_scope.get(Scope(zone_id), {}).values()):
            if entry.hold and not entry.hold.by_budget:
                with self.entries.changing(entry, now_s):
                    self._revoke(entry)

    def set_state_unavailable(self, now_s: float) -> set[DnsName]:
        """Let deletes no longer wait for the state store, because it keeps failing. Return the names to plan again."""
        self._can_save = self._is_demoted = False
        return self._update_all(now_s) | self._set_saved(math.inf)

    def confirm_saved(self, revision: float, now_s: float) -> set[DnsName]:
        """Store that *revision* was saved.

        Return the names to plan again, such as those whose deletes can be made now.
        """
        could_save, self._can_save = self._can_save, True
        names = self._set_saved(revision)
        return names if could_save else names | self._update_all(now_s)

    def demote(self, now_s: float) -> set[DnsName]:
        """Withdraw all grants and the codes of all holds: another process leads. Return the names to plan again."""
        names = {entry.delete.owned.record.name for entry in self.entries if entry.delete and not entry.is_in_grace}
        self._is_demoted = True
        self.accepted.clear()
        self._withdraw_grants(now_s)
        self._codes.withdraw()
        self.entries.changed.update(self.entries.by_scope)
        return names

    def retain_zones(self, zones: Mapping[str, Callable[[DnsName], bool]], now_s: float) -> None:
        """Drop the evidence and holds of names that left their zone, and count their granted deletes as made.

        *zones* tells for each listed zone, by id, whether a name belongs to it. A zone that is not listed has no names,
        but its holds stay until it returns.
        """
        for entry in self.entries:
            owned = entry.owned
            if owned is None or (entry.zone_id in zones and zones[entry.zone_id](owned.record.name)):
                continue
            self._count_as_made(entry, now_s)
            with self.entries.changing(entry, now_s):
                _set_evidence(entry, None, 0.0)
                if entry.zone_id in zones:
                    self._revoke(entry)
                else:
                    entry.zone = entry.owned = None

    def has_unread(self, zone_id: str) -> bool:
        """Return whether the zone may have loaded entries, or deletes that count as made, without their records."""
        return zone_id in self.entries.unread or ALL_ZONES.zone_id in self.entries.unread

    @property
    def has_any_unread(self) -> bool:
        """Whether any zone has (`has_unread`)."""
        return bool(self.entries.unread)

    def drop_unread(self, zone_id: str, now_s: float) -> None:
        """Drop what is known of records that are gone. Call this when all names of the zone were planned.

        With *zone_id* "", drop what can be in any zone, after the names of every zone were planned.
        """
        for entry in tuple(self.entries.unread.get(zone_id, {}).values()):
            with self.entries.changing(entry, now_s):
                entry.made = None
                if entry.owned is None:
                    self._revoke(entry)

    def _set_saved(self, revision: float) -> set[DnsName]:
        """Set the saved revision, publish codes, and return the names whose deletes waited for it."""
        before, self.saved_revision = self.saved_revision, revision
        self._codes.publish(revision)
        return {
            entry.delete.owned.record.name
            for entry in self.entries.granted.values()
            if entry.delete and before < entry.granted_revision <= revision
        }

    def _update_all(self, now_s: float) -> set[DnsName]:
        """Decide again about every delete after state was loaded. Return the names of all deletes with evidence."""
        self._withdraw_grants(now_s)
        self._update_codes()
        return {entry.delete.owned.record.name for entry in self.entries if entry.delete}

    def _withdraw_grants(self, now_s: float) -> None:
        for entry in self.entries:
            with self.entries.changing(entry, now_s):
                entry.is_granted = False

    def save(self, now_s: float) -> Saved:
        """Return what the next process needs."""
        scopes = save_holds(self.entries, self.budgets.save(now_s), self._list_held)
        self._codes.save_into(scopes)
        granted = list_granted(self.entries, now_s)
        zone_ids = {*(scope.zone_id for scope in scopes), *self.accepted.digests, *granted, *self.merged.complete_zones}
        zone_ids -= {ALL_ZONES.zone_id}
        zones = tuple(
            (
                zone_id,
                SavedZone(
                    name=self.zone_names.get(zone_id, ""),
                    fingerprint=self.accepted.digests.get(zone_id, ""),
                    whole=scopes.get(Scope(zone_id), SavedScope()),
                    namespaces=tuple(
                        (scope.namespace, scopes[scope])
                        for scope in sorted(scopes)
                        if scope.namespace and scope.zone_id == zone_id
                    ),
                    granted=granted.get(zone_id, ()),
                    merged=self.merged.save(zone_id),
                ),
            )
            for zone_id in sorted(zone_ids)
        )
        approved = sorted((one.digest, one.approved_until, one.approval) for one in self.entries if one.approval)
        cluster = self.cluster
        return Saved(
            zones=zones,
            all_zones=scopes.get(ALL_ZONES, SavedScope()),
            approved=tuple((digest, until_s) for digest, until_s, _ in approved),
            approved_by=tuple((digest, by.code, by.claimed_user) for digest, _, by in approved),
            cluster=cluster.saved,
            other_cluster=cluster.observed.id if cluster.observed.differs_from(cluster.saved) else "",
        )

    # documents and reports

    @property
    def needs_approval(self) -> bool:
        """Whether a person has to act: approve a held delete, or accept another cluster."""
        return bool(self._codes.current) or self.cluster.is_other

    def take_changed_held_sets(self) -> Iterator[HeldSet]:
        """Return the held deletes of each scope whose published code changed since the last call, sorted by scope."""
        published = self._codes.published
        if published == self._reported_codes:
            return
        changed = {scope for scope, _ in self._reported_codes.items() ^ published.items()}
        self._reported_codes = dict(published)
        for scope in sorted(changed):
            yield self._build_held_set(scope)

    def held_sets(self) -> tuple[HeldSet, ...]:
        """Return the held deletes of each scope that has any, sorted by scope."""
        return tuple(map(self._build_held_set, sorted(self._codes.current)))

    def _build_held_set(self, scope: Scope) -> HeldSet:
        return HeldSet(
            scope=scope,
            zone=self.zones.get(scope.zone_id),
            code=self._codes.find_published(scope, self.saved_revision),
            held=self._list_held(scope) if scope in self._codes.current else (),
        )

    def _list_held(self, scope: Scope) -> tuple[HeldDelete, ...]:
        """Return the deletes that *scope* holds and that nobody approved, sorted by zone and record key."""
        found = (
            HeldDelete(
                zone=entry.zone,
                owned=entry.owned,
                evidence=entry.hold.evidence,
                cause=entry.hold.describe(entry.zone),
                since_s=entry.hold.since_at,
            )
            for entry in self.entries.by_scope.get(scope, {}).values()
            if entry.hold and entry.zone and entry.owned and not entry.approval
        )
        return tuple(sorted(found, key=lambda one: (one.zone.id, one.owned.key)))

    def list_statuses(self, zone_id: str) -> dict[RecordKey, DeleteStatus]:
        """Return, by record, the evidence for each delete in a zone and, if it is in grace, when it may be granted."""
        return {
            entry.delete.owned.key: DeleteStatus(
                evidence=entry.delete.evidence,
                grace_ends_s=self._compute_ready_at(entry) if self._find_due_at(entry) < math.inf else None,
            )
            for entry in self.entries
            if entry.delete and entry.zone_id == zone_id
        }

    def budget(self, zone_id: str) -> DeleteBudget:
        """Return the delete budget of a zone."""
        return self.budgets.budget(Scope(zone_id))


def _set_evidence(entry: Entry, delete: PendingDelete | None, since_at: float) -> None:
    """Store other evidence, for which nothing was granted yet."""
    entry.delete, entry.since_at = delete, since_at
    if delete is None:
        entry.unresolved_at = math.inf
    entry.is_granted, entry.granted_revision = False, 0


def _block_held(detail: str) -> Blocked:
    return Blocked(reason=Reason.HELD, detail=detail, waits_for=(APPROVAL,))
