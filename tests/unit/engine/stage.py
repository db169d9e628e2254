"""A zone, a cluster of a few Services and Ingresses, and the engine between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.inputs import Cause, KindReported, Observation, Observed
from extdns.engine.settings import EngineSettings
from extdns.model.change import Batch, Delete
from extdns.model.claim import Claim, Provenance, Wanted, Withheld
from extdns.model.cluster import Kind, KindState, ObjectKey, ObjectRef, Phase
from extdns.model.decision import Decision
from extdns.model.name import DnsName
from extdns.model.outcome import Outcome, Refused
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, Endpoint, Record, canonical_targets
from extdns.model.zone import Traits, Zone
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
    """`web` in the zone."""
    return DnsName.parse(f"{text}.example.org")


def ref(name: str, kind: Kind = SERVICE) -> ObjectRef:
    return ObjectRef(key=ObjectKey(kind, "shop", name))


def origin(name: str, kind: Kind = SERVICE) -> Provenance:
    return Provenance(source=kind.name.lower(), ref=ref(name, kind), field="annotation")


def wants(
    name: str, at: str, *targets: str, rtype: str = "A", set_identifier: str = "", kind: Kind = SERVICE
) -> Wanted:
    """The object *name* wants *targets* at *at*."""
    return Wanted(
        endpoint=Endpoint(
            name=host(at),
            type=rtype,
            targets=canonical_targets(rtype, targets or ("192.0.2.1",)),
            set_identifier=set_identifier,
            labels=Pairs.of({RESOURCE: ref(name, kind).key.resource}),
        ),
        provenance=origin(name, kind),
    )


def withholds(name: str, at: str, reason: Reason = Reason.NO_ADDRESS, *, kind: Kind = SERVICE) -> Withheld:
    """The object *name* wants *at*, and cannot say what."""
    return Withheld(
        name=host(at), set_identifier="", provenance=origin(name, kind), reason=reason, detail="no address yet"
    )


def seen(
    name: str,
    *claims: Claim,
    cause: Cause = Cause.VERSION,
    kind: Kind = SERVICE,
    failure: str = "",
    parked_on: Kind | None = None,
    lacking: tuple[ObjectKey, ...] = (),
) -> Observed:
    """The source looked at the object *name*."""
    key = ObjectKey(kind, "shop", name)
    observation = Observation(
        source=kind.name.lower(),
        key=key,
        cause=cause,
        claims=claims,
        failure=failure,
        parked_on=parked_on,
        lacking=lacking,
    )
    return Observed(observations=(observation,))


def gone(name: str, cause: Cause = Cause.DELETED, kind: Kind = SERVICE) -> Observed:
    """The object *name* went."""
    return seen(name, cause=cause, kind=kind)


def phase(kind: Kind, phase: Phase = Phase.SYNCED) -> KindReported:
    return KindReported(state=KindState(kind=kind, phase=phase))


def record(at: str, *targets: str, rtype: str = "A", set_identifier: str = "", ttl_s: int = 300) -> Record:
    """A record as the zone holds it."""
    return Record(
        name=host(at),
        type=rtype,
        targets=canonical_targets(rtype, targets or ("192.0.2.1",)),
        ttl_s=ttl_s,
        set_identifier=set_identifier,
    )


def mark(at: str, rtype: str = "A", *, resource: str = "service/shop/web", owner: str = "me") -> Record:
    """The TXT record that proves a record at *at* to be *owner*'s."""
    stated = f",external-dns/resource={resource}" if resource else ""
    return record(f"{rtype.lower()}-{at}", f'"heritage=external-dns,external-dns/owner={owner}{stated}"', rtype="TXT")


def owned(at: str, *targets: str, rtype: str = "A", resource: str = "service/shop/web") -> tuple[Record, Record]:
    """A record of ours and its mark."""
    return record(at, *targets, rtype=rtype), mark(at, rtype, resource=resource)


