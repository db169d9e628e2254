"""A stage for plans: one name in one zone, what is held there, what is wanted, and the plan in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model.change import Blocked, Change, Create, Delete, Update
from extdns.model.claim import Provenance, Wanted
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.decision import Decision
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, Record, canonical_targets
from extdns.model.zone import Zone
from extdns.planner.merge import Candidate
from extdns.planner.plan import Judge, NamePlan, plan_name
from extdns.planner.settings import PlanSettings

ME: Final = "me"
ZONE: Final = Zone(name=DnsName("example.org"), id="z1")
NAME: Final = DnsName("foo.example.org")
WEB: Final = "service/shop/web"
API: Final = "service/shop/api"
OLD: Final = "ingress/shop/old"
SETTINGS: Final = PlanSettings(owner=ME, source_order=("service", "ingress"))
ALIAS: Final = {"alias": "true"}

_KINDS: Final = {
    "service": Kind("", "v1", "Service", "services"),
    "ingress": Kind("networking.k8s.io", "v1", "Ingress", "ingresses"),
}


def gone(_: Owned) -> Evidence:
    """Judge: the object was seen to be deleted."""
    return Evidence.OBJECT_DELETED


def at_once(_: Owned, evidence: Evidence) -> Evidence:
    """Leave: a delete waits for nothing but its evidence."""
    return evidence


def waiting(*resources: str, reason: Reason = Reason.NO_ADDRESS) -> Judge:
    """Judge: the objects named still want their records but cannot say what; all others are gone."""

    def judge(owned: Owned) -> Evidence | Blocked:
        if owned.resource in resources:
            return Blocked(reason=reason, detail="no address yet")
        return Evidence.OBJECT_DELETED

    return judge


def held(
    rtype: str,
    *targets: str,
    owner: str | None = ME,
    resource: str = "",
    set_identifier: str = "",
    ttl_s: int = 300,
    properties: Mapping[str, str] | None = None,
    ours: bool | None = None,
    marked: bool = True,
) -> Owned:
    """A record at `NAME`; ours if its owner is `ME`, unless *ours* says otherwise."""
    return Owned(
        record=Record(
            name=NAME,
            type=rtype,
            targets=canonical_targets(rtype, targets),
            ttl_s=ttl_s,
            set_identifier=set_identifier,
            properties=Pairs.of(properties or {}),
        ),
        owner=owner,
        ours=owner == ME if ours is None else ours,
        labels=Pairs.of({"resource": resource} if resource else {}),
        marked=marked,
    )


def claim(
    rtype: str,
    *targets: str,
    resource: str = WEB,
    created: str = "",
    field: str = "spec",
    label: str | None = None,
    set_identifier: str = "",
    ttl_s: int = 0,
    properties: Mapping[str, str] | None = None,
) -> Wanted:
    """What the object *resource* wants at `NAME`; its source is named like its kind."""
    source, namespace, name = resource.split("/")
    label = resource if label is None else label
    endpoint = Endpoint(
        name=NAME,
        type=rtype,
        targets=canonical_targets(rtype, targets),
        ttl_s=ttl_s,
        set_identifier=set_identifier,
        labels=Pairs.of({"resource": label} if label else {}),
        properties=Pairs.of(properties or {}),
    )
    ref = ObjectRef(key=ObjectKey(_KINDS[source], namespace, name), created=created)
    return Wanted(endpoint=endpoint, provenance=Provenance(source=source, ref=ref, field=field))


def wanted(
    rtype: str,
    *targets: str,
    resource: str = WEB,
    created: str = "",
    label: str | None = None,
    set_identifier: str = "",
    ttl_s: int = 0,
    properties: Mapping[str, str] | None = None,
) -> Candidate:
    """The candidate of one claim."""
    asked = claim(
        rtype,
        *targets,
        resource=resource,
        created=created,
        label=label,
        set_identifier=set_identifier,
        ttl_s=ttl_s,
        properties=properties,
    )
    return Candidate(endpoint=asked.endpoint, asked_by=(asked.provenance,))


def plan(
    stands: Iterable[Owned],
    candidates: Iterable[Candidate],
    *,
    settings: PlanSettings = SETTINGS,
    judge: Judge = gone,
) -> NamePlan:
    """Plan `NAME` in `ZONE`."""
    return plan_name(
        zone=ZONE, name=NAME, held=stands, candidates=candidates, judge=judge, leave=at_once, settings=settings
    )


def changes(made: NamePlan) -> tuple[Change, ...]:
    """Every change of the plan, in its order."""
    return tuple(change for change_set in made.sets for change in change_set.changes)


def words(made: NamePlan) -> list[str]:
    """The changes of the plan as `update A v1: 192.0.2.1`, where `v1` is the set identifier."""
    return [_words(change) for change in changes(made)]


def _words(change: Change) -> str:
    place = " ".join(filter(None, (change.key.type, change.key.set_identifier)))
    match change:
        case Create(wanted=endpoint):
            return f"create {place}: {' '.join(endpoint.targets)}"
        case Update(wanted=endpoint):
            return f"update {place}: {' '.join(endpoint.targets)}"
        case Delete():
            return f"delete {place}"


def endings(made: NamePlan) -> list[tuple[str, str, str]]:
    """Type, verdict and reason of every decision, in their order."""
    return [(decision.type, decision.verdict.value, decision.reason.value) for decision in made.decisions]


def decision_on(made: NamePlan, rtype: str, set_identifier: str = "") -> Decision:
    """The one decision about a record set."""
    (found,) = [one for one in made.decisions if (one.type, one.set_identifier) == (rtype, set_identifier)]
    return found


def applied(stands: Iterable[Owned], made: Iterable[Change]) -> tuple[Owned, ...]:
    """What stands once *made* is written, sorted by key."""
    after = {owned.key: owned for owned in stands}
    for change in made:
        match change:
            case Create(wanted=endpoint):
                assert change.key not in after
                after[change.key] = _written(endpoint, ttl_s=300)
            case Update(wanted=endpoint, held=before):
                assert after[change.key] == before
                after[change.key] = _written(endpoint, ttl_s=before.record.ttl_s)
            case Delete(held=before):
                assert after.pop(change.key) == before
    return tuple(after[key] for key in sorted(after))


def _written(endpoint: Endpoint, *, ttl_s: int) -> Owned:
    return Owned(
        record=Record(
            name=endpoint.name,
            type=endpoint.type,
            targets=endpoint.targets,
            ttl_s=endpoint.ttl_s or ttl_s,
            set_identifier=endpoint.set_identifier,
            properties=endpoint.properties,
        ),
        owner=ME,
        ours=True,
        labels=endpoint.labels,
    )


def with_policy(policy: str) -> PlanSettings:
    """The settings of this stage under another `--policy`."""
    return replace(SETTINGS, policy=type(SETTINGS.policy)(policy))


def managing(*types: str) -> PlanSettings:
    """The settings of this stage with other managed record types."""
    return replace(SETTINGS, managed_types=frozenset(types))


def resources(asked_by: Sequence[Provenance]) -> list[str]:
    """The objects behind *asked_by*, in their order."""
    return [asked.ref.key.resource for asked in asked_by]
