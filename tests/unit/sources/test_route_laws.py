"""Properties of Route sources: they never fail, and order does not matter (laws 3 and 9)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extdns.model.claim import ExcludedClaim, InvalidClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.validation import validate_record
from extdns.ports import Source
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import (
    AllowedListeners,
    AllowedRouteKind,
    AllowedRoutes,
    Gateway,
    GatewayAddress,
    GatewaySpec,
    GatewayStatus,
    LabelRequirement,
    LabelSelector,
    Listener,
    ListenerSet,
    ListenerSetSpec,
    ListenerSetStatus,
    ListenerStatus,
    ParentRef,
    Route,
    RouteNamespaces,
    RouteParentStatus,
    RouteSpec,
    RouteStatus,
)
from extdns.resources.meta import Condition
from extdns.sources.common.claim_stages import validate_claim
from tests.fakes.view import FakeView
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.routes import namespace
from tests.unit.sources.samples import PREFIX, meta

TEXTS = st.text(max_size=8) | st.sampled_from(
    ["a.t", "b.t", "*.t", "A.T", "192.0.2.1", "lb.t", "2001:db8::1", "x" * 64]
)
NAMES = st.sampled_from(["one", "two", ""])
HOSTS = st.sampled_from(["", "a.t", "*.t", "b.a.t", "*.a.t"]) | TEXTS
ANNOTATIONS = st.dictionaries(
    st.sampled_from(["hostname", "target", "ttl", "gateway-hostname-source", "set-identifier", "controller"]).map(
        PREFIX.__add__
    ),
    TEXTS | st.sampled_from(["annotation-only", "defined-hosts-only", "dns-controller", "60"]),
    max_size=3,
)
SELECTORS = st.builds(
    LabelSelector,
    match_labels=st.none() | st.dictionaries(TEXTS, TEXTS, max_size=1),
    match_expressions=st.none()
    | st.lists(
        st.builds(
            LabelRequirement,
            key=TEXTS,
            operator=st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt"]),
            values=st.none() | st.lists(TEXTS, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
)
ORIGINS = st.builds(
    RouteNamespaces,
    from_=st.sampled_from(["", "All", "All", "Same", "Selector", "None", "x"]),
    selector=st.none() | SELECTORS,
)
CONDITIONS = st.lists(
    st.builds(
        Condition, type=st.sampled_from(["Accepted", "Ready"]), status=st.sampled_from(["True", "True", "False"])
    ),
    max_size=2,
).map(tuple)
LISTENERS = st.lists(
    st.builds(
        Listener,
        name=NAMES,
        hostname=HOSTS,
        port=st.sampled_from([0, 80, 443]),
        protocol=st.sampled_from(["HTTP", "HTTPS", "TCP"]),
        allowed_routes=st.builds(
            AllowedRoutes,
            namespaces=ORIGINS,
            kinds=st.none() | st.just((AllowedRouteKind(kind="HTTPRoute"),)) | st.just((AllowedRouteKind(kind="x"),)),
        ),
    ),
    max_size=3,
).map(tuple)
GATEWAYS = st.builds(
    Gateway,
    metadata=st.builds(meta, st.just("infra/gw"), ANNOTATIONS),
    spec=st.builds(
        GatewaySpec, listeners=st.none() | LISTENERS, allowed_listeners=st.builds(AllowedListeners, namespaces=ORIGINS)
    ),
    status=st.builds(
        GatewayStatus, addresses=st.none() | st.lists(st.builds(GatewayAddress, value=TEXTS), max_size=2).map(tuple)
    ),
)
SETS = st.builds(
    ListenerSet,
    metadata=st.builds(meta, st.just("shop/ls"), ANNOTATIONS),
    spec=st.builds(
        ListenerSetSpec,
        parent_ref=st.sampled_from([ParentRef(name="gw", namespace="infra"), ParentRef(), ParentRef(name="gw")]),
        listeners=st.none() | LISTENERS,
    ),
    status=st.builds(
        ListenerSetStatus,
        conditions=st.none() | CONDITIONS,
        listeners=st.none()
        | st.lists(st.builds(ListenerStatus, name=NAMES, conditions=CONDITIONS), max_size=2).map(tuple),
    ),
)
PARENTS = st.sampled_from(
    [
        ParentRef(name="gw", namespace="infra"),
        ParentRef(name="gw", namespace="infra", section_name="one"),
        ParentRef(name="gw", namespace="infra", port=80),
        ParentRef(name="ls", kind="ListenerSet"),
        ParentRef(name="svc", kind="Service", group="core"),
        ParentRef(),
    ]
)
ROUTES = st.builds(
    Route,
    metadata=st.builds(meta, st.just("shop/r"), ANNOTATIONS),
    spec=st.builds(
        RouteSpec,
        hostnames=st.none() | st.lists(HOSTS, max_size=3).map(tuple),
        parent_refs=st.none() | st.lists(PARENTS, max_size=3).map(tuple),
    ),
    status=st.builds(
        RouteStatus,
        parents=st.none()
        | st.lists(st.builds(RouteParentStatus, parent_ref=PARENTS, conditions=CONDITIONS), max_size=3).map(tuple),
    ),
)
SHOP = namespace("shop", team="shop")
SOURCE = build_source("gateway-httproute", settings_with(gateway_listener_sets=True), stages=(validate_claim,))


@given(ROUTES, GATEWAYS, SETS)
def test_any_routes_and_gateways_give_valid_claims_and_each_name_is_resolved_or_not_but_never_both(
    route: Route, gateway: Gateway, listener_set: ListenerSet
) -> None:
    claims = SOURCE.find_claims(route, FakeView(gateway, listener_set, SHOP, listed=[NAMESPACE]))
    for claim in claims:
        match claim:
            case ResolvedClaim():
                assert validate_record(claim.desired) is None
                assert claim.desired.targets
                assert claim.name == DnsName.parse(claim.name)
                assert claim.provenance.field
            case UnresolvedClaim():
                assert claim.detail
            case InvalidClaim():
                assert claim.allowed
            case ExcludedClaim():
                assert claim.excluded_by
    keys = [claim.desired.key for claim in claims if isinstance(claim, ResolvedClaim)]
    assert len(set(keys)) == len(keys)
    resolved = {claim.name for claim in claims if isinstance(claim, ResolvedClaim)}
    others = [
        claim.name for claim in claims if isinstance(claim, UnresolvedClaim | ExcludedClaim) and claim.name is not None
    ]
    assert len({*others, *resolved}) == len(others) + len(resolved)


@given(ROUTES, GATEWAYS, SETS)
def test_the_claims_of_a_route_do_not_depend_on_the_order_of_listeners_and_parents(
    route: Route, gateway: Gateway, listener_set: ListenerSet
) -> None:
    view = FakeView(gateway, listener_set, SHOP, listed=[NAMESPACE])
    turned = Route(
        metadata=route.metadata,
        spec=route.spec,
        status=RouteStatus(parents=tuple(reversed(route.status.parents or ()))),
    )
    other = Gateway(
        metadata=gateway.metadata,
        spec=GatewaySpec(
            listeners=tuple(reversed(gateway.spec.listeners or ())), allowed_listeners=gateway.spec.allowed_listeners
        ),
        status=gateway.status,
    )
    turned_view = FakeView(other, listener_set, SHOP, listed=[NAMESPACE])
    assert published(SOURCE, turned, turned_view) == published(SOURCE, route, view)


def published(source: Source, route: Route, view: FakeView) -> list[tuple[object, ...]]:
    claims = source.find_claims(route, view)
    return [(claim.desired.key, claim.desired.targets) for claim in claims if isinstance(claim, ResolvedClaim)]
