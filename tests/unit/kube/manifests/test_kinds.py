"""Which documents concern us where two groups have kinds of one name."""

from __future__ import annotations

import pytest

from extdns.kube.manifests.kinds import ListOf, Unread, recognised
from extdns.model.cluster import Kind
from extdns.model.gatewayapi import GATEWAY
from extdns.model.gloo import GLOO_GATEWAY
from extdns.model.istio import ISTIO_GATEWAY

OLD = "networking.istio.io/v1alpha3"


@pytest.mark.parametrize(
    ("api_version", "kind", "expected"),
    [
        pytest.param("gateway.networking.k8s.io/v1", "Gateway", GATEWAY, id="one"),
        pytest.param("networking.istio.io/v1", "Gateway", ISTIO_GATEWAY, id="the-other"),
        pytest.param(OLD, "Gateway", ISTIO_GATEWAY, id="older-version-of-the-other"),
        pytest.param(OLD, "GatewayList", ListOf(ISTIO_GATEWAY), id="list-of-the-other"),
        pytest.param("gateway.solo.io/v1", "Gateway", GLOO_GATEWAY, id="a-third"),
        pytest.param("gateway.example.test/v1", "Gateway", None, id="an-unknown-one"),
        pytest.param("extensions/v1beta1", "Gateway", None, id="group-that-only-kinds-of-one-group-once-had"),
        pytest.param(
            "networking.istio.io/v2",
            "Gateway",
            Unread(
                ISTIO_GATEWAY,
                "apiVersion networking.istio.io/v2 of Gateway is not read; allowed: "
                f"networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}",
            ),
            id="version-that-is-not-read",
        ),
        pytest.param(
            None,
            "Gateway",
            Unread(
                None,
                "apiVersion is missing; allowed for Gateway: gateway.networking.k8s.io/v1, "
                f"gateway.networking.k8s.io/v1beta1, networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}, "
                "gateway.solo.io/v1",
            ),
            id="no-version",
        ),
    ],
)
def test_the_group_tells_kinds_of_one_name_apart(
    api_version: str | None, kind: str, expected: Kind | ListOf | Unread | None
) -> None:
    assert recognised(api_version, kind) == expected
