"""The laws (docs/design/laws.md), as checks of the batches, decisions and final zones of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from extdns.engine.engine import Engine
from extdns.engine.parent_zones import find_sharing_zones
from extdns.model.change import Action, Applied, Batch, ChangeSet, Create, Delete, Update
from extdns.model.claim import ResolvedClaim, UnresolvedClaim
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, Record, RecordKey
from extdns.model.rrtype import is_row
from extdns.model.zone import Zone
from extdns.planner.settings import PlanSettings, Policy
from extdns.ports import Registry
from registry.rows.row import build_row_key
from tests.fakes.faulty import Contents, Submission
from tests.unit.engine.cluster import Cluster, NameClaim
from tests.unit.engine.machine_zones import contents_with_ownership
from tests.world import World

# The reasons that decisions may keep for ever; any other reason must end.
LASTING = frozenset({
    Reason.PUBLISHED,
    Reason.NO_ADDRESS,
    Reason.NO_ENDPOINTS,
    Reason.NO_GATEWAY,
    Reason.INVALID_NAME,
    Reason.ORPHAN_UNCLAIMED,
    Reason.POLICY_KEEPS,
    Reason.POLICY_KEEPS_TYPE,
    Reason.OWNED_BY_OTHER,
    Reason.FOREIGN_RECORD,
    Reason.REQUESTED_BY_OTHER,
    Reason.MERGED_BEFORE,
    Reason.INCOMPATIBLE_TYPE,
    Reason.INCOMPATIBLE_RECORD,
    Reason.NO_OWNERSHIP_NAME,
    Reason.DUPLICATE_OWNERSHIP_NAME,
    Reason.TOO_LARGE,
    Reason.REFUSED,  # by the service itself, such as a CNAME beside somebody's TXT
    Reason.NO_ZONE,
    Reason.ZONE_MOVED,
    Reason.HELD,
})  # fmt: skip

_OURS = ("external-dns/owner=me,", 'external-dns/owner=me"')


def is_ownership_record(record: Record | None) -> bool:
    if record is None:
        return False
    return is_row(record.type) or (record.type == "TXT" and record.targets[0].startswith('"heritage='))


def is_own_ownership_record(record: Record) -> bool:
    if is_row(record.type):
        return "owner=me" in record.targets
    return is_ownership_record(record) and any(ours in record.targets[0] for ours in _OURS)


def ownership(registry: Registry, contents: Contents, zone: Zone) -> dict[RecordKey, OwnedRecord]:
    return {owned.key: owned for owned in registry.read(contents.values(), zone)}


def check_submission(
    submission: Submission,
    registry: Registry,
    known: Contents | None = None,
    in_parent: Contents | None = None,
    zone_names: Iterable[DnsName] = (),
) -> None:
    """Check laws 1, 5 and 6: changed records were ours and as planned, and new records have ownership records.

    Another writer may have edited a record since the zone was read, so that an ownership record may now seem to cover
    another record. So ownership is determined from the records that the engine knew.

    Args:
        submission: the batch and its effect.
        registry: reads ownership.
        known: the records of the zone that the engine knew, by default all of them.
        in_parent: the ownership records of the name of the zone that are in the parent zone.
        zone_names: the names of all zones. Several zones may have their ownership records in common, so that these
            are deleted after the records.
    """
    in_parent = in_parent or {}
    before, after = {**in_parent, **submission.before}, {**in_parent, **submission.after}
    if isinstance(submission.outcome, Applied):
        for write in submission.batch.writes:
            assert before.get(write.key) == write.old, f"{write.key} was not what the plan saw"
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    known_before = before if known is None else known
    known_after = {key: record for key, record in known_before.items() if key not in changed}
    known_after |= {key: after[key] for key in changed & after.keys()}
    going = {one.key for part in submission.batch.change_sets for one in part.changes if isinstance(one, Delete)}
    for key in before.keys() - after.keys():
        assert key in going or before[key].type == "TXT" or is_row(key.type), f"{key} goes, and no delete says so"
    # Ownership is proved by the records that the write states. Ownership records, and records at their names, that
    # another writer added since then do not count.
    zone = submission.batch.zone
    proofs = (ownership(registry, before, zone), ownership(registry, known_before, zone))
    for key in sorted(changed):
        old, new = before.get(key), after.get(key)
        if old is not None:
            proved = any(key in owned and owned[key].is_ours for owned in proofs)
            assert is_own_ownership_record(old) or proved or _has_ownership_record(key, before, registry), (
                f"{key} was not proved ours, and is changed"
            )
        if not is_ownership_record(old or new):
            if new is None:
                assert key.name in zone_names or not _has_ownership_record(key, known_after, registry), (
                    f"{key} goes without its ownership record"
                )
            else:
                assert _has_ownership_record(key, after, registry), f"{key} has no ownership record"
    touched = {key.name for key in changed}
    owned_after = ownership(registry, known_after, zone)
    for key, owned in proofs[1].items():
        if key.name not in touched and key in owned_after:
            assert owned_after[key].is_ours == owned.is_ours, f"{key} belongs to somebody else now"


def _has_ownership_record(key: RecordKey, contents: Contents, registry: Registry) -> bool:
    rtype = key.type.lower()
    is_at_name = registry.ownership_name(key.name) == key.name
    names = (key.name,) if is_at_name else (f"{rtype}-{key.name}", f"_extdns-{rtype}.{key.name}")
    keys = [build_row_key(key), *(RecordKey(DnsName(name), key.set_identifier, "TXT") for name in names)]
    found = map(contents.get, keys)
    return any(one is not None and is_own_ownership_record(one) for one in found)


def check_intentions(
    batch: Batch, cluster: Cluster, plan: PlanSettings, is_approved: Callable[[OwnedRecord], bool]
) -> None:
    """Check law 2 and the policy, given what the engine had observed when it submitted, and what a person approved."""
    for change_set in batch.change_sets:
        for change in change_set.changes:
            match change:
                case Create():
                    pass
                case Update():
                    assert plan.policy is not Policy.CREATE_ONLY
                    _check_targets(change, cluster)
                case Delete():
                    assert plan.policy is Policy.SYNC
                    if change.evidence is Evidence.REPLACED:
                        _check_replaced(change, change_set, cluster)
                    else:
                        _check_evidence(change, cluster, approved=is_approved(change.current))


def _check_targets(change: Update, cluster: Cluster) -> None:
    """Check that no target is removed only because a list lacks an object that may exist.

    Claims of another source or namespace than that of the record do not count: only those of one are merged.
    """
    removed = set(change.current.record.targets) - set(change.desired.targets)
    if set(change.desired.targets) - set(change.current.record.targets):
        return
    resource = cluster.find_object(change.current.resource)
    for claim in cluster.unconfirmed_claims():
        requester = claim.provenance.ref
        place = requester.key.kind, requester.key.namespace
        if claim.desired.key == change.key and (resource is None or place == (resource.kind, resource.namespace)):
            assert not removed & set(claim.desired.targets), f"{change.key} loses what {requester} requested"


def _check_evidence(change: Delete, cluster: Cluster, *, approved: bool) -> None:
    key, evidence, resource = change.key, change.evidence, cluster.find_object(change.current.resource)
    assert evidence.is_sufficient or approved or cluster.was_complete
    claims = [claim for claim in cluster.claims_to(key.name) if claim.set_identifier == key.set_identifier]
    if resource is not None:  # claims of other namespaces do not keep the record
        claims = [claim for claim in claims if claim.provenance.ref.key.namespace == resource.namespace]
    for claim in claims:
        # A denied request keeps the records of its namespace, and which namespace this one is of is unknown.
        is_denied = resource is None and cluster.is_denied(claim)
        assert is_denied or not _requests(claim, key), f"{key} is still requested"
    if resource is None:
        _check_evidence_of_any_object(change, cluster)
    else:
        _check_evidence_of_object(change, resource, claims, cluster)


def _check_evidence_of_any_object(change: Delete, cluster: Cluster) -> None:
    """Check a delete of a record whose ownership record names no object: any object may have stopped requesting it."""
    key, evidence = change.key, change.evidence
    requested = any((name, set_id) == (key.name, key.set_identifier) for _, name, set_id in cluster.ever_requested)
    assert requested if evidence.is_sufficient else cluster.is_complete, f"{key} goes, and nobody requested it"
    assert evidence is not Evidence.ORPHAN_GONE, f"{key} goes for the absence of an object that nobody named"
    unconfirmed = [claim for claim in cluster.unconfirmed_claims() if claim.desired.key == key]
    assert evidence is Evidence.ORPHAN_UNCLAIMED or not unconfirmed, f"{key} goes while {unconfirmed} may be requested"


def _check_evidence_of_object(
    change: Delete, resource: ObjectKey, claims: Iterable[NameClaim], cluster: Cluster
) -> None:
    key, evidence = change.key, change.evidence
    assert cluster.phases[resource.kind] is Phase.SYNCED, f"{key} goes while its source is down"
    assert resource not in cluster.failing, f"{key} goes although its object cannot be computed"
    unresolved = [claim for claim in claims if isinstance(claim, UnresolvedClaim)]
    if evidence is Evidence.UNRESOLVED_EXPIRED:
        unresolved = [claim for claim in cluster.claims_to(key.name) if isinstance(claim, UnresolvedClaim)]
        is_hidden = resource in cluster.hiding and (resource, key.name, key.set_identifier) in cluster.ever_requested
        assert unresolved or is_hidden, f"{key} goes, and no claim to it is unresolved"
        return
    for claim in unresolved:
        assert claim.reason is Reason.NO_ENDPOINTS, f"{key} goes while its claim is unresolved"
    is_stated = any(claim.set_identifier == key.set_identifier for claim in unresolved)
    is_stated |= any(claim.provenance.ref.key == resource for claim in claims)
    assert is_stated or resource not in cluster.hiding, f"{key} goes although its object has an invalid hostname"
    match evidence:
        case Evidence.NO_ENDPOINTS:
            assert any(claim.provenance.ref.key == resource for claim in unresolved)
        case Evidence.ABSENT | Evidence.ORPHAN_GONE:
            assert resource in cluster.confirmed, f"{key} goes for absence that nobody confirmed"
        case Evidence.OBJECT_DELETED:
            assert resource in cluster.deleted
        case Evidence.ORPHAN_UNCLAIMED:
            assert cluster.is_complete
            assert resource in cluster.requests, f"{key} goes although a list only lacks its object"
        case _:
            requested = (resource, key.name, key.set_identifier) in cluster.ever_requested
            assert requested, f"{key} was never requested by {resource}"


def _requests(claim: NameClaim, key: RecordKey) -> bool:
    return isinstance(claim, ResolvedClaim) and claim.desired.type == key.type


def _check_replaced(change: Delete, change_set: ChangeSet, cluster: Cluster) -> None:
    """Check that a record that cannot coexist with *change* is requested, or made instead for the same object."""
    key, resource = change.key, cluster.find_object(change.current.resource)
    claims = [claim for claim in cluster.claims_to(key.name) if isinstance(claim, ResolvedClaim)]
    made = [one.key for one in change_set.changes if isinstance(one, Create)]
    if any(_excludes(claim.desired.key, key) for claim in claims):
        return
    own = [claim.desired.key for claim in claims if claim.provenance.ref.key == resource]
    assert {"A", "AAAA"} == {key.type, *(one.type for one in own if one in made)}, f"nothing replaces {key}"


def _excludes(new: RecordKey, old: RecordKey) -> bool:
    return "CNAME" in {old.type, new.type} or (old.type == new.type and old.set_identifier != new.set_identifier)


def check_decisions(engine: Engine, cluster: Cluster, managed: frozenset[str]) -> None:
    """Check law 7: each claim and each current record has one decision in each zone that was read."""
    for zone_state in engine.zones:
        if not zone_state.cache.is_complete:
            continue
        for name in zone_state.cache.names():
            if any(home is not zone_state for home in engine.zones.containing(name)):
                continue
            sharing = find_sharing_zones(engine.zones, zone_state, name, engine.settings.registry)
            if not all(one.cache.is_complete for one in sharing):
                continue  # the owner is not known
            decided = Counter(
                (one.set_identifier, one.type)
                for one in engine.decisions.decisions(name)
                if one.current and one.zone == zone_state.zone
            )
            present = {
                (record.set_identifier, record.type)
                for record in zone_state.cache.records(name)
                if record.type in managed and not is_ownership_record(record)
            }
            assert decided == Counter(present), f"{name}: decided {decided}, present {present}"
    for name in {name for name, _ in cluster.all_claims()}:
        _check_claims(engine, cluster, name)


def _check_claims(engine: Engine, cluster: Cluster, name: DnsName) -> None:
    decisions = engine.decisions.decisions(name)
    homes: set[Zone | None] = {zone_state.zone for zone_state in engine.zones.containing(name)}
    homes = homes or {None}
    claims = [claim for found, claim in cluster.all_claims() if found == name]
    provenances = Counter(claim.provenance for claim in claims)
    for claim in claims:
        rtype = claim.desired.type if isinstance(claim, ResolvedClaim) else None
        answers = [
            one
            for one in decisions
            if claim.provenance in one.requested_by
            and one.set_identifier == claim.set_identifier
            and (rtype is None or one.type == rtype)
        ]
        assert {one.zone for one in answers} == homes, f"{claim} ends as {answers}"
        if rtype is not None and provenances[claim.provenance] == 1:  # decisions distinguish claims by their provenance
            assert len(answers) == len({one.zone for one in answers}), f"{claim} ends as {answers}"
    for one in decisions:
        assert one.reason is not Reason.OBJECT_FAILED or one.zone, one.detail  # planning it raised


def check_converged(engine: Engine, world: World, zones: Iterable[Zone], registry: Registry) -> None:
    """Check, after faults have ended, that nothing is under way, and that published records are current and ours."""
    provider = world.provider
    assert engine.is_idle
    for decision in engine.decisions:
        assert decision.reason in LASTING, f"{decision.name} {decision.type}: {decision.reason} ({decision.detail})"
        assert decision.action in {Action.KEEP, Action.NONE}
    for zone in zones:
        contents = provider.contents(zone)
        cache = next(zone_state.cache for zone_state in engine.zones if zone_state.zone == zone)
        assert {record.key: record for name in cache.names() for record in cache.records(name)} == contents
        owned = ownership(registry, contents_with_ownership(world, zone), zone)
        for decision in engine.decisions:
            if decision.zone == zone and decision.reason is Reason.PUBLISHED and decision.desired is not None:
                current = owned[decision.desired.key]
                assert current.record.targets == decision.desired.targets
                assert current.is_ours
