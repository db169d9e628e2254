"""The kinds of `--unstructured-resource` (docs/spec/sources.md 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.errors import ApiError, UsageError
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import build_collection_path, build_object_path
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.kube.synthetic_objects import ClusterWithSyntheticObjects
from extdns.kube.unstructured_resources import (
    UnstructuredResource,
    discover_kind,
    guess_kind,
    is_plural,
    parse_resource,
)
from extdns.model.cluster import Phase
from extdns.model.kind import Kind, ObjectKey, ObjectMeta
from extdns.ports import Cluster, NotSyncedError
from extdns.resources.core import NODE, SERVICE, Node
from extdns.resources.istio import ISTIO_GATEWAY
from extdns.resources.networking import INGRESS
from tests.cluster_changes import added, summarize_changes, synced
from tests.clusters import REQUEST_TIMEOUT_S
from tests.fakes.apiserver.kinds import Kind as Served
from tests.fakes.apiserver.server import ApiServer

CONFIG_MAP = Kind("", "v1", "ConfigMap", "configmaps")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        server.register(Served(group="acme.test", version="v2", kind="Thing", plural="things", namespaced=False))
        server.register(Served(group="acme.test", version="v2", kind="GizmoBox", plural="gizmoboxes", status=True))
        yield server


@pytest.fixture
def api(server: ApiServer, tmp_path: Path) -> Iterator[ApiClient]:
    api = ApiClient(
        ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=REQUEST_TIMEOUT_S)
    )
    yield api
    api.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("configmaps.v1", UnstructuredResource("configmaps", "v1", ""), id="6.4-core"),
        pytest.param(
            "certificates.v1.cert-manager.io",
            UnstructuredResource("certificates", "v1", "cert-manager.io"),
            id="6.4-group",
        ),
        pytest.param("jobs.v1.batch", UnstructuredResource("jobs", "v1", "batch"), id="6.4-group-without-dot"),
    ],
)
def test_an_unstructured_resource_is_given_as_plural_version_and_group(
    text: str, expected: UnstructuredResource
) -> None:
    assert parse_resource(text) == expected
    assert str(parse_resource(text)) == text


# docs/spec/sources.md 6.4
@pytest.mark.parametrize("text", ["configmaps", "", "ConfigMaps.v1", "configmaps.", "a.v1.b..c", "a.v1/b", "a.v1\n"])
def test_an_invalid_unstructured_resource_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"--unstructured-resource=.* is not a resource\n  allowed: a plural"):
        parse_resource(text)


# docs/spec/sources.md 6.4
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("configmaps.v1", CONFIG_MAP, id="core"),
        pytest.param("gizmoboxes.v2.acme.test", Kind("acme.test", "v2", "GizmoBox", "gizmoboxes"), id="group"),
        pytest.param("services.v1", SERVICE, id="kind-with-its-own-source"),
        pytest.param("gateways.v1beta1.networking.istio.io", ISTIO_GATEWAY, id="older-version-of-such-a-one"),
    ],
)
def test_the_api_server_gives_the_kind_of_an_unstructured_resource(text: str, expected: Kind, api: ApiClient) -> None:
    assert discover_kind(parse_resource(text), api) == expected


# docs/spec/sources.md 1.8
def test_the_resource_label_of_a_cluster_scoped_object_has_an_empty_namespace(api: ApiClient) -> None:
    kind = discover_kind(parse_resource("things.v2.acme.test"), api)
    assert not kind.namespaced
    assert kind.label == "thing"
    assert ObjectKey(kind, "", "x").resource == "thing//x"


# docs/spec/sources.md 6.4
@pytest.mark.parametrize(
    ("text", "hint"),
    [
        pytest.param("gizmoboxs.v2.acme.test", "did you mean: gizmoboxes.v2.acme.test", id="plural"),
        pytest.param("things.v1.acme.test", "install its CRD, or leave it out", id="version"),
        pytest.param("things.v2.other.test", "install its CRD, or leave it out", id="group"),
    ],
)
def test_an_unstructured_resource_that_is_not_served_is_a_usage_error(text: str, hint: str, api: ApiClient) -> None:
    with pytest.raises(UsageError) as error:
        discover_kind(parse_resource(text), api)
    assert str(error.value) == f"--unstructured-resource={text} is not served by the API server\n  {hint}"


def test_a_failed_discovery_request_is_an_api_error(api: ApiClient) -> None:
    api.close()
    with pytest.raises(ApiError):
        discover_kind(parse_resource("configmaps.v1"), api)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("certificates.v1.cert-manager.io", "certificate", id="s"),
        pytest.param("dnsproxies.v1.acme.test", "dnsproxy", id="ies"),
        pytest.param("gizmoboxes.v1.acme.test", "gizmobox", id="es"),
        pytest.param("leases.v1.coordination.k8s.io", "lease", id="plural-in-s-after-e"),
        pytest.param("endpoints.v1", "endpoints", id="none"),
    ],
)
def test_without_an_api_server_the_kind_is_derived_from_the_plural_of_the_resource(text: str, name: str) -> None:
    kind = guess_kind(parse_resource(text))
    assert (kind.name, kind.label, kind.namespaced) == (name, name, True)
    assert is_plural(kind.plural, name)


@pytest.mark.parametrize(
    ("plural", "name", "expected"),
    [
        pytest.param("configmaps", "ConfigMap", True, id="s"),
        pytest.param("ingresses", "Ingress", True, id="es"),
        pytest.param("httpproxies", "HTTPProxy", True, id="ies"),
        pytest.param("gateways", "Gateway", True, id="y-is-kept"),
        pytest.param("endpoints", "Endpoints", True, id="same"),
        pytest.param("configmaps", "ConfigMapList", False, id="other"),
        pytest.param("configmaps", "Config", False, id="part"),
    ],
)
def test_regular_english_plurals_of_kinds_are_recognized(plural: str, name: str, *, expected: bool) -> None:
    assert is_plural(plural, name) is expected


# URL paths of objects (Kubernetes API concepts, "Resource URIs")


@pytest.mark.parametrize(
    ("kind", "namespace", "path"),
    [
        pytest.param(SERVICE, "", "/api/v1/services", id="core"),
        pytest.param(SERVICE, "shop", "/api/v1/namespaces/shop/services", id="core-namespace"),
        pytest.param(NODE, "", "/api/v1/nodes", id="cluster-wide"),
        pytest.param(INGRESS, "", "/apis/networking.k8s.io/v1/ingresses", id="group"),
        pytest.param(INGRESS, "shop", "/apis/networking.k8s.io/v1/namespaces/shop/ingresses", id="group-namespace"),
    ],
)
def test_the_url_path_of_a_collection_contains_group_version_and_namespace(
    kind: Kind, namespace: str, path: str
) -> None:
    assert build_collection_path(kind, namespace) == path


def test_the_url_path_of_an_object_is_below_that_of_its_collection() -> None:
    assert build_object_path(ObjectKey(SERVICE, "shop", "web")) == "/api/v1/namespaces/shop/services/web"
    assert build_object_path(ObjectKey(NODE, "", "ip-10.ec2")) == "/api/v1/nodes/ip-10.ec2"


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        pytest.param("shop", "", id="no-name"),
        pytest.param("", "web", id="no-namespace"),
        pytest.param("shop", "..", id="up"),
        pytest.param(".", "web", id="here"),
        pytest.param("shop", "web/status", id="slash"),
        pytest.param("shop", "web?watch=1", id="query"),
        pytest.param("shop", "wéb", id="no-ascii"),
        pytest.param("shop", "web\n", id="line-end"),
        pytest.param("shop", "w" * 254, id="too-long"),
    ],
)
def test_building_the_url_path_of_an_object_with_an_invalid_name_raises_an_error(namespace: str, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        build_object_path(ObjectKey(SERVICE, namespace, name))


# A cluster that also returns objects which extdns generates


THING = Kind("", "", "Thing", "things", namespaced=False)
OTHER = Kind("", "", "Other", "others")
THINGS = tuple(Node(metadata=ObjectMeta(name=name)) for name in ("a", "b"))
SYNTHETIC_CHANGES = [added(THING, "a"), added(THING, "b"), synced(THING)]


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "web.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")
    files = ManifestCluster([str(tmp_path)], watch=False)
    return ClusterWithSyntheticObjects(files, {THING: THINGS, OTHER: ()}, monotonic=lambda: 7.0)


def test_generated_objects_are_returned_once_their_kind_is_required(cluster: Cluster) -> None:
    assert summarize_changes(cluster.take(0)) == []
    assert cluster.require(THING).phase is Phase.LISTING
    with pytest.raises(NotSyncedError):
        cluster.view.get(THING, "", "a")
    assert summarize_changes(cluster.take(60)) == SYNTHETIC_CHANGES
    assert cluster.require(THING).phase is Phase.SYNCED
    assert summarize_changes(cluster.take(0)) == []
    assert cluster.view.get(THING, "", "a") is THINGS[0]
    assert list(cluster.view.select(THING, "", {})) == list(THINGS)


def test_a_generated_kind_without_objects_becomes_synced_too(cluster: Cluster) -> None:
    cluster.require(OTHER)
    assert summarize_changes(cluster.take(0)) == [synced(OTHER)]


def test_objects_of_the_wrapped_cluster_are_returned_besides_generated_ones(cluster: Cluster) -> None:
    cluster.require(SERVICE)
    cluster.require(THING)
    assert summarize_changes(cluster.take(0)) == [*SYNTHETIC_CHANGES, added(SERVICE, "default/web"), synced(SERVICE)]
    assert cluster.view.get(SERVICE, "default", "web") is not None
    cluster.close()


def test_the_kind_decides_whether_an_object_is_looked_up_among_generated_objects_or_in_the_wrapped_cluster(
    cluster: Cluster,
) -> None:
    keys = [ObjectKey(THING, "", "a"), ObjectKey(THING, "", "z"), ObjectKey(SERVICE, "default", "web")]
    assert [cluster.exists(key) for key in keys] == [True, False, True]
