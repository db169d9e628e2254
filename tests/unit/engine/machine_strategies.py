"""Strategies of the state machine: a few objects that collide at a few names, other writers, answers of services."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Forbidden, Outcome, Refused, TryLater, WriteConflict
from extdns.model.claim import Claim, ExcludedClaim, InvalidClaim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.value import EMPTY_MAP
from extdns.model.zone import AccountFailure, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, build_unresolved, host, ownership_record, record
from tests.fakes.faulty import NoAnswer
from tests.unit.engine.delete_accounts import DeleteAccounts
from tests.unit.engine.machine_zones import INNER

KEYS = (
    *(ObjectKey(kind, "shop", name) for kind in (SERVICE, INGRESS) for name in ("a", "b")),
    *(ObjectKey(kind, "lab", "a") for kind in (SERVICE, INGRESS)),
)
NAMES = ("web", "api", "a-web", "*.web", "shop", "web.shop")
TARGETS = (
    ("A", "192.0.2.1"),
    ("A", "192.0.2.2"),
    ("A", "192.0.2.1", "192.0.2.2"),
    ("AAAA", "2001:db8::1"),
    ("CNAME", "lb.test"),
    ("CNAME", "b.test"),
)
DENIED = ((), ("192.0.2.1",), ("lb.test",), ("2001:db8::1", "b.test"), tuple(one[1] for one in TARGETS))
FOREIGN = (("A", "192.0.2.66"), ("AAAA", "2001:db8::66"), ("CNAME", "theirs.test"), ("TXT", '"text"'))

keys = st.sampled_from(KEYS)
kinds = st.sampled_from((SERVICE, INGRESS))
names = st.sampled_from(NAMES)
identifiers = st.sampled_from(("", "", "", "", "blue", "green"))
targets = st.sampled_from(TARGETS)
have_resource = st.sampled_from((True, True, True, False))
have_invalid_hostname = st.sampled_from((False, False, False, False, True))
resources = st.sampled_from(("service/shop/web", "service/shop/web", ""))


@st.composite
def claims_of(draw: st.DrawFn, key: ObjectKey) -> tuple[Claim, ...]:
    found: dict[tuple[object, ...], Claim] = {}
    for _ in range(draw(st.integers(0, 3))):
        claim = draw(st.one_of(resolved_claims(key), unresolved_claims(key)))
        rtype = claim.desired.type if isinstance(claim, ResolvedClaim) else ""
        found[claim.name, claim.set_identifier, rtype] = claim
    if not found and draw(st.booleans()):
        return (ExcludedClaim(ref=ObjectRef(key=key), excluded_by="--label-filter"),)
    if draw(have_invalid_hostname):
        where = Provenance(source="service", ref=ObjectRef(key=key), field="annotation hostname")
        invalid = InvalidClaim(provenance=where, reason=Reason.INVALID_NAME, value="a..b", allowed="a name")
        return (*found.values(), invalid)
    return tuple(found.values())


@st.composite
def resolved_claims(draw: st.DrawFn, key: ObjectKey) -> ResolvedClaim:
    rtype, *found = draw(targets)
    made = build_claim(
        key.name,
        draw(names),
        *found,
        rtype=rtype,
        set_identifier=draw(identifiers),
        kind=key.kind,
        namespace=key.namespace,
    )
    labels = made.desired.labels if draw(have_resource) else EMPTY_MAP  # those of Pods name no resource
    return replace(made, desired=replace(made.desired, labels=labels))


@st.composite
def unresolved_claims(draw: st.DrawFn, key: ObjectKey) -> UnresolvedClaim:
    reason = draw(st.sampled_from((Reason.NO_ADDRESS, Reason.NO_ENDPOINTS, Reason.NO_GATEWAY)))
    return build_unresolved(key.name, draw(names), reason, kind=key.kind, namespace=key.namespace)


@st.composite
def foreign_records(draw: st.DrawFn) -> Record:
    """Draw a record that another writer creates: one of its own, an edit of one of ours, or an ownership record."""
    if draw(st.booleans()):
        owner = draw(st.sampled_from(("me", "other")))
        return ownership_record(draw(names), draw(targets)[0], owner=owner, resource=draw(resources))
    rtype, target = draw(st.sampled_from(FOREIGN))
    return record(draw(names), target, rtype=rtype, set_identifier=draw(identifiers))


@st.composite
def versions(draw: st.DrawFn) -> tuple[ObjectKey, tuple[Claim, ...]]:
    key = draw(keys)
    return key, draw(claims_of(key))


# settings, and answers of services

deletes = st.builds(
    DeleteSettings,
    owner=st.just("me"),
    grace_s=st.sampled_from((0.0, 60.0)),
    unresolved_timeout_s=st.sampled_from((None, None, 100.0)),
    limits=st.sampled_from(
        (
            DeleteLimits(),
            DeleteLimits(count=0, percent=30),
            DeleteLimits(count=1, percent=10),
            DeleteLimits(percent=100),
        )
    ),
    reads_manifests=st.booleans(),
)
delete_accounts = st.builds(DeleteAccounts, settings=deletes, forgets=st.sampled_from((False, False, False, True)))
capabilities = st.builds(
    partial(replace, InMemoryProvider().capabilities),
    max_batch_writes=st.sampled_from((4, 1000)),
    atomic=st.sampled_from((True, True, False)),
)
soon = st.sampled_from((True, True, False))
outcomes: st.SearchStrategy[Outcome | NoAnswer | None] = st.one_of(
    st.none(),
    st.builds(NoAnswer, applied=st.booleans()),
    st.builds(TryLater, message=st.just("busy"), retry_after_s=st.sampled_from((None, 20.0))),
    st.builds(Forbidden, message=st.just("no right")),
    st.builds(
        WriteConflict, message=st.just("exists"), offending_names=st.lists(names.map(host), max_size=2).map(tuple)
    ),
    st.builds(Refused, message=st.just("no"), offending_names=st.lists(names.map(host), max_size=2).map(tuple)),
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
