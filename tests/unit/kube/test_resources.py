"""The kinds of `--unstructured-resource` (spec sources 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.errors import ApiError, UsageError
from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.resources import Resource, is_plural, parse, presumed, served
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.istio import ISTIO_GATEWAY
from extdns.model.objects import SERVICE
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
def api(server: ApiServer, tmp_path: Path) -> Iterator[Api]:
    client = Client(
        Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=REQUEST_TIMEOUT_S)
    )
    api = Api(client, request_timeout_s=REQUEST_TIMEOUT_S)
    yield api
    api.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("configmaps.v1", Resource("configmaps", "v1", ""), id="6.4-core"),
        pytest.param(
            "certificates.v1.cert-manager.io", Resource("certificates", "v1", "cert-manager.io"), id="6.4-group"
        ),
        pytest.param("jobs.v1.batch", Resource("jobs", "v1", "batch"), id="6.4-group-without-dot"),
    ],
)
def test_a_resource_is_plural_version_and_group(text: str, expected: Resource) -> None:
    assert parse(text) == expected
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", ["configmaps", "", "ConfigMaps.v1", "configmaps.", "a.v1.b..c", "a.v1/b", "a.v1\n"])
def test_6_4_what_is_no_resource_stops_the_start(text: str) -> None:
    with pytest.raises(UsageError, match=r"--unstructured-resource=.* is not a resource\n  allowed: a plural"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("configmaps.v1", CONFIG_MAP, id="core"),
        pytest.param("gizmoboxes.v2.acme.test", Kind("acme.test", "v2", "GizmoBox", "gizmoboxes"), id="group"),
        pytest.param("services.v1", SERVICE, id="that-has-a-source-of-its-own"),
        pytest.param("gateways.v1beta1.networking.istio.io", ISTIO_GATEWAY, id="older-version-of-such-a-one"),
    ],
)
def test_6_4_the_server_tells_the_kind(text: str, expected: Kind, api: Api) -> None:
    assert served(parse(text), api) == expected


def test_1_8_the_mark_of_an_object_without_namespace_has_an_empty_one(api: Api) -> None:
    kind = served(parse("things.v2.acme.test"), api)
    assert not kind.namespaced
    assert kind.label == "thing"
    assert ObjectKey(kind, "", "x").resource == "thing//x"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        pytest.param("gizmoboxs.v2.acme.test", "did you mean: gizmoboxes.v2.acme.test", id="plural"),
        pytest.param("things.v1.acme.test", "install its CRD, or leave it out", id="version"),
        pytest.param("things.v2.other.test", "install its CRD, or leave it out", id="group"),
    ],
)
def test_6_4_what_is_not_served_stops_the_start(text: str, hint: str, api: Api) -> None:
    with pytest.raises(UsageError) as error:
        served(parse(text), api)
    assert str(error.value) == f"--unstructured-resource={text} is not served by the API server\n  {hint}"


def test_a_server_that_does_not_answer_is_no_mistake_of_the_user(api: Api) -> None:
    api.close()
    with pytest.raises(ApiError):
        served(parse("configmaps.v1"), api)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("certificates.v1.cert-manager.io", "certificate", id="s"),
        pytest.param("dnsproxies.v1.acme.test", "dnsproxy", id="ies"),
        pytest.param("gizmoboxes.v1.acme.test", "gizmobox", id="es"),
        pytest.param("leases.v1.coordination.k8s.io", "lease", id="es-that-is-s"),
        pytest.param("endpoints.v1", "endpoints", id="none"),
    ],
)
def test_without_a_server_the_plural_tells_the_kind(text: str, name: str) -> None:
    kind = presumed(parse(text))
    assert (kind.name, kind.label, kind.namespaced) == (name, name, True)
    assert is_plural(kind.plural, name)


@pytest.mark.parametrize(
    ("plural", "name", "expected"),
    [
        pytest.param("configmaps", "ConfigMap", True, id="s"),
        pytest.param("ingresses", "Ingress", True, id="es"),
        pytest.param("httpproxies", "HTTPProxy", True, id="ies"),
        pytest.param("gateways", "Gateway", True, id="y-that-stays"),
        pytest.param("endpoints", "Endpoints", True, id="same"),
        pytest.param("configmaps", "ConfigMapList", False, id="other"),
        pytest.param("configmaps", "Config", False, id="part"),
    ],
)
def test_plurals_are_the_usual_ones(plural: str, name: str, *, expected: bool) -> None:
    assert is_plural(plural, name) is expected
