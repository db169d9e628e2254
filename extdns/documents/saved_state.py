"""What the saved state says about held, made and approved deletes, as JSON and as text (docs/design/state.md)."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from extdns.documents.document import VERSION, Document, Version, ZoneReference
from extdns.documents.held import count_held, describe_other_cluster, explain_holds, format_held_record
from extdns.documents.text import format_age_of, format_rfc3339
from extdns.engine.delete_budget import WINDOW_S
from extdns.errors import sanitize
from extdns.model.evidence import describe_hold, format_scope
from extdns.model.value import format_count

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import datetime

    from extdns.model.saved_state import Saved, SavedScope, SavedZone

UNKNOWN: Final = "Whether deletes are held is unknown. To ask a running process: extdns status --controller=URL"


class SavedHeldRecord(Document, frozen=True):
    """A record whose delete is held, with the evidence."""

    zone_id: str
    name: str
    type: str
    set_identifier: str
    evidence: str


class SavedHeldSet(Document, frozen=True):
    """The deletes that one scope holds: a namespace in a zone, or, if `namespace` is "", a zone or all zones.

    `approvalCode` approves all of them; `records` are the first fifty; `causes` are why they are held, as text.
    """

    namespace: str
    approval_code: str
    deletes: int
    records: tuple[SavedHeldRecord, ...]
    causes: tuple[str, ...] = ()


class SavedZoneStatus(Document, frozen=True):
    """A zone as of the time `saved`.

    `records` is the number of names with records of ours, `held` the number of deletes in `heldSets`, and `deleted` the
    number of names with deletes that were made without approval in the last ten minutes. Unless the settings are
    `accepted` for the zone, deletes of orphans are held.
    """

    zone: ZoneReference
    saved: str
    records: int
    held: int
    held_sets: tuple[SavedHeldSet, ...]
    deleted: int
    deleted_by_absence: int
    accepted: bool


class SavedOwnerStatus(Document, frozen=True):
    """The state of one owner id. `heldAcrossZones` are deletes that only the budget over all zones holds.

    `approved` is how many deletes are approved; the last of these approvals ends at `approvedUntil`. `otherCluster` is
    the id of the cluster of the objects, while updates and deletes are held until a person accepts it; otherwise "".
    """

    owner: str
    zones: tuple[SavedZoneStatus, ...]
    held_across_zones: tuple[SavedHeldSet, ...]
    approved: int
    approved_until: str
    other_cluster: str


class SavedStateDocument(Document, frozen=True):
    """The saved state of all owner ids.

    `store` is where it was read, such as `ConfigMap external-dns/extdns-state` or `state file /state/state.json`.
    `held` is the number of held deletes. `waiting` has the codes that a person approved and no process has read yet,
    `unreadable` a message for each value in the state store that cannot be read.
    """

    store: str
    held: int
    owners: tuple[SavedOwnerStatus, ...]
    waiting: tuple[str, ...]
    unreadable: tuple[str, ...]
    api_version: Version = VERSION
    kind: Literal["SavedState"] = "SavedState"


def build_saved_state(
    owners: Iterable[tuple[str, Saved]],
    now_s: float,
    *,
    store: str = "",
    approvals: Iterable[str] = (),
    unreadable: Iterable[str] = (),
) -> SavedStateDocument:
    """Describe the saved state.

    Args:
        owners: the state of every owner id.
        now_s: seconds since the epoch.
        store: where the state was read.
        approvals: codes that a person approved and no process has read yet.
        unreadable: a message for each value in the state store that cannot be read.
    """
    statuses = tuple(build_owner_status(owner, saved, now_s) for owner, saved in owners)
    return SavedStateDocument(
        store=store,
        held=sum(one.deletes for owner in statuses for one in _list_held_sets(owner)),
        owners=statuses,
        waiting=tuple(approvals),
        unreadable=tuple(unreadable),
    )


def build_owner_status(owner: str, saved: Saved, now_s: float) -> SavedOwnerStatus:
    """Describe the saved state of one owner id at *now_s* (seconds since the epoch)."""
    until = {digest: until_s for digest, until_s in saved.approved if until_s > now_s}
    return SavedOwnerStatus(
        owner=owner,
        zones=tuple(_build_zone_status(id_, zone, until, now_s) for id_, zone in saved.zones),
        held_across_zones=_build_held_sets("", "", saved.all_zones, until),
        approved=len(until),
        approved_until=format_rfc3339(max(until.values(), default=None)),
        other_cluster=saved.other_cluster,
    )


def _build_zone_status(id_: str, zone: SavedZone, approved: Container[str], now_s: float) -> SavedZoneStatus:
    made = [(by_absence, count) for at_s, by_absence, count in zone.whole.made if at_s > now_s - WINDOW_S]
    saved_s, records = zone.whole.most[-1] if zone.whole.most else (None, 0)
    held = tuple(
        one
        for namespace, scope in zone.scopes
        for one in _build_held_sets(zone.name or id_, namespace, scope, approved)
    )
    return SavedZoneStatus(
        zone=ZoneReference(name=zone.name, id=id_),
        saved=format_rfc3339(saved_s),
        records=records,
        held=sum(one.deletes for one in held),
        held_sets=held,
        deleted=sum(count for _, count in made),
        deleted_by_absence=sum(count for by_absence, count in made if by_absence),
        accepted=bool(zone.fingerprint),
    )


def _build_held_sets(
    zone_name: str, namespace: str, scope: SavedScope, approved: Container[str]
) -> tuple[SavedHeldSet, ...]:
    deletes = sum(digest not in approved for digest in scope.digests)
    if not (deletes and scope.code):
        return ()
    records = tuple(
        SavedHeldRecord(zone_id=zone_id, name=name, type=rtype, set_identifier=identifier, evidence=evidence)
        for zone_id, name, rtype, identifier, evidence in scope.records
    )
    text = format_scope(zone_name, namespace)
    causes = {
        describe_hold(text, by_budget=one.by_budget, by_absence=one.by_absence)
        for one in scope.holds
        if any(digest not in approved for digest in one.digests)
    }
    return (
        SavedHeldSet(
            namespace=namespace,
            approval_code=scope.code,
            deletes=deletes,
            records=records,
            causes=tuple(sorted(causes)),
        ),
    )


def format_saved_state(document: SavedStateDocument, now: datetime, flags: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines about the saved state: held deletes first, the command that approves them last.

    Args:
        document: the saved state.
        now: the current time, in UTC.
        flags: the flags that lead the command to the same state store.
    """
    others = sorted({owner.other_cluster for owner in document.owners} - {""})
    if document.held or not others:
        is_saved = any(one.zones for one in document.owners)
        yield count_held(document.held) if is_saved else f"No process has saved its state here yet. {UNKNOWN}"
    yield from (describe_other_cluster(sanitize(cluster)) for cluster in others)
    for owner in document.owners:
        yield ""
        yield from _format_owner(owner, now)
    for problem in document.unreadable:
        yield ""
        yield f"Unreadable: {sanitize(problem, 300)}"
    if document.waiting:
        yield ""
        yield f"Codes that a person approved and no process has read yet: {sanitize(', '.join(document.waiting))}"
    for cluster in others:
        yield ""
        yield f"Continue with this cluster: {sanitize(shlex.join(['extdns', 'accept-cluster', cluster, *flags]), 500)}"
    if document.store:
        yield ""
        yield sanitize(f"Read from {document.store}", 500)
    held = [one for owner in document.owners for one in _list_held_sets(owner)]
    causes = [cause for one in held for cause in one.causes]
    yield from explain_holds(causes, (record.evidence for one in held for record in one.records))
    if held:
        command = shlex.join(["extdns", "approve", *(one.approval_code for one in held), *flags])
        yield ""
        yield f"Approve {'them' if document.held > 1 else 'it'}: {sanitize(command, 500)}"


