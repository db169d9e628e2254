"""The `skipper-routegroup` source (spec sources 7.9)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from extdns.errors import ExtdnsError
from extdns.kube.live.roll import Roll
from extdns.kube.live.wire import item
from extdns.kube.manifests.reader import read
from extdns.model.cluster import ObjectChange
from extdns.model.objects import KubernetesObject
from extdns.model.record import RESOURCE
from extdns.sources.selection import Selection
from extdns.sources.skipper import SkipperSource, kind
from tests.fakes.view import FakeView
from tests.unit.sources.made import templates
from tests.unit.sources.samples import ingress, ours, said, wanted

OTHER: Final = kind("acme.test/v2")
POINTS: Final = ({"ip": "192.0.2.1", "hostname": "lb.t"},)
ALL: Final = Selection()


def manifest(
    hosts: object = ("a.t", ""), points: Sequence[Mapping[str, str]] = POINTS, annotations: object = None
) -> dict[str, Any]:
    return {
        "apiVersion": OTHER.api_version,
        "kind": "RouteGroup",
        "metadata": {"name": "r", "namespace": "n", "annotations": annotations},
        "spec": {"hosts": hosts},
        "status": {"loadBalancer": {"routeGroup": points}},
    }


def from_manifest(data: dict[str, Any]) -> KubernetesObject:
    (found,) = read(json.dumps(data).encode(), "r.json", [OTHER]).found
    return found.obj


def from_watch(data: dict[str, Any]) -> KubernetesObject:
    (news,) = Roll(OTHER, whole=True).change(item(json.dumps(data).encode()))
    assert isinstance(news, ObjectChange)
    assert news.new is not None
    return news.new


def claimed(data: dict[str, Any], selection: Selection = ALL) -> list[str]:
    source = SkipperSource(kind=OTHER, selection=selection)
    claims = source.claims(from_manifest(data), FakeView())
    assert claims == source.claims(from_watch(data), FakeView())
    return said(claims)


@pytest.mark.parametrize(
    ("data", "selection", "expected"),
    [
        pytest.param(manifest(), ALL, ["a.t A - [192.0.2.1]", "a.t CNAME - [lb.t]"], id="7.9-hosts-and-status"),
        pytest.param(manifest(points=()), ALL, ["a.t no-address"], id="7.9-no-address"),
        pytest.param(
            manifest(annotations=ours(hostname="h.t", target="x.t", ttl="60")),
            ALL,
            ["a.t CNAME 60 [x.t]", "h.t CNAME 60 [x.t]"],
            id="2.6-annotations",
        ),
        pytest.param(
            manifest(annotations=ours(hostname="h.t", target="x.t")),
            Selection(ignore_hostname_annotation=True),
            ["a.t CNAME - [x.t]", "h.t by --ignore-hostname-annotation"],
            id="2.6-ignored",
        ),
        pytest.param(
            manifest(hosts=(), annotations=ours(target="x.t")),
            Selection(templates=templates(["{{.Name}}.{{.Namespace}}.t"])),
            ["r.n.t CNAME - [x.t]"],
            id="8.8-template",
        ),
        pytest.param(manifest(), Selection(namespace="m"), ["all by --namespace"], id="2.6-NS"),
    ],
)
def test_hosts_point_at_the_annotation_or_the_status(
    data: dict[str, Any], selection: Selection, expected: list[str]
) -> None:
    assert claimed(data, selection) == expected


def test_1_8_marks_name_the_kind() -> None:
    claims = SkipperSource(kind=OTHER, selection=ALL).claims(from_manifest(manifest()), FakeView())
    assert {claim.endpoint.labels.get(RESOURCE) for claim in wanted(claims)} == {"routegroup/n/r"}


def test_a_field_of_another_type_costs_that_object_alone() -> None:
    with pytest.raises(ExtdnsError, match=r"RouteGroup n/r is not readable: .*`\$\.spec\.hosts`"):
        claimed(manifest(hosts="a.t"))


def test_other_kinds_are_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="RouteGroups only"):
        SkipperSource(kind=OTHER, selection=ALL).claims(ingress(rules=["a.t"]), FakeView())
