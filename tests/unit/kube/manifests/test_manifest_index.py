"""The index of all manifest files: which file is used for an object, and which problems are reported."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from extdns.kube.local_store import WatchedNamespaces
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.kube.manifests.kinds import ListKind, UnsupportedKind, identify_kind
from extdns.model.kind import Kind, ObjectKey
from extdns.resources.core import NODE, SERVICE
from extdns.resources.gateway_api import GATEWAY
from extdns.resources.gloo import GLOO_GATEWAY
from extdns.resources.istio import ISTIO_GATEWAY
from extdns.resources.networking import INGRESS
from tests.cluster_changes import added, summarize_changes, synced

# Objects are read from the watched namespaces only


BOTH: Final = "".join(
    f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: {namespace}}}\n---\n"
    for version, kind in (("v1", "Service"), ("networking.k8s.io/v1", "Ingress"))
    for namespace in ("shop", "pay")
)


def test_only_objects_of_watched_namespaces_and_objects_without_namespace_are_returned(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n"
    bad = "apiVersion: v1\nkind: Service\nmetadata: {name: bad, namespace: pay}\nspec: {type: 60}\n"
    (tmp_path / "a.yaml").write_text(BOTH + node + bad)
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=WatchedNamespaces(default=("shop",)))
    cluster.require(SERVICE)
    cluster.require(NODE)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "shop/web"),
        synced(SERVICE),
        added(NODE, "n1"),
        synced(NODE),
    ]
    assert cluster.exists(ObjectKey(SERVICE, "pay", "web")) is None


@pytest.mark.parametrize(
    ("namespaces", "objects", "exists"),
    [
        pytest.param(("pay",), ["pay/web"], None, id="another-one"),
        pytest.param((), ["pay/web", "shop/web"], True, id="all"),
    ],
)
def test_a_kind_can_be_read_from_other_namespaces_than_other_kinds(
    namespaces: tuple[str, ...], objects: list[str], exists: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    where = WatchedNamespaces(default=("shop",), by_kind={INGRESS: namespaces})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
    cluster.require(SERVICE)
    cluster.require(INGRESS)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "shop/web"),
        synced(SERVICE),
        *(added(INGRESS, one) for one in objects),
        synced(INGRESS),
    ]
    assert cluster.exists(ObjectKey(INGRESS, "shop", "web")) is exists


# The API group distinguishes kinds of the same name


OLD = "networking.istio.io/v1alpha3"


@pytest.mark.parametrize(
    ("api_version", "kind", "expected"),
    [
        pytest.param("gateway.networking.k8s.io/v1", "Gateway", GATEWAY, id="one"),
        pytest.param("networking.istio.io/v1", "Gateway", ISTIO_GATEWAY, id="the-other"),
        pytest.param(OLD, "Gateway", ISTIO_GATEWAY, id="older-version-of-the-other"),
        pytest.param(OLD, "GatewayList", ListKind(ISTIO_GATEWAY), id="list-of-the-other"),
        pytest.param("gateway.solo.io/v1", "Gateway", GLOO_GATEWAY, id="a-third"),
        pytest.param("gateway.example.test/v1", "Gateway", None, id="an-unknown-one"),
        pytest.param("extensions/v1beta1", "Gateway", None, id="legacy-group-without-that-kind"),
        pytest.param(
            "networking.istio.io/v2",
            "Gateway",
            UnsupportedKind(
                ISTIO_GATEWAY,
                "apiVersion networking.istio.io/v2 of Gateway is not read; allowed: "
                f"networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}",
            ),
            id="version-that-is-not-read",
        ),
        pytest.param(
            None,
            "Gateway",
            UnsupportedKind(
                None,
                "apiVersion is missing; allowed for Gateway: gateway.networking.k8s.io/v1, "
                "gateway.networking.k8s.io/v1beta1, gateway.solo.io/v1, "
                f"networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}",
            ),
            id="no-version",
        ),
        pytest.param(
            None,
            "Servce",
            UnsupportedKind(None, "kind Servce has no apiVersion and does not exist; did you mean: Service of v1"),
            id="misspelt kind without version",
        ),
        pytest.param(
            "v1",
            "Ingress",
            UnsupportedKind(INGRESS, "apiVersion v1 of Ingress is not read; allowed: networking.k8s.io/v1"),
            id="version of the core group",
        ),
    ],
)
def test_kinds_of_the_same_name_are_told_apart_by_their_api_group(
    api_version: str | None, kind: str, expected: Kind | ListKind | UnsupportedKind | None
) -> None:
    assert identify_kind(api_version, kind) == expected
