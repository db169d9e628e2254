"""Laws of Routes: no object makes them fail, and order means nothing (design 2, laws 3 and 9)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extdns.model.claim import Filtered, Invalid, Wanted, Withheld
from extdns.model.gatewayapi import (
    AllowedListeners,
    AllowedRoutes,
    FromNamespaces,
    Gateway,
    GatewayAddress,
    GatewaySpec,
    GatewayStatus,
    HttpRoute,
    LabelRequirement,
    LabelSelector,
    Listener,
    ListenerSet,
    ListenerSetSpec,
    ListenerSetStatus,
    ListenerStatus,
    ParentRef,
    RouteKind,
    RouteParentStatus,
    RouteSpec,
    RouteStatus,
)
from extdns.model.lean import Condition
from extdns.model.name import DnsName
from extdns.model.objects import NAMESPACE
from extdns.model.validity import flaw
from extdns.sources.gateway.settings import RouteSettings
from extdns.sources.gateway.source import RouteSource
from extdns.sources.refine import Refined, validated
from tests.fakes.view import FakeView
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
    FromNamespaces,
    origin=st.sampled_from(["", "All", "All", "Same", "Selector", "None", "x"]),
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
            kinds=st.none() | st.just((RouteKind(kind="HTTPRoute"),)) | st.just((RouteKind(kind="x"),)),
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
    HttpRoute,
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
SOURCE = Refined(
    source=RouteSource(name="gateway-httproute", settings=RouteSettings(listener_sets=True)), stages=(validated,)
)


@given(ROUTES, GATEWAYS, SETS)
def test_whatever_the_objects_say_each_claim_is_sound_and_none_contradicts_another(
    route: HttpRoute, gateway: Gateway, listener_set: ListenerSet
) -> None:
    claims = SOURCE.claims(route, FakeView(gateway, listener_set, SHOP, listed=[NAMESPACE]))
    for claim in claims:
        match claim:
            case Wanted():
                assert flaw(claim.endpoint) is None
                assert claim.endpoint.targets
                assert claim.name == DnsName.parse(claim.name)
                assert claim.provenance.field
            case Withheld():
                assert claim.detail
            case Invalid():
                assert claim.allowed
            case Filtered():
                assert claim.by
    keys = [claim.endpoint.key for claim in claims if isinstance(claim, Wanted)]
    assert len(set(keys)) == len(keys)
    wanted = {claim.name for claim in claims if isinstance(claim, Wanted)}
    others = [claim.name for claim in claims if isinstance(claim, Withheld | Filtered) and claim.name is not None]
    assert len({*others, *wanted}) == len(others) + len(wanted)


@given(ROUTES, GATEWAYS, SETS)
def test_the_order_of_listeners_and_parents_means_nothing_for_what_is_published(
    route: HttpRoute, gateway: Gateway, listener_set: ListenerSet
) -> None:
    view = FakeView(gateway, listener_set, SHOP, listed=[NAMESPACE])
    turned = HttpRoute(
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


def published(source: Refined, route: HttpRoute, view: FakeView) -> list[tuple[object, ...]]:
    claims = source.claims(route, view)
    return [(claim.endpoint.key, claim.endpoint.targets) for claim in claims if isinstance(claim, Wanted)]
