"""Build one engine state for each reason code, and documents about it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.explanation import format_name
from extdns.documents.name import NameDocument, build_name
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, ClusterIdentified
from extdns.errors import RetryableError
from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords, Forbidden, Outcome, Refusal, Refused, TryLater
from extdns.model.claim import ClaimWarning, ExcludedClaim, InvalidClaim, ResolvedClaim
from extdns.model.cluster import ClusterIdentity, KindState, Phase
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.selection import DomainFilter
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.planner.settings import Policy
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    build_registry,
    build_unresolved,
    change_before_each_batch,
    change_phase,
    host,
    observe,
    observe_gone,
    origin,
    owned,
    ownership_record,
    record,
    ref,
)
from tests.fakes.clocks import BEGINNING
from tests.fakes.faulty import NoAnswer
from tests.rules import change_rules, deny_targets
from tests.unit.engine import test_contests as contests
from tests.world import World, build_world, start_published, start_world

BLUE, GREEN = ClusterIdentity(uid="blue"), ClusterIdentity(uid="green")

WEB = "web.example.org"
REQUESTED = observe("web", build_claim("web", "web"))
PATIENT = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
STRICT = DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(count=0, percent=0))
UNRESOLVED_TIMEOUT = DeleteSettings(
    owner="me", grace_s=0.0, unresolved_timeout_s=60.0, limits=DeleteLimits(percent=100)
)
MIGRATING = build_registry(migrate_from="old")
CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})
start_dry = partial(start_world, has_writer=False)


def look(world: World, *, at_s: float = 0.0, kinds: tuple[KindState, ...] = (), synced: bool = True) -> ProcessSnapshot:
    """Return the state of a process in *world*, *at_s* seconds after it began."""
    return ProcessSnapshot(
        engine=EngineSnapshot(world.engine), at=BEGINNING, at_s=at_s, kinds=kinds, changes=(), synced=synced
    )


def explain(world: World, name: str = WEB) -> NameDocument:
    now = EngineSnapshot(world.engine)
    return build_name(now, DnsName(name), CONFIG, missing=now.missing)


def render(document: NameDocument) -> str:
    return "\n".join(format_name(document))


def run_on(world: World, *items: object, for_s: float = 5.0) -> World:
    """Feed *items* to *world*, let *for_s* seconds pass, and return it."""
    world.run(*items, for_s=for_s)  # type: ignore[arg-type] # only handed on
    return world


def build_answered(outcome: Outcome | NoAnswer, *names: str) -> World:
    """Return a world in which objects request *names* (default: web) and each batch ends with *outcome*."""
    world = start_world()
    world.provider.rule = lambda _: outcome
    for name in names or ("web",):
        world.run(observe(name, build_claim(name, name)), for_s=0.1)
    return world


def build_conflicting() -> World:
    world = start_published()
    world.provider.rule = change_before_each_batch(world.provider, "web")
    return run_on(world, observe("web", build_claim("web", "web", "192.0.2.9")), for_s=0.1)


def build_drifted() -> World:
    world = start_dry(*owned("web"), first=[REQUESTED])
    world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    return run_on(world, for_s=75.0)


def build_unconfirmed() -> World:
    world = start_dry(*owned("web"), first=[REQUESTED])
    world.exists = lambda _: True
    return run_on(world, observe_gone("web", Cause.MISSING), for_s=100.0)


def build_contended() -> World:
    world = start_world(*owned("web"), first=[REQUESTED], interval_s=60.0)
    for _ in range(5):
        world.provider.put_records(ZONE, record("web", "192.0.2.66"))
        world.run(for_s=60.0)
    return world


def build_zone_gone() -> World:
    world = start_world(*owned("web"), first=[REQUESTED])
    world.provider.zone_list = ZoneList(zones=())
    return run_on(world, for_s=65.0)


def build_zone_moved() -> World:
    inner = Zone(name=DnsName(WEB), id="inner")
    world = build_world(zones={ZONE: owned("web"), inner: ()}, has_writer=False)
    world.provider.zone_list = ZoneList(zones=(ZONE,))
    world.run(REQUESTED, change_phase(SERVICE), change_phase(INGRESS))
    world.provider.zone_list = None
    world.run(observe("web"), for_s=65.0)
    return world


def build_half_listed() -> World:
    world = build_world()
    failed = AccountFailure(account="b", message="timeout")
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(failed,))
    return run_on(world, REQUESTED, change_phase(SERVICE), change_phase(INGRESS))


def build_unread() -> World:
    world = build_world()
    world.provider.failures.extend([None, *[RetryableError("timeout")] * 3])
    return run_on(world, change_phase(SERVICE), change_phase(INGRESS), REQUESTED, for_s=0.5)


def refusing_adjust(desired: object, zone: Zone) -> AdjustedRecords:
    """Refuse all desired records as unsupported."""
    del zone
    assert isinstance(desired, tuple)
    return AdjustedRecords(
        accepted=(), refused=tuple(Refusal(desired=one, reason=Reason.UNSUPPORTED, detail="") for one in desired)
    )


def build_claim_elsewhere() -> ResolvedClaim:
    found = build_claim("web", "web")
    return replace(found, desired=replace(found.desired, name=DnsName("web.example.com")))


def build_long_claim() -> ResolvedClaim:
    found = build_claim("web", "web")
    labels = ".".join(["l" * 60] * 4)[: 253 - len(".example.org")]
    endpoint: DesiredRecord = replace(found.desired, name=DnsName(f"{labels}.example.org"))
    return replace(found, desired=endpoint)


def build_encrypted_text() -> str:
    return '"' + base64.b64encode(bytes(range(100))).decode() + '"'


POLICY = replace(PLAN, policy=Policy.UPSERT_ONLY)
CNAME = observe("web", build_claim("web", "web", "lb.example.net", rtype="CNAME"))
NAMES: Final[Mapping[Reason, Callable[[], World]]] = {
    Reason.PUBLISHED: lambda: start_dry(*owned("web"), first=[REQUESTED]),
    Reason.REQUESTED: lambda: start_dry(first=[REQUESTED]),
    Reason.CHANGED: lambda: start_dry(*owned("web", "192.0.2.9"), first=[REQUESTED]),
    Reason.DRIFT_REPAIRED: build_drifted,
    Reason.OWNERSHIP_RECORD_MISSING: lambda: start_dry(
        record("web"), replace(ownership_record("web"), name=host("web")), first=[REQUESTED]
    ),
    Reason.OWNER_MIGRATED: lambda: start_dry(
        record("web"),
        ownership_record("web", owner="old"),
        first=[REQUESTED],
        plan=replace(PLAN, migrate_from="old"),
        registry=MIGRATING,
    ),
    Reason.OBJECT_DELETED: lambda: run_on(start_dry(*owned("web"), first=[REQUESTED]), observe_gone("web")),
    Reason.HOSTNAME_REMOVED: lambda: run_on(start_dry(*owned("web"), first=[REQUESTED]), observe("web")),
    Reason.FILTERED_OUT: lambda: run_on(
        start_dry(*owned("web"), first=[REQUESTED]),
        observe("web", ExcludedClaim(ref=ref("web"), excluded_by="--label-filter")),
    ),
    Reason.DEPENDENCY_CHANGED: lambda: run_on(
        start_dry(*owned("web"), first=[REQUESTED]), observe("web", cause=Cause.DEPENDENCY)
    ),
    Reason.NO_GATEWAY: lambda: start_dry(first=[observe("web", build_unresolved("web", "web", Reason.NO_GATEWAY))]),
    Reason.AMBIGUOUS_ADDRESS: lambda: start_dry(
        first=[observe("web", build_unresolved("web", "web", Reason.AMBIGUOUS_ADDRESS))]
    ),
    Reason.NO_ENDPOINTS: lambda: run_on(
        start_dry(*owned("web"), first=[REQUESTED]), observe("web", build_unresolved("web", "web", Reason.NO_ENDPOINTS))
    ),
    Reason.ABSENT: lambda: run_on(start_dry(*owned("web"), first=[REQUESTED]), observe_gone("web", Cause.MISSING)),
    Reason.ORPHAN_GONE: lambda: start_dry(*owned("web")),
    Reason.ORPHAN_UNCLAIMED: lambda: start_dry(*owned("web"), first=[observe("web")]),
    Reason.UNRESOLVED_EXPIRED: lambda: run_on(
        start_dry(*owned("web"), first=[observe("web", build_unresolved("web", "web"))], deletes=UNRESOLVED_TIMEOUT),
        for_s=120.0,
    ),
    Reason.REPLACED: lambda: start_dry(*owned("web"), first=[CNAME]),
    Reason.IN_GRACE: lambda: run_on(start_dry(*owned("web"), first=[REQUESTED], deletes=PATIENT), observe_gone("web")),
    Reason.HELD: lambda: run_on(start_dry(*owned("web"), first=[REQUESTED], deletes=STRICT), observe_gone("web")),
    Reason.OTHER_CLUSTER: lambda: run_on(
        start_dry(*owned("web"), first=[REQUESTED]),
        ClusterIdentified(identity=BLUE),
        ClusterIdentified(identity=GREEN),
        observe_gone("web"),
    ),
    Reason.NO_ADDRESS: lambda: start_dry(first=[observe("web", build_unresolved("web", "web"))]),
    Reason.NOT_ACCEPTED: lambda: start_dry(first=[observe("web", build_unresolved("web", "web", Reason.NOT_ACCEPTED))]),
    Reason.ABSENCE_UNCONFIRMED: build_unconfirmed,
    Reason.OBJECT_FAILED: lambda: start_dry(*owned("web"), first=[observe("web", failure="boom")]),
    Reason.SOURCE_DOWN: lambda: run_on(
        build_world(*owned("web")), change_phase(SERVICE, Phase.FORBIDDEN), change_phase(INGRESS), for_s=40.0
    ),
    Reason.POLICY_KEEPS: lambda: run_on(start_dry(*owned("web"), first=[REQUESTED], plan=POLICY), observe_gone("web")),
    Reason.POLICY_KEEPS_TYPE: lambda: start_dry(*owned("web"), first=[CNAME], plan=POLICY),
    Reason.POLICY_DENIED: lambda: start_dry(first=[change_rules(deny_targets("192.0.2.1")), REQUESTED]),
    Reason.POLICY_VIOLATION: lambda: start_dry(
        *owned("web"), first=[change_rules(deny_targets("192.0.2.1")), REQUESTED]
    ),
    Reason.POLICY_UNAVAILABLE: lambda: start_dry(
        first=[change_rules(deny_targets("192.0.2.1", is_valid=False)), REQUESTED]
    ),
    Reason.DOMAIN_FILTERED: lambda: start_dry(
        first=[REQUESTED], plan=replace(PLAN, domains=DomainFilter(include=("example.net",)))
    ),
    Reason.TYPE_UNMANAGED: lambda: start_dry(first=[observe("web", build_claim("web", "web", '"x"', rtype="TXT"))]),
    Reason.TARGETS_FILTERED: lambda: start_dry(
        first=[observe("web", ExcludedClaim(ref=ref("web"), excluded_by="--target-net-filter", name=host("web")))]
    ),
    Reason.NO_ZONE: lambda: run_on(start_dry(), observe("web", build_claim_elsewhere())),
    Reason.ZONES_UNKNOWN: build_half_listed,
    Reason.ZONE_UNREAD: build_unread,
    Reason.ZONE_GONE: build_zone_gone,
    Reason.ZONE_MOVED: build_zone_moved,
    Reason.RECORD_UNREADABLE: lambda: start_dry(record("web", "x", rtype=rrtype.UNREADABLE), first=[REQUESTED]),
    Reason.OWNED_BY_OTHER: lambda: start_dry(record("web"), ownership_record("web", owner="blue"), first=[REQUESTED]),
    Reason.FOREIGN_RECORD: lambda: start_dry(record("web", "192.0.2.9"), first=[REQUESTED]),
    Reason.OWNERSHIP_RECORD_UNREADABLE: lambda: start_dry(
        record("web", "192.0.2.9"), record("a-web", build_encrypted_text(), rtype="TXT"), first=[REQUESTED]
    ),
    Reason.REQUESTED_BY_OTHER: lambda: contests.start_contest(
        first=[
            contests.observe_in("blue", contests.claim_in("blue", "192.0.2.1")),
            contests.observe_in("green", contests.claim_in("green", "192.0.2.2")),
        ],
    ),
    Reason.MERGED_BEFORE: lambda: contests.start_contest(
        record("web", "192.0.2.1", "192.0.2.2"),
        ownership_record("web", resource="service/blue/web"),
        first=[
            contests.observe_in("blue", contests.claim_in("blue", "192.0.2.1")),
            contests.observe_in("green", contests.claim_in("green", "192.0.2.2")),
        ],
    ),
    Reason.CONTENDED: build_contended,
    Reason.INCOMPATIBLE_TYPE: lambda: start_dry(
        first=[observe("web", build_claim("web", "web"), build_claim("web", "web", "lb.example.net", rtype="CNAME"))]
    ),
    Reason.INCOMPATIBLE_RECORD: lambda: start_dry(
        first=[observe("web", build_claim("web", "web"), build_claim("web", "web", set_identifier="blue"))]
    ),
    Reason.NO_OWNERSHIP_NAME: lambda: run_on(start_dry(), observe("web", build_long_claim())),
    Reason.DUPLICATE_OWNERSHIP_NAME: lambda: start_dry(
        first=[
            observe("a", build_claim("a", "cname-web", "lb.test", rtype="CNAME")),
            observe("web", build_claim("web", "web", "lb.test", rtype="CNAME")),
        ]
    ),
    Reason.FORGED_OWNERSHIP: lambda: start_dry(
        first=[observe("web", build_claim("web", "web", '"heritage=external-dns,external-dns/owner=me"', rtype="TXT"))],
        plan=replace(PLAN, managed_types=PLAN.managed_types | {"TXT"}),
    ),
    Reason.UNSUPPORTED: lambda: start_dry(first=[REQUESTED], adjust=refusing_adjust),
    Reason.TOO_LARGE: lambda: start_dry(
        first=[REQUESTED],
        capabilities=Capabilities(atomic=True, conditional=True, max_batch_writes=1),
    ),
    Reason.REFUSED: lambda: build_answered(Refused(message="invalid value")),
    Reason.ZONE_FORBIDDEN: lambda: build_answered(Forbidden(message="denied")),
    Reason.WRITE_CONFLICT: build_conflicting,
    Reason.TRY_LATER: lambda: build_answered(TryLater(message="throttled")),
    Reason.NO_ANSWER: lambda: build_answered(NoAnswer(applied=False)),
}
"""The cases of reasons that the explanation of a name contains, for the name, a claim or a record."""

INVALID_VALUES: Final[Mapping[Reason, Callable[[], World]]] = {
    **{
        reason: lambda reason=reason: start_dry(  # type: ignore[misc] # mypy does not see that the default has the same type
            first=[
                observe("web", InvalidClaim(provenance=origin("web"), reason=reason, value="a..b", allowed="another"))
            ]
        )
        for reason in (
            Reason.INVALID_NAME,
            Reason.INVALID_TARGET,
            Reason.INVALID_ENDPOINT,
            Reason.INVALID_OBJECT,
        )
    },
    **{
        reason: lambda reason=reason: start_dry(  # type: ignore[misc] # as above
            first=[
                observe(
                    "web",
                    replace(
                        build_claim("web", "web"),
                        warning_groups=(
                            (ClaimWarning(reason=reason, field="annotation x", value="soon", allowed="600"),),
                        ),
                    ),
                )
            ]
        )
        for reason in (
            Reason.INVALID_TTL,
            Reason.INVALID_ANNOTATION,
            Reason.IGNORED_ANNOTATION,
            Reason.PROPERTY_IGNORED,
            Reason.CLUSTER_TARGET,
            Reason.NOT_A_HOST_NAME,
        )
    },
}
"""The cases of reasons about invalid values of objects."""
OTHER_NAMES: Final = {Reason.NO_ZONE: "web.example.com", Reason.NO_OWNERSHIP_NAME: build_long_claim().desired.name}
