"""The `traefik-proxy` source (docs/spec/sources.md 7.4)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from extdns.model.kind import KubernetesObject
from extdns.model.record import RESOURCE
from extdns.ports import Source
from extdns.resources.ingress_controllers import (
    INGRESS_ROUTE,
    INGRESS_ROUTE_TCP,
    INGRESS_ROUTE_UDP,
    IngressRoute,
    IngressRouteSpec,
    TraefikRoute,
)
from extdns.sources.common.claim_builder import SourceSettings
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims, resolved
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.samples import list_resolved_claims, meta, ours

pytestmark = pytest.mark.usefixtures("cluster")

AT = ours(target="192.0.2.1")
HTTP = build_source("traefik-proxy", kind=INGRESS_ROUTE)


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
        pytest.param("!Host(`a.t`)", ["a.t"], id="7.4-negation-is-ignored"),
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
def test_hosts_between_backquotes_in_the_rules_of_traefik_routes_are_published(rule: str, hosts: list[str]) -> None:
    assert reduce_claims(compute_claims(HTTP, route(rule))) == [resolved(host, "A", "192.0.2.1") for host in hosts]


def test_a_very_long_traefik_rule_is_parsed_in_linear_time() -> None:
    assert not HTTP.find_claims(route("Host(`" * 200_000), FakeView())


# docs/spec/sources.md 1.8
@pytest.mark.parametrize(
    ("source", "obj", "expected"),
    [
        pytest.param(HTTP, route("Host(`a.t`)"), "ingressroute/t/r", id="http"),
        pytest.param(
            build_source("traefik-proxy", kind=INGRESS_ROUTE_TCP),
            route("HostSNI(`a.t`)"),
            "ingressroutetcp/t/r",
            id="tcp",
        ),
        pytest.param(
            build_source("traefik-proxy", kind=INGRESS_ROUTE_UDP),
            KubernetesObject(metadata=meta("t/r", AT | ours(hostname="a.t"))),
            "ingressrouteudp/t/r",
            id="udp",
        ),
    ],
)
def test_resource_labels_of_traefik_routes_begin_with_the_name_of_the_kind(
    source: Source, obj: KubernetesObject, expected: str
) -> None:
    claims = compute_claims(source, obj)
    assert reduce_claims(claims) == ["a.t A 192.0.2.1"]
    assert {claim.desired.labels.get(RESOURCE) for claim in list_resolved_claims(claims)} == {expected}


@pytest.mark.parametrize(
    ("selection", "annotations", "expected"),
    [
        pytest.param(
            settings_with(), AT | ours(hostname="h.t"), ["a.t A 192.0.2.1", "h.t A 192.0.2.1"], id="7.4-annotated"
        ),
        pytest.param(
            settings_with(), ours(hostname="h.t"), ["a.t: no-endpoints", "h.t: no-endpoints"], id="7.4-no-target"
        ),
        pytest.param(
            settings_with(ignore_hostname_annotation=True),
            AT | ours(hostname="h.t"),
            ["a.t A 192.0.2.1", "h.t: excluded by --ignore-hostname-annotation"],
            id="7.4-ignored",
        ),
        pytest.param(
            settings_with(), AT | ours(ttl="60", set_identifier="s"), ["a.t 60 A 192.0.2.1"], id="2.6-ttl-and-props"
        ),
    ],
)
def test_targets_of_traefik_routes_come_only_from_the_target_annotation(
    selection: SourceSettings, annotations: dict[str, str], expected: list[str]
) -> None:
    source = build_source("traefik-proxy", selection, kind=INGRESS_ROUTE)
    assert reduce_claims(compute_claims(source, route("Host(`a.t`)", annotations=annotations))) == expected


# docs/spec/sources.md 8.8
def test_templates_give_hosts_and_targets_of_traefik_routes() -> None:
    made = templates(["{{.Name}}.d.t"], target=["x.t"])
    source = build_source("traefik-proxy", settings_with(templates=made), kind=INGRESS_ROUTE)
    assert reduce_claims(source.find_claims(keep_all_fields(route(annotations={})), FakeView())) == ["r.d.t CNAME x.t"]
