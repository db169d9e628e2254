"""The sidecars with Open Policy Agent and kube-mgmt, and the permissions that they get."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.slow.chart import schemas
from tests.slow.chart.tools import NAMESPACE, Helm, Json, arguments, container, of, run

VALUES: Final[dict[str, Any]] = {
    "opa": {
        "enabled": True,
        "image": {"repository": "opa.example/opa", "tag": "1.2"},
        "kubeMgmt": {
            "image": {"repository": "opa.example/kube-mgmt", "tag": "3.4"},
            "replicate": ["v1/services", "networking.k8s.io/v1/ingresses", "a.example/v1/my-route2s"],
            "replicateCluster": ["v1/nodes"],
        },
    }
}


def test_the_chart_adds_opa_and_kube_mgmt_as_sidecars_and_extdns_queries_that_opa(
    helm: Helm, kubeconform: str, tmp_path: Path
) -> None:
    manifests = helm.manifests(VALUES)
    (deployment,) = of("Deployment", manifests)
    _, opa, kube_mgmt = deployment["spec"]["template"]["spec"]["containers"]
    assert "--opa-url=http://127.0.0.1:8181" in arguments(manifests)
    assert opa["args"] == ["run", "--server", "--addr=127.0.0.1:8181", "--diagnostic-addr=0.0.0.0:8282"]
    assert opa["ports"] == [{"name": opa["livenessProbe"]["httpGet"]["port"], "containerPort": 8282}]
    assert [one["image"] for one in (opa, kube_mgmt)] == ["opa.example/opa:1.2", "opa.example/kube-mgmt:3.4"]
    for sidecar in (opa, kube_mgmt):
        assert sidecar["securityContext"] == container(manifests)["securityContext"]
        assert sidecar["resources"]["requests"]
    annotations = deployment["spec"]["template"]["metadata"]["annotations"]
    assert annotations == {"eks.amazonaws.com/skip-containers": "opa,kube-mgmt"}
    assert kube_mgmt["args"] == [
        "--opa-url=http://127.0.0.1:8181/v1",
        f"--namespaces={NAMESPACE}",
        "--enable-policies=true",
        "--enable-data=true",
        "--replicate=v1/services",
        "--replicate=networking.k8s.io/v1/ingresses",
        "--replicate=a.example/v1/my-route2s",
        "--replicate-cluster=v1/nodes",
    ]
    (replicated,) = (one for one in of("ClusterRole", manifests) if one["metadata"]["name"] == "external-dns-replicate")
    assert replicated["rules"] == [
        {"apiGroups": [""], "resources": ["services"], "verbs": ["list", "watch"]},
        {"apiGroups": ["networking.k8s.io"], "resources": ["ingresses"], "verbs": ["list", "watch"]},
        {"apiGroups": ["a.example"], "resources": ["my-route2s"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]},
    ]
    checked = run(kubeconform, "-strict", "-schema-location", schemas.write(tmp_path), stdin=helm.render(VALUES).out)
    assert checked.code == 0, checked.out


@pytest.mark.parametrize("namespace", ["", "rules"])
def test_the_role_for_config_maps_with_policies_is_in_the_policy_namespace_or_else_in_that_of_the_release(
    helm: Helm, namespace: str
) -> None:
    values = {"opa": VALUES["opa"] | {"policyNamespace": namespace}}
    roles = of("Role", helm.manifests(values))
    (role,) = (one for one in roles if one["metadata"]["name"] == "external-dns-policies")
    assert role["metadata"]["namespace"] == (namespace or NAMESPACE)
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch", "update", "patch"]}
    ]


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(VALUES, id="sidecars"),
        pytest.param({"extraArgs": {"opa-url": "https://opa.example"}}, id="another-server"),
        pytest.param({"extraArgs": {"policy-rules": "/rules"}}, id="local-rules"),
    ],
)
def test_the_chart_grants_list_and_watch_of_namespaces_if_and_only_if_rules_are_evaluated(
    helm: Helm, values: dict[str, Any]
) -> None:
    def find_rules(more: dict[str, Any]) -> list[Json]:
        roles = of("ClusterRole", helm.manifests({"sources": ["service"], **more}))
        return [rule for role in roles for rule in role["rules"] if "namespaces" in rule["resources"]]

    assert find_rules(values) == [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list", "watch"]}]
    assert find_rules({}) == []


def test_the_chart_refuses_opa_sidecars_without_an_image(helm: Helm) -> None:
    message = helm.refusal({"opa": {"enabled": True}})
    assert "opa.image: repository and tag of the sidecar are required" in message
    assert "opa.kubeMgmt.image: repository and tag of the sidecar are required" in message


@pytest.mark.parametrize("key", ["replicate", "replicateCluster"])
def test_the_chart_refuses_what_kube_mgmt_cannot_copy(helm: Helm, key: str) -> None:
    message = helm.refusal({"opa": VALUES["opa"] | {"kubeMgmt": {key: ["Service"]}}})
    assert f"opa.kubeMgmt.{key}: Service is no resource" in message


def test_with_disabled_opa_sidecars_the_chart_renders_the_same_as_without_opa_values(helm: Helm) -> None:
    disabled = {"opa": VALUES["opa"] | {"enabled": False}}
    assert helm.manifests(disabled) == helm.manifests({})


def test_the_chart_refuses_the_opa_sidecars_together_with_the_address_of_another_opa(helm: Helm) -> None:
    message = helm.refusal(VALUES | {"extraArgs": {"opa-url": "https://opa.example"}})
    assert "--opa-url is given twice" in message
