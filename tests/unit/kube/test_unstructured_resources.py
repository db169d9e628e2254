"""The kinds of `--unstructured-resource` (docs/spec/sources.md 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.errors import ApiError, UsageError
from extdns.kube.api import ApiClient
from extdns.kube.client import ClusterAccess, HttpClient
from extdns.kube.unstructured_resources import (
    UnstructuredResource,
    discover_kind,
    guess_kind,
    is_plural,
    parse_resource,
)
from extdns.model.kind import Kind, ObjectKey
from extdns.resources.core import SERVICE
from extdns.resources.istio import ISTIO_GATEWAY
from tests.clusters import REQUEST_TIMEOUT_S
from tests.fakes.apiserver.kinds import Kind as Served
from tests.fakes.apiserver.server import ApiServer

CERTIFICATE = Kind("cert-manager.io", "v1", "Certificate", "certificates")
CONFIG_MAP = Kind("", "v1", "ConfigMap", "configmaps")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        server.register(Served(group="acme.test", version="v2", kind="Thing", plural="things", namespaced=False))
        server.register(Served(group="acme.test", version="v2", kind="GizmoBox", plural="gizmoboxes", status=True))
        yield server


@pytest.fixture
def api(server: ApiServer, tmp_path: Path) -> Iterator[ApiClient]:
    client = HttpClient(
        ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=REQUEST_TIMEOUT_S)
    )
    api = ApiClient(client, request_timeout_s=REQUEST_TIMEOUT_S)
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
