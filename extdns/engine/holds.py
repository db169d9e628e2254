"""Held deletes. A hold ends when its record is requested again, gone or foreign; an approval only lets it be deleted.

A *restored* hold comes from the saved state, which has only the digest of the record. It becomes an ordinary hold when
the name of the record is planned.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec import structs

from extdns.engine.delete_budget import WINDOW_S, list_scopes
from extdns.engine.pending_deletes import is_same
from extdns.model.evidence import ALL_ZONES, Evidence, HeldDelete, PendingDelete, Scope, describe_hold, format_scope
from extdns.model.kind import find_namespace
from extdns.model.saved_state import SavedHolds, SavedScope

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from extdns.engine.guard_state import GuardState
    from extdns.engine.pending_deletes import TrackedDelete
    from extdns.model.dns_name import DnsName
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.model.zone import Zone

_MAX_SAVED_RECORDS: Final = 50  # for each scope, in plain text: the saved state has to fit into a ConfigMap


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldCause:
    """Why a delete is held, and since when: the part of a hold that is saved.

    Attributes:
        scope: the scope whose budget is exceeded, and whose code approves the delete.
        since_at: when the hold began (monotonic seconds).
        by_budget: whether a budget is exceeded; if not, the evidence is insufficient.
        by_absence: whether it counts in the smaller budget of deletes by absence.
    """

    scope: Scope
    since_at: float
    by_budget: bool
    by_absence: bool


@dataclass(slots=True, eq=False, kw_only=True)
class Hold:
    """A record whose delete waits for approval. Unlike a `TrackedDelete` it stays when the evidence ends.

    Attributes:
        evidence: the evidence for the delete that was found last.
        digest: identifies the record with its ownership records.
        counted: the scopes whose budgets count it as held; () after ten minutes.
        is_approved: whether a person approved the delete, and the approval has not expired.
    """

    zone: Zone
    owned: OwnedRecord
    evidence: Evidence
    digest: str
    cause: HoldCause
    counted: tuple[Scope, ...] = ()
    is_approved: bool = False


class Holds:
    """All holds, by name, by digest and by scope.

    Attributes:
        by_name: by zone id and name, the holds of the records at the name.
        restored: by zone id ("" if it can be any zone), the restored holds by digest.
        changed: scopes whose held deletes, or the evidence for them, changed. Take them with `take_changed`.
        next_expiry_at: when the first hold stops counting in the budgets (monotonic seconds), infinity if none does.
    """

    def __init__(self, state: GuardState) -> None:
        self._state = state
        self.by_name: dict[tuple[str, DnsName], dict[RecordKey, Hold]] = {}
        self._by_digest: dict[str, Hold] = {}
        self._by_scope: dict[Scope, dict[str, Hold]] = {}
        self.restored: dict[str, dict[str, HoldCause]] = {}
        self._expiries: list[tuple[float, int, Hold]] = []
        self._ticket = count()
        self.changed: set[Scope] = set()
        self.next_expiry_at = math.inf

    def __contains__(self, digest: object) -> bool:
        """Return whether the delete with this digest is held, restored holds included."""
        return digest in self._by_digest or any(digest in causes for causes in self.restored.values())

    def __iter__(self) -> Iterator[Hold]:
        """Iterate over a copy of all holds, without restored ones."""
        return iter(tuple(self._by_digest.values()))

    def find(self, zone_id: str, key: RecordKey) -> Hold | None:
        """Return the hold of one record, or None."""
        return self.by_name.get((zone_id, key.name), {}).get(key)

    def find_digest(self, digest: str) -> Hold | None:
        """Return the hold of the record with *digest*, or None."""
        return self._by_digest.get(digest)

    def find_cause(self, zone: Zone, owned: OwnedRecord, digest: str) -> HoldCause | None:
        """Return why a record is held, approved or not, restored holds included; None if it is not held."""
        if hold := self.find(zone.id, owned.key):
            return hold.cause
        restored = (self.restored.get(zone_id, {}).get(digest) for zone_id in (zone.id, ALL_ZONES.zone_id))
        return next(filter(None, restored), None)

    # begin and end

    def hold(self, tracked: TrackedDelete, scope: Scope, now_s: float, *, by_budget: bool) -> None:
        """Hold a delete that is due: *scope* is over budget, or the evidence is insufficient."""
        cause = HoldCause(scope=scope, since_at=now_s, by_budget=by_budget, by_absence=tracked.by_absence)
        owned, evidence = tracked.delete.owned, tracked.delete.evidence
        self._begin(Hold(zone=tracked.zone, owned=owned, evidence=evidence, digest=tracked.digest, cause=cause), now_s)

    def end(self, hold: Hold) -> None:
        """End a hold and remove its approval."""
        self._count(hold, ())
        self._remove(hold)
        self._revoke(hold.cause.scope, hold.digest)

    def end_insufficient(self, zone_id: str) -> None:
        """End the holds of a zone that began for insufficient evidence, because their evidence is sufficient now."""
        for hold in tuple(self._by_scope.get(Scope(zone_id), {}).values()):
            if not hold.cause.by_budget:
                self.end(hold)

    def update(
        self,
        zone: Zone,
        holds: Iterable[Hold],
        current: Iterable[OwnedRecord],
        requested: Container[RecordKey],
        pending: Mapping[RecordKey, PendingDelete],
    ) -> None:
        """End the *holds* of a planned name whose record is requested, gone or foreign; update the other ones.

        Args:
            zone: the zone in which the name was planned.
            holds: the holds of the records at the name.
            current: the records at the name.
            requested: the keys of the records that an object requests.
            pending: the deletes at the name that have evidence now.
        """
        ours = {owned.key: owned for owned in current if owned.is_ours}
        for hold in holds:
            key, delete = hold.owned.key, pending.get(hold.owned.key)
            if key not in ours or (key in requested and _is_ended_by_request(delete, hold.cause)):
                self.end(hold)
                continue
            if not is_same(hold.owned, ours[key]):
                self._replace_record(zone, hold, ours[key])
            if delete and delete.evidence is not hold.evidence:
                hold.evidence = delete.evidence
                self.changed.add(hold.cause.scope)

    def retain_zones(self, zones: Mapping[str, Callable[[DnsName], bool]]) -> None:
        """End the holds of names that left their zone. Turn the holds of zones that are not listed into restored ones.

        Args:
            zones: for each listed zone, by id, whether a name belongs to it.
        """
        for hold in self:
            if hold.zone.id not in zones:
                self._unload(hold)
            elif not zones[hold.zone.id](hold.owned.record.name):
                self.end(hold)

    def _begin(self, hold: Hold, now_s: float) -> None:
        self._add(hold)
        ends_s = hold.cause.since_at + WINDOW_S
        if hold.cause.by_budget and not hold.is_approved and ends_s > now_s:
            self._count(hold, _list_scopes(hold))
            heapq.heappush(self._expiries, (ends_s, next(self._ticket), hold))
            self.next_expiry_at = self._expiries[0][0]

    def _replace_record(self, zone: Zone, hold: Hold, owned: OwnedRecord) -> None:
        """Store the new digest of a held record that somebody edited, without the approval of the former record."""
        self._remove(hold)
        self._state.approvals.remove(hold.digest)
        hold.owned, hold.digest, hold.is_approved = owned, self._state.compute_digest(zone, owned), False
        self._add(hold)
        self._state.revision += 1

    def _revoke(self, scope: Scope, digest: str) -> None:
        """Remove the approval of *digest*, and remove it from the sets of held deletes that codes stand for."""
        self._state.codes.remove_digest(scope, digest)
        self._state.approvals.remove(digest)
        self._state.revision += 1

    def _add(self, hold: Hold) -> None:
        self.by_name.setdefault((hold.zone.id, hold.owned.record.name), {})[hold.owned.key] = hold
        self._by_digest[hold.digest] = hold
        self._by_scope.setdefault(hold.cause.scope, {})[hold.digest] = hold
        self.changed.add(hold.cause.scope)

    def _remove(self, hold: Hold) -> None:
        zone_and_name, scope = (hold.zone.id, hold.owned.record.name), hold.cause.scope
        at_name, in_scope = self.by_name[zone_and_name], self._by_scope[scope]
        del at_name[hold.owned.key], self._by_digest[hold.digest], in_scope[hold.digest]
        if not at_name:
            del self.by_name[zone_and_name]
        if not in_scope:
            del self._by_scope[scope]
        self.changed.add(scope)

    # budgets and approval

    def expire(self, now_s: float) -> None:
        """Stop counting holds that are older than the window of the budgets. They stay held."""
        while self._expiries and self._expiries[0][0] <= now_s:
            self._count(heapq.heappop(self._expiries)[2], ())
        self.next_expiry_at = self._expiries[0][0] if self._expiries else math.inf

    def move_to_namespace(self, namespace: Scope) -> None:
        """Move holds to *namespace*, which is over budget now, so that they no longer count in its zone."""
        for hold in tuple(self._by_scope.get(Scope(namespace.zone_id), {}).values()):
            is_observed = hold.cause.by_budget and not hold.cause.by_absence
            if is_observed and find_namespace(hold.owned.resource) == namespace.namespace:
                self._remove(hold)
                hold.cause = replace(hold.cause, scope=namespace)
                self._add(hold)
                if hold.counted:
                    self._count(hold, _list_scopes(hold))

    def update_approval(self, hold: Hold) -> None:
        """Set `is_approved` of a hold after an approval was given or expired."""
        hold.is_approved = self._state.approvals.is_approved(hold.digest)
        self.changed.add(hold.cause.scope)
        if hold.is_approved:
            self._count(hold, ())

    def _count(self, hold: Hold, scopes: tuple[Scope, ...]) -> None:
        """Make exactly the budgets of *scopes* count a hold."""
        self._state.budgets.add_held(hold.counted, -1, by_absence=hold.cause.by_absence)
        hold.counted = scopes
        self._state.budgets.add_held(scopes, 1, by_absence=hold.cause.by_absence)

    # queries

    def take_changed(self) -> tuple[Scope, ...]:
        """Return the scopes in `changed`, sorted, and empty it."""
        changed, self.changed = self.changed, set()
        return tuple(sorted(changed))

    def list_digests(self, scope: Scope) -> list[str]:
        """Return the digests of the deletes that *scope* holds and that nobody approved."""
        return [digest for digest, hold in self._by_scope.get(scope, {}).items() if not hold.is_approved]

    def list_held(self, scope: Scope) -> tuple[HeldDelete, ...]:
        """Return the deletes that *scope* holds and that nobody approved, sorted by zone and record key."""
        found = (
            HeldDelete(zone=one.zone, owned=one.owned, evidence=one.evidence, cause=describe_cause(one.cause, one.zone))
            for one in self._by_scope.get(scope, {}).values()
            if not one.is_approved
        )
        return tuple(sorted(found, key=lambda one: (one.zone.id, one.owned.key)))

    def has_insufficient_evidence(self, zone_id: str) -> bool:
        """Return whether a record of the zone is held for insufficient evidence and nobody approved its delete."""
        holds = self._by_scope.get(Scope(zone_id), {}).values()
        return any(not (hold.cause.by_budget or hold.is_approved) for hold in holds)

    # restored holds

    def restore(self, scope: Scope, saved: SavedScope) -> None:
        """Add the holds that an earlier process saved.

        A saved hold by a budget replaces one that began for insufficient evidence before the state was loaded: the
        latter ends when the settings turn out to be accepted.
        """
        for held in saved.holds:
            cause = HoldCause(scope=scope, since_at=held.since_s, by_budget=held.by_budget, by_absence=held.by_absence)
            for digest in held.digests:
                hold = self._by_digest.get(digest)
                if hold and cause.by_budget and not hold.cause.by_budget:
                    self._remove(hold)
                self._add_restored(scope.zone_id, digest, cause)

    def resume(
        self,
        zone: Zone,
        owned: OwnedRecord,
        digest: str,
        delete: PendingDelete | None,
        now_s: float,
        *,
        is_requested: bool = False,
    ) -> None:
        """Turn the restored hold of a record, if any, into an ordinary one; end it if the record is requested.

        Args:
            zone: the zone of the record.
            owned: the record, as it is now.
            digest: its digest.
            delete: its evidence now, None if there is none.
            now_s: monotonic seconds.
            is_requested: whether an object requests the record.
        """
        cause = self._take_restored(zone.id, digest)
        if cause is None:
            return
        if is_requested and _is_ended_by_request(delete, cause):
            self._revoke(cause.scope, digest)
            return
        evidence = delete.evidence if delete else Evidence.ORPHAN_UNCLAIMED
        is_approved = self._state.approvals.is_approved(digest)
        hold = Hold(zone=zone, owned=owned, evidence=evidence, digest=digest, cause=cause, is_approved=is_approved)
        self._begin(hold, now_s)

    def drop_restored(self, zone_id: str) -> None:
        """Drop the restored holds of a zone after all its names were planned: their records are gone.

        Args:
            zone_id: the id of the zone, or "" for the scope of all zones, after the names of every zone were planned.
        """
        for digest, cause in self.restored.pop(zone_id, {}).items():
            self._revoke(cause.scope, digest)

    def unload_all(self) -> None:
        """Turn all holds into restored ones, because another process leads."""
        for hold in self:
            self._unload(hold)

    def drop_all(self) -> None:
        """Drop all holds, because what another process saved is newer."""
        self.unload_all()
        self.restored.clear()

    def _unload(self, hold: Hold) -> None:
        self._count(hold, ())
        self._remove(hold)
        self._add_restored(hold.zone.id, hold.digest, hold.cause)

    def _add_restored(self, zone_id: str, digest: str, cause: HoldCause) -> None:
        if digest not in self._by_digest:
            self.restored.setdefault(zone_id, {})[digest] = cause

    def _take_restored(self, zone_id: str, digest: str) -> HoldCause | None:
        for scope_zone_id in (zone_id, ALL_ZONES.zone_id):
            causes = self.restored.get(scope_zone_id, {})
            if digest in causes:
                found = causes.pop(digest)
                if not causes:
                    del self.restored[scope_zone_id]
                return found
        return None

    def save_into(self, scopes: dict[Scope, SavedScope]) -> None:
        """Add all holds to the *scopes* to save."""
        groups: dict[Scope, dict[tuple[float, bool, bool], list[str]]] = {}
        causes = [(digest, hold.cause) for digest, hold in self._by_digest.items()]
        for restored in self.restored.values():
            causes += restored.items()
        for digest, cause in causes:
            group = float(int(cause.since_at)), cause.by_budget, cause.by_absence
            groups.setdefault(cause.scope, {}).setdefault(group, []).append(digest)
        for scope, found in groups.items():
            holds = tuple(
                SavedHolds(since_s=since_s, by_budget=by_budget, by_absence=by_absence, digests=tuple(sorted(digests)))
                for (since_s, by_budget, by_absence), digests in sorted(found.items())
            )
            records = tuple(
                (one.zone.id, str(key.name), key.type, key.set_identifier, one.evidence.value)
                for one in self.list_held(scope)[:_MAX_SAVED_RECORDS]
                for key in (one.owned.key,)
            )
            scopes[scope] = structs.replace(scopes.get(scope, SavedScope()), holds=holds, records=records)


def describe_cause(cause: HoldCause, zone: Zone) -> str:
    """Describe why a delete in *zone* is held."""
    scope = format_scope("" if cause.scope == ALL_ZONES else zone.name, cause.scope.namespace)
    return describe_hold(scope, by_budget=cause.by_budget, by_absence=cause.by_absence)


def _is_ended_by_request(delete: PendingDelete | None, cause: HoldCause) -> bool:
    """Return whether a request for the record ends its hold.

    It does not if there is evidence for the delete in spite of the request: the claim was unresolved for too long, or
    the name passes to another namespace. Budgets do not count transfers, so a transfer does end a hold by a budget.
    """
    return delete is None or (delete.is_transfer and cause.by_budget)


def _list_scopes(hold: Hold) -> tuple[Scope, ...]:
    """Return the scopes that count a hold: for a delete by absence all scopes, else its own and narrower ones."""
    scopes = list_scopes(hold.zone.id, hold.owned.resource, by_absence=hold.cause.by_absence)
    counts_everywhere = hold.cause.by_absence or hold.cause.scope not in scopes
    return scopes if counts_everywhere else scopes[: scopes.index(hold.cause.scope) + 1]
