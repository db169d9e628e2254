"""Held deletes. A hold ends when its record is requested again, gone or foreign; an approval does not end it.

A hold that comes from the saved state is a *restored* one (restored_holds.py) until the name of its record is planned.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec import structs

from extdns.engine.delete_budget import WINDOW_S, identify_name, list_scopes
from extdns.engine.restored_holds import HoldCause, RestoredHold, RestoredHolds, describe_cause
from extdns.model.evidence import Evidence, HeldDelete, PendingDelete, Scope
from extdns.model.kind import find_namespace
from extdns.model.saved_state import SavedHolds, SavedScope
from extdns.planner.deletes import is_same

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from extdns.engine.guard_state import GuardState
    from extdns.engine.pending_deletes import TrackedDelete
    from extdns.model.dns_name import DnsName
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.model.zone import Zone

_MAX_SAVED_RECORDS: Final = 50  # for each scope, in plain text: the saved state has to fit into a ConfigMap


@dataclass(slots=True, eq=False, kw_only=True)
class Hold:
    """A record whose delete waits for approval. Unlike a `TrackedDelete` it stays when the evidence ends.

    Attributes:
        evidence: the evidence for the delete that was found last.
        record_id: identifies the record, whatever it contains.
        digest: identifies the record with its ownership records.
        counted: the scopes whose budgets count it as held; () after ten minutes, and if it is approved.
        is_approved: whether a person approved the delete, and the approval has not expired.
    """

    zone: Zone
    owned: OwnedRecord
    evidence: Evidence
    record_id: str
    digest: str
    cause: HoldCause
    counted: tuple[Scope, ...] = ()
    is_approved: bool = False


class Holds:
    """All holds, by name, by digest and by scope.

    Attributes:
        by_name: the holds of the records at each name, by zone id and name.
        restored: the restored holds.
        changed: scopes whose held deletes, or the evidence for them, changed. Take them with `take_changed`.
        next_expiry_at: when the first hold stops counting in the budgets (monotonic seconds), infinity if none does.
    """

    def __init__(self, state: GuardState) -> None:
        self._state = state
        self.by_name: dict[tuple[str, DnsName], dict[RecordKey, Hold]] = {}
        self._by_record: dict[str, Hold] = {}
        self._by_digest: dict[str, Hold] = {}
        self._by_scope: dict[Scope, dict[str, Hold]] = {}
        self.restored = RestoredHolds()
        self._expiries: list[tuple[float, int, Hold]] = []
        self._ticket = count()
        self.changed: set[Scope] = set()
        self.next_expiry_at = math.inf

    def __contains__(self, digest: object) -> bool:
        """Return whether the delete with this digest is held, restored holds included."""
        return digest in self._by_digest or digest in self.restored

    def __iter__(self) -> Iterator[Hold]:
        """Iterate over a copy of all holds, without restored ones."""
        return iter(tuple(self._by_digest.values()))

    def find(self, zone_id: str, key: RecordKey) -> Hold | None:
        """Return the hold of one record; None if there is none, or only a restored one."""
        return self.by_name.get((zone_id, key.name), {}).get(key)

    def find_digest(self, digest: str) -> Hold | None:
        """Return the hold of the record with *digest*; None if there is none, or only a restored one."""
        return self._by_digest.get(digest)

    def find_cause(self, zone: Zone, owned: OwnedRecord, digest: str) -> HoldCause | None:
        """Return why a record is held, approved or not, restored holds included; None if it is not held."""
        if hold := self.find(zone.id, owned.key):
            return hold.cause
        if not self.restored.by_zone:
            return None
        found = self.restored.find(self._state.compute_record_id(zone, owned.key), digest)
        return found.cause if found else None

    # begin and end

    def hold(self, tracked: TrackedDelete, scope: Scope, now_s: float, *, by_budget: bool) -> None:
        """Hold a delete that is due: *scope* is over budget, or the evidence is insufficient."""
        cause = HoldCause(scope=scope, since_at=now_s, by_budget=by_budget, by_absence=tracked.by_absence)
        hold = Hold(
            zone=tracked.zone,
            owned=tracked.delete.owned,
            evidence=tracked.delete.evidence,
            record_id=self._state.compute_record_id(tracked.zone, tracked.key),
            digest=tracked.digest,
            cause=cause,
        )
        self._begin(hold, now_s)

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
        """End the *holds* of a planned name whose record is gone or foreign, or that a request ends; update the others.

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
        """Store the new digest of a held record that somebody edited; remove the approval that the old digest had."""
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
        self._by_record[hold.record_id] = self._by_digest[hold.digest] = hold
        self._by_scope.setdefault(hold.cause.scope, {})[hold.digest] = hold
        self.changed.add(hold.cause.scope)

    def _remove(self, hold: Hold) -> None:
        zone_and_name, scope = (hold.zone.id, hold.owned.record.name), hold.cause.scope
        at_name, in_scope = self.by_name[zone_and_name], self._by_scope[scope]
        del at_name[hold.owned.key], in_scope[hold.digest]
        del self._by_record[hold.record_id], self._by_digest[hold.digest]
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
        """Move the holds by the budget of a zone to *namespace*, if it has their resources; not those by absence."""
        for hold in tuple(self._by_scope.get(Scope(namespace.zone_id), {}).values()):
            is_observed = hold.cause.by_budget and not hold.cause.by_absence
            if is_observed and find_namespace(hold.owned.resource) == namespace.namespace:
                self._remove(hold)
                hold.cause = structs.replace(hold.cause, scope=namespace)
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
        name, by_absence = identify_name(hold.zone.id, hold.owned.key), hold.cause.by_absence
        self._state.budgets.add_held(hold.counted, name, -1, by_absence=by_absence)
        hold.counted = scopes
        self._state.budgets.add_held(scopes, name, 1, by_absence=by_absence)

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
            HeldDelete(
                zone=one.zone,
                owned=one.owned,
                evidence=one.evidence,
                cause=describe_cause(one.cause, one.zone),
                since_s=one.cause.since_at,
            )
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
            for record_id, digest in held.list_records():
                hold = self._by_record.get(record_id) or self._by_digest.get(digest)
                if hold and (hold.cause.by_budget or not cause.by_budget):
                    continue
                if hold:
                    self._remove(hold)
                restored = RestoredHold(zone_id=scope.zone_id, record_id=record_id, digest=digest, cause=cause)
                self.restored.add(restored)

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
        """Turn the restored hold of a record, if any, into an ordinary one; end it if the record is requested and kept.

        If the record was edited meanwhile, it stays held, and the approval of the former record does not count.

        Args:
            zone: the zone of the record.
            owned: the record, as it is now.
            digest: the digest of the record.
            delete: the delete with its evidence now, None if there is none.
            now_s: monotonic seconds.
            is_requested: whether an object requests the record.
        """
        record_id = self._state.compute_record_id(zone, owned.key)
        restored = self.restored.find(record_id, digest)
        if restored is None:
            return
        self.restored.remove(restored)
        if is_requested and _is_ended_by_request(delete, restored.cause):
            self._revoke(restored.cause.scope, restored.digest)
            return
        if restored.digest != digest:
            self._state.approvals.remove(restored.digest)
        hold = Hold(
            zone=zone,
            owned=owned,
            evidence=delete.evidence if delete else Evidence.ORPHAN_UNCLAIMED,
            record_id=record_id,
            digest=digest,
            cause=restored.cause,
            is_approved=self._state.approvals.is_approved(digest),
        )
        self._begin(hold, now_s)

    def drop_restored(self, zone_id: str) -> None:
        """Drop the restored holds of a zone after all its names were planned: their records are gone.

        Args:
            zone_id: the id of the zone, or "" for the scope of all zones, after the names of every zone were planned.
        """
        for restored in self.restored.take_zone(zone_id):
            self._revoke(restored.cause.scope, restored.digest)

    def unload_all(self) -> None:
        """Turn all holds into restored ones, because another process leads."""
        for hold in self:
            self._unload(hold)

    def drop_all(self) -> None:
        """Drop all holds, because what another process saved is newer."""
        self.unload_all()
        self.restored = RestoredHolds()

    def _unload(self, hold: Hold) -> None:
        self._count(hold, ())
        self._remove(hold)
        restored = RestoredHold(zone_id=hold.zone.id, record_id=hold.record_id, digest=hold.digest, cause=hold.cause)
        self.restored.add(restored)

    def save_into(self, scopes: dict[Scope, SavedScope]) -> None:
        """Add all holds to the *scopes* to save."""
        groups: dict[Scope, dict[tuple[float, bool, bool], list[tuple[str, str]]]] = {}
        for one in (*self._by_digest.values(), *self.restored):
            group = float(int(one.cause.since_at)), one.cause.by_budget, one.cause.by_absence
            groups.setdefault(one.cause.scope, {}).setdefault(group, []).append((one.digest, one.record_id))
        for scope, found in groups.items():
            holds = tuple(
                SavedHolds(
                    since_s=since_s,
                    by_budget=by_budget,
                    by_absence=by_absence,
                    digests=tuple(digest for digest, _ in sorted(ids)),
                    records=tuple(record_id for _, record_id in sorted(ids)),
                )
                for (since_s, by_budget, by_absence), ids in sorted(found.items())
            )
            records = tuple(
                (one.zone.id, str(key.name), key.type, key.set_identifier, one.evidence.value)
                for one in self.list_held(scope)[:_MAX_SAVED_RECORDS]
                for key in (one.owned.key,)
            )
            scopes[scope] = structs.replace(scopes.get(scope, SavedScope()), holds=holds, records=records)


def _is_ended_by_request(delete: PendingDelete | None, cause: HoldCause) -> bool:
    """Return whether a request for the record ends its hold.

    It does not if there is evidence for the delete in spite of the request: the claim was unresolved for too long, or
    the name passes to another namespace. Budgets do not count transfers, so a transfer does end a hold by a budget.
    """
    return delete is None or (delete.is_transfer and cause.by_budget)


def _list_scopes(hold: Hold) -> tuple[Scope, ...]:
    """Return the scopes that count a hold: all for a delete by absence, else that of its cause and narrower ones."""
    scopes = list_scopes(hold.zone.id, hold.owned.resource, by_absence=hold.cause.by_absence)
    counts_everywhere = hold.cause.by_absence or hold.cause.scope not in scopes
    return scopes if counts_everywhere else scopes[: scopes.index(hold.cause.scope) + 1]
