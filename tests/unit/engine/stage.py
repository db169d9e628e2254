"""Build an engine with one zone and a few Services and Ingresses for a test, and inspect the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from extdns.engine.delete_budget import DeleteLimits, DeleteSettings
from extdns.engine.desired import refuse_forgeries
from extdns.engine.engine import Engine
from extdns.engine.inputs import Cause, KindStateChanged, Observation, Observed
from extdns.engine.settings import EngineSettings
from extdns.model.change import Batch, Decision, Delete, Outcome, Refused
from extdns.model.claim import Claim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.cluster import KindState, Phase
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, DesiredRecord, Record, canonicalize_targets
from extdns.model.value import StringMap
from extdns.model.zone import Capabilities, Zone
from extdns.planner.settings import PlanSettings
from providers.inmemory.provider import InMemoryProvider
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.fakes.faulty import FaultyProvider
from tests.fakes.world import World

SERVICE = Kind("", "v1", "Service", "services")
INGRESS = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
PODS = Kind("", "v1", "Pod", "pods")
KINDS = {"service": SERVICE, "ingress": INGRESS}
ZONE = Zone(name=DnsName("example.org"), id="example.org")
PLAN = PlanSettings(owner="me", source_order=("service", "ingress"))
REFUSED = Refused(message="invalid value")
REGISTRY = TxtRegistry(owner="me", naming=Naming(), managed_types=PLAN.managed_types)


def host(text: str) -> DnsName:
    """Return the name *text* in the zone, as `web.example.org` for `web`."""
    return DnsName.parse(f"{text}.example.org")


def ref(name: str, kind: Kind = SERVICE, namespace: str = "shop") -> ObjectRef:
    """Build a reference to an object, by default a Service in the namespace `shop`."""
    return ObjectRef(key=ObjectKey(kind, namespace, name))


def origin(name: str, kind: Kind = SERVICE, namespace: str = "shop") -> Provenance:
    """Build the provenance of a claim: the object *name* and its annotation."""
    return Provenance(source=kind.name.lower(), ref=ref(name, kind, namespace), field="annotation")


def build_claim(
    name: str,
    at: str,
    *targets: str,
    rtype: str = "A",
    set_identifier: str = "",
    kind: Kind = SERVICE,
    namespace: str = "shop",
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
        provenance=origin(name, kind, namespace),
    )


def build_unresolved(
    name: str, at: str, reason: Reason = Reason.NO_ADDRESS, *, kind: Kind = SERVICE, namespace: str = "shop"
) -> UnresolvedClaim:
    """Build a claim of the object *name* to *at* whose targets are not known, for *reason*."""
    where = origin(name, kind, namespace)
    return UnresolvedClaim(name=host(at), set_identifier="", provenance=where, reason=reason, detail="no address yet")


def observe(
    name: str,
    *claims: Claim,
    cause: Cause = Cause.VERSION,
    kind: Kind = SERVICE,
    failure: str = "",
    awaited_kind: Kind | None = None,
    missing_dependencies: tuple[ObjectKey, ...] = (),
) -> Observed:
    """Build the observation that the object *name* has exactly *claims*."""
    key = ObjectKey(kind, "shop", name)
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


@dataclass(kw_only=True)
class Stage(World):
    """An engine over an in-memory DNS service in virtual time, with methods that inspect records and decisions."""

    provider: FaultyProvider

    def list_records(self, zone: Zone = ZONE) -> dict[str, tuple[str, ...]]:
        """Return the targets of each current record by its name and type, as `web A`, without ownership records."""
        return {
            f"{str(key.name).removesuffix('.example.org')} {key.type}": found.targets
            for key, found in sorted(self.provider.contents(zone).items())
            if not found.targets[0].startswith('"heritage=')
        }

    def list_ownership_labels(self, zone: Zone = ZONE) -> set[str]:
        """Return the first labels of the names of all ownership records."""
        return {
            str(key.name).partition(".")[0]
            for key, found in self.provider.contents(zone).items()
            if found.targets[0].startswith('"heritage=')
        }

    def describe_decisions(self, at: str) -> list[str]:
        """Return type, action and reason of each decision at *at*, as `A create requested`."""
        return [f"{one.type} {one.action} {one.reason}".strip() for one in self.engine.decisions.decisions(host(at))]

    def decision(self, at: str) -> Decision:
        """Return the only decision at *at*."""
        (found,) = self.engine.decisions.decisions(host(at))
        return found

    @property
    def evidence(self) -> list[str]:
        """The evidence of every delete that was submitted."""
        return [
            change.evidence
            for one in self.provider.submissions
            for change_set in one.batch.change_sets
            for change in change_set.changes
            if isinstance(change, Delete)
        ]

    @property
    def batches(self) -> list[list[str]]:
        """The first labels of the names of each batch that was submitted."""
        return [
            [str(change_set.name).partition(".")[0] for change_set in one.batch.change_sets]
            for one in self.provider.submissions
        ]


def engine_settings(provider: FaultyProvider, **changes: object) -> EngineSettings:
    """Build settings without grace period and delete budget; *changes* replace single settings."""
    plan = changes.get("plan", PLAN)
    assert isinstance(plan, PlanSettings)
    base = EngineSettings(
        plan=plan,
        registry=REGISTRY,
        adjust=provider.adjust,
        capabilities=provider.capabilities,
        kinds=KINDS,
        deletes=DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(percent=100), immediate=plan.compat),
    )
    made = replace(base, **changes)  # type: ignore[arg-type]
    return replace(made, adjust=refuse_forgeries(made.adjust, made.registry))


def build_stage(
    *records: Record,
    zones: Mapping[Zone, Iterable[Record]] | None = None,
    capabilities: Capabilities | None = None,
    page_size: int = 300,
    **changes: object,
) -> Stage:
    """Build an engine that has had no input yet; *changes* are settings of the engine."""
    seed = {ZONE: records} if zones is None else zones
    provider = FaultyProvider(inner=InMemoryProvider(seed=seed, page_size=page_size))
    engine = Engine(engine_settings(provider, **({"capabilities": capabilities} if capabilities else {}), **changes))
    return Stage(engine=engine, reader=provider, writer=provider, provider=provider)


def start_stage(*records: Record, first: Iterable[Observed] = (), **changes: object) -> Stage:
    """Build an engine and run it until both kinds are synced, the zone was read and *first* was observed."""
    found = build_stage(*records, **changes)  # type: ignore[arg-type]
    found.run(*first, change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    found.reported.clear()
    found.calls.clear()
    return found


def start_published(**changes: object) -> Stage:
    """Start an engine in whose zone the Service `web` already has its A record."""
    return start_stage(*owned("web"), first=[observe("web", build_claim("web", "web"))], **changes)


def refuse_names(*bad: str, outcome: Outcome = REFUSED) -> Callable[[Batch], Outcome | None]:
    """Build a rule by which the service answers *outcome* to every batch that changes one of the names *bad*."""
    names = {host(text) for text in bad}
    return lambda batch: outcome if any(change_set.name in names for change_set in batch.change_sets) else None


def refuse_with_names(*bad: str) -> Callable[[Batch], Outcome | None]:
    """Build a rule by which the service refuses batches that change names of *bad*, and lists these names."""
    names = {host(text) for text in bad}

    def rule(batch: Batch) -> Outcome | None:
        found = tuple(change_set.name for change_set in batch.change_sets if change_set.name in names)
        return Refused(message="invalid value", offending_names=found) if found else None

    return rule


def observe_new(*names: str, target: str = "192.0.2.1") -> Observed:
    """Build the observation of one Service for each of *names*; each requests its own name with *target*."""
    return Observed(
        observations=tuple(one for name in names for one in observe(name, build_claim(name, name, target)).observations)
    )
