"""The sidecar with a webhook provider (docs/spec/plan.md 9.1, 9.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from extdns.config import parse
from providers.webhook.flags import WebhookFlags
from providers.webhook.spec import PROVIDER as WEBHOOK
from tests.required_programs import EXTERNAL_DNS
from tests.slow.chart import schemas
from tests.slow.chart.test_values import leaves, scalars
from tests.slow.chart.tools import Helm, of, run, values_of

SIDECAR = values_of("webhook")
POWERDNS = values_of("pdns")


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
    (check,) = of("Pod", manifests)
    assert check["spec"]["initContainers"] == [{**sidecar, "restartPolicy": "Always"}]
    (service,) = of("Service", manifests)
    assert [port["name"] for port in service["spec"]["ports"]] == ["http", "http-webhook"]
    (monitor,) = of("ServiceMonitor", manifests)
    assert [one["port"] for one in monitor["spec"]["endpoints"]] == ["http", "http-webhook"]
    (policy,) = of("NetworkPolicy", manifests)
    assert {"port": "http-webhook"} in policy["spec"]["ingress"][0]["ports"]


def test_with_another_provider_than_webhook_the_chart_renders_no_webhook_sidecar(helm: Helm) -> None:
    other = SIDECAR | {"provider": SIDECAR["provider"] | {"name": "aws"}}
    assert helm.manifests(other) == helm.manifests(other | {"provider": "aws"})


def test_a_service_that_only_external_dns_has_starts_it_as_the_sidecar_with_the_credentials(helm: Helm) -> None:
    manifests = helm.manifests(POWERDNS)
    (deployment,) = of("Deployment", manifests)
    program, sidecar = deployment["spec"]["template"]["spec"]["containers"]
    config = parse(program["args"], {})
    assert (config.control.provider, config.control.policy) == ("webhook", "upsert-only")
    assert config.plan.domain_filter == ("shop.example", "b.example")
    assert WEBHOOK.find_flags(config) == WebhookFlags(
        webhook_provider_read_timeout_s=30.0, webhook_provider_write_timeout_s=300.0
    )
    assert [one["name"] for one in program["env"]] == ["POD_NAME", "POD_NAMESPACE", "CLUSTER", "HTTPS_PROXY"]
    assert sidecar["image"] == f"registry.k8s.io/external-dns/external-dns:{EXTERNAL_DNS}"
    assert sidecar["args"] == [
        "--webhook-server",
        "--provider=pdns",
        "--source=fake",
        "--metrics-address=:8080",
        "--policy=upsert-only",
        "--txt-owner-id=$(CLUSTER)",
        "--domain-filter=shop.example",
        "--domain-filter=b.example",
        "--webhook-provider-read-timeout=30s",
        "--webhook-provider-write-timeout=5m",
        "--pdns-server=http://ns1.example:8081",
        "--tls-ca=/tls/ca.crt",
        "--zone-id-filter=shop.example.",
        "--log-level=debug",
    ]
    assert [one["name"] for one in sidecar["env"]] == ["CLUSTER", "HTTPS_PROXY", "EXTERNAL_DNS_PDNS_API_KEY"]
    assert sidecar["env"][1]["value"] == "http://proxy.example:3128"
    assert sidecar["securityContext"] == program["securityContext"]
    assert sidecar["resources"] == {"requests": {"cpu": "10m", "memory": "96Mi"}}
    assert sidecar["readinessProbe"]["httpGet"] == {"path": "/healthz", "port": "http-webhook"}
    (monitor,) = of("ServiceMonitor", manifests)
    metrics = {"sourceLabels": ["__name__"], "regex": "external_dns_(controller|registry|source)_.*", "action": "drop"}
    assert [one.get("metricRelabelings") for one in monitor["spec"]["endpoints"]] == [None, [metrics]]


@pytest.mark.parametrize(
    ("provider", "image", "properties"),
    [
        pytest.param("akamai", "registry.k8s.io/external-dns/external-dns:v0.21.0", (), id="removed"),
        pytest.param("scaleway", "registry.k8s.io/external-dns/external-dns:v0.22.0", ("scw/",), id="properties"),
        pytest.param(
            {"name": "ovh", "webhook": {"image": {"repository": "mirror.example/dns", "tag": "1.0"}}},
            "mirror.example/dns:1.0",
            (),
            id="image",
        ),
    ],
)
def test_the_version_of_the_sidecar_with_external_dns_is_the_newest_that_has_the_service(
    helm: Helm, provider: object, image: str, properties: tuple[str, ...]
) -> None:
    (deployment,) = of("Deployment", helm.manifests({"provider": provider, "domainFilters": ["shop.example"]}))
    program, sidecar = deployment["spec"]["template"]["spec"]["containers"]
    assert sidecar["image"] == image
    assert WEBHOOK.find_flags(parse(program["args"], {})).webhook_provider_properties == properties


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
        pytest.param(
            {"provider": "akamai", "extraArgs": ["--akamai-edgerc-path=/etc/edgerc"]},
            "--akamai-edgerc-path is no flag of extdns (docs/reference/flags.md). Remove or correct it. "
            "If external-dns has it, move it to provider.webhook.args.",
            id="flag of a removed provider",
        ),
        pytest.param({"replicaCount": 2}, "replicaCount 2 and --provider=webhook do not go together", id="replicas"),
    ],
)
def test_chart_values_with_which_the_webhook_sidecar_could_not_work_are_refused(
    helm: Helm, change: dict[str, Any], message: str
) -> None:
    assert message in helm.refusal(SIDECAR | change)
