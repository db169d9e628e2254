"""Hosts that templates render for Routes and ingress controller objects (docs/spec/sources.md 5.3, 7, 8.8)."""

from __future__ import annotations

import pytest

from extdns.gotemplate.errors import TemplateError
from extdns.model.kind import KubernetesObject
from extdns.ports import Source
from extdns.resources.core import Service, ServiceSpec
from extdns.resources.gateway_api import Route
from extdns.resources.ingress_controllers import (
    HttpProxy,
    HttpProxySpec,
    OpenShiftRoute,
    OpenShiftRouteStatus,
    RouterStatus,
    VirtualHost,
)
from extdns.resources.istio import IstioGateway, IstioGatewaySpec, IstioServer, VirtualService, VirtualServiceSpec
from extdns.resources.meta import Condition
from extdns.sources.common.claim_builder import SourceSettings
from tests.fakes.view import FakeView
from tests.unit.sources.expected_claims import excluded, reduce_claims, resolved
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.routes import gateway, http, listener
from tests.unit.sources.samples import PREFIX, balanced, meta, ours

FQDN = "{{.Name}}.acme.test"


def selection(*fqdn: str, combine: bool = False, ignoring: bool = False) -> SourceSettings:
    return settings_with(templates=templates(fqdn, combine=combine), ignore_hostname_annotation=ignoring)


def a(*names: str) -> list[str]:
    return [resolved(name, "A", "203.0.113.9") for name in names]


CHOSEN = f"annotation {PREFIX}gateway-hostname-source"


# docs/spec/sources.md 5.3
@pytest.mark.parametrize(
    ("obj", "chosen", "expected"),
    [
        pytest.param(http(), selection(FQDN), a("*.acme.test", "r.acme.test"), id="5.3-beside-the-listener's-name"),
        pytest.param(http("a.acme.test"), selection(FQDN), a("a.acme.test"), id="5.3-not-beside-host-names"),
        pytest.param(
            http("a.acme.test"), selection(FQDN, combine=True), a("a.acme.test", "r.acme.test"), id="5.3-combined"
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test")),
            selection(FQDN, ignoring=True),
            [*a("*.acme.test", "r.acme.test"), "h.acme.test: excluded by --ignore-hostname-annotation"],
            id="5.3-in-place-of-the-annotation",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test", gateway_hostname_source="annotation-only")),
            selection(FQDN),
            [*a("h.acme.test"), excluded(CHOSEN, "r.acme.test")],
            id="5.3-annotation-only",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test", gateway_hostname_source="defined-hosts-only")),
            selection(FQDN),
            [*a("r.acme.test"), excluded(CHOSEN, "h.acme.test")],
            id="5.3-defined-hosts-only",
        ),
    ],
)
def test_fqdn_templates_give_hosts_of_routes(obj: Route, chosen: SourceSettings, expected: list[str]) -> None:
    source = build_source("gateway-httproute", chosen)
    assert (
        reduce_claims(source.find_claims(keep_all_fields(obj), FakeView(gateway(listener("*.acme.test"))))) == expected
    )


# docs/spec/sources.md 5.3
def test_a_template_that_fails_makes_the_route_fail_even_if_its_hosts_would_not_be_used() -> None:
    obj = keep_all_fields(http(annotations=ours(hostname="h.acme.test", gateway_hostname_source="annotation-only")))
    source = build_source("gateway-httproute", selection("{{.Nothing.here}}"))
    with pytest.raises(TemplateError):
        source.find_claims(obj, FakeView(gateway(listener())))


IGW = {"istio": "igw"}
PROXY = Service(metadata=meta("infra/igw"), spec=ServiceSpec(selector=IGW), status=balanced("203.0.113.9"))
MESH = IstioGateway(
    metadata=meta("mesh/g"), spec=IstioGatewaySpec(selector=IGW, servers=(IstioServer(hosts=("*.acme.test", "*")),))
)


# docs/spec/sources.md 7.1
def test_fqdn_templates_give_hosts_of_istio_gateways_without_hosts() -> None:
    bare = keep_all_fields(IstioGateway(metadata=meta("mesh/g"), spec=IstioGatewaySpec(selector=IGW)))
    assert reduce_claims(build_source("istio-gateway", selection(FQDN)).find_claims(bare, FakeView(PROXY))) == a(
        "g.acme.test"
    )
    named = build_source("istio-gateway", selection(FQDN)).find_claims(keep_all_fields(MESH), FakeView(PROXY))
    assert reduce_claims(named) == a("*.acme.test")


# docs/spec/sources.md 7.2
@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({}, a("v.acme.test"), id="8.8-no-names"),
        pytest.param(ours(target="x.t"), a("v.acme.test"), id="7.2-despite-a-target-annotation"),
    ],
)
def test_fqdn_templates_give_hosts_of_virtual_services_without_hosts(
    annotations: dict[str, str], expected: list[str]
) -> None:
    obj = VirtualService(metadata=meta("shop/v", annotations), spec=VirtualServiceSpec(gateways=("mesh/g",)))
    source = build_source("istio-virtualservice", selection(FQDN))
    assert reduce_claims(source.find_claims(keep_all_fields(obj), FakeView(MESH, PROXY))) == expected


ADMITTED = (Condition(type="Admitted", status="True"),)


# docs/spec/sources.md 7
@pytest.mark.parametrize(
    ("source", "obj", "expected"),
    [
        pytest.param(
            build_source("contour-httpproxy", selection(FQDN)),
            keep_all_fields(HttpProxy(metadata=meta("shop/p"), status=balanced("203.0.113.9"))),
            a("p.acme.test"),
            id="7.3-nameless",
        ),
        pytest.param(
            build_source("contour-httpproxy", selection(FQDN)),
            keep_all_fields(
                HttpProxy(
                    metadata=meta("shop/p"),
                    spec=HttpProxySpec(virtualhost=VirtualHost(fqdn="a.t")),
                    status=balanced("203.0.113.9"),
                )
            ),
            a("a.t"),
            id="7.3-named",
        ),
        pytest.param(
            build_source("openshift-route", selection(FQDN, combine=True)),
            keep_all_fields(
                OpenShiftRoute(
                    metadata=meta("shop/o"),
                    status=OpenShiftRouteStatus(
                        ingress=(RouterStatus(host="a.t", router_canonical_hostname="r.t", conditions=ADMITTED),)
                    ),
                )
            ),
            ["a.t CNAME r.t", "o.acme.test CNAME r.t"],
            id="7.5-combined",
        ),
    ],
)
def test_fqdn_templates_give_hosts_of_ingress_controller_objects(
    source: Source, obj: KubernetesObject, expected: list[str]
) -> None:
    assert reduce_claims(source.find_claims(obj, FakeView())) == expected
