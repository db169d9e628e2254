"""The `traefik-proxy` source (spec sources 7.4)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from extdns.model.objects import KubernetesObject
from extdns.model.record import RESOURCE
from extdns.model.traefik import (
    INGRESS_ROUTE,
    INGRESS_ROUTE_TCP,
    INGRESS_ROUTE_UDP,
    LEGACY,
    STRUCTS,
    IngressRoute,
    IngressRouteSpec,
    IngressRouteTcp,
    IngressRouteUdp,
    TraefikRoute,
)
from extdns.sources.selection import Selection
from extdns.sources.traefik import TraefikSource, kinds
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.made import templates, whole
from tests.unit.sources.samples import ingress, meta, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")

AT = ours(target="192.0.2.1")
HTTP = TraefikSource(kind=INGRESS_ROUTE, selection=Selection())
A = "A - [192.0.2.1]"


def route(*rules: str, annotations: Mapping[str, str] = AT) -> IngressRoute:
    spec = IngressRouteSpec(routes=tuple(TraefikRoute(match=rule) for rule in rules))
    return IngressRoute(metadata=meta("t/r", annotations), spec=spec)


@pytest.mark.parametrize(
    ("rule", "hosts"),
    [
        pytest.param(
            "Host(`a.t`, `b.t`) && PathPrefix(`/x`) || HostHeader(`c.t`)", ["a.t", "b.t", "c.t"], id="7.4-the-example"
        ),
        pytest.param("HostSNI ( `a.t` )", ["a.t"], id="7.4-sni-and-blanks"),
        pytest.param("!Host(`a.t`)", ["a.t"], id="7.4-negation-is-not-understood"),
        pytest.param("HostRegexp(`a.t`)", [], id="7.4-regexp"),
        pytest.param('Host("a.t")', [], id="7.4-double-quotes"),
        pytest.param("host(`a.t`)", [], id="7.4-case-matters"),
        pytest.param("Host(`*`) || Host(`b.t`)", ["b.t"], id="7.4-any-host"),
        pytest.param("Host(`a.t\n`) && Host(`b.t`)", ["b.t"], id="7.4-no-line-end-within"),
        pytest.param("Host(`a.t`\n)", ["a.t"], id="7.4-line-end-before-the-brace"),
        pytest.param("Host(`a.t,b.t`)", [], id="7.4-comma-within"),
        pytest.param("Host(``)", [], id="7.4-empty"),
        pytest.param("Host(`a.t`", [], id="7.4-no-end"),
        pytest.param("PathPrefix(`/x`)", [], id="7.4-no-host"),
    ],
)
def test_hosts_stand_between_backquotes(rule: str, hosts: list[str]) -> None:
    assert said(shown(HTTP, route(rule))) == [f"{host} {A}" for host in hosts]


def test_a_hostile_rule_takes_no_long_time() -> None:
    assert not HTTP.claims(route("Host(`" * 200_000), FakeView())


@pytest.mark.parametrize(
    ("source", "obj", "expected"),
    [
        pytest.param(HTTP, route("Host(`a.t`)"), "ingressroute/t/r", id="http"),
        pytest.param(
            TraefikSource(kind=INGRESS_ROUTE_TCP, selection=Selection()),
            IngressRouteTcp(metadata=meta("t/r", AT), spec=route("HostSNI(`a.t`)").spec),
            "ingressroutetcp/t/r",
            id="tcp",
        ),
        pytest.param(
            TraefikSource(kind=INGRESS_ROUTE_UDP, selection=Selection()),
            IngressRouteUdp(metadata=meta("t/r", AT | ours(hostname="a.t"))),
            "ingressrouteudp/t/r",
            id="udp",
        ),
    ],
)
def test_1_8_marks_name_the_kind(source: TraefikSource, obj: KubernetesObject, expected: str) -> None:
    claims = shown(source, obj)
    assert said(claims) == [f"a.t {A}"]
    assert {claim.endpoint.labels.get(RESOURCE) for claim in wanted(claims)} == {expected}


@pytest.mark.parametrize(
    ("selection", "annotations", "expected"),
    [
        pytest.param(Selection(), AT | ours(hostname="h.t"), [f"a.t {A}", f"h.t {A}"], id="7.4-annotated"),
        pytest.param(Selection(), ours(hostname="h.t"), ["a.t no-endpoints", "h.t no-endpoints"], id="7.4-no-target"),
        pytest.param(
            Selection(ignore_hostname_annotation=True),
            AT | ours(hostname="h.t"),
            [f"a.t {A}", "h.t by --ignore-hostname-annotation"],
            id="7.4-ignored",
        ),
        pytest.param(
            Selection(), AT | ours(ttl="60", set_identifier="s"), ["a.t A 60 [192.0.2.1]"], id="2.6-ttl-and-props"
        ),
    ],
)
def test_targets_are_those_of_the_annotation(
    selection: Selection, annotations: dict[str, str], expected: list[str]
) -> None:
    source = TraefikSource(kind=INGRESS_ROUTE, selection=selection)
    assert said(shown(source, route("Host(`a.t`)", annotations=annotations))) == expected


def test_8_8_templates_make_names_and_targets() -> None:
    made = templates(["{{.Name}}.d.t"], target=["x.t"])
    source = TraefikSource(kind=INGRESS_ROUTE, selection=Selection(templates=made))
    assert said(source.claims(whole(route(annotations={})), FakeView())) == ["r.d.t CNAME - [x.t]"]


def test_7_4_the_flags_choose_the_groups() -> None:
    assert kinds(new=True, legacy=False) == tuple(STRUCTS)
    assert kinds(new=False, legacy=True) == tuple(LEGACY)
    assert {kind.group for kind in kinds(new=True, legacy=True)} == {"traefik.io", "traefik.containo.us"}


def test_other_kinds_are_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="IngressRoutes only"):
        HTTP.claims(ingress(rules=["a.t"]), FakeView())
