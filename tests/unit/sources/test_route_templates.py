"""Names that templates make of Routes and of the objects of ingress controllers (spec sources 5.3, 7, 8.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
import pytest

from extdns.flags.sources import SOURCES
from extdns.model.gatewayapi import HttpRoute
from extdns.model.istio import IstioGateway, IstioGatewaySpec, IstioServer, VirtualService, VirtualServiceSpec
from extdns.model.lean import Condition
from extdns.model.objects import KubernetesObject, Service, ServiceSpec
from extdns.model.vendors import (
    HttpProxy,
    HttpProxySpec,
    OpenShiftRoute,
    OpenShiftRouteStatus,
    RouterStatus,
    VirtualHost,
)
from extdns.sources.contour import ContourSource
from extdns.sources.gateway.settings import RouteSettings
from extdns.sources.gateway.source import RouteSource
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.template import Template
from extdns.sources.istio.gateway import IstioGatewaySource
from extdns.sources.istio.virtualservice import VirtualServiceSource
from extdns.sources.openshift import OpenShiftSource
from extdns.sources.selection import Selection
from extdns.sources.templates import Templates
from tests.fakes.view import FakeView
from tests.unit.sources.routes import gateway, http, listener
from tests.unit.sources.samples import PREFIX, balanced, meta, ours, said

T = TypeVar("T", HttpRoute, IstioGateway, VirtualService, HttpProxy, OpenShiftRoute)

FQDN = "{{.Name}}.acme.test"


def whole(obj: T) -> T:
    """*obj* as a cluster keeps it for templates."""
    kept = msgspec.structs.replace(obj.metadata, whole=msgspec.json.encode(obj))
    return msgspec.structs.replace(obj, metadata=kept)


def selection(*fqdn: str, combine: bool = False, ignoring: bool = False) -> Selection:
    made = Templates(fqdn=Template.read("--fqdn-template", fqdn, SOURCES), combine=combine)
    return Selection(templates=made, ignore_hostname_annotation=ignoring)


def a(*names: str) -> list[str]:
    return [f"{name} A - [203.0.113.9]" for name in names]


CHOSEN = f"by annotation {PREFIX}gateway-hostname-source"


@pytest.mark.parametrize(
    ("obj", "chosen", "expected"),
    [
        pytest.param(http(), selection(FQDN), a("*.acme.test", "r.acme.test"), id="5.3-beside-the-listener's-name"),
        pytest.param(http("a.acme.test"), selection(FQDN), a("a.acme.test"), id="5.3-not-beside-host-names"),
        pytest.param(
            http("a.acme.test"),
            selection(FQDN, combine=True),
            a("a.acme.test", "r.acme.test"),
            id="5.3-combined",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test")),
            selection(FQDN, ignoring=True),
            [*a("*.acme.test", "r.acme.test"), "h.acme.test by --ignore-hostname-annotation"],
            id="5.3-in-place-of-the-annotation",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test", gateway_hostname_source="annotation-only")),
            selection(FQDN),
            [*a("h.acme.test"), f"r.acme.test {CHOSEN}"],
            id="5.3-annotation-only",
        ),
        pytest.param(
            http(annotations=ours(hostname="h.acme.test", gateway_hostname_source="defined-hosts-only")),
            selection(FQDN),
            [*a("r.acme.test"), f"h.acme.test {CHOSEN}"],
            id="5.3-defined-hosts-only",
        ),
    ],
)
def test_5_3_templates_of_routes(obj: HttpRoute, chosen: Selection, expected: list[str]) -> None:
    source = RouteSource(name="gateway-httproute", settings=RouteSettings(selection=chosen))
    assert said(source.claims(whole(obj), FakeView(gateway(listener("*.acme.test"))))) == expected


def test_5_3_a_template_that_fails_fails_the_route_though_its_names_would_not_be_used() -> None:
    obj = whole(http(annotations=ours(hostname="h.acme.test", gateway_hostname_source="annotation-only")))
    source = RouteSource(name="gateway-httproute", settings=RouteSettings(selection=selection("{{.Nothing.here}}")))
    with pytest.raises(TemplateError):
        source.claims(obj, FakeView(gateway(listener())))


IGW = {"istio": "igw"}
PROXY = Service(metadata=meta("infra/igw"), spec=ServiceSpec(selector=IGW), status=balanced("203.0.113.9"))
MESH = IstioGateway(
    metadata=meta("mesh/g"), spec=IstioGatewaySpec(selector=IGW, servers=(IstioServer(hosts=("*.acme.test", "*")),))
)


def test_7_1_templates_of_gateways_of_istio() -> None:
    bare = whole(IstioGateway(metadata=meta("mesh/g"), spec=IstioGatewaySpec(selector=IGW)))
    assert said(IstioGatewaySource(selection=selection(FQDN)).claims(bare, FakeView(PROXY))) == a("g.acme.test")
    named = IstioGatewaySource(selection=selection(FQDN)).claims(whole(MESH), FakeView(PROXY))
    assert said(named) == a("*.acme.test")


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({}, a("v.acme.test"), id="8.8-nameless"),
        pytest.param(ours(target="x.t"), a("v.acme.test"), id="7.2-whatever-the-target-annotation-says"),
    ],
)
def test_7_2_templates_of_virtual_services(annotations: dict[str, str], expected: list[str]) -> None:
    obj = VirtualService(metadata=meta("shop/v", annotations), spec=VirtualServiceSpec(gateways=("mesh/g",)))
    source = VirtualServiceSource(selection=selection(FQDN))
    assert said(source.claims(whole(obj), FakeView(MESH, PROXY))) == expected


ADMITTED = (Condition(type="Admitted", status="True"),)


@pytest.mark.parametrize(
    ("source", "obj", "expected"),
    [
        pytest.param(
            ContourSource(selection=selection(FQDN)),
            whole(HttpProxy(metadata=meta("shop/p"), status=balanced("203.0.113.9"))),
            a("p.acme.test"),
            id="7.3-nameless",
        ),
        pytest.param(
            ContourSource(selection=selection(FQDN)),
            whole(
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
            OpenShiftSource(selection=selection(FQDN, combine=True)),
            whole(
                OpenShiftRoute(
                    metadata=meta("shop/o"),
                    status=OpenShiftRouteStatus(
                        ingress=(RouterStatus(host="a.t", router_canonical_hostname="r.t", conditions=ADMITTED),)
                    ),
                )
            ),
            ["a.t CNAME - [r.t]", "o.acme.test CNAME - [r.t]"],
            id="7.5-combined",
        ),
    ],
)
def test_7_templates_of_ingress_controllers(
    source: ContourSource | OpenShiftSource, obj: KubernetesObject, expected: Sequence[str]
) -> None:
    assert said(source.claims(obj, FakeView())) == expected