@dataclass(kw_only=True)
class Stage(World):
    """A world with words for what tests look at."""

    provider: FaultyProvider

    def holds(self, zone: Zone = ZONE) -> dict[str, tuple[str, ...]]:
        """`web A` → its targets; marks as `mark a-web TXT` → ()."""
        return {
            f"{str(key.name).removesuffix('.example.org')} {key.type}": found.targets
            for key, found in sorted(self.provider.contents(zone).items())
            if not found.targets[0].startswith('"heritage=')
        }

    def marks(self, zone: Zone = ZONE) -> set[str]:
        """The first labels of the names of all marks."""
        return {
            str(key.name).partition(".")[0]
            for key, found in self.provider.contents(zone).items()
            if found.targets[0].startswith('"heritage=')
        }

    def endings(self, at: str) -> list[str]:
        """`A create wanted` for each decision at *at*."""
        return [f"{one.type} {one.verdict} {one.reason}".strip() for one in self.engine.decisions.of(host(at))]

    def decision(self, at: str) -> Decision:
        """The only decision at *at*."""
        (found,) = self.engine.decisions.of(host(at))
        return found

    @property
    def evidence(self) -> list[str]:
        """The evidence of every delete that was submitted."""
        return [
            change.evidence
            for one in self.provider.submissions
            for change_set in one.batch.sets
            for change in change_set.changes
            if isinstance(change, Delete)
        ]

    @property
    def batches(self) -> list[list[str]]:
        """The first labels of the names of each batch that was submitted."""
        return [
            [str(change_set.name).partition(".")[0] for change_set in one.batch.sets]
            for one in self.provider.submissions
        ]


def engine_settings(provider: FaultyProvider, **changes: object) -> EngineSettings:
    """Deletes wait for nothing but their evidence, unless *changes* say otherwise."""
    plan = changes.get("plan", PLAN)
    assert isinstance(plan, PlanSettings)
    base = EngineSettings(
        plan=plan,
        registry=REGISTRY,
        adjust=provider.adjust,
        traits=provider.traits,
        kinds=KINDS,
        deletes=DeleteSettings(owner="me", grace_s=0.0, limits=Limits(percent=100), at_once=plan.compat),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def stage(
    *records: Record,
    zones: Mapping[Zone, Iterable[Record]] | None = None,
    traits: Traits | None = None,
    page_size: int = 300,
    **changes: object,
) -> Stage:
    """Nothing has happened yet; *changes* are settings of the engine."""
    seed = {ZONE: records} if zones is None else zones
    provider = FaultyProvider(inner=InMemoryProvider(seed=seed, page_size=page_size))
    engine = Engine(engine_settings(provider, **({"traits": traits} if traits else {}), **changes))
    return Stage(engine=engine, reader=provider, writer=provider, provider=provider)


def running(*records: Record, first: Iterable[Observed] = (), **changes: object) -> Stage:
    """As `stage`; the objects of *first* were seen, both kinds are synced, and the zone was read."""
    found = stage(*records, **changes)  # type: ignore[arg-type]
    found.run(*first, phase(SERVICE), phase(INGRESS), for_s=1.0)
    found.told.clear()
    found.calls.clear()
    return found


def published(**changes: object) -> Stage:
    """As `running`; the Service `web` has its A record at `web`."""
    return running(*owned("web"), first=[seen("web", wants("web", "web"))], **changes)


def refusing(*bad: str, outcome: Outcome = REFUSED) -> Callable[[Batch], Outcome | None]:
    """Give *outcome* to every batch that changes one of the names *bad*."""
    names = {host(text) for text in bad}
    return lambda batch: outcome if any(change_set.name in names for change_set in batch.sets) else None


def blaming(*bad: str) -> Callable[[Batch], Outcome | None]:
    """As `refusing`, and the answer names those of *bad* that the batch changes."""
    names = {host(text) for text in bad}

    def rule(batch: Batch) -> Outcome | None:
        found = tuple(change_set.name for change_set in batch.sets if change_set.name in names)
        return Refused(message="invalid value", culprits=found) if found else None

    return rule


def new(*names: str, target: str = "192.0.2.1") -> Observed:
    """Each of *names* has a Service that wants it."""
    return Observed(
        observations=tuple(one for name in names for one in seen(name, wants(name, name, target)).observations)
    )
