"""Held deletes, of a running process and as saved (docs/design/state.md), as JSON and as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from extdns.documents.document import (
    Document,
    LiveDocument,
    RootDocument,
    ZoneReference,
    build_zone_reference,
    describe_process,
)
from extdns.documents.text import escape_lines, format_age_of, format_duration, format_rfc3339, parse_time
from extdns.engine.delete_budget import WINDOW_S
from extdns.errors import sanitize
from extdns.model.evidence import ALL_ZONES, Evidence, describe_hold, format_scope
from extdns.model.reason import REASONS, Reason
from extdns.model.value import format_count

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import datetime

    from extdns.config import Config
    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.flags.process import ClusterFlags
    from extdns.flags.records import DeleteFlags
    from extdns.model.evidence import HeldSet as EngineHeldSet
    from extdns.model.saved_state import Saved, SavedScope, SavedZone


_STATE_FLAGS: Final = frozenset({"server", "kubeconfig", "state-configmap"})
_STANDBY: Final = "this process is a standby; only the leader knows every held delete"
_ASK: Final = "to ask a running process: extdns status --controller=URL"
UNKNOWN: Final = f"Whether deletes are held is not known; {_ASK}"


class HeldRecord(Document, frozen=True):
    """A record whose delete is held, with the evidence as a reason code."""

    name: str
    type: str
    set_identifier: str
    evidence: str


class HeldRecordDocument(HeldRecord, frozen=True):
    """A record whose delete is held, with the evidence as a reason code, and the cause of the hold as text."""

    zone: ZoneReference
    targets: tuple[str, ...]
    resource: str
    cause: str = ""


class HeldSetDocument(Document, frozen=True):
    """The held deletes of one scope, and the command that approves them.

    The scope is a zone, a namespace in a zone, or all zones; for all zones the name and id of `zone` are "".
    """

    scope: Literal["zone", "namespace", "all-zones"]
    zone: ZoneReference
    namespace: str
    approval_code: str
    command: str
    records: tuple[HeldRecordDocument, ...]


class HeldDocument(LiveDocument, frozen=True, tag="Held"):
    """The held deletes of all scopes that have a code.

    `problem` is why some held deletes may be missing here, or could not be saved to the state store; "" if there is no
    problem. `otherCluster` is the id of the cluster that the objects come from, if a person has to accept that cluster
    with `acceptCommand` before updates and deletes are made; otherwise both are "".
    """

    items: tuple[HeldSetDocument, ...]
    problem: str = ""
    other_cluster: str = ""
    accept_command: str = ""


def build_held(live: ProcessSnapshot, config: Config) -> HeldDocument:
    """Describe the held deletes by scope, without scopes that have no code yet."""
    other = live.engine.other_cluster
    return HeldDocument(
        at=live.at,
        items=tuple(build_held_set(found, config) for found in live.engine.held_sets if found.code),
        problem=live.engine.state_problem or ("" if live.engine.is_leader else _STANDBY),
        other_cluster=other,
        accept_command=format_accept_command(config, other) if other else "",
    )


def build_held_set(found: EngineHeldSet, config: Config) -> HeldSetDocument:
    """Describe the held deletes of one scope."""
    return HeldSetDocument(
        scope="all-zones" if found.scope == ALL_ZONES else "namespace" if found.scope.namespace else "zone",
        zone=build_zone_reference(found.zone) if found.zone else ZoneReference(name="", id=""),
        namespace=found.scope.namespace,
        approval_code=found.code,
        command=format_approve_command(config, found.code),
        records=tuple(
            HeldRecordDocument(
                zone=build_zone_reference(one.zone),
                name=one.owned.record.name,
                type=one.owned.record.type,
                set_identifier=one.owned.record.set_identifier,
                targets=one.owned.record.targets,
                resource=one.owned.resource,
                evidence=one.evidence.value,
                cause=one.cause,
            )
            for one in found.held
        ),
    )


def describe_scope(one: HeldSetDocument) -> str:
    """Describe the scope of a held set, as `namespace shop in zone example.org`."""
    return format_scope(one.zone.name, one.namespace)


def format_approve_command(config: Config, code: str) -> str:
    """Return the command that approves *code*: `extdns approve`, or without saved state the flag `--approve`."""
    return _format_command(config, "approve", code)


def format_accept_command(config: Config, cluster: str) -> str:
    """Return the command that accepts *cluster*: `extdns accept-cluster`, or without saved state `--accept-cluster`."""
    return _format_command(config, "accept-cluster", cluster)


def _format_command(config: Config, command: str, code: str) -> str:
    if not config.deletes.state_file and (config.cluster.manifests or not config.deletes.state_configmap):
        return f"extdns --{command}={code} [flags]"
    return shlex.join(("extdns", command, code, *list_state_flags(config.cluster, config.deletes)))


def list_state_flags(cluster: ClusterFlags, deletes: DeleteFlags) -> Iterator[str]:
    """Yield the flags that a command needs to find the same state store; defaults are left out."""
    if deletes.state_file:
        yield f"--state-file={deletes.state_file}"
        return
    for flag, value in (*cluster.list_settings(), *deletes.list_settings()):
        if flag.name in _STATE_FLAGS and value != flag.default:
            yield from flag.format_arguments(value, masked=True)


def describe_other_cluster(cluster: str) -> str:
    """Describe that the objects come from another *cluster* than the saved state belongs to."""
    return (
        f"The objects come from another cluster than before, {cluster}: updates and deletes are held until a person"
        " accepts it."
    )


@escape_lines
def format_held(document: HeldDocument) -> Iterator[str]:
    """Yield the lines about the held deletes of a running process."""
    records = [record for one in document.items for record in one.records]
    if records or not (document.problem or document.other_cluster):
        yield f"{format_count(len(records), 'delete')} held." if records else "No delete is held."
    if document.problem:
        yield f"Not all is known: {document.problem}"
    if document.other_cluster:
        yield describe_other_cluster(document.other_cluster)
    for one in document.items:
        yield ""
        where = describe_scope(one)
        yield f"{where[:1].upper()}{where[1:]}"
        yield from _format_set("  ", "", len(one.records), one.approval_code, one.records)
    yield from _explain_holds((one.cause for one in records), records)
    yield ""
    yield f"Answered by {describe_process(document.process)}"
    if document.items or document.other_cluster:
        yield ""
    if document.other_cluster:
        yield f"Continue with this cluster: {document.accept_command}"
    for one in document.items:
        yield f"Approve {'them' if len(one.records) > 1 else 'it'} in {describe_scope(one)}: {one.command}"


def _format_set(indent: str, where: str, deletes: int, code: str, records: Sequence[HeldRecord]) -> Iterator[str]:
    yield f"{indent}! {format_count(deletes, 'delete')}{where} HELD, code {code}"
    for one in records:
        member = f" ({one.set_identifier})" if one.set_identifier else ""
        yield f"{indent}    {sanitize(f'{one.name} {one.type}{member}', 300)} [{one.evidence}]"
    if records and (more := deletes - len(records)) > 0:
        yield f"{indent}    and {format_count(more, 'more delete')}; the log lists all"


def _explain_holds(causes: Iterable[str], records: Iterable[HeldRecord]) -> Iterator[str]:
    """Yield the *causes* of holds, and the meaning of the evidence for *records*; nothing if no code is known."""
    if codes := sorted({one.evidence for one in records} & set(Evidence)):
        yield ""
        yield "Why"
        for cause in sorted(set(causes) - {""}):
            yield f"  [{Reason.HELD}] {cause[:1].upper() + cause[1:]}."
        for code in codes:
            yield f"  [{code}] {REASONS[code].row.text}"


# The saved state


class SavedHeldRecord(HeldRecord, frozen=True):
    """A record whose delete is held, with the evidence."""

    zone_id: str


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

    `records` is the number of names with records of ours, null if it is not known, `held` the number of deletes in
    `heldSets`, and `deleted` the number of names with deletes that were made without approval in the last ten minutes.
    Unless the settings are `accepted` for the zone, deletes of orphans are held.
    """

    zone: ZoneReference
    saved: str
    records: int | None
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

    def list_held_sets(self) -> Iterator[SavedHeldSet]:
        """Yield the sets of each zone, then those of all zones."""
        for zone in self.zones:
            yield from zone.held_sets
        yield from self.held_across_zones


