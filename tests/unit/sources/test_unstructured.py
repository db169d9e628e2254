"""The `unstructured` source with manifests and with a live cluster (docs/spec/sources.md 6.4, 8.8)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from extdns.kube.live.responses import decode_object
from extdns.kube.local_store import DeltaTracker
from extdns.kube.manifests.reader import read_manifests
from extdns.model.claim import ResolvedClaim
from extdns.model.cluster import ObjectChange
from extdns.model.kind import Kind, KubernetesObject
from extdns.model.record import RESOURCE
from extdns.ports import Source
from extdns.resources.core import NODE, SERVICE
from extdns.resources.externaldns import DNS_ENDPOINT
from extdns.resources.ingress_controllers import F5_VIRTUAL_SERVER, HTTP_PROXY
from extdns.sources.common.claim_builder import NO_TEMPLATES, Templates
from tests.fakes.view import FakeView
from tests.unit.sources.expected_claims import excluded, reduce_claims, resolved
from tests.unit.sources.made import build_source, settings_with, templates
from tests.unit.sources.samples import PREFIX, list_resolved_claims, ours

CONFIG_MAP: Final = Kind("", "v1", "ConfigMap", "configmaps")
PRESUMED: Final = Kind("", "v1", "configmap", "configmaps")
THING: Final = Kind("acme.test", "v1", "Thing", "things", namespaced=False, resource_prefix="thing/")
DATA: Final = {"h": "a.test,b.test", "t": "192.0.2.8"}
ON_DATA: Final[dict[str, Any]] = {"fqdn": ['{{index .Object.data "h"}}'], "target": ['{{index .Object.data "t"}}']}
BOTH: Final = ours(hostname="h.t,g.t", target="192.0.2.1,x.t,2001:db8::1")


def manifest(kind: Kind, annotations: Mapping[str, str] | None = None, **more: object) -> dict[str, Any]:
    """Return an object as in a YAML manifest."""
    location = {"name": "c", "namespace": "n"} if kind.namespaced else {"name": "c"}
    metadata = {**location, "annotations": dict(annotations or {}), "resourceVersion": "1"}
    return {"apiVersion": kind.api_version, "kind": {"configmap": "ConfigMap"}.get(kind.name, kind.name)} | {
        "metadata": metadata,
        **more,
    }


def from_manifest(kind: Kind, data: Mapping[str, Any]) -> KubernetesObject:
    (found,) = read_manifests(json.dumps(data).encode(), "c.json", [kind]).found
    assert found.key.kind == kind
    return found.obj


def from_list(kind: Kind, data: Mapping[str, Any]) -> KubernetesObject:
    """Decode *data* as an item of a list from an API server, where items of built-in kinds have no `kind` field."""
    bare = {key: value for key, value in data.items() if key not in {"apiVersion", "kind"}}
    (change,) = DeltaTracker(kind, keep_full=True).receive_change(decode_object(json.dumps(bare).encode()))
    assert isinstance(change, ObjectChange)
    assert change.new is not None
    return change.new


def source(kind: Kind, made: Templates = NO_TEMPLATES, **selection: Any) -> Source:  # noqa: ANN401 - of Selection
    return build_source("unstructured", settings_with(templates=made, **selection), kind=kind)


cluster = pytest.mark.parametrize(
    ("kind", "seen"),
    [
        pytest.param(CONFIG_MAP, from_manifest, id="manifest"),
        pytest.param(PRESUMED, from_manifest, id="manifest-of-a-presumed-kind"),
        pytest.param(CONFIG_MAP, from_list, id="live"),
    ],
)


# docs/spec/sources.md 6.4
@cluster
def test_annotated_hosts_of_an_unstructured_object_point_to_all_its_annotated_targets(kind: Kind, seen: Any) -> None:  # noqa: ANN401
    obj = seen(kind, manifest(kind, BOTH | ours(ttl="60", set_identifier="no", aws_weight="1")))
    claims = source(kind).find_claims(obj, FakeView())
    assert reduce_claims(claims) == [
        claim
        for name in ("g.t", "h.t")
        for claim in (
            resolved(name, "A", "192.0.2.1", ttl_s=60),
            resolved(name, "AAAA", "2001:db8::1", ttl_s=60),
            resolved(name, "CNAME", "x.t", ttl_s=60),
        )
    ]
    for claim in list_resolved_claims(claims):
        assert claim.desired.labels.get(RESOURCE) == "configmap/n/c"
        assert (claim.desired.set_identifier, len(claim.desired.properties)) == ("", 0)


# docs/spec/sources.md 6.4
@cluster
def test_records_from_templates_have_the_resource_label_of_the_unstructured_object(kind: Kind, seen: Any) -> None:  # noqa: ANN401
    obj = seen(kind, manifest(kind, ours(ttl="60"), data=DATA))
    claims = source(kind, templates(**ON_DATA)).find_claims(obj, FakeView())
    assert reduce_claims(claims) == ["a.test 60 A 192.0.2.8", "b.test 60 A 192.0.2.8"]
    assert {claim.desired.labels.get(RESOURCE) for claim in list_resolved_claims(claims)} == {"configmap/n/c"}


# docs/spec/sources.md 6.4
@cluster
def test_templates_can_read_the_kind_and_api_version_of_an_unstructured_object(kind: Kind, seen: Any) -> None:  # noqa: ANN401
    obj = seen(kind, manifest(kind))
    made = templates(pairs=["{{.Name}}.{{.Namespace}}.{{.Kind}}.{{.APIVersion}}.{{.Object.kind}}:x.t"])
    assert reduce_claims(source(kind, made).find_claims(obj, FakeView())) == ["c.n.configmap.v1.configmap CNAME x.t"]


@pytest.mark.parametrize(
    ("made", "annotations", "expected"),
    [
        pytest.param(
            templates(pairs=["p.t:192.0.2.5"], **ON_DATA), {}, ["p.t A 192.0.2.5"], id="8.8-pairs-suppress-names"
        ),
        pytest.param(
            templates(pairs=["p.t:192.0.2.5"], **ON_DATA),
            ours(hostname="h.t", target="x.t"),
            ["h.t CNAME x.t"],
            id="8.8-the-object-suppresses-templates",
        ),
        pytest.param(
            templates(pairs=["p.t:192.0.2.5"], combine=True, **ON_DATA),
            ours(hostname="h.t", target="x.t"),
            ["a.test A 192.0.2.8", "b.test A 192.0.2.8", "h.t CNAME x.t", "p.t A 192.0.2.5"],
            id="8.8-combined",
        ),
        pytest.param(templates(["a.t"]), {}, [], id="6.4-names-need-targets"),
        pytest.param(NO_TEMPLATES, ours(hostname="h.t"), ["h.t: no-endpoints"], id="6.4-annotated-names-too"),
        pytest.param(NO_TEMPLATES, ours(target="x.t"), [], id="6.4-targets-need-names"),
        pytest.param(
            templates(["t.t"], target=["x.t"]),
            ours(hostname="h.t"),
            ["t.t CNAME x.t", "h.t: no-endpoints"],
            id="8.8-endpoints-count-not-names",
        ),
    ],
)
def test_annotated_hosts_of_unstructured_objects_take_precedence_over_templates(
    made: Templates, annotations: dict[str, str], expected: list[str]
) -> None:
    obj = from_manifest(CONFIG_MAP, manifest(CONFIG_MAP, annotations, data=DATA))
    assert reduce_claims(source(CONFIG_MAP, made).find_claims(obj, FakeView())) == expected


# docs/spec/sources.md 6.4
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
def test_templates_can_read_spec_and_status_of_unstructured_objects_under_their_go_names_too(
    template: str, expected: str | None
) -> None:
    spec = {"dnsNames": ["a.t"], "url": "u.t", "idle": "i.t", "id": "x.t", "ID": "own.t", "nested": {"inner": "n.t"}}
    obj = from_manifest(THING, manifest(THING, spec=spec, status={"hostname": "s.t"}))
    claims = source(THING, templates([template], target=["192.0.2.1"])).find_claims(obj, FakeView())
    assert [claim.name for claim in claims if isinstance(claim, ResolvedClaim)] == ([expected] if expected else [])


# docs/spec/sources.md 6.4
@pytest.mark.parametrize(
    ("template", "expected"),
    [
        pytest.param("{{.Spec.Type | toLower}}.t", "clusterip.t", id="field"),
        pytest.param("{{if .Spec.loadBalancerClass}}x{{else}}y{{end}}.t", "y.t", id="a-missing-key-is-false"),
        pytest.param("{{(index .Spec.Ports 0).name}}.t", "http.t", id="nested-as-json-spells-it"),
    ],
)
def test_templates_of_the_unstructured_source_also_use_json_names_for_known_kinds(template: str, expected: str) -> None:
    spec = {"type": "ClusterIP", "ports": [{"name": "http", "port": 80}]}
    obj = from_manifest(SERVICE, manifest(SERVICE, spec=spec))
    claims = source(SERVICE, templates(pairs=[f"{template}:192.0.2.1"])).find_claims(obj, FakeView())
    assert reduce_claims(claims) == [resolved(expected, "A", "192.0.2.1")]


# docs/spec/sources.md 1.8
@pytest.mark.parametrize(
    ("kind", "label"),
    [
        pytest.param(NODE, "node//c", id="1.8-without-namespace"),
        pytest.param(HTTP_PROXY, "httpproxy/n/c", id="1.8-small-letters"),
        pytest.param(F5_VIRTUAL_SERVER, "virtualserver/n/c", id="1.8-the-name-of-the-kind"),
        pytest.param(DNS_ENDPOINT, "dnsendpoint/n/c", id="1.8-in-full"),
    ],
)
def test_resource_labels_of_the_unstructured_source_use_the_kind_name_even_if_another_source_differs(
    kind: Kind, label: str
) -> None:
    (claim,) = list_resolved_claims(
        source(kind).find_claims(from_manifest(kind, manifest(kind, ours(hostname="h.t", target="x.t"))), FakeView())
    )
    assert claim.desired.labels.get(RESOURCE) == label


@pytest.mark.parametrize(
    ("selection", "annotations", "expected"),
    [
        pytest.param({}, ours(controller="other"), [excluded(f"annotation {PREFIX}controller")], id="2.6-ctl"),
        pytest.param(
            {"ignore_hostname_annotation": True}, {}, ["h.t CNAME x.t"], id="2.6-hostname-is-not-suppressible"
        ),
    ],
)
def test_filter_flags_exclude_unstructured_objects(
    selection: dict[str, Any], annotations: dict[str, str], expected: list[str]
) -> None:
    obj = from_manifest(CONFIG_MAP, manifest(CONFIG_MAP, ours(hostname="h.t", target="x.t") | annotations))
    assert reduce_claims(source(CONFIG_MAP, **selection).find_claims(obj, FakeView())) == expected
