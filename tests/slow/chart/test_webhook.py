"""The sidecar with a webhook provider (docs/spec/plan.md 9.1, 9.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.slow.chart import schemas
from tests.slow.chart.test_values import leaves, scalars
from tests.slow.chart.tools import Helm, of, run, values_of

SIDECAR = values_of("webhook")


def test_every_chart_value_of_the_webhook_sidecar_is_rendered_in_valid_manifests(
    helm: Helm, kubeconform: str, tmp_path: Path
) -> None:
    done = helm.render(SIDECAR)
    assert done.code == 0, done.error
    found = SIDECAR["provider"]["webhook"]
    assert not [text for _, value in leaves(found) for text in scalars(value) if text not in done.out]
    checked = run(kubeconform, "-strict", "-schema-location", schemas.write(tmp_path), stdin=done.out)
    assert checked.code == 0, checked.out


def test_the_port_of_the_webhook_sidecar_is_in_pod_service_service_monitor_and_network_policy(helm: Helm) -> None:
    manifests = helm.manifests(SIDECAR)
    (deployment,) = of("Deployment", manifests)
    program, sidecar = deployment["spec"]["template"]["spec"]["containers"]
    assert "--provider=webhook" in program["args"]
    assert (sidecar["name"], sidecar["image"]) == ("webhook", "sidecar.example/webhook:2.10")
    assert sidecar["ports"] == [{"name": "http-webhook", "containerPort": 8080}]
    (service,) = of("Service", manifests)
    assert [port["name"] for port in service["spec"]["ports"]] == ["http", "http-webhook"]
    (monitor,) = of("ServiceMonitor", manifests)
    assert [one["port"] for one in monitor["spec"]["endpoints"]] == ["http", "http-webhook"]
    (policy,) = of("NetworkPolicy", manifests)
    assert {"port": "http-webhook"} in policy["spec"]["ingress"][0]["ports"]


def test_with_another_provider_than_webhook_the_chart_renders_no_webhook_sidecar(helm: Helm) -> None:
    other = SIDECAR | {"provider": SIDECAR["provider"] | {"name": "aws"}}
    assert helm.manifests(other) == helm.manifests(other | {"provider": "aws"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"provider": {"name": "webhook"}},
            "provider.webhook.image: repository and tag of the sidecar are required",
            id="no image",
        ),
        pytest.param(
            {"provider": "webhook"},
            "provider.webhook.image: repository and tag of the sidecar are required",
            id="a name",
        ),
        pytest.param({"replicaCount": 2}, "replicaCount 2 and --provider=webhook do not go together", id="replicas"),
    ],
)
def test_chart_values_with_which_the_webhook_sidecar_could_not_work_are_refused(
    helm: Helm, change: dict[str, Any], message: str
) -> None:
    assert message in helm.refusal(SIDECAR | change)
