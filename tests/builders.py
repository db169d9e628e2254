"""Builders of values for tests: claims and observations of the Services of a shop, and records of example.org."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

from extdns.engine.inputs import Cause, KindStateChanged, Observation, Observed
from extdns.model.change import AdjustedRecords, Batch, Create, Delete, Outcome, Refusal, Refused, Update
from extdns.model.claim import Claim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.cluster import KindState, Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, HeldDelete, HeldSet, Scope
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, DesiredRecord, OwnedRecord, Record, canonicalize_targets
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from extdns.planner.settings import Adjust, PlanSettings
from registry.rows.registry import RowRegistry
from registry.txt.encryption import NONCE_BYTES, EncryptedTextCodec, parse_keys
from registry.txt.naming import Naming
from registry.txt.ownership_index import OwnershipTextCodec, PlainTextCodec, TxtSettings
from registry.txt.registry import TxtRegistry
from tests.fakes.faulty import FaultyProvider

SERVICE = Kind("", "v1", "Service", "services")
INGRESS = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
PODS = Kind("", "v1", "Pod", "pods")
KINDS = {"service": SERVICE, "ingress": INGRESS}
ZONE = Zone(name=DnsName("example.org"), id="example.org")
PLAN = PlanSettings(owner="me", source_order=("service", "ingress"))
REFUSED = Refused(message="invalid value")


def build_registry(
    *,
    owner: str = "me",
    prefix: str = "",
    suffix: str = "",
    wildcard: str = "",
    types: Iterable[str] = PLAN.managed_types,
    migrate_from: str = "",
    unmarked_creates: bool = False,
    codec: OwnershipTextCodec | None = None,
) -> TxtRegistry:
    """Build a txt registry."""
    return TxtRegistry(
        TxtSettings(
            owner=owner,
            previous_owner=migrate_from,
            naming=Naming(prefix=prefix, suffix=suffix, wildcard_replacement=wildcard),
            managed_types=frozenset(types),
            codec=codec or PlainTextCodec(),
            creates_without_ownership=unmarked_creates,
        )
    )


def build_row_registry(txt: TxtRegistry | None = None, types: Iterable[str] = PLAN.managed_types) -> RowRegistry:
    """Build a registry of rows that replaces *txt*."""
    return RowRegistry(txt or build_registry(types=types), frozenset(types))


def build_codec(key: str = "12345678901234567890123456789012", *, encrypts: bool = True) -> EncryptedTextCodec:
    """Build a codec of ownership records encrypted with *key*, or with several keys, one a line."""
    numbers = count()
    return EncryptedTextCodec(
        keys=parse_keys(key), nonce=lambda: next(numbers).to_bytes(NONCE_BYTES), encrypts=encrypts
    )


REGISTRY = build_registry()


def host(text: str) -> DnsName:
    """Return the name *text* in the zone, as `web.example.org` for `web`."""
    return DnsName.parse(f"{text}.example.org")


def ref(name: str, kind: Kind = SERVICE, namespace: str = "shop", created: str = "") -> ObjectRef:
    """Build a reference to an object, by default a Service in the namespace `shop`."""
    return ObjectRef(key=ObjectKey(kind, namespace, name), created=created)


def origin(name: str, kind: Kind = SERVICE, namespace: str = "shop", created: str = "") -> Provenance:
    """Build the provenance of a claim: the object *name* and its annotation."""
    return Provenance(source=kind.name.lower(), ref=ref(name, kind, namespace, created), field="annotation")


def build_claim(
    name: str,
    at: str,
    *targets: str,
    rtype: str = "A",
    set_identifier: str = "",
    kind: Kind = SERVICE,
    namespace: str = "shop",
    created: str = "",
) -> ResolvedClaim:
    """Build the claim in which the object *name* requests a record with *targets* at *at*."""
    return ResolvedClaim(
        desired=DesiredRecord(
            name=host(at),
            type=rtype,
            targets=canonicalize_targets(rtype, targets or ("192.0.2.1",)),
            set_identifier=set_identifier,
            labels=StringMap.from_items({RESOURCE: ref(name, kind, namespace).key.resource}),
        ),
        provenance=origin(name, kind, namespace, created),
    )


def build_unresolved(
    name: str,
    at: str,
    reason: Reason = Reason.NO_ADDRESS,
    *,
    set_identifier: str = "",
    kind: Kind = SERVICE,
    namespace: str = "shop",
    created: str = "",
) -> UnresolvedClaim:
    """Build a claim of the object *name* to *at* whose targets are not known, for *reason*."""
    return UnresolvedClaim(
        name=host(at),
        set_identifier=set_identifier,
        provenance=origin(name, kind, namespace, created),
        reason=reason,
        detail="no address yet",
    )


def observe(
    name: str,
    *claims: Claim,
    cause: Cause = Cause.VERSION,
    kind: Kind = SERVICE,
    namespace: str = "shop",
    failure: str = "",
    awaited_kind: Kind | None = None,
    missing_dependencies: tuple[ObjectKey, ...] = (),
) -> Observed:
    """Build the observation that the object *name* has exactly *claims*."""
    key = ObjectKey(kind, namespace, name)
    observation = Observation(
        source=kind.name.lower(),
        key=key,
        cause=cause,
        claims=claims,
        failure=failure,
        awaited_kind=awaited_kind,
        missing_dependencies=missing_dependencies,
    )
    return Observed(observations=(observation,))


def combine(*observed: Observed) -> Observed:
    """Combine several observations into one input of the engine."""
    return Observed(observations=tuple(one for item in observed for one in item.observations))


def observe_gone(name: str, cause: Cause = Cause.DELETED, kind: Kind = SERVICE) -> Observed:
    """Build the observation that the object *name* is gone, and how that was noticed (*cause*)."""
    return observe(name, cause=cause, kind=kind)


def change_phase(kind: Kind, phase: Phase = Phase.SYNCED) -> KindStateChanged:
    """Build the input that the list and watch of *kind* is in *phase*."""
    return KindStateChanged(state=KindState(kind=kind, phase=phase))


def record(at: str, *targets: str, rtype: str = "A", set_identifier: str = "", ttl_s: int = 300) -> Record:
    """Build a current record of a zone."""
    return Record(
        name=host(at),
        type=rtype,
        targets=canonicalize_targets(rtype, targets or ("192.0.2.1",)),
        ttl_s=ttl_s,
        set_identifier=set_identifier,
    )


def ownership_record(at: str, rtype: str = "A", *, resource: str = "service/shop/web", owner: str = "me") -> Record:
    """Build the ownership record of *owner* for the record at *at* of type *rtype*."""
    stated = f",external-dns/resource={resource}" if resource else ""
    return record(f"{rtype.lower()}-{at}", f'"heritage=external-dns,external-dns/owner={owner}{stated}"', rtype="TXT")


def owned(at: str, *targets: str, rtype: str = "A", resource: str = "service/shop/web") -> tuple[Record, Record]:
    """Build a record of ours and its ownership record."""
    return record(at, *targets, rtype=rtype), ownership_record(at, rtype, resource=resource)


def refuse_names(*bad: str, outcome: Outcome = REFUSED) -> Callable[[Batch], Outcome | None]:
    """Build a rule by which the service answers *outcome* to every batch that changes one of the names *bad*."""
    names = {host(text) for text in bad}
    return lambda batch: outcome if any(change_set.name in names for change_set in batch.change_sets) else None


def accept_only(
    accepts: Callable[[DesiredRecord], bool], reason: Reason = Reason.UNSUPPORTED, detail: str = "too much"
) -> Adjust:
    """Build an adjustment that refuses the records that *accepts* rejects, because of *reason* and *detail*."""
    return lambda desired, _: AdjustedRecords(
        accepted=tuple(one for one in desired if accepts(one)),
        refused=tuple(Refusal(desired=one, reason=reason, detail=detail) for one in desired if not accepts(one)),
    )


def change_before_each_batch(provider: FaultyProvider, at: str) -> Callable[[Batch], None]:
    """Build a rule by which another writer gives the record *at* another target before each batch."""
    numbers = count(1)
    return lambda _: provider.put_records(ZONE, record(at, f"198.51.100.{next(numbers)}"))


def refuse_with_names(*bad: str) -> Callable[[Batch], Outcome | None]:
    """Build a rule by which the service refuses batches that change names of *bad*, and lists these names."""
    names = {host(text) for text in bad}

    def rule(batch: Batch) -> Outcome | None:
        found = tuple(change_set.name for change_set in batch.change_sets if change_set.name in names)
        return Refused(message="invalid value", offending_names=found) if found else None

    return rule


def observe_new(*names: str, target: str = "192.0.2.1") -> Observed:
    """Build the observation of one Service for each of *names*; each requests its own name with *target*."""
    return combine(*(observe(name, build_claim(name, name, target)) for name in names))


def build_owned(at: str, *, resource: str = "service/shop/web") -> OwnedRecord:
    """Build a current record of ours, as the registry reads it."""
    labels = StringMap.from_items({RESOURCE: resource})
    return OwnedRecord(record=record(at), owner="me", is_ours=True, labels=labels)


def build_held(
    at: str,
    evidence: Evidence = Evidence.OBJECT_DELETED,
    *,
    zone: Zone = ZONE,
    resource: str = "service/shop/web",
) -> HeldDelete:
    """Build the held delete of a record of ours."""
    return HeldDelete(zone=zone, owned=build_owned(at, resource=resource), evidence=evidence)


def build_held_set(code: str, *found: HeldDelete, zone: Zone = ZONE, namespace: str = "") -> HeldSet:
    """Build the held deletes of one scope with their approval code."""
    return HeldSet(scope=Scope(zone.id, namespace), zone=zone, code=code, held=found)


def create(desired: DesiredRecord) -> Create:
    """Build the create of *desired*."""
    return Create(desired=desired)


def update(current: OwnedRecord, desired: DesiredRecord, *differences: str) -> Update:
    """Build the update of *current* to *desired*, whose targets differ unless *differences* says what does."""
    return Update(current=current, desired=desired, differences=differences or ("targets",))


def delete(current: OwnedRecord, evidence: Evidence = Evidence.OBJECT_DELETED) -> Delete:
    """Build the delete of *current* for *evidence*."""
    return Delete(current=current, evidence=evidence)


def store(desired: DesiredRecord, *, default_ttl_s: int = 300) -> Record:
    """Build the record that a zone holds after *desired* was written; a TTL that it leaves open is *default_ttl_s*."""
    return Record(
        name=desired.name,
        type=desired.type,
        targets=desired.targets,
        ttl_s=desired.ttl_s or default_ttl_s,
        set_identifier=desired.set_identifier,
        properties=desired.properties,
    )
