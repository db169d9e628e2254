"""Generators: a few objects that collide at a few names, what somebody else puts there, and what services answer."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.claim import Claim, Filtered, Wanted, Withheld
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Forbidden, Outcome, Refused, TryLater
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import AccountFailure, Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import Lost
from tests.unit.engine.allowance import Allowance
from tests.unit.engine.stage import INGRESS, SERVICE, ZONE, host, mark, record, wants, withholds

INNER = Zone(name=DnsName("shop.example.org"), id="inner", account="b")
ZONES = (ZONE, INNER)
KEYS = tuple(ObjectKey(kind, "shop", name) for kind in (SERVICE, INGRESS) for name in ("a", "b"))
NAMES = ("web", "api", "a-web", "*.web", "web.shop")
TARGETS = (("A", "192.0.2.1"), ("A", "192.0.2.2"), ("AAAA", "2001:db8::1"), ("CNAME", "lb.test"), ("CNAME", "b.test"))
FOREIGN = (("A", "192.0.2.66"), ("AAAA", "2001:db8::66"), ("CNAME", "theirs.test"), ("TXT", '"text"'))

keys = st.sampled_from(KEYS)
kinds = st.sampled_from((SERVICE, INGRESS))
names = st.sampled_from(NAMES)
identifiers = st.sampled_from(("", "", "", "", "blue", "green"))
targets = st.sampled_from(TARGETS)


@st.composite
def wishes(draw: st.DrawFn, key: ObjectKey) -> tuple[Claim, ...]:
    """What one object asks for."""
    found: dict[tuple[object, ...], Claim] = {}
    for _ in range(draw(st.integers(0, 3))):
        claim = draw(st.one_of(wanted_by(key), withheld_by(key)))
        rtype = claim.endpoint.type if isinstance(claim, Wanted) else ""
        found[claim.name, claim.set_identifier, rtype] = claim
    if not found and draw(st.booleans()):
        return (Filtered(ref=ObjectRef(key=key), by="--label-filter"),)
    return tuple(found.values())


@st.composite
def wanted_by(draw: st.DrawFn, key: ObjectKey) -> Wanted:
    rtype, target = draw(targets)
    return wants(key.name, draw(names), target, rtype=rtype, set_identifier=draw(identifiers), kind=key.kind)


@st.composite
def withheld_by(draw: st.DrawFn, key: ObjectKey) -> Withheld:
    reason = draw(st.sampled_from((Reason.NO_ADDRESS, Reason.NO_ENDPOINTS)))
    return withholds(key.name, draw(names), reason, kind=key.kind)


@st.composite
def foreign_records(draw: st.DrawFn) -> Record:
    """What somebody else puts there: records of their own, edits of ours, and marks."""
    if draw(st.booleans()):
        return mark(draw(names), draw(targets)[0], owner=draw(st.sampled_from(("me", "other"))))
    rtype, target = draw(st.sampled_from(FOREIGN))
    return record(draw(names), target, rtype=rtype, set_identifier=draw(identifiers))


@st.composite
def wished(draw: st.DrawFn) -> tuple[ObjectKey, tuple[Claim, ...]]:
    """An object, and what it asks for."""
    key = draw(keys)
    return key, draw(wishes(key))


# what a person sets, and what services answer

deletes = st.builds(
    DeleteSettings,
    owner=st.just("me"),
    grace_s=st.sampled_from((0.0, 60.0)),
    limits=st.sampled_from((Limits(), Limits(count=0, percent=30), Limits(percent=100))),
)
allowances = st.builds(
    Allowance, settings=deletes, started_s=st.just(0.0), forgets=st.sampled_from((False, False, False, True))
)
traits = st.builds(
    partial(replace, InMemoryProvider().traits),
    max_batch_writes=st.sampled_from((4, 1000)),
    atomic=st.sampled_from((True, True, False)),
)
soon = st.sampled_from((True, True, False))
outcomes: st.SearchStrategy[Outcome | Lost | None] = st.one_of(
    st.none(),
    st.builds(Lost, applied=st.booleans()),
    st.builds(TryLater, message=st.just("busy"), retry_after_s=st.sampled_from((None, 20.0))),
    st.builds(Forbidden, message=st.just("no right")),
    st.builds(Conflict, message=st.just("exists"), culprits=st.lists(names.map(host), max_size=2).map(tuple)),
    st.builds(Refused, message=st.just("no"), culprits=st.lists(names.map(host), max_size=2).map(tuple)),
)
read_failures: st.SearchStrategy[ProviderError | None] = st.one_of(
    st.none(),
    st.builds(RetryableError, st.just("busy"), retry_after_s=st.sampled_from((None, 20.0))),
    st.builds(ForbiddenError, st.just("no right")),
)
zone_lists = st.sampled_from(
    (
        ZoneList(zones=(ZONE,)),
        ZoneList(zones=(ZONE,), failed=(AccountFailure(account="b", message="busy"),)),
        ZoneList(zones=(ZONE, replace(INNER, private=True))),
    )
)
