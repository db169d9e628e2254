"""The data that templates get: fields with Go names for known kinds, else JSON names (docs/spec/sources.md 8.7)."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.template import Template
from extdns.model.kind import Kind
from extdns.model.kubernetes_object import ObjectMeta
from extdns.resources.core import SERVICE
from extdns.resources.gateway_api import HTTP_ROUTE, TCP_ROUTE
from extdns.resources.gloo import PROXY
from extdns.resources.ingress_controllers import (
    F5_TRANSPORT_SERVER,
    F5_VIRTUAL_SERVER,
    HTTP_PROXY,
    INGRESS_ROUTE,
    OPENSHIFT_ROUTE,
    ROUTE_GROUP,
)
from extdns.resources.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE
from extdns.resources.networking import INGRESS

OTHER: Final = Kind("example.org", "v1", "Widget", "widgets")
SPECS: Final[dict[Kind, dict[str, Any]]] = {
    INGRESS: {"rules": [{"host": "a.t"}]},
    HTTP_ROUTE: {"hostnames": ["a.t"], "parentRefs": [{"name": "gw"}]},
    TCP_ROUTE: {"parentRefs": [{"name": "gw", "port": 5}]},
    ISTIO_GATEWAY: {"servers": [{"hosts": ["a.t"], "port": {"number": 443}}]},
    VIRTUAL_SERVICE: {"hosts": ["a.t"], "exportTo": ["*"]},
    OTHER: {"hosts": ["a.t"], "count": 2},
    HTTP_PROXY: {"virtualhost": {"fqdn": "a.t"}},
    OPENSHIFT_ROUTE: {"host": "a.t", "to": {"name": "web"}},
    F5_VIRTUAL_SERVER: {"host": "a.t", "virtualServerAddress": "1.2.3.4"},
    F5_TRANSPORT_SERVER: {"virtualServerPort": 80},
    INGRESS_ROUTE: {"routes": [{"match": "Host(`a.t`)"}]},
    ROUTE_GROUP: {"hosts": ["a.t"]},
    PROXY: {"listeners": [{"httpListener": {"virtualHosts": []}}]},
}


def items(kind: Kind, text: str) -> tuple[str, ...]:
    tree = {"metadata": {"name": "web", "namespace": "shop"}, "spec": SPECS.get(kind, {})}
    metadata = ObjectMeta(
        name="web", namespace="shop", resource_version="7", generation=2, full_object=msgspec.json.encode(tree)
    )
    template = Template.parse("--fqdn-template", [text], ["service"])
    assert template is not None
    return template.render_items(kind, metadata, "service")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        pytest.param(INGRESS, "{{range .Spec.Rules}}{{.Host}}{{end}}", "a.t", id="8.7-ingress"),
        pytest.param(HTTP_ROUTE, "{{range .Spec.Hostnames}}{{.}}{{end}}", "a.t", id="8.7-route"),
        pytest.param(TCP_ROUTE, "{{range .Spec.ParentRefs}}{{.Name}}{{.Port}}{{end}}", "gw5", id="8.7-promoted"),
        pytest.param(ISTIO_GATEWAY, "{{(index .Spec.Servers 0).Port.Number}}", "443", id="8.7-istio-gateway"),
        pytest.param(VIRTUAL_SERVICE, "{{index .Spec.Hosts 0}}{{.Spec.ExportTo}}", "a.t[*]", id="8.7-virtual-service"),
        pytest.param(HTTP_PROXY, "{{.Spec.VirtualHost.Fqdn}}", "a.t", id="8.7-httpproxy"),
        pytest.param(OPENSHIFT_ROUTE, "{{.Spec.Host}}{{.Spec.To.Name}}", "a.tweb", id="8.7-openshift"),
        pytest.param(F5_VIRTUAL_SERVER, "{{.Spec.Host}}{{.Spec.VirtualServerAddress}}", "a.t1.2.3.4", id="8.7-f5"),
        pytest.param(F5_TRANSPORT_SERVER, "{{.Name}}{{.Spec.VirtualServerPort}}", "web80", id="8.7-f5-transport"),
        pytest.param(INGRESS_ROUTE, "{{(index .Spec.Routes 0).Match}}", "Host(`a.t`)", id="8.7-traefik"),
        pytest.param(ROUTE_GROUP, "{{.Metadata.Name}}{{index .Spec.Hosts 0}}", "weba.t", id="7.9-skipper"),
        pytest.param(ROUTE_GROUP, "{{.Name}}{{index .Spec.hosts 0}}", "weba.t", id="8.7-skipper-as-json-spells-it"),
        pytest.param(PROXY, "{{.Metadata.Namespace}}{{len .Spec.Listeners}}", "shop1", id="7.8-gloo"),
        pytest.param(OTHER, "{{index .Spec.hosts 0}}-{{.Spec.count}}", "a.t-2", id="8.7-any-other-kind"),
        pytest.param(OTHER, "{{.Name}}.{{.Namespace}}.{{.Kind}}", "web.shop.Widget", id="8.7-names-of-any-kind"),
        pytest.param(SERVICE, "{{.APIVersion}}{{.Kind}}", "v1Service", id="0.5-kind-and-version-are-filled-in"),
        pytest.param(SERVICE, "{{.ResourceVersion}}-{{.Generation}}", "7-2", id="8.7-separate-fields"),
        pytest.param(SERVICE, "{{.Object.metadata.name}}", "web", id="8.7-the-whole-object"),
    ],
)
def test_templates_can_use_all_fields_of_the_object(kind: Kind, text: str, expected: str) -> None:
    assert items(kind, text) == (expected,)


def test_a_template_that_recurses_too_deeply_on_an_object_raises_a_template_error() -> None:
    text = '{{define "d"}}' + "{{if .}}" * 40 + '{{template "d" .}}' + "{{end}}" * 40 + '{{end}}{{template "d" .}}'
    with pytest.raises(TemplateError, match=r"^--fqdn-template:1:\d+: templates .* too deeply"):
        items(SERVICE, text)
