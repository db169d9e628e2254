"""The API group distinguishes kinds of the same name."""

from __future__ import annotations

import pytest

from extdns.kube.manifests.kinds import ListKind, UnsupportedKind, identify_kind
from extdns.model.kind import Kind
from extdns.resources.gateway_api import GATEWAY
from extdns.resources.gloo import GLOO_GATEWAY
from extdns.resources.istio import ISTIO_GATEWAY
from extdns.resources.networking import INGRESS

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
                f"gateway.networking.k8s.io/v1beta1, networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}, "
                "gateway.solo.io/v1",
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
