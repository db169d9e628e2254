"""The saved form of what is known about deletes (docs/design/state.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.engine.delete_budget import Count, list_scopes
from extdns.engine.delete_entries import PLAN_APPROVAL, Entries, Entry, Hold
from extdns.model.evidence import ALL_ZONES, HeldDelete, Scope
from extdns.model.saved_state import Approval, Saved, SavedGrant, SavedHolds, SavedScope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from extdns.engine.delete_budget import DeleteBudgets

_MAX_SAVED_RECORDS: Final = 50  # for each scope, in plain text: the saved state has to fit into a ConfigMap


def list_saved_scopes(saved: Saved) -> Iterator[tuple[Scope, SavedScope]]:
    """Yield every scope with what was saved of it."""
    yield ALL_ZONES, saved.all_zones
    for zone_id, zone in saved.zones:
        for namespace, scope in zone.scopes:
            yield Scope(zone_id, namespace), scope


def load_entries(entries: Entries, budgets: DeleteBudgets, saved: Saved, now_s: float) -> None:
    """Add the holds, granted deletes and approvals of an earlier process to *entries*."""
    for scope, one in list_saved_scopes(saved):
        for held in one.holds:
            hold = Hold(scope=scope, since_at=held.since_s, by_budget=held.by_budget, by_absence=held.by_absence)
            for record_id, digest in zip(held.records, held.digests, strict=True):
                _load_hold(entries, hold, record_id, digest, now_s)
    for zone_id, zone in saved.zones:
        for grant in zone.granted:
            entry = entries.by_digest.get(grant.digest) or Entry(zone_id=zone_id, digest=grant.digest)
            if entry.made is None:
                budgets.spend(count_made(zone_id, grant), grant.at_s)
                with entries.changing(entry, now_s):
                    entry.made = grant
    approvals = {digest: Approval(code=code, claimed_user=user) for digest, code, user in saved.approved_by}
    for digest, until_s in saved.approved:
        entry = entries.by_digest.get(digest) or Entry(zone_id=ALL_ZONES.zone_id, digest=digest)
        with entries.changing(entry, now_s):
            entry.approval, entry.approved_until = approvals.get(digest, PLAN_APPROVAL), until_s


def _load_hold(entries: Entries, hold: Hold, record_id: str, digest: str, now_s: float) -> None:
    """Add a saved hold. A record that this process holds by a budget already keeps that hold."""
    entry = entries.by_record.get(record_id) or entries.by_digest.get(digest)
    if entry and entry.hold and entry.hold.by_budget:
        return
    entry = entry or Entry(zone_id=hold.scope.zone_id, digest=digest)
    with entries.changing(entry, now_s):
        entry.record_id = entry.record_id or record_id
        entry.hold = replace(hold, evidence=entry.delete.evidence) if entry.delete else hold


def save_holds(
    entries: Entries, scopes: dict[Scope, SavedScope], list_held: Callable[[Scope], Sequence[HeldDelete]]
) -> dict[Scope, SavedScope]:
    """Return *scopes* with all holds. *list_held* returns those of a scope for people."""
    groups: dict[Scope, dict[tuple[float, bool, bool], list[tuple[str, str]]]] = {}
    for entry in entries:
        if hold := entry.hold:
            group = float(int(hold.since_at)), hold.by_budget, hold.by_absence
            groups.setdefault(hold.scope, {}).setdefault(group, []).append((entry.digest, entry.record_id))
    found = dict(scopes)
    for scope, in_scope in groups.items():
        holds = tuple(
            SavedHolds(
                since_s=since_s,
                by_budget=by_budget,
                by_absence=by_absence,
                digests=tuple(digest for digest, _ in sorted(ids)),
                records=tuple(record_id for _, record_id in sorted(ids)),
            )
            for (since_s, by_budget, by_absence), ids in sorted(in_scope.items())
        )
        records = tuple(
            (one.zone.id, str(key.name), key.type, key.set_identifier, one.evidence.value)
            for one in list_held(scope)[:_MAX_SAVED_RECORDS]
            for key in (one.owned.key,)
        )
        found[scope] = replace(scopes.get(scope, SavedScope()), holds=holds, records=records)
    return found


def list_granted(entries: Entries, now_s: float) -> dict[str, tuple[SavedGrant, ...]]:
    """Return, by zone id, the granted deletes that budgets count, sorted by digest."""
    granted: dict[str, tuple[SavedGrant, ...]] = {}
    for digest, entry in sorted(entries.granted.items()):
        if entry.counted and entry.delete and not entry.hold:
            resource, by_absence = entry.delete.owned.resource, entry.counted.by_absence
            grant = SavedGrant(digest=digest, resource=resource, at_s=now_s, by_absence=by_absence)
            granted[entry.zone_id] = (*granted.get(entry.zone_id, ()), grant)
    return granted


def count_made(zone_id: str, made: SavedGrant) -> Count:
    """Return how a delete counts that may have been made: as a name of its own, because only its digest is saved."""
    scopes = list_scopes(zone_id, made.resource, by_absence=made.by_absence)
    return Count(scopes, (zone_id, made.digest, ""), made.by_absence)
