"""One case of every reason code there is."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.inputs import Cause
from extdns.errors import RetryableError
from extdns.model import rrtype
from extdns.model.adjusted import Adjusted, Refusal
from extdns.model.claim import Filtered, Invalid, Notice, Wanted
from extdns.model.cluster import Phase
from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Forbidden, Outcome, Refused, TryLater
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.zone import AccountFailure, Traits, Zone, ZoneList
from extdns.planner.policy import Policy
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.fakes.faulty import Lost
from tests.unit.engine import test_contests as contests
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    Stage,
    gone,
    host,
    mark,
    origin,
    owned,
    phase,
    record,
    ref,
    running,
    seen,
    stage,
    wants,
    withholds,
)

WEB = "web.example.org"
ASKED = seen("web", wants("web", "web"))
PATIENT = DeleteSettings(owner="me", grace_s=60.0, limits=Limits(percent=100))
STRICT = DeleteSettings(owner="me", grace_s=0.0, limits=Limits(count=0, percent=0))
STALE = DeleteSettings(owner="me", grace_s=0.0, stale_hold_s=60.0, limits=Limits(percent=100))
HEIR = TxtRegistry(owner="me", naming=Naming(), managed_types=PLAN.managed_types, migrate_from="old")
dry = partial(running, writes=False)


def after(world: Stage, *items: object, for_s: float = 5.0) -> Stage:
    """*world* after *items*."""
    world.run(*items, for_s=for_s)  # type: ignore[arg-type] # only handed on
    return world


def answered(outcome: Outcome | Lost, *names: str) -> Stage:
    """Every submit has that *outcome*; each of *names* is asked for."""
    world = running()
    world.provider.rule = lambda _: outcome
    for name in names or ("web",):
        world.run(seen(name, wants(name, name)), for_s=0.1)
    return world


def drifted() -> Stage:
    world = dry(*owned("web"), first=[ASKED])
    world.provider.put(ZONE, record("web", "192.0.2.66"))
    return after(world, for_s=75.0)


def fought() -> Stage:
    world = running(*owned("web"), first=[ASKED], interval_s=60.0)
    for _ in range(5):
        world.provider.put(ZONE, record("web", "192.0.2.66"))
        world.run(for_s=60.0)
    return world


def vanished() -> Stage:
    world = running(*owned("web"), first=[ASKED])
    world.provider.zone_list = ZoneList(zones=())
    return after(world, for_s=65.0)


def moved() -> Stage:
    inner = Zone(name=DnsName(WEB), id="inner")
    world = stage(zones={ZONE: owned("web"), inner: ()}, writes=False)
    world.provider.zone_list = ZoneList(zones=(ZONE,))
    world.run(ASKED, phase(SERVICE), phase(INGRESS))
    world.provider.zone_list = None
    world.run(seen("web"), for_s=65.0)
    return world


def half_listed() -> Stage:
    world = stage()
    failed = AccountFailure(account="b", message="timeout")
    world.provider.zone_list = ZoneList(zones=(ZONE,), failed=(failed,))
    return after(world, ASKED, phase(SERVICE), phase(INGRESS))


def unread() -> Stage:
    world = stage()
    world.provider.failures.extend([None, *[RetryableError("timeout")] * 3])
    return after(world, phase(SERVICE), phase(INGRESS), ASKED, for_s=0.5)


def refusing_adjust(wanted: object, zone: Zone) -> Adjusted:
    """No service takes anything of this."""
    del zone
    assert isinstance(wanted, tuple)
    return Adjusted(
        wanted=(), refused=tuple(Refusal(endpoint=one, reason=Reason.UNSUPPORTED, detail="") for one in wanted)
    )


def elsewhere() -> Wanted:
    found = wants("web", "web")
    return replace(found, endpoint=replace(found.endpoint, name=DnsName("web.example.com")))


def at_apex() -> Wanted:
    found = wants("web", "web")
    labels = ".".join(["l" * 60] * 4)[: 253 - len(".example.org")]
    endpoint: Endpoint = replace(found.endpoint, name=DnsName(f"{labels}.example.org"))
    return replace(found, endpoint=endpoint)


def sealed() -> str:
    return '"' + base64.b64encode(bytes(range(100))).decode() + '"'


POLICY = replace(PLAN, policy=Policy.UPSERT_ONLY)
CNAME = seen("web", wants("web", "web", "lb.example.net", rtype="CNAME"))
NAMES: Final[Mapping[Reason, Callable[[], Stage]]] = {
    Reason.PROGRAMMED: lambda: dry(*owned("web"), first=[ASKED]),
    Reason.WANTED: lambda: dry(first=[ASKED]),
    Reason.CHANGED: lambda: dry(*owned("web", "192.0.2.9"), first=[ASKED]),
    Reason.DRIFT_REPAIRED: drifted,
    Reason.MARK_MISSING: lambda: dry(record("web"), replace(mark("web"), name=host("web")), first=[ASKED]),
    Reason.OWNER_MIGRATED: lambda: dry(
        record("web"), mark("web", owner="old"), first=[ASKED], plan=replace(PLAN, migrate_from="old"), registry=HEIR
    ),
    Reason.OBJECT_DELETED: lambda: after(dry(*owned("web"), first=[ASKED]), gone("web")),
    Reason.HOSTNAME_REMOVED: lambda: after(dry(*owned("web"), first=[ASKED]), seen("web")),
    Reason.FILTERED_OUT: lambda: after(
        dry(*owned("web"), first=[ASKED]), seen("web", Filtered(ref=ref("web"), by="--label-filter"))
    ),
    Reason.DEPENDENCY_CHANGED: lambda: after(dry(*owned("web"), first=[ASKED]), seen("web", cause=Cause.DEPENDENCY)),
    Reason.NO_ENDPOINTS: lambda: after(
        dry(*owned("web"), first=[ASKED]), seen("web", withholds("web", "web", Reason.NO_ENDPOINTS))
    ),
    Reason.ABSENT: lambda: after(dry(*owned("web"), first=[ASKED]), gone("web", Cause.MISSING)),
    Reason.ORPHAN_GONE: lambda: dry(*owned("web")),
    Reason.ORPHAN_UNCLAIMED: lambda: dry(*owned("web"), first=[seen("web")]),
    Reason.STALE: lambda: after(
        dry(*owned("web"), first=[seen("web", withholds("web", "web"))], deletes=STALE), for_s=120.0
    ),
    Reason.REPLACED: lambda: dry(*owned("web"), first=[CNAME]),
    Reason.IN_GRACE: lambda: after(dry(*owned("web"), first=[ASKED], deletes=PATIENT), gone("web")),
    Reason.HELD: lambda: after(dry(*owned("web"), first=[ASKED], deletes=STRICT), gone("web")),
    Reason.NO_ADDRESS: lambda: dry(first=[seen("web", withholds("web", "web"))]),
    Reason.NOT_ACCEPTED: lambda: dry(first=[seen("web", withholds("web", "web", Reason.NOT_ACCEPTED))]),
    Reason.OBJECT_FAILED: lambda: dry(*owned("web"), first=[seen("web", failure="boom")]),
    Reason.SOURCE_DOWN: lambda: after(
        stage(*owned("web")), phase(SERVICE, Phase.FORBIDDEN), phase(INGRESS), for_s=40.0
    ),
    Reason.POLICY_KEEPS: lambda: after(dry(*owned("web"), first=[ASKED], plan=POLICY), gone("web")),
    Reason.POLICY_KEEPS_TYPE: lambda: dry(*owned("web"), first=[CNAME], plan=POLICY),
    Reason.DOMAIN_FILTERED: lambda: dry(
        first=[ASKED], plan=replace(PLAN, domains=DomainFilter(include=("example.net",)))
    ),
    Reason.TYPE_UNMANAGED: lambda: dry(first=[seen("web", wants("web", "web", '"x"', rtype="TXT"))]),
    Reason.TARGETS_FILTERED: lambda: dry(
        first=[seen("web", Filtered(ref=ref("web"), by="--target-net-filter", name=host("web")))]
    ),
    Reason.NO_ZONE: lambda: after(dry(), seen("web", elsewhere())),
    Reason.ZONES_UNKNOWN: half_listed,
    Reason.ZONE_UNREAD: unread,
    Reason.ZONE_GONE: vanished,
    Reason.ZONE_MOVED: moved,
    Reason.RECORD_UNREADABLE: lambda: dry(record("web", "x", rtype=rrtype.UNREADABLE), first=[ASKED]),
    Reason.OWNED_BY_OTHER: lambda: dry(record("web"), mark("web", owner="blue"), first=[ASKED]),
    Reason.FOREIGN_RECORD: lambda: dry(record("web", "192.0.2.9"), first=[ASKED]),
    Reason.MARK_UNREADABLE: lambda: dry(
        record("web", "192.0.2.9"), record("a-web", sealed(), rtype="TXT"), first=[ASKED]
    ),
    Reason.CONFLICT_LOST: lambda: contests.world(
        first=[
            contests.seen("blue", contests.wants("blue", "192.0.2.1")),
            contests.seen("green", contests.wants("green", "192.0.2.2")),
        ],
    ),
    Reason.MERGED_BEFORE: lambda: contests.world(
        record("web", "192.0.2.1", "192.0.2.2"),
        mark("web", resource="service/blue/web"),
        first=[
            contests.seen("blue", contests.wants("blue", "192.0.2.1")),
            contests.seen("green", contests.wants("green", "192.0.2.2")),
        ],
    ),
    Reason.FOUGHT_OVER: fought,
    Reason.TYPE_CONFLICT: lambda: dry(
        first=[seen("web", wants("web", "web"), wants("web", "web", "lb.example.net", rtype="CNAME"))]
    ),
    Reason.ROUTING_CONFLICT: lambda: dry(
        first=[seen("web", wants("web", "web"), wants("web", "web", set_identifier="blue"))]
    ),
    Reason.NO_OWNERSHIP_NAME: lambda: after(dry(), seen("web", at_apex())),
    Reason.MARK_CLASH: lambda: dry(
        first=[
            seen("a", wants("a", "cname-web", "lb.test", rtype="CNAME")),
            seen("web", wants("web", "web", "lb.test", rtype="CNAME")),
        ]
    ),
    Reason.UNSUPPORTED: lambda: dry(first=[ASKED], adjust=refusing_adjust),
    Reason.TOO_LARGE: lambda: dry(
        first=[ASKED], traits=Traits(atomic=True, conditional=True, max_batch_writes=1, types=frozenset({"A", "TXT"}))
    ),
    Reason.REFUSED: lambda: answered(Refused(message="invalid value")),
    Reason.ZONE_FORBIDDEN: lambda: answered(Forbidden(message="denied")),
    Reason.CHANGED_MEANWHILE: lambda: answered(Conflict(message="it exists", culprits=(host("web"),))),
    Reason.TRY_LATER: lambda: answered(TryLater(message="throttled")),
    Reason.NO_ANSWER: lambda: answered(Lost(applied=False)),
}
"""What a name stands for; the code is that of the name, of a claim or of a record."""

MISTAKES: Final[Mapping[Reason, Callable[[], Stage]]] = {
    **{
        reason: lambda reason=reason: dry(  # type: ignore[misc] # mypy does not see that the default has the same type
            first=[seen("web", Invalid(provenance=origin("web"), reason=reason, value="a..b", allowed="another"))]
        )
        for reason in (
            Reason.INVALID_NAME,
            Reason.INVALID_TARGET,
            Reason.INVALID_ENDPOINT,
            Reason.INVALID_OBJECT,
        )
    },
    **{
        reason: lambda reason=reason: dry(  # type: ignore[misc] # as above
            first=[
                seen(
                    "web",
                    replace(
                        wants("web", "web"),
                        notices=(Notice(reason=reason, field="annotation x", value="soon", allowed="600"),),
                    ),
                )
            ]
        )
        for reason in (Reason.INVALID_TTL, Reason.INVALID_ANNOTATION)
    },
}
"""What is wrong on an object; the code is that of a mistake."""
OTHER_NAMES: Final = {Reason.NO_ZONE: "web.example.com", Reason.NO_OWNERSHIP_NAME: at_apex().endpoint.name}
