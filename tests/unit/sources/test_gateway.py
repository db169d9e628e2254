"""Routes: names, listeners and targets (spec sources 5.1-5.6)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim
from extdns.model.gatewayapi import (
    GATEWAY,
    GrpcRoute,
    HttpRoute,
    Listener,
    RouteKind,
    TcpRoute,
    TlsRoute,
    UdpRoute,
)
from extdns.model.objects import KubernetesObject
from extdns.ports import NotReadyError
from extdns.sources.gateway.settings import ROUTE_KINDS, RouteSettings
from extdns.sources.gateway.source import RouteSource
from extdns.sources.selection import Selection
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.routes import SAME, gateway, http, listener, namespace, parent, route, selecting
from tests.unit.sources.samples import PREFIX, load_balancer, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")

SOURCE = {
    HttpRoute: "gateway-httproute",
    GrpcRoute: "gateway-grpcroute",
    TlsRoute: "gateway-tlsroute",
    TcpRoute: "gateway-tcproute",
    UdpRoute: "gateway-udproute",
}
AnyRoute = HttpRoute | GrpcRoute | TlsRoute | TcpRoute | UdpRoute
WILD = gateway(listener("*.acme.test"))
ANY = gateway(listener())
NOT_ADMITTED = "by the listeners of Gateway infra/gw, none of which admits it"
CHOSEN = f"by annotation {PREFIX}gateway-hostname-source"


def claims(obj: AnyRoute, *others: KubernetesObject, settings: RouteSettings | None = None) -> tuple[Claim, ...]:
    source = RouteSource(name=SOURCE[type(obj)], settings=settings or RouteSettings())
    return shown(source, obj, *others, listed=[GATEWAY])


def a(*names: str, ttl: str = "-", address: str = "203.0.113.9") -> list[str]:
    return [f"{name} A {ttl} [{address}]" for name in names]


def test_5_7_worked_example_of_an_http_route() -> None:
    found = claims(http("shop.acme.test", "other.test", annotations=ours(ttl="30")), WILD)
    assert said(found) == [*a("shop.acme.test", ttl="30"), f"other.test {NOT_ADMITTED}"]
    (claim,) = wanted(found)
    assert claim.endpoint.resource == "httproute/shop/r"
    assert (claim.provenance.source, claim.provenance.field) == ("gateway-httproute", "spec.hostnames[0]")


def test_5_7_worked_example_of_a_tcp_route() -> None:
    obj = route(TcpRoute, place="db/t", annotations=ours(hostname="pg.acme.test"), parents=[parent("infra/gw2")])
    parent_object = gateway(listener(protocol="TCP", port=5432), place="infra/gw2", addresses=["198.51.100.4"])
    found = claims(obj, parent_object)
    assert said(found) == a("pg.acme.test", address="198.51.100.4")
    assert wanted(found)[0].endpoint.resource == "tcproute/db/t"


@pytest.mark.parametrize("kind", SOURCE, ids=lambda kind: f"5.1-{kind.__name__}")
def test_5_1_each_source_reads_its_kind(kind: type[AnyRoute]) -> None:
    source = RouteSource(name=SOURCE[kind], settings=RouteSettings())
    assert source.kind.name.lower() == kind.__name__.lower() == source.name.removeprefix("gateway-")
    with pytest.raises(TypeError, match=f"the {source.name} source reads"):
        source.claims(load_balancer(None), FakeView())
    assert set(SOURCE.values()) == set(ROUTE_KINDS)


@pytest.mark.parametrize(
    ("kind", "protocols"),
    [
        pytest.param(HttpRoute, {"HTTP", "HTTPS"}, id="5.5-http"),
        pytest.param(GrpcRoute, {"HTTP", "HTTPS"}, id="5.5-grpc"),
        pytest.param(TlsRoute, {"TLS"}, id="5.5-tls"),
        pytest.param(TcpRoute, {"TCP", "TLS"}, id="5.5-tcp-also-on-tls"),
        pytest.param(UdpRoute, {"UDP"}, id="5.5-udp"),
    ],
)
def test_5_5_protocols(kind: type[AnyRoute], protocols: set[str]) -> None:
    listeners = [
        listener(f"{protocol.lower()}.t", name=protocol.lower(), protocol=protocol)
        for protocol in ("HTTP", "HTTPS", "TLS", "TCP", "UDP", "example.org/own")
        if protocol.isupper()
    ]
    found = claims(route(kind), gateway(*listeners, listener("own.t", name="own", protocol="example.org/own")))
    assert said(found) == a(*(f"{protocol.lower()}.t" for protocol in sorted(protocols)))


@pytest.mark.parametrize("kind", [TcpRoute, UdpRoute])
def test_5_1_routes_without_host_names_have_none_whatever_they_say(kind: type[AnyRoute]) -> None:
    protocol = "TCP" if kind is TcpRoute else "UDP"
    assert said(claims(route(kind, "a.t"), gateway(listener(protocol=protocol)))) == []


@pytest.mark.parametrize(
    ("obj", "settings", "on_wild", "on_any"),
    [
        pytest.param(http("a.acme.test"), None, a("a.acme.test"), a("a.acme.test"), id="5.3-host-names"),
        pytest.param(http(), None, a("*.acme.test"), [], id="5.3-none-is-what-the-listener-says"),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test")),
            None,
            a("*.acme.test", "h.acme.test"),
            a("h.acme.test"),
            id="5.3-annotation-does-not-replace-the-listener's-name",
        ),
        pytest.param(
            http("a.acme.test", annotations=ours(hostname="h.acme.test,i.acme.test")),
            None,
            a("a.acme.test", "h.acme.test", "i.acme.test"),
            a("a.acme.test", "h.acme.test", "i.acme.test"),
            id="5.3-both",
        ),
        pytest.param(
            http("a.acme.test", annotations=ours(hostname="h.acme.test", gateway_hostname_source="Annotation-Only")),
            None,
            [*a("h.acme.test"), f"a.acme.test {CHOSEN}"],
            [*a("h.acme.test"), f"a.acme.test {CHOSEN}"],
            id="5.3-annotation-only-in-any-case",
        ),
        pytest.param(
            http(annotations=ours(gateway_hostname_source="annotation-only")), None, [], [], id="5.3-annotation-alone"
        ),
        pytest.param(
            http("a.acme.test", annotations=ours(hostname="h.acme.test", gateway_hostname_source="defined-hosts-only")),
            None,
            [*a("a.acme.test"), f"h.acme.test {CHOSEN}"],
            [*a("a.acme.test"), f"h.acme.test {CHOSEN}"],
            id="5.3-defined-hosts-only",
        ),
        pytest.param(
            http(annotations=ours(gateway_hostname_source="defined-hosts-only")),
            None,
            [],
            [],
            id="5.3-defined-hosts-only-does-not-ask-the-listener",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test")),
            RouteSettings(selection=Selection(ignore_hostname_annotation=True)),
            [*a("*.acme.test"), "h.acme.test by --ignore-hostname-annotation"],
            ["h.acme.test by --ignore-hostname-annotation"],
            id="5.3-annotation-ignored",
        ),
    ],
)
def test_5_3_names(obj: HttpRoute, settings: RouteSettings | None, on_wild: list[str], on_any: list[str]) -> None:
    assert said(claims(obj, WILD, settings=settings)) == on_wild
    assert said(claims(obj, ANY, settings=settings)) == on_any


def test_5_3_an_unknown_hostname_source_is_told_and_counts_as_absent() -> None:
    found = wanted(claims(http("a.acme.test", annotations=ours(gateway_hostname_source="x")), WILD))
    assert said(found) == a("a.acme.test")
    assert [(notice.value, notice.allowed) for notice in found[0].notices] == [
        ("x", "defined-hosts-only or annotation-only")
    ]


def test_a_listener_s_name_says_where_it_comes_from() -> None:
    assert wanted(claims(http(), WILD))[0].provenance.field == "hostname of listener web of Gateway infra/gw"


@pytest.mark.parametrize("text", ["_x.acme.test", "*", "192.0.2.1", "a..test"])
def test_5_5_what_is_no_host_name_meets_no_listener_and_is_told_without_being_a_failure(text: str) -> None:
    found = claims(http("a.acme.test", annotations=ours(hostname=text)), ANY)
    assert said(found) == [*a("a.acme.test"), f"invalid-endpoint {text}"]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        pytest.param(listener(allow=SAME), False, id="5.5-same-namespace-only"),
        pytest.param(listener(allow=selecting(team="shop")), True, id="5.5-selector"),
        pytest.param(listener(allow=selecting(team="blog")), False, id="5.5-other-selector"),
        pytest.param(listener(kinds=[RouteKind(kind="HTTPRoute")]), True, id="5.5-kind"),
        pytest.param(listener(kinds=[RouteKind(kind="TLSRoute")]), False, id="5.5-another-kind"),
    ],
)
def test_5_5_listeners_choose_whom_they_take(one: Listener, expected: bool) -> None:
    found = said(claims(http("a.t"), gateway(one), namespace("shop", team="shop")))
    assert found == (a("a.t") if expected else [f"a.t {NOT_ADMITTED}"])


@pytest.mark.parametrize(
    ("parent_object", "expected"),
    [
        pytest.param(gateway(listener(), addresses=[]), ["a.t no-address"], id="5.6-no-address"),
        pytest.param(
            gateway(listener(), addresses=["203.0.113.9", "2001:db8::9", "lb.t"]),
            ["a.t A - [203.0.113.9]", "a.t AAAA - [2001:db8::9]", "a.t CNAME - [lb.t]"],
            id="5.6-addresses-of-any-type",
        ),
        pytest.param(
            gateway(listener(), annotations=ours(target="edge.t,192.0.2.7", ttl="10", aws_weight="1")),
            ["a.t A - [192.0.2.7]", "a.t CNAME - [edge.t]"],
            id="5.6-target-of-the-gateway-but-not-its-ttl",
        ),
        pytest.param(gateway(listener(), annotations=ours(target=",")), ["a.t invalid-target"], id="2.2-empty-list"),
    ],
)
def test_5_6_targets(parent_object: KubernetesObject, expected: list[str]) -> None:
    assert said(claims(http("a.t", annotations=ours(target="192.0.2.1")), parent_object)) == expected


def test_5_6_host_names_of_several_gateways_are_one_record() -> None:
    others = [gateway(listener(), place=f"infra/g{at}", addresses=[f"lb{at}.t"]) for at in (2, 1)]
    obj = http("a.t", parents=[parent("infra/g2"), parent("infra/g1")])
    assert said(claims(obj, *others)) == ["a.t CNAME - [lb1.t, lb2.t]"]


def test_5_6_ttl_set_identifier_and_properties_are_the_route_s() -> None:
    (found,) = wanted(claims(http("a.t", annotations=ours(ttl="60", set_identifier="x", aws_weight="7")), ANY))
    assert (found.endpoint.ttl_s, found.set_identifier) == (60, "x")
    assert dict(found.endpoint.properties) == {"aws/weight": "7"}


def test_a_target_of_a_gateway_that_is_none_is_told_with_its_gateway() -> None:
    parent_object = gateway(listener(), annotations=ours(target="192.0.2.7,fe80::1%eth0"))
    (found,) = wanted(claims(http("a.t"), parent_object))
    assert [notice.field for notice in found.notices] == [f"annotation {PREFIX}target of Gateway infra/gw"]


def test_routes_wait_for_gateways_and_for_namespaces_only_where_one_is_selected() -> None:
    source = RouteSource(name="gateway-httproute", settings=RouteSettings())
    with pytest.raises(NotReadyError, match="Gateway"):
        shown(source, http("a.t"))
    with pytest.raises(NotReadyError, match="Namespace"):
        shown(source, http("a.t"), gateway(listener(allow=selecting(team="shop"))))
