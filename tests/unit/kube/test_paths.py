"""URL paths of objects (Kubernetes API concepts, "Resource URIs")."""

from __future__ import annotations

import pytest

from extdns.kube.api_protocol import build_collection_path, build_object_path
from extdns.model.kind import Kind, ObjectKey
from extdns.resources.core import NODE, SERVICE
from extdns.resources.networking import INGRESS


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
