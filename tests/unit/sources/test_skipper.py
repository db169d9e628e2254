"""The `skipper-routegroup` source (docs/spec/sources.md 7.9)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from extdns.errors import ExtdnsError
from extdns.kube.live.responses import decode_object
from extdns.kube.local_store import DeltaTracker
from extdns.kube.manifests.reader import read_manifests
from extdns.model.cluster import ObjectChange
from extdns.model.kind import KubernetesObject
from extdns.model.record import RESOURCE
from extdns.resources.ingress_controllers import ROUTE_GROUP
from extdns.sources.common.claim_builder import SourceSettings
from tests.fakes.view import FakeView
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import build_source, settings_with, templates
from tests.unit.sources.samples import list_resolved_claims, ours

OTHER: Final = ROUTE_GROUP._replace(group="acme.test", version="v2")
POINTS: Final = ({"ip": "192.0.2.1", "hostname": "lb.t"},)
ALL: Final = settings_with()


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
    (found,) = read_manifests(json.dumps(data).encode(), "r.json", [OTHER]).found
    return found.obj


def from_watch(data: dict[str, Any]) -> KubernetesObject:
    (change,) = DeltaTracker(OTHER, keep_full=True).receive_change(decode_object(json.dumps(data).encode()))
    assert isinstance(change, ObjectChange)
    assert change.new is not None
    return change.new


def claimed(data: dict[str, Any], selection: SourceSettings = ALL) -> list[str]:
    source = build_source("skipper-routegroup", selection, kind=OTHER)
    claims = source.find_claims(from_manifest(data), FakeView())
    assert claims == source.find_claims(from_watch(data), FakeView())
    return reduce_claims(claims)


@pytest.mark.parametrize(
    ("data", "selection", "expected"),
    [
        pytest.param(manifest(), ALL, ["a.t A 192.0.2.1", "a.t CNAME lb.t"], id="7.9-hosts-and-status"),
        pytest.param(manifest(points=()), ALL, ["a.t: no-address"], id="7.9-no-address"),
        pytest.param(
            manifest(annotations=ours(hostname="h.t", target="x.t", ttl="60")),
            ALL,
            ["a.t 60 CNAME x.t", "h.t 60 CNAME x.t"],
            id="2.6-annotations",
        ),
        pytest.param(
            manifest(annotations=ours(hostname="h.t", target="x.t")),
            settings_with(ignore_hostname_annotation=True),
            ["a.t CNAME x.t", "h.t: excluded by --ignore-hostname-annotation"],
            id="2.6-ignored",
        ),
        pytest.param(
            manifest(hosts=(), annotations=ours(target="x.t")),
            settings_with(templates=templates(["{{.Name}}.{{.Namespace}}.t"])),
            ["r.n.t CNAME x.t"],
            id="8.8-template",
        ),
        pytest.param(manifest(), settings_with(namespace="m"), ["excluded by --namespace"], id="2.6-NS"),
    ],
)
def test_hosts_of_a_route_group_get_the_target_of_its_annotation_or_its_status(
    data: dict[str, Any], selection: SourceSettings, expected: list[str]
) -> None:
    assert claimed(data, selection) == expected


# docs/spec/sources.md 1.8
def test_resource_labels_of_route_groups_begin_with_the_name_of_the_kind() -> None:
    claims = build_source("skipper-routegroup", kind=OTHER).find_claims(from_manifest(manifest()), FakeView())
    assert {claim.desired.labels.get(RESOURCE) for claim in list_resolved_claims(claims)} == {"routegroup/n/r"}


def test_a_route_group_with_a_field_of_the_wrong_type_raises_an_error_that_names_it() -> None:
    with pytest.raises(ExtdnsError, match=r"RouteGroup n/r cannot be decoded: .*`\$\.spec\.hosts`"):
        claimed(manifest(hosts="a.t"))
