"""The template language (docs/spec/sources.md 8.7). More tests compare results with Go itself."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.evaluator import Evaluator
from extdns.gotemplate.functions import MAX_STEPS, MAX_TEXT, NAMES, list_functions
from extdns.gotemplate.parser import parse_template
from extdns.gotemplate.template import Template
from extdns.gotemplate.values import make_typed, make_untyped
from extdns.model.kind import Kind, ObjectMeta
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

SOURCES: Final = ("ingress", "service")
WEB: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "x", "tier": ""}, "uid": "u-1"},
    "spec": {"type": "LoadBalancer", "ports": [{"port": 80, "targetPort": "http"}, {"port": 443, "targetPort": 8443}]},
    "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}, {"hostname": "lb.t"}]}},
}


def made(template: str, data: Any = None, *, plain: bool = False, strict: bool = False) -> str:  # noqa: ANN401 - JSON
    value = WEB if data is None else data
    value = make_untyped(value) if plain else make_typed("*core.Service", value)
    return Evaluator(parse_template(template, NAMES), list_functions("service", SOURCES), strict=strict).render(value)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        pytest.param("a {{.Name}} b", "a web b", id="8.7-text-and-action"),
        pytest.param("a  {{- .Name -}}  b", "awebb", id="8.7-trim"),
        pytest.param("a {{- /* c */ -}} b", "ab", id="8.7-comment"),
        pytest.param('{{.Name | printf "%s-%s" .Namespace}}', "shop-web", id="8.7-the-piped-value-comes-last"),
        pytest.param("{{.Name | }}", "web", id="8.7-a-pipe-at-the-end"),
        pytest.param('{{printf "%.2v %.2f" .Name .Name}}', "we %!f(string=we)", id="8.7-a-precision-cuts-any-text"),
        pytest.param(
            '{{printf "%.3d %05.2v %.1f %+.0d" 5 -7 0 0}}', "005   -07 %!f(int=0) ", id="8.7-or-fills-numbers"
        ),
        pytest.param(
            '{{(index .Spec.Ports 1).Port}} {{"x"}}{{`y`}}{{1.5}}{{true}}', "443 xy1.5true", id="8.7-literals"
        ),
        pytest.param("{{$v := .Name}}{{$v}}{{$v = 2}}{{$v}}{{$.Kind}}", "web2Service", id="8.7-variables"),
        pytest.param('{{if eq .Kind "Pod"}}a{{else if .Name}}b{{else}}c{{end}}', "b", id="8.7-else-if"),
        pytest.param("{{range $i, $p := .Spec.Ports}}{{$i}}={{$p.Port}} {{end}}", "0=80 1=443 ", id="8.7-range-list"),
        pytest.param("{{range $k, $v := .Labels}}{{$k}}={{$v}} {{end}}", "app=x tier= ", id="8.7-range-map-by-key"),
        pytest.param("{{range 3}}{{.}}{{end}}", "012", id="8.7-range-integer"),
        pytest.param("{{range .Spec.ClusterIPs}}a{{else}}b{{end}}", "b", id="8.7-range-else"),
        pytest.param("{{range .Spec.Ports}}{{.Port}}{{break}}{{end}}", "80", id="8.7-break"),
        pytest.param("{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}", "02", id="8.7-continue"),
        pytest.param("{{with .Labels}}{{.app}}{{else}}none{{end}}", "x", id="8.7-with"),
        pytest.param("{{with .Annotations}}{{.}}{{else}}none{{end}}", "none", id="8.7-with-else"),
        pytest.param('{{define "d"}}<{{.}}>{{end}}{{template "d" .Name}}', "<web>", id="8.7-define"),
        pytest.param(
            '{{define "d"}} {{end}}{{define "d"}}{{/**/}}{{end}}<{{template "d"}}>', "<>", id="8.7-both-are-empty"
        ),
        pytest.param(
            '{{define "d"}}x{{end}}{{define "d"}} {{end}}<{{template "d"}}>', "<x>", id="8.7-the-second-is-empty"
        ),
        pytest.param('{{block "d" .Name}}<{{.}}>{{end}}', "<web>", id="8.7-block"),
        pytest.param('{{and .Name ""}}|{{or "" .Name}}|{{not .Name}}', "|web|false", id="8.7-and-or-return-operands"),
        pytest.param('{{eq .Name "a" "b" "web"}}', "true", id="8.7-eq-any"),
        pytest.param("{{or .Name .NoSuchField}}", "web", id="8.7-or-stops-early"),
        pytest.param(
            "{{if .Labels.tier}}a{{end}}{{if .Labels.nope}}b{{end}}{{if .Spec.Selector}}c{{end}}", "", id="8.7-false"
        ),
        pytest.param("{{.Labels.nope}}", "<no value>", id="8.7-a-missing-key"),
        pytest.param('[{{index .Labels "nope"}}]', "[]", id="8.7-index-of-a-missing-key"),
        pytest.param("{{.Spec.InternalTrafficPolicy}}", "<nil>", id="8.7-nil-pointer"),
        pytest.param("{{.Spec.SessionAffinityConfig}}", "nil", id="8.7-nil-pointer-to-a-struct"),
        pytest.param("{{.Labels}} {{.Spec.ClusterIPs}}", "map[app:x tier:] []", id="8.7-go-formatting"),
        pytest.param("{{.Spec.ClusterIP}}{{.Spec.HealthCheckNodePort}}", "0", id="8.7-absent-fields-are-zero"),
        pytest.param("{{.ObjectMeta.Name}} {{.APIVersion}} {{.UID}} {{.GetName}}", "web v1 u-1 web", id="8.7-promoted"),
        pytest.param("{{range .Spec.Ports}}{{.TargetPort}} {{end}}", "http 8443 ", id="8.7-integer-or-string"),
        pytest.param("{{(index .Status.LoadBalancer.Ingress 0).IP}}", "192.0.2.1", id="8.7-status"),
        pytest.param('{{html "<a>"}}{{js "\'"}}{{urlquery "a b"}}', "&lt;a&gt;\\'a+b", id="8.7-escaping"),
        pytest.param(
            '{{len .Labels}}{{slice .Name 1}}{{print 1 2 "a"}}{{println "b"}}', "2eb1 2ab\n", id="8.7-built-ins"
        ),
    ],
)
def test_actions_blocks_and_functions_of_templates_give_the_output_that_go_gives(template: str, expected: str) -> None:
    assert made(template) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        pytest.param('{{contains .Name "e"}}', "true", id="8.7-contains"),
        pytest.param('{{trimPrefix .Name "w"}}{{trimSuffix .Name "b"}}', "ebwe", id="8.7-trim-ends"),
        pytest.param('{{trim " a\t"}}{{toLower "ÄB"}}', "aäb", id="8.7-trim-and-lower"),
        pytest.param('{{"a.b.c" | replace "." "-"}}', "a-b-c", id="8.7-replace"),
        pytest.param('{{isIPv4 "192.0.2.1"}}{{isIPv6 "::ffff:1.2.3.4"}}{{isIPv4 "x"}}', "truetruefalse", id="8.7-ip"),
        pytest.param('{{hasKey .Labels "tier"}}{{hasKey .Annotations "a"}}', "truefalse", id="8.7-has-key"),
        pytest.param('{{(fromJson `{"a":[1,"b"]}`).a}}', "[1 b]", id="8.7-from-json"),
        pytest.param('{{if fromJson "{"}}a{{else}}nil{{end}}', "nil", id="8.7-from-invalid-json"),
        pytest.param('{{isSource "Service"}}{{isSource "ingress"}}', "truefalse", id="8.7-is-source"),
    ],
)
def test_template_functions_of_external_dns_are_available(template: str, expected: str) -> None:
    assert made(template) == expected


@pytest.mark.parametrize(
    ("template", "offset", "message"),
    [
        pytest.param("a{{.Name", 1, "the action does not end: }} is missing", id="action"),
        pytest.param("{{if .Name}}a", 2, "{{if}} without {{end}}", id="end"),
        pytest.param("a{{end}}", 3, "unexpected {{end}}", id="stray-end"),
        pytest.param("{{foo .Name}}", 2, "no function foo", id="8.7-unknown-function"),
        pytest.param("{{.Name | lower}}", 10, "no function lower; did you mean: toLower", id="misnamed-function"),
        pytest.param("{{$x}}", 2, "no variable $x", id="variable"),
        pytest.param('{{"a}}', 2, "the quoted text does not end", id="quote"),
        pytest.param("{{break}}", 2, "{{break}} outside {{range}}", id="break"),
        pytest.param("{{/* a}}", 0, "the comment does not end", id="comment"),
        pytest.param('{{define "a"}}x{{end}}{{define "a"}}y{{end}}', 24, 'a template "a" is defined twice', id="twice"),
        pytest.param(
            "{{" + "(" * 200 + ".Name" + ")" * 200 + "}}",
            52,
            "parentheses are nested too deeply; allowed: 50 levels",
            id="deep",
        ),
        pytest.param("{{if .A}}" * 200, 448, "blocks are nested too deeply; allowed: 50 levels", id="deep-blocks"),
    ],
)
def test_a_template_syntax_error_is_reported_with_its_position(template: str, offset: int, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        parse_template(template, NAMES)
    assert (error.value.message, error.value.offset) == (message, offset)


@pytest.mark.parametrize(
    ("template", "offset", "message"),
    [
        pytest.param("a{{.Spec.Nope}}", 3, "no field .Nope in core.ServiceSpec", id="8.7-unknown-field"),
        pytest.param(
            "{{toLower .Labels.nope}}",
            10,
            "an argument has no value; allowed: a string",
            id="8.7-missing-value-to-a-function",
        ),
        pytest.param(
            "{{toLower .Spec.Type}}",
            10,
            "an argument is a string (core.ServiceType); allowed: a string (string)",
            id="named",
        ),
        pytest.param(
            '{{isSource "nope"}}',
            2,
            "isSource: there is no source 'nope'; allowed: ingress, service",
            id="8.7-no-source",
        ),
        pytest.param("{{index .Spec.Ports 7}}", 2, "index 7 is out of range; the length is 2", id="index"),
        pytest.param('{{template "d"}}', 2, 'no template is called "d"', id="template"),
        pytest.param("{{.}}", 2, "a struct cannot be printed", id="struct"),
        pytest.param("{{lt .Name 1}}", 2, "a string and an integer cannot be compared", id="order"),
        pytest.param("{{.Name.X}}", 2, "no field .X in a string", id="field-of-text"),
        pytest.param("{{.Spec.SessionAffinityConfig.ClientIP}}", 2, "cannot read .ClientIP of nil", id="nil"),
    ],
)
def test_a_template_runtime_error_is_reported_with_its_position(template: str, offset: int, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        made(template)
    assert (error.value.message, error.value.offset) == (message, offset)


# docs/spec/sources.md 8.7
@pytest.mark.parametrize("template", ["{{.nope}}", "{{.metadata.nope}}", "{{.nope.nope}}"])
def test_a_missing_map_key_is_an_error_in_strict_templates(template: str) -> None:
    assert made(template, plain=True) == "<no value>"
    with pytest.raises(TemplateError, match=r"the map has no key nope"):
        made(template, plain=True, strict=True)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        pytest.param(
            "{{range 1000000000}}{{end}}", f"the template takes too many steps; allowed: {MAX_STEPS}", id="steps"
        ),
        pytest.param(
            '{{define "d"}}{{template "d"}}{{template "d"}}{{end}}{{template "d"}}',
            "templates include each other too deeply; allowed: 60 levels",
            id="recursion",
        ),
        pytest.param(
            '{{$x := "abcdefgh"}}{{range 60}}{{$x = print $x $x}}{{end}}',
            f"the template reads and writes too much text; allowed: {MAX_TEXT} characters",
            id="doubling",
        ),
        pytest.param(
            '{{$x := "abcdefgh"}}{{range 60}}{{$x = replace "" $x $x}}{{end}}',
            "replace makes the text too long",
            id="replacing",
        ),
        pytest.param(
            "{{range 99999}}" + "x" * 99999 + "{{end}}",
            f"the template reads and writes too much text; allowed: {MAX_TEXT} characters",
            id="output",
        ),
        pytest.param('{{printf "%99999999d" 1}}', "%99999999d is too wide; allowed: up to 1000", id="width"),
    ],
)
def test_templates_that_use_too_many_resources_fail_with_an_error(template: str, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        made(template)
    assert error.value.message == message


def test_templates_for_very_large_objects_fail_with_an_error() -> None:
    with pytest.raises(TemplateError, match="the template reads and writes too much text"):
        made("{{range .l}}{{$x := slice $.l 0}}{{end}}", {"l": [1] * 2000}, plain=True)


# The data that templates get: fields with Go names for known kinds, else JSON names (docs/spec/sources.md 8.7)


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