class SavedStateDocument(RootDocument, frozen=True, tag="SavedState"):
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


def build_saved_state(
    owners: Iterable[tuple[str, Saved]],
    now_s: float,
    *,
    store: str,
    approvals: Iterable[str],
    unreadable: Iterable[str],
) -> SavedStateDocument:
    """Describe the saved state of every owner id, read from *store*.

    *approvals* are codes that a person approved and no process has read yet. *unreadable* has a message for each value
    that cannot be read.
    """
    statuses = tuple(_build_owner_status(owner, saved, now_s) for owner, saved in owners)
    return SavedStateDocument(
        store=store,
        held=sum(one.deletes for owner in statuses for one in owner.list_held_sets()),
        owners=statuses,
        waiting=tuple(approvals),
        unreadable=tuple(unreadable),
    )


def _build_owner_status(owner: str, saved: Saved, now_s: float) -> SavedOwnerStatus:
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
        records=records or None,  # a process that starts saves before it has counted them
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
    return (SavedHeldSet(namespace, scope.code, deletes, records, tuple(sorted(causes))),)


@escape_lines
def format_saved_state(document: SavedStateDocument, now: datetime, flags: Sequence[str]) -> Iterator[str]:
    """Yield the lines about the saved state: held deletes first, the command that approves them last.

    With *flags*, commands use the same state store.
    """
    others = sorted({owner.other_cluster for owner in document.owners} - {""})
    if document.held or not others:
        is_saved = any(one.zones for one in document.owners)
        yield _describe_saved(document, now) if is_saved else f"No process has saved its state here yet. {UNKNOWN}"
    yield from map(describe_other_cluster, others)
    for owner in document.owners:
        yield ""
        yield from _format_owner(owner, now)
    for problem in document.unreadable:
        yield ""
        yield f"Unreadable: {problem}"
    if document.waiting:
        yield ""
        yield f"Codes that a person approved and no process has read yet: {', '.join(document.waiting)}"
    for cluster in others:
        yield ""
        yield f"Continue with this cluster: {shlex.join(['extdns', 'accept-cluster', cluster, *flags])}"
    yield ""
    yield f"Read from {document.store}"
    yield f"What is held now is not known; {_ASK}"
    held = [one for owner in document.owners for one in owner.list_held_sets()]
    yield from _explain_holds(
        (cause for one in held for cause in one.causes), (record for one in held for record in one.records)
    )
    if held:
        command = shlex.join(["extdns", "approve", *(one.approval_code for one in held), *flags])
        yield ""
        yield f"Approve {'them' if document.held > 1 else 'it'}: {command}"


