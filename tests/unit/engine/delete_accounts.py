"""Grace periods, budgets, holds and approvals, computed independently from what is requested, shown and written.

None of the engine's own counts is used. See docs/design/delete-safety.md.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.model.change import Batch, Delete
from extdns.model.claim import ResolvedClaim, UnresolvedClaim
from extdns.model.evidence import Evidence, HeldSet
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, Record, RecordKey
from extdns.model.zone import Zone
from extdns.planner.coexistence import can_coexist
from tests.builders import REGISTRY
from tests.fakes.faulty import Submission
from tests.unit.engine.cluster import Cluster, NameClaim, namespace_in
from tests.unit.engine.machine_zones import ZONES, contents_with_ownership, known_with_ownership
from tests.world import World

_WINDOW_S = 600.0
_APPROVAL_S = 24 * 3600.0
_HALF = 2
_ROUNDING_S = 1e-6
_CONFIRMED = frozenset({Evidence.ABSENT, Evidence.ORPHAN_GONE})
_ALL_ZONES = ("", "")

Scope = tuple[str, str]
"""Zone id and namespace: ("Z", "shop"), ("Z", "") for the whole zone, ("", "") for all zones."""
Name = tuple[str, str, str]
"""Zone id, name and set identifier: what budgets count as one."""
ZoneAndKey = tuple[str, RecordKey]
"""Zone id and record."""


class MostOwned:
    """The maximum of names that were ours within two windows, since the engine may notice removed records late."""

    def __init__(self) -> None:
        self._count = 0
        self._former: deque[tuple[float, int]] = deque()  # until when, how many

    def note(self, count: int, until_s: float) -> None:
        """Note that there are *count* now, and that until *until_s* there were as many as noted before."""
        if count != self._count:
            self._former.append((until_s, self._count))
            self._count = count

    def find_most(self, now_s: float) -> int:
        """Return the most within the last two windows before *now_s*."""
        while self._former and self._former[0][0] < now_s - 2 * _WINDOW_S:
            self._former.popleft()
        return max((self._count, *(count for _, count in self._former)))


@dataclass(slots=True)
class Hold:
    """A held delete that was shown. After its code was shown, too, it is known to the next process.

    Attributes:
        is_insufficient: whether it is held only for insufficient evidence. Then it ends when the settings are
            accepted, whatever evidence it has by then.
        is_saved: whether its code was shown.
    """

    is_insufficient: bool
    is_saved: bool


@dataclass(slots=True)
class Approval:
    """What a person approved: exactly this record, for a day."""

    owned: OwnedRecord
    until_s: float


@dataclass(kw_only=True)
class DeleteAccounts:
    """What may be deleted now.

    Attributes:
        forgets: whether state cannot be saved, so that the next process knows none of this.
        started_s: when the process began.
        requested: record and resource of all that resolved claims request now, and whether rules deny the request.
        requested_s: the same of all requests, and when each was made last.
        holds, approvals: by record.
        made: by scope and whether by absence, when a record was deleted without approval, and its name.
        owned: by scope, how many names had records of ours, in the zone or in the cache of the engine.
        transfers: records whose delete was submitted as a transfer to another namespace; no budget counts it.
    """

    settings: DeleteSettings
    forgets: bool = False
    started_s: float = 0.0
    requested: set[tuple[RecordKey, str, bool]] = field(default_factory=set)
    requested_s: dict[tuple[RecordKey, str, bool], float] = field(default_factory=dict)
    holds: dict[ZoneAndKey, Hold] = field(default_factory=dict)
    approvals: dict[ZoneAndKey, Approval] = field(default_factory=dict)
    made: dict[tuple[Scope, bool], list[tuple[float, Name]]] = field(default_factory=dict)
    owned: dict[Scope, MostOwned] = field(default_factory=dict)
    transfers: set[ZoneAndKey] = field(default_factory=set)
    _seen_s: float = 0.0
    _seen_requests: tuple[object, ...] = ()
    _seen_records: dict[str, tuple[tuple[tuple[Record, ...], ...], float]] = field(default_factory=dict)

    def restart(self, now_s: float) -> None:
        """Start another process, which knows what the former one deleted, held and approved if that was saved."""
        self.started_s = now_s
        if self.forgets:
            self.made.clear()
            self.holds.clear()
        self.holds = {location: hold for location, hold in self.holds.items() if hold.is_saved}

    def note(self, cluster: Cluster, world: World) -> None:
        """Note what is requested, and what is ours, before the engine takes its next step."""
        now_s = world.now_s
        self._note_owned(world)
        if now_s > self._seen_s:  # a request that ended at once does not count
            self.requested_s |= dict.fromkeys(self.requested, now_s)
        self._seen_s = now_s
        requests = (*cluster.requests.values(), cluster.denied_targets, cluster.has_rule_answers)
        if requests != self._seen_requests:
            self._seen_requests = requests
            self.requested = {
                (claim.desired.key, claim.provenance.ref.key.resource, cluster.is_denied(claim))
                for _, claim in cluster.all_claims()
                if isinstance(claim, ResolvedClaim)
            }
        for location in [location for location in self.holds if self._has_hold_ended(location, cluster, world)]:
            del self.holds[location]

    def note_held(self, engine: Engine) -> None:
        """Note what the engine holds after a step."""
        for shown in engine.delete_guard.held_sets():
            for one in shown.held:
                location = one.zone.id, one.owned.key
                hold = self.holds.setdefault(location, Hold(one.evidence is Evidence.ORPHAN_UNCLAIMED, is_saved=False))
                hold.is_insufficient &= one.zone.id not in engine.delete_guard.accepted
                hold.is_saved |= bool(shown.code)

    def approve(self, shown: HeldSet, now_s: float) -> None:
        """Approve what is *shown*, as a person does."""
        for one in shown.held:
            self.approvals[one.zone.id, one.owned.key] = Approval(one.owned, now_s + _APPROVAL_S)

    def is_approved(self, zone_id: str, owned: OwnedRecord, now_s: float) -> bool:
        """Return whether a person approved the delete of just this record."""
        found = self.approvals.get((zone_id, owned.key))
        return found is not None and found.owned.record == owned.record and now_s <= found.until_s + _ROUNDING_S

    # laws

    def check_batch(self, batch: Batch, cluster: Cluster, engine: Engine, now_s: float) -> None:
        """Check the deletes of a batch that the engine submits: none is held, and each grace period has ended."""
        for change in _deletes(batch):
            approved = self.is_approved(batch.zone.id, change.current, now_s)
            location = batch.zone.id, change.key
            hold = self.holds.get(location)
            # The requests count as of the submission of the delete, not of its execution.
            self.transfers.discard(location)
            if _is_transfer(change, cluster):
                self.transfers.add(location)
                hold = None  # another object claims the name
            if hold and hold.is_insufficient and batch.zone.id in engine.delete_guard.accepted:
                hold = None  # the settings were accepted: the evidence was sufficient
            assert hold is None or approved, f"{change.key} goes although it is held"
            if self.settings.reads_manifests and self.settings.limits.percent < 100 and change.evidence.is_by_absence:
                is_free = approved or location in self.transfers
                assert is_free or any(cluster.requests.values()), f"{change.key} goes although nothing is requested"
            wait_s = self.settings.grace_s
            if change.evidence is Evidence.UNRESOLVED_EXPIRED:
                wait_s = self.settings.unresolved_timeout_s or 0.0
            quiet_s = now_s - max(self._last_requested_s(change), self.started_s)
            assert quiet_s > wait_s - _ROUNDING_S, f"{change.key} goes after {quiet_s} s"

    def _last_requested_s(self, change: Delete) -> float:
        """Return when an object of the record's namespace requested it last: claims that others lost do not count.

        If the object is absent, only its own requests count. If the ownership record names no object, those of all
        namespaces count, unless rules deny them.
        """
        resource, namespace = change.current.resource, namespace_in(change.current.resource)

        def counts(requester: str, *, is_denied: bool) -> bool:
            if change.evidence in _CONFIRMED:
                return requester == resource
            return namespace_in(requester) == namespace if resource else not is_denied

        return max(
            (
                at_s
                for (key, requester, is_denied), at_s in self.requested_s.items()
                if key == change.key and counts(requester, is_denied=is_denied)
            ),
            default=self.started_s,
        )

    def check_budget(self, submission: Submission, now_s: float) -> None:
        """Check, after a batch was written, that no scope lost more than its budget without approval."""
        zone_id = submission.batch.zone.id
        for change in _deletes(submission.batch):
            if change.key not in submission.before or change.key in submission.after:
                continue
            if self.is_approved(zone_id, change.current, now_s) or (zone_id, change.key) in self.transfers:
                continue
            for scope in _scopes_of(zone_id, change):
                made = self.made.setdefault((scope, change.evidence.is_by_absence), [])
                made.append((now_s, (zone_id, str(change.key.name), change.key.set_identifier)))
                self._check_scope(scope, now_s, by_absence=change.evidence.is_by_absence)

    def _check_scope(self, scope: Scope, now_s: float, *, by_absence: bool) -> None:
        begin_s = now_s - _WINDOW_S + _ROUNDING_S
        made = len({name for at_s, name in self.made[scope, by_absence] if at_s > begin_s})
        owned = [one for other, one in self.owned.items() if other == scope or _is_part(other, scope)]
        most = sum(one.find_most(now_s) for one in owned)
        weight, limits = made * (_HALF if by_absence else 1), self.settings.limits
        fits = weight <= limits.count or weight * 100 <= limits.percent * most or limits.percent == 100
        assert fits, f"{scope}: {made} names of {most}"

    def _note_owned(self, world: World) -> None:
        listed = {zone_state.zone.id for zone_state in world.engine.zones}
        for zone in ZONES:
            if zone.id not in listed:
                continue
            seen = (
                tuple(contents_with_ownership(world, zone).values()),
                tuple(known_with_ownership(world.engine, zone).values()),
            )
            before, until_s = self._seen_records.get(zone.id, (None, 0.0))
            self._seen_records[zone.id] = seen, world.now_s
            if seen == before:  # most steps change nothing
                continue
            counts = [count_ours(records, zone) for records in seen]
            for namespace in {"", *counts[0], *counts[1], *(ns for id_, ns in self.owned if id_ == zone.id)}:
                most = max(count[namespace] for count in counts)
                self.owned.setdefault((zone.id, namespace), MostOwned()).note(most, until_s)

    def _has_hold_ended(self, location: ZoneAndKey, cluster: Cluster, world: World) -> bool:
        """Return whether the record is kept, gone or foreign now, or belongs to another zone.

        It is kept if it is requested, or if rules deny what its object requests, or its namespace in its place.
        """
        zone_id, key = location
        zone = next(zone for zone in ZONES if zone.id == zone_id)
        for claim in cluster.claims_to(key.name):
            same = isinstance(claim, UnresolvedClaim) or claim.desired.type == key.type
            if same and claim.set_identifier == key.set_identifier:
                return True
        homes = {zone_state.zone.id for zone_state in world.engine.zones.containing(key.name)}
        if homes and zone_id not in homes:
            return True
        owned = read_ownership(tuple(contents_with_ownership(world, zone).values()), zone).get(key)
        if owned is None or not owned.is_ours:
            return True
        known = read_ownership(tuple(known_with_ownership(world.engine, zone).values()), zone).get(key)
        unresolved = [
            claim.provenance.ref.key.resource
            for claim in cluster.claims_to(key.name)
            if isinstance(claim, UnresolvedClaim) and claim.reason is not Reason.NO_ENDPOINTS
        ]
        if any(one.resource in unresolved for one in (owned, known) if one):  # it may get another set identifier
            return True
        denied = [
            claim
            for claim in cluster.claims_to(key.name)
            if isinstance(claim, ResolvedClaim)
            and cluster.is_denied(claim)
            and claim.set_identifier == key.set_identifier
        ]
        return any(_is_kept_for(one, claim) for one in (owned, known) if one for claim in denied)


def _is_kept_for(owned: OwnedRecord, claim: ResolvedClaim) -> bool:
    """Return whether rules that deny *claim* keep *owned*: its object requests it, or its namespace in its place."""
    if claim.provenance.ref.key.resource == owned.resource:
        return True
    is_of_namespace = not owned.resource or _is_of_namespace(claim, namespace_in(owned.resource))
    return is_of_namespace and not can_coexist((owned.record, claim.desired))


def _is_part(scope: Scope, of: Scope) -> bool:
    """Return whether *scope* is a zone and *of* stands for all zones."""
    return of == _ALL_ZONES and scope[0] != "" and scope[1] == ""


def _scopes_of(zone_id: str, change: Delete) -> list[Scope]:
    scopes = {(zone_id, namespace_in(change.current.resource)), (zone_id, "")}
    return sorted({*scopes, _ALL_ZONES} if change.evidence.is_by_absence else scopes)


def _is_transfer(change: Delete, cluster: Cluster) -> bool:
    """Return whether another namespace now requests a record that cannot coexist with the deleted one."""
    resource, key = change.current.resource, change.key
    claims = [claim for claim in cluster.claims_to(key.name) if claim.set_identifier == key.set_identifier]
    if not resource or any(_is_of_namespace(claim, namespace_in(resource)) for claim in claims):
        return False
    types = {claim.desired.type for claim in claims if isinstance(claim, ResolvedClaim)}
    return key.type in types or "CNAME" in types or (key.type == "CNAME" and bool(types))


def _is_of_namespace(claim: NameClaim, namespace: str) -> bool:
    return claim.provenance.ref.key.namespace == namespace


def _deletes(batch: Batch) -> Iterable[Delete]:
    return (
        change
        for change_set in batch.change_sets
        for change in change_set.changes
        if isinstance(change, Delete) and change.evidence is not Evidence.REPLACED
    )


@lru_cache(maxsize=256)
def read_ownership(records: tuple[Record, ...], zone: Zone) -> dict[RecordKey, OwnedRecord]:
    """Return *records* with their owners; needed at every step, while little changes."""
    return {owned.key: owned for owned in REGISTRY.read(records, zone)}


@lru_cache(maxsize=256)
def count_ours(records: tuple[Record, ...], zone: Zone) -> Counter[str]:
    """Count the names with records that are ours, by the namespace of their resources, and "" for all."""
    ours = [owned for owned in read_ownership(records, zone).values() if owned.is_ours]
    names = {
        (namespace, one.key.name, one.key.set_identifier)
        for one in ours
        for namespace in ("", namespace_in(one.resource))
    }
    return Counter(namespace for namespace, *_ in names)