def _list_held_sets(owner: SavedOwnerStatus) -> Iterator[SavedHeldSet]:
    for zone in owner.zones:
        yield from zone.held_sets
    yield from owner.held_across_zones


def _format_owner(owner: SavedOwnerStatus, now: datetime) -> Iterator[str]:
    yield f"Owner {sanitize(owner.owner)}" if owner.owner else "Without an owner id"
    if owner.other_cluster:
        yield f"  ! updates and deletes are HELD: another cluster, {sanitize(owner.other_cluster)}"
    for zone in owner.zones:
        yield from _format_zone(zone, now)
    if owner.held_across_zones:
        yield "  All zones together"
        yield from _format_held_sets(owner.held_across_zones)
    if owner.approved:
        until = format_age_of(owner.approved_until, None)
        yield f"  · {format_count(owner.approved, 'delete')} approved, until {until} at the latest"


def _format_zone(zone: SavedZoneStatus, now: datetime) -> Iterator[str]:
    saved = f", saved {format_age_of(zone.saved, now)}" if zone.saved else ""
    name = name_zone(zone.zone.id, zone.zone.name)
    yield f"  Zone {name}: {format_count(zone.records, 'name')} with records of ours{saved}"
    yield from _format_held_sets(zone.held_sets)
    if zone.deleted:
        absent = f", {zone.deleted_by_absence} of them by absence" if zone.deleted_by_absence else ""
        names = format_count(zone.deleted, "name")
        yield f"    - {names} with deletes in the last ten minutes without an approval{absent}"
    if not zone.accepted:
        yield "    · the settings are not accepted yet: deletes of orphans are held"


