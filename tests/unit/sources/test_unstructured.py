"""The `unstructured` source over manifests and a live cluster (spec sources 6.4, 8.8)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from extdns.kube.live.roll import Roll
from extdns.kube.live.wire import item
from extdns.kube.manifests.reader import read
from extdns.model.claim import Wanted
from extdns.model.cluster import Kind, ObjectChange
from extdns.model.dnsendpoint import DNS_ENDPOINT
from extdns.model.lean import Custom
from extdns.model.objects import NODE, SERVICE, KubernetesObject
from extdns.model.record import RESOURCE
from extdns.model.selector import parse_label_selector
from extdns.model.vendors import F5_VIRTUAL_SERVER, HTTP_PROXY
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.selection import Selection
from extdns.sources.templates import NONE, Templates
from extdns.sources.unstructured import UnstructuredSource
from tests.fakes.view import FakeView
from tests.unit.sources.made import templates
from tests.unit.sources.samples import PREFIX, load_balancer, ours, said, wanted

CONFIG_MAP: Final = Kind("", "v1", "ConfigMap", "configmaps")
PRESUMED: Final = Kind("", "v1", "configmap", "configmaps")
THING: Final = Kind("acme.test", "v1", "Thing", "things", namespaced=False, mark="thing/")
DATA: Final = {"h": "a.test,b.test", "t": "192.0.2.8"}
ON_DATA: Final[dict[str, Any]] = {"fqdn": ['{{index .Object.data "h"}}'], "target": ['{{index .Object.data "t"}}']}
BOTH: Final = ours(hostname="h.t,g.t", target="192.0.2.1,x.t,2001:db8::1")


def manifest(kind: Kind, annotations: Mapping[str, str] | None = None, **more: object) -> dict[str, Any]:
    """An object as people write it."""
    place = {"name": "c", "namespace": "n"} if kind.namespaced else {"name": "c"}
    metadata = {**place, "annotations": dict(annotations or {}), "resourceVersion": "1"}
    return {"apiVersion": kind.api_version, "kind": {"configmap": "ConfigMap"}.get(kind.name, kind.name)} | {
        "metadata": metadata,
        **more,
    }


def from_manifest(kind: Kind, data: Mapping[str, Any]) -> KubernetesObject:
    (found,) = read(json.dumps(data).encode(), "c.json", [kind]).found
    assert found.key.kind == kind
    return found.obj


def from_list(kind: Kind, data: Mapping[str, Any]) -> KubernetesObject:
    """As an API server lists it: items of built-in kinds do not say what they are."""
    bare = {key: value for key, value in data.items() if key not in {"apiVersion", "kind"}}
    (news,) = Roll(kind, whole=True).change(item(json.dumps(bare).encode()))
    assert isinstance(news, ObjectChange)
    assert news.new is not None
    return news.new


def source(kind: Kind, made: Templates = NONE, **selection: Any) -> UnstructuredSource:  # noqa: ANN401 - of Selection
    return UnstructuredSource(kind=kind, selection=Selection(templates=made, **selection))


cluster = pytest.mark.parametrize(
    ("kind", "seen"),
    [
        pytest.param(CONFIG_MAP, from_manifest, id="manifest"),
        pytest.param(PRESUMED, from_manifest, id="manifest-of-a-presumed-kind"),
        pytest.param(CONFIG_MAP, from_list, id="live"),
    ],
)


@cluster
def test_6_4_all_names_of_the_annotation_point_at_all_its_targets(kind: Kind, seen: Any) -> None:  # noqa: ANN401
    obj = seen(kind, manifest(kind, BOTH | ours(ttl="60", set_identifier="no", aws_weight="1")))
    assert isinstance(obj, Custom)
    claims = source(kind).claims(obj, FakeView())
    assert said(claims) == [
        f"{name} {rest}"
        for name in ("g.t", "h.t")
        for rest in ("A 60 [192.0.2.1]", "AAAA 60 [2001:db8::1]", "CNAME 60 [x.t]")
    ]
    for claim in wanted(claims):
        assert claim.endpoint.labels.get(RESOURCE) == "configmap/n/c"
        assert (claim.endpoint.set_identifier, len(claim.endpoint.properties)) == ("", 0)


@cluster
def test_6_4_templates_make_labelled_names_and_targets_of_the_whole_object(kind: Kind, seen: Any) -> None:  # noqa: ANN401
    obj = seen(kind, manifest(kind, ours(ttl="60"), data=DATA))
    claims = source(kind, templates(**ON_DATA)).claims(obj, FakeView())
    assert said(claims) == ["a.test A 60 [192.0.2.8]", "b.test A 60 [192.0.2.8]"]
    assert {claim.endpoint.labels.get(RESOURCE) for claim in wanted(claims)} == {"configmap/n/c"}


@cluster
def test_6_4_templates_see_what_the_object_is(kind: Kind, seen: Any) -> None:  # noqa: ANN401
    obj = seen(kind, manifest(kind))
    made = templates(pairs=["{{.Name}}.{{.Namespace}}.{{.Kind}}.{{.APIVersion}}.{{.Object.kind}}:x.t"])
    assert said(source(kind, made).claims(obj, FakeView())) == ["c.n.configmap.v1.configmap CNAME - [x.t]"]


@pytest.mark.parametrize(
    ("made", "annotations", "expected"),
    [
        pytest.param(
            templates(pairs=["p.t:192.0.2.5"], **ON_DATA), {}, ["p.t A - [192.0.2.5]"], id="8.8-pairs-suppress-names"
        ),
        pytest.param(
            templates(pairs=["p.t:192.0.2.5"], **ON_DATA),
            ours(hostname="h.t", target="x.t"),
            ["h.t CNAME - [x.t]"],
            id="8.8-the-object-suppresses-templates",
        ),
        pytest.param(
            templates(pairs=["p.t:192.0.2.5"], combine=True, **ON_DATA),
            ours(hostname="h.t", target="x.t"),
            ["a.test A - [192.0.2.8]", "b.test A - [192.0.2.8]", "h.t CNAME - [x.t]", "p.t A - [192.0.2.5]"],
            id="8.8-combined",
        ),
        pytest.param(templates(["a.t"]), {}, [], id="6.4-names-need-targets"),
        pytest.param(NONE, ours(hostname="h.t"), ["h.t no-endpoints"], id="6.4-annotated-names-too"),
        pytest.param(NONE, ours(target="x.t"), [], id="6.4-targets-need-names"),
        pytest.param(
            templates(["t.t"], target=["x.t"]), ours(hostname="h.t"), ["t.t CNAME - [x.t]", "h.t no-endpoints"],
            id="8.8-endpoints-count-not-names",
        ),
    ],
)  # fmt: skip
def test_annotations_come_first(made: Templates, annotations: dict[str, str], expected: list[str]) -> None:
    obj = from_manifest(CONFIG_MAP, manifest(CONFIG_MAP, annotations, data=DATA))
    assert said(source(CONFIG_MAP, made).claims(obj, FakeView())) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        pytest.param("{{range .Spec.dnsNames}}{{.}},{{end}}", "a.t", id="own-name"),
        pytest.param("{{range .Spec.DNSNames}}{{.}},{{end}}", "a.t", id="initialism"),
        pytest.param("{{.Spec.URL}}", "u.t", id="initialism-alone"),
        pytest.param("{{.Status.Hostname}}", "s.t", id="first-letter"),
        pytest.param("{{.Spec.Idle}}", "i.t", id="no-initialism"),
        pytest.param("{{.Spec.ID}}", "own.t", id="an-existing-key-stays"),
        pytest.param("{{.Spec.Nested.inner}}", "n.t", id="nested-as-is"),
        pytest.param("{{.Metadata.name}}.t", "c.t", id="metadata"),
        pytest.param("{{.Spec.Nested.Inner}}", None, id="nested-without-alias"),
    ],
)
def test_6_4_spec_and_status_have_go_like_names_besides(template: str, expected: str | None) -> None:
    spec = {"dnsNames": ["a.t"], "url": "u.t", "idle": "i.t", "id": "x.t", "ID": "own.t", "nested": {"inner": "n.t"}}
    obj = from_manifest(THING, manifest(THING, spec=spec, status={"hostname": "s.t"}))
    claims = source(THING, templates([template], target=["192.0.2.1"])).claims(obj, FakeView())
    assert [claim.name for claim in claims if isinstance(claim, Wanted)] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        pytest.param("{{.Spec.Type | toLower}}.t", "clusterip.t", id="field"),
        pytest.param("{{if .Spec.loadBalancerClass}}x{{else}}y{{end}}.t", "y.t", id="a-missing-key-is-false"),
        pytest.param("{{(index .Spec.Ports 0).name}}.t", "http.t", id="nested-as-json-spells-it"),
    ],
)
def test_6_4_a_kind_that_go_knows_is_seen_raw_as_well(template: str, expected: str) -> None:
    spec = {"type": "ClusterIP", "ports": [{"name": "http", "port": 80}]}
    obj = from_manifest(SERVICE, manifest(SERVICE, spec=spec))
    claims = source(SERVICE, templates(pairs=[f"{template}:192.0.2.1"])).claims(obj, FakeView())
    assert said(claims) == [f"{expected} A - [192.0.2.1]"]


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        pytest.param(NODE, "node//c", id="1.8-without-namespace"),
        pytest.param(HTTP_PROXY, "httpproxy/n/c", id="1.8-small-letters"),
        pytest.param(F5_VIRTUAL_SERVER, "virtualserver/n/c", id="1.8-the-name-of-the-kind"),
        pytest.param(DNS_ENDPOINT, "dnsendpoint/n/c", id="1.8-in-full"),
    ],
)
def test_1_8_marks_go_by_the_kind_s_name_even_where_another_source_has_its_own(kind: Kind, label: str) -> None:
    (claim,) = wanted(
        source(kind).claims(from_manifest(kind, manifest(kind, ours(hostname="h.t", target="x.t"))), FakeView())
    )
    assert claim.endpoint.labels.get(RESOURCE) == label


def test_1_8_an_object_without_namespace_is_marked_with_an_empty_one() -> None:
    obj = from_list(THING, manifest(THING, BOTH))
    assert {one.endpoint.labels.get(RESOURCE) for one in wanted(source(THING).claims(obj, FakeView()))} == {"thing//c"}


@pytest.mark.parametrize(
    ("selection", "annotations", "expected"),
    [
        pytest.param({"namespace": "other"}, {}, ["all by --namespace"], id="2.6-NS"),
        pytest.param({"label_filter": parse_label_selector("app")}, {}, ["all by --label-filter"], id="2.6-LF"),
        pytest.param({}, ours(controller="other"), [f"all by annotation {PREFIX}controller"], id="2.6-ctl"),
        pytest.param(
            {"ignore_hostname_annotation": True}, {}, ["h.t CNAME - [x.t]"], id="2.6-hostname-is-not-suppressible"
        ),
    ],
)
def test_filters_apply(selection: dict[str, Any], annotations: dict[str, str], expected: list[str]) -> None:
    obj = from_manifest(CONFIG_MAP, manifest(CONFIG_MAP, ours(hostname="h.t", target="x.t") | annotations))
    assert said(source(CONFIG_MAP, **selection).claims(obj, FakeView())) == expected


def test_a_template_that_fails_says_so() -> None:
    obj = from_manifest(CONFIG_MAP, manifest(CONFIG_MAP))
    with pytest.raises(TemplateError):
        source(CONFIG_MAP, templates(pairs=["{{.Nothing}}:x.t"])).claims(obj, FakeView())


def test_a_kind_that_has_a_source_of_its_own_is_read_as_well() -> None:
    obj = load_balancer(ours(hostname="h.t", target="x.t"), "192.0.2.1")
    assert said(source(SERVICE).claims(obj, FakeView())) == ["h.t CNAME - [x.t]"]
