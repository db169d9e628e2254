"""Routes: names, listeners and targets (docs/spec/sources.md 5.1-5.6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.claim import Claim, UnresolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.ports import NotSyncedError
from extdns.resources.gateway_api import (
    GATEWAY,
    AllowedRouteKind,
    GatewayAddress,
    Listener,
    Route,
)
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, invalid, reduce_claims, resolved
from tests.unit.sources.made import DEFAULTS, build_source, settings_with
from tests.unit.sources.routes import SAME, gateway, http, listener, namespace, parent, selecting
from tests.unit.sources.samples import PREFIX, list_resolved_claims, ours

pytestmark = pytest.mark.usefixtures("cluster")

WILD = gateway(listener("*.acme.test"))
ANY = gateway(listener())
NOT_ADMITTED = "the listeners of Gateway infra/gw, none of which accepts the Route with this hostname"
CHOSEN = f"annotation {PREFIX}gateway-hostname-source"


def claims(
    obj: Route, *others: KubernetesObject, settings: SourceSettings = DEFAULTS, source: str = "gateway-httproute"
) -> tuple[Claim, ...]:
    return compute_claims(build_source(source, settings), obj, *others, listed=[GATEWAY])


def a(*names: str, ttl_s: int = 0, address: str = "203.0.113.9") -> list[str]:
    return [resolved(name, "A", address, ttl_s=ttl_s) for name in names]


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("source", "protocols"),
    [
        pytest.param("gateway-httproute", {"HTTP", "HTTPS"}, id="5.5-http"),
        pytest.param("gateway-grpcroute", {"HTTP", "HTTPS"}, id="5.5-grpc"),
        pytest.param("gateway-tlsroute", {"TLS"}, id="5.5-tls"),
        pytest.param("gateway-tcproute", {"TCP", "TLS"}, id="5.5-tcp-also-on-tls"),
        pytest.param("gateway-udproute", {"UDP"}, id="5.5-udp"),
    ],
)
def test_a_route_attaches_only_to_listeners_of_a_protocol_for_its_kind(source: str, protocols: set[str]) -> None:
    listeners = [
        listener(f"{protocol.lower()}.t", name=protocol.lower(), protocol=protocol)
        for protocol in ("HTTP", "HTTPS", "TLS", "TCP", "UDP", "example.org/own")
        if protocol.isupper()
    ]
    other = listener("own.t", name="own", protocol="example.org/own")
    found = claims(http(), gateway(*listeners, other), source=source)
    assert reduce_claims(found) == a(*(f"{protocol.lower()}.t" for protocol in sorted(protocols)))


# docs/spec/sources.md 5.1
@pytest.mark.parametrize("protocol", ["TCP", "UDP"])
def test_hostnames_in_tcp_and_udp_routes_are_ignored(protocol: str) -> None:
    found = claims(http("a.t"), gateway(listener(protocol=protocol)), source=f"gateway-{protocol.lower()}route")
    assert reduce_claims(found) == []


# docs/spec/sources.md 5.3
@pytest.mark.parametrize(
    ("obj", "settings", "on_wild", "on_any"),
    [
        pytest.param(http("a.acme.test"), DEFAULTS, a("a.acme.test"), a("a.acme.test"), id="5.3-host-names"),
        pytest.param(http(), DEFAULTS, a("*.acme.test"), [], id="5.3-without-hostnames-those-of-the-listener"),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test")),
            DEFAULTS,
            a("*.acme.test", "h.acme.test"),
            a("h.acme.test"),
            id="5.3-annotation-does-not-replace-the-listener's-name",
        ),
        pytest.param(
            http("a.acme.test", annotations=ours(hostname="h.acme.test,i.acme.test")),
            DEFAULTS,
            a("a.acme.test", "h.acme.test", "i.acme.test"),
            a("a.acme.test", "h.acme.test", "i.acme.test"),
            id="5.3-both",
        ),
        pytest.param(
            http("a.acme.test", annotations=ours(hostname="h.acme.test", gateway_hostname_source="Annotation-Only")),
            DEFAULTS,
            [*a("h.acme.test"), excluded(CHOSEN, "a.acme.test")],
            [*a("h.acme.test"), excluded(CHOSEN, "a.acme.test")],
            id="5.3-annotation-only-in-any-case",
        ),
        pytest.param(
            http(annotations=ours(gateway_hostname_source="annotation-only")),
            DEFAULTS,
            [],
            [],
            id="5.3-annotation-alone",
        ),
        pytest.param(
            http("a.acme.test", annotations=ours(hostname="h.acme.test", gateway_hostname_source="defined-hosts-only")),
            DEFAULTS,
            [*a("a.acme.test"), excluded(CHOSEN, "h.acme.test")],
            [*a("a.acme.test"), excluded(CHOSEN, "h.acme.test")],
            id="5.3-defined-hosts-only",
        ),
        pytest.param(
            http(annotations=ours(gateway_hostname_source="defined-hosts-only")),
            DEFAULTS,
            [],
            [],
            id="5.3-defined-hosts-only-ignores-the-listener",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test")),
            settings_with(ignore_hostname_annotation=True),
            [*a("*.acme.test"), "h.acme.test: excluded by --ignore-hostname-annotation"],
            ["h.acme.test: excluded by --ignore-hostname-annotation"],
            id="5.3-annotation-ignored",
        ),
    ],
)
def test_hostnames_of_a_route_come_from_its_spec_its_annotation_or_the_listener(
    obj: Route, settings: SourceSettings, on_wild: list[str], on_any: list[str]
) -> None:
    assert reduce_claims(claims(obj, WILD, settings=settings)) == on_wild
    assert reduce_claims(claims(obj, ANY, settings=settings)) == on_any


# docs/spec/sources.md 5.3
def test_an_unknown_value_of_the_hostname_source_annotation_is_ignored_with_a_warning() -> None:
    found = list_resolved_claims(claims(http("a.acme.test", annotations=ours(gateway_hostname_source="x")), WILD))
    assert reduce_claims(found) == a("a.acme.test")
    assert [(warning.value, warning.allowed) for warning in found[0].warnings] == [
        ("x", "defined-hosts-only or annotation-only")
    ]


def test_a_claim_whose_hostname_comes_from_a_listener_names_that_listener_as_its_field() -> None:
    assert (
        list_resolved_claims(claims(http(), WILD))[0].provenance.field == "hostname of listener web of Gateway infra/gw"
    )


# docs/spec/sources.md 5.5
@pytest.mark.parametrize("text", ["_x.acme.test", "*", "192.0.2.1", "a..test"])
def test_an_invalid_hostname_on_a_route_gives_an_invalid_claim_and_no_failure(text: str) -> None:
    found = claims(http("a.acme.test", annotations=ours(hostname=text)), ANY)
    assert reduce_claims(found) == [*a("a.acme.test"), invalid(Reason.INVALID_ENDPOINT, text)]


# docs/spec/sources.md 5.5
@pytest.mark.parametrize(
    ("one", "expected"),
    [
        pytest.param(listener(allow=SAME), False, id="5.5-same-namespace-only"),
        pytest.param(listener(allow=selecting(team="shop")), True, id="5.5-selector"),
        pytest.param(listener(allow=selecting(team="blog")), False, id="5.5-other-selector"),
        pytest.param(listener(kinds=[AllowedRouteKind(kind="HTTPRoute")]), True, id="5.5-kind"),
        pytest.param(listener(kinds=[AllowedRouteKind(kind="TLSRoute")]), False, id="5.5-another-kind"),
    ],
)
def test_a_listener_decides_by_namespace_and_kind_which_routes_it_accepts(one: Listener, expected: bool) -> None:
    found = reduce_claims(claims(http("a.t"), gateway(one), namespace("shop", team="shop")))
    assert found == (a("a.t") if expected else [excluded(NOT_ADMITTED, "a.t")])


# docs/spec/sources.md 5.6
@pytest.mark.parametrize(
    ("parent_object", "expected"),
    [
        pytest.param(gateway(listener(), addresses=[]), ["a.t: no-address"], id="5.6-no-address"),
        pytest.param(
            gateway(listener(), addresses=["203.0.113.9", "2001:db8::9", "lb.t"]),
            ["a.t A 203.0.113.9", "a.t AAAA 2001:db8::9", "a.t CNAME lb.t"],
            id="5.6-addresses-of-any-type",
        ),
        pytest.param(
            gateway(listener(), annotations=ours(target="edge.t,192.0.2.7", ttl="10", aws_weight="1")),
            ["a.t A 192.0.2.7", "a.t CNAME edge.t"],
            id="5.6-target-of-the-gateway-but-not-its-ttl",
        ),
        pytest.param(gateway(listener(), annotations=ours(target=",")), ["a.t: invalid-target"], id="2.2-empty-list"),
    ],
)
def test_targets_of_a_route_come_from_its_gateway(parent_object: KubernetesObject, expected: list[str]) -> None:
    assert reduce_claims(claims(http("a.t", annotations=ours(target="192.0.2.1")), parent_object)) == expected


@pytest.mark.parametrize(
    ("requested", "is_stated"),
    [
        pytest.param((), False, id="none"),
        pytest.param((GatewayAddress(),), False, id="any"),
        pytest.param((GatewayAddress(value="203.0.113.9"),), True, id="this-one"),
    ],
)
def test_an_address_that_the_spec_of_a_gateway_requests_is_only_stated(
    requested: tuple[GatewayAddress, ...], is_stated: bool
) -> None:
    requesting = replace(ANY, spec=replace(ANY.spec, addresses=requested))
    (claim,) = list_resolved_claims(claims(http("a.t"), requesting))
    assert claim.provenance.states_targets is is_stated


# docs/spec/sources.md 5.6
def test_targets_of_several_gateways_of_a_route_are_merged() -> None:
    others = [gateway(listener(), location=f"infra/g{at}", addresses=[f"lb{at}.t"]) for at in (2, 1)]
    obj = http("a.t", parents=[parent("infra/g2"), parent("infra/g1")])
    assert reduce_claims(claims(obj, *others)) == ["a.t CNAME lb1.t, lb2.t"]


# docs/spec/sources.md 5.6
def test_ttl_set_identifier_and_properties_come_from_annotations_of_the_route() -> None:
    (found,) = list_resolved_claims(
        claims(http("a.t", annotations=ours(ttl="60", set_identifier="x", aws_weight="7")), ANY)
    )
    assert (found.desired.ttl_s, found.set_identifier) == (60, "x")
    assert dict(found.desired.properties) == {"aws/weight": "7"}


def test_the_message_about_an_invalid_target_annotation_of_a_gateway_names_the_gateway() -> None:
    parent_object = gateway(listener(), annotations=ours(target="192.0.2.7,fe80::1%eth0"))
    (found,) = (claim for claim in claims(http("a.t"), parent_object) if isinstance(claim, UnresolvedClaim))
    assert found.detail.startswith(f"annotation {PREFIX}target of Gateway infra/gw: 'fe80::1%eth0' is not a target")


def test_routes_wait_until_gateways_are_listed_and_for_namespaces_only_if_a_selector_needs_them() -> None:
    source = build_source("gateway-httproute")
    with pytest.raises(NotSyncedError, match="Gateway"):
        compute_claims(source, http("a.t"))
    with pytest.raises(NotSyncedError, match="Namespace"):
        compute_claims(source, http("a.t"), gateway(listener(allow=selecting(team="shop"))))