def _format_held_sets(sets: Iterable[SavedHeldSet]) -> Iterator[str]:
    for one in sets:
        where = f" in namespace {sanitize(one.namespace)}" if one.namespace else ""
        yield f"    ! {format_count(one.deletes, 'delete')}{where} HELD, code {sanitize(one.approval_code)}"
        for record in one.records:
            yield f"        {format_held_record(record.name, record.type, record.set_identifier, record.evidence)}"
        if (more := one.deletes - len(one.records)) > 0 and one.records:
            yield f"        and {format_count(more, 'more delete')}; the log lists all"


def name_zone(id_: str, name: str) -> str:
    """Format a zone as `example.org (Z2ABC)`."""
    return sanitize(f"{name} ({id_})" if name and name != id_ else id_)


class SavedHeldSummary(NamedTuple):
    """Deletes that were shown as held under one code.

    Attributes:
        scope: the scope of the budget, as `zone example.org (Z2ABC)`.
        now: whether the scope still holds exactly these deletes. Sets that were shown earlier can be approved, too.
        approved: how many of *deletes* a person has approved.
    """

    owner: str
    scope: str
    code: str
    deletes: int
    now: bool
    approved: int

    def __str__(self) -> str:
        """Format the set as `3 deletes in zone example.org (Z2ABC), owner prod`."""
        return f"{format_count(self.deletes, 'delete')} in {self.scope}, owner {sanitize(self.owner)}"


def summarize_held_sets(owners: Iterable[tuple[str, Saved]]) -> tuple[SavedHeldSummary, ...]:
    """Return the sets that can be approved or are approved already: those held now first, then by owner and scope."""
    found = (one for owner, saved in owners for one in _summarize_held_sets(owner, saved))
    return tuple(sorted(found, key=lambda one: (not one.now, one.owner, one.scope)))


def _summarize_held_sets(owner: str, saved: Saved) -> Iterator[SavedHeldSummary]:
    approved = {digest for digest, _ in saved.approved}
    for name, scope in _list_scopes(saved):
        sets = dict(scope.shown)
        held = [digest for digest in scope.digests if digest not in approved]
        if scope.code:
            sets.setdefault(scope.code, tuple(held))
        for code, digests in sets.items():
            done = len(approved.intersection(digests))
            if held or done == len(digests):  # otherwise no delete of the set is held any more
                yield SavedHeldSummary(owner, name, sanitize(code), len(digests), code == scope.code, done)


def _list_scopes(saved: Saved) -> Iterator[tuple[str, SavedScope]]:
    """Yield every scope with its name: zones with their namespaces, sorted, then all zones."""
    for zone_id, zone in saved.zones:
        for namespace, scope in zone.scopes:
            where = f"zone {name_zone(zone_id, zone.name)}"
            yield sanitize(f"namespace {namespace} in {where}") if namespace else where, scope
    yield "all zones", saved.all_zones