def _describe_saved(document: SavedStateDocument, now: datetime) -> str:
    times = filter(None, (parse_time(zone.saved) for owner in document.owners for zone in owner.zones))
    saved = max(times, default=None)
    age = "at a time that is not known" if saved is None else f"{format_duration((now - saved).total_seconds())} ago"
    held = format_count(document.held, "delete") if document.held else "No delete"
    return f"{held} {'were' if document.held > 1 else 'was'} held when the state was saved, {age}."


def _format_owner(owner: SavedOwnerStatus, now: datetime) -> Iterator[str]:
    yield f"Owner {owner.owner}" if owner.owner else "Without an owner id"
    if owner.other_cluster:
        yield f"  ! updates and deletes are HELD: another cluster, {owner.other_cluster}"
    for zone in owner.zones:
        yield from _format_zone(zone, now)
    if owner.held_across_zones:
        yield "  All zones together"
        yield from _format_saved_sets(owner.held_across_zones)
    if owner.approved:
        until = format_age_of(owner.approved_until, None)
        yield f"  · {format_count(owner.approved, 'delete')} approved, until {until} at the latest"


def _format_zone(zone: SavedZoneStatus, now: datetime) -> Iterator[str]:
    saved = f", saved {format_age_of(zone.saved, now)}" if zone.saved else ""
    name = _name_zone(zone.zone.id, zone.zone.name)
    names = "number of names" if zone.records is None else format_count(zone.records, "name")
    unknown = " not known" if zone.records is None else ""
    yield f"  Zone {name}: {names} with records of ours{unknown}{saved}"
    yield from _format_saved_sets(zone.held_sets)
    if zone.deleted:
        absent = f", {zone.deleted_by_absence} of them by absence" if zone.deleted_by_absence else ""
        names = format_count(zone.deleted, "name")
        yield f"    - {names} with deletes in the last ten minutes without an approval{absent}"
    if not zone.accepted:
        yield "    · the settings are not accepted yet: deletes of orphans are held"


def _format_saved_sets(sets: Iterable[SavedHeldSet]) -> Iterator[str]:
    for one in sets:
        where = f" in namespace {one.namespace}" if one.namespace else ""
        yield from _format_set("    ", where, one.deletes, one.approval_code, one.records)


def _name_zone(id_: str, name: str) -> str:
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
            where = f"zone {_name_zone(zone_id, zone.name)}"
            yield sanitize(f"namespace {namespace} in {where}") if namespace else where, scope
    yield "all zones", saved.all_zones
