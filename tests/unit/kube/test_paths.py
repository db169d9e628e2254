"""Where objects are, as the Kubernetes API concepts page has it."""

from __future__ import annotations

import pytest

from extdns.kube.paths import collection_path, object_path
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.objects import INGRESS, NODE, SERVICE


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
def test_a_collection_has_a_path(kind: Kind, namespace: str, path: str) -> None:
    assert collection_path(kind, namespace) == path


def test_an_object_is_below_its_collection() -> None:
    assert object_path(ObjectKey(SERVICE, "shop", "web")) == "/api/v1/namespaces/shop/services/web"
    assert object_path(ObjectKey(NODE, "", "ip-10.ec2")) == "/api/v1/nodes/ip-10.ec2"


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
def test_what_no_object_can_be_called_has_no_path(namespace: str, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        object_path(ObjectKey(SERVICE, namespace, name))
